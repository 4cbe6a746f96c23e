"""Widgets as HTML: the shell that a notebook's output holds, and the state that a page adds to it.

The state is Jupyter's own: what `nbclient` saves of every widget in a notebook's metadata. So a page can show
anywidgets that others wrote, too.
"""

import base64
import hashlib
import itertools
import json
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ipywidgets.widgets.widget import _remove_buffers

from anywidget_static import base85

VIEW = "application/vnd.jupyter.widget-view+json"
HOME = re.compile(r'<div data-widget="[^"]*"(?: id="([^"]*)">)?')
LINK = '<a class="headerlink" data-link href="#{anchor}" aria-label="Link to this widget">#</a>'
KEPT = (
    "<div class=anywidget-saved><style>{}</style>{}<p>This is how the widget started. Where its cell runs {}.</p></div>"
)
KEPT_TABLE = re.compile(KEPT.format(".*?", "(.*)", "(?:it lives|you can ([^<]*))"), re.DOTALL)
BLANK = r"/\*.*?\*/|\n *|(?<=[{;:,>+]) +| +(?=[{>+])|;? +(?=})|;(?=\n)"  # in a style
QUOTED = re.compile(r'="([\w.:#-]+)"(?=[\s>])(?=[^<>]*>)')
ENDS = re.compile("</t[dhr]>")  # HTML needs none of them
OPEN_CELL = re.compile(r"(<(t[dh])\b[^>]*>(?:(?!</?t(?:[dhr]|head|body|foot|able)\b).)*)", re.DOTALL)
OPEN_ROW = re.compile(r"(<(tr)\b[^>]*>(?:(?!<tr\b|</?t(?:head|body|foot|able)\b).)*)", re.DOTALL)
PLACE = re.compile(r'<script type="application/json" data-model="(\w+)"></script>')
STATE = re.compile(r'<script type="application/json">([^<]*)</script>')
STATE_FILE = re.compile(r'data-state="[^"]*?(state-\w+\.js)"')
SHOWN = re.compile(rf'<script type="{re.escape(VIEW)}">(.*?)</script>', re.DOTALL)
FRONT_END = {"_anywidget_id", "_css", "_dom_classes", "_esm", "_library", "_module"}  # of no use to a module
FRONT_END |= {f"_{part}_{what}" for part in ("model", "view") for what in ("module", "module_version", "name")}
FRONT_END |= {"_view_count", "layout", "tabbable", "tooltip"}
HIDDEN = re.compile(r"_(?!bounds$)")  # of a package's widget, no JSON: js/model.mjs has the same rule
SMALL = re.compile(
    r'"(?:[^"\\]|\\.)*"|(-?)(\d)(?:\.(\d+))?e-0(\d)'
)  # a text, or a number that JavaScript writes otherwise

UNPACK = """\
const packed = "{}";
const stream = new Blob([bytes_of(packed)]).stream();
const text = await new Response(stream.pipeThrough(new DecompressionStream("deflate"))).text();
"""
START = (
    'document.body.append(Object.assign(document.createElement("script"), { type: "module", textContent: text }));\n'
)
LOAD = """\
const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
const { default: library } = await import(address);
URL.revokeObjectURL(address);
export default library;
"""
STYLE = """
{{
  const style = Object.assign(document.createElement("style"), {{ id: {}, textContent: {} }});
  document.getElementById(style.id)?.remove();
  document.head.append(style);
}}
"""


@dataclass(frozen=True)
class Source:
    """Where a widget's module comes from: a package with the name of a module in it, or the module's text and its style."""

    name: str
    package: str = ""
    esm: str = ""
    css: str = ""


def shell(name: str, anchor: str, model: str, fallback: str, alive: str = "") -> str:
    """The HTML of a widget, whose state `filled` puts in its place."""
    start = f'<noscript><p class="widget-missing">This is how the widget starts. With JavaScript on you can {alive}.</p></noscript>'
    place = f' id="{anchor}"' if anchor else ""
    return (
        f'<div data-widget="{name}"{place}>{fallback}{start if alive else ""}'
        f'<script type="application/json" data-model="{model}"></script></div>'
    )


def anchor_of(name: str, title: str) -> str:
    """The address of a widget in its page."""
    return "-".join(re.findall(r"\w+", f"{name} {title}".lower().replace("_", " ")))


def kept(fallback: str, alive: str = "", alone: bool = True) -> str:
    """A widget's table as a notebook's output of its own, behind the widget: it is seen where that does not live.

    What hides it behind a living widget it brings itself when it is `alone`, else its library does (`esbuild.build`).
    """
    names = ["kept.css", "alive.css"] if alone else ["kept.css"]
    styles = "".join((script_folder() / name).read_text(encoding="utf8") for name in names)
    style = re.sub(BLANK, "", styles, flags=re.DOTALL)
    html = QUOTED.sub(r"=\1", fallback)
    short = ENDS.sub("", html)
    html = short if _closed(short) == html else html
    return KEPT.format(style, html, f"you can {alive}" if alive else "it lives")


def _closed(html: str) -> str:
    """HTML with the ends of cells and rows that `kept` left out: not every parser is a browser's."""
    return html if ENDS.search(html) else OPEN_ROW.sub(r"\1</\2>", OPEN_CELL.sub(r"\1</\2>", html))


def shell_of(text: str, view: str, state: Mapping[str, Any]) -> str:
    """The shell of the widget with this model in the HTML of an output, kept or not; "" where it is another's."""
    if found := KEPT_TABLE.fullmatch(text):
        anchor = anchor_of(state.get("_module", ""), state.get("title", ""))
        return shell(state.get("_module", ""), anchor, view, _closed(found[1]), found[2] or "")
    place = PLACE.search(text)
    return text if place and place[1] == view else ""


def whole(title: str, html: str, script: str, style: str) -> str:
    """A page of its own, which needs nothing else: light or dark as the browser is, with what is read without a script."""
    colours = (script_folder() / "saved.css").read_text(encoding="utf8")
    style = f"{colours}{style}".replace("</", "<\\/")
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(title)}</title>\n'
        f"<style>\n{style}</style>\n"
        f"<main>\n<h1>{escape(title)}</h1>\n{html}\n</main>\n"
        f'<script type="module">\n{_packed(script)}{START}</script>\n</html>\n'
    )


def packed_library(name: str, script: str, style: str) -> str:
    """A module that unpacks the one with this script and adds its style to the page, in the place of an earlier one."""
    return _packed(script + STYLE.format(json.dumps(f"anywidget-static-{name}"), json.dumps(style))) + LOAD


def _packed(script: str) -> str:
    """JavaScript that unpacks a script as `text`."""
    decoder = (script_folder() / "base85.mjs").read_text(encoding="utf8").replace("export ", "")
    return re.sub(r"//.*|\n *", "", decoder) + UNPACK.format(base85.encode(zlib.compress(script.encode(), 9)))


def named(text: str, name: str, taken: set[str]) -> str:
    """HTML of a widget with the name of its module, and a link to an address of its own among those that are taken."""

    def start(match: re.Match[str]) -> str:
        if not match[1]:
            return f'<div data-widget="{name}"'
        numbered = (f"{match[1]}-{n}" for n in itertools.count(2))
        anchor = next(one for one in itertools.chain([match[1]], numbered) if one not in taken)
        taken.add(anchor)
        return f'<div data-widget="{name}" id="{anchor}">{LINK.format(anchor=anchor)}'

    return HOME.sub(start, text, count=1)


def saved(widget: Any) -> dict[str, Any]:
    """A widget as a notebook's metadata hold it."""
    state, paths, buffers = _remove_buffers(widget.get_state())
    data = [base64.b64encode(buffer).decode() for buffer in buffers]
    return {"state": state, "buffers": [{"path": path, "data": one} for path, one in zip(paths, data, strict=True)]}


def filled(text: str, models: Mapping[str, Any]) -> str:
    """HTML with the states in their places. The place of an unknown model stays empty."""

    def state_of(match: re.Match[str]) -> str:
        return (
            f'<script type="application/json">{serialized(models[match[1]])}</script>'
            if match[1] in models
            else match[0]
        )

    return PLACE.sub(state_of, text)


def serialized(model: Mapping[str, Any]) -> str:
    """A model's state as JSON that may stand inside HTML."""
    state = inputs(unpacked(model["state"]))
    if model.get("buffers"):
        state["_buffers"] = [
            {"path": one["path"], "data": base85.encode(base64.b64decode(one["data"]))} for one in model["buffers"]
        ]
    return _json(state)


def _json(state: Mapping[str, Any]) -> str:
    return json.dumps(state, sort_keys=True, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def packed(value: Any) -> Any:
    """Texts, lists and dicts as JSON, with numbers as JavaScript writes them; all else, and what holds bytes, as it is."""
    if not isinstance(value, str | list | dict):
        return value
    try:
        plain = json.loads(json.dumps(value), parse_float=_number)
    except TypeError:
        return value
    text = json.dumps(plain, separators=(",", ":"), ensure_ascii=False)
    return SMALL.sub(_as_javascript, text) if "e-0" in text else text


def _number(text: str) -> float:
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < 1e21 else number


def _as_javascript(match: re.Match[str]) -> str:
    """A number from 1e-9 to 1e-4 as JavaScript writes it; a text as it is."""
    sign, whole, more, power = match.groups()
    if power is None:
        return match[0]
    if power > "6":
        return f"{sign}{whole}{f'.{more}' if more else ''}e-{power}"
    return f"{sign}0.{'0' * (int(power) - 1)}{whole}{more or ''}"


def unpacked(state: Mapping[str, Any]) -> Mapping[str, Any]:
    """A saved state with the values of what a package's widget sends as JSON."""
    if not state.get("_library"):
        return state
    return {
        name: json.loads(value)
        if isinstance(value, str) and name not in FRONT_END and not HIDDEN.match(name)
        else value
        for name, value in state.items()
    }


def inputs(state: Mapping[str, Any]) -> dict[str, Any]:
    """What a module uses of a state: the widget's own fields, and their bounds, if it has any."""
    return {name: value for name, value in state.items() if name not in FRONT_END and (value or name != "_bounds")}


def is_anywidget(model: Mapping[str, Any]) -> bool:
    """Whether a saved model is that of an anywidget, with its module in its state."""
    return "_esm" in model["state"]


def source(model: Mapping[str, Any], models: Mapping[str, Any]) -> Source:
    """Where the module of a saved model comes from."""
    state = model["state"]
    if library := models.get(state.get("_library", "")):
        return Source(state["_module"], package=library["state"]["package"])
    esm, css = state["_esm"], state.get("_css") or ""
    name = f"{state.get('_module') or 'widget'}_{hashlib.sha256((esm + css).encode()).hexdigest()[:8]}"
    if esm.startswith(("http://", "https://")):
        esm = f"import * as given from {json.dumps(esm)};\nexport default given.default ?? given;\n"
    return Source(re.sub(r"\W", "_", name), esm=esm, css=css)


def moved(text: str, large: int, write: Callable[[str], str]) -> str:
    """HTML in which each state of more than `large` characters stands in the script whose address `write` gives.

    What waits until it is asked for (see `parted`) stands in a script of its own.
    """

    def outside(match: re.Match[str]) -> str:
        if len(match[1]) <= large:
            return match[0]
        state, rest = parted(json.loads(match[1]))
        out = f'<script type="application/json" data-state="{write(_json(state))}"></script>'
        if rest:
            out += f'<script type="application/json" data-rest data-state="{write(_json(rest))}"></script>'
        return out

    return STATE.sub(outside, text)


def parted(state: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """A state without what its bounds call `on_demand`, keys of all entries of a list but the first; and these, or {}."""
    keys = {name: set(of["on_demand"]) for name, of in state.get("_bounds", {}).items() if "on_demand" in of}
    if not any(len(state[name]) > 1 for name in keys):
        return state, {}

    def of_entries(waits: bool) -> dict[str, list[dict[str, Any]]]:
        return {
            name: [
                {k: v for k, v in one.items() if (i > 0 and k in late) == waits} for i, one in enumerate(state[name])
            ]
            for name, late in keys.items()
        }

    def of_bytes(waits: bool) -> list[Any]:
        return [one for one in state.get("_buffers", []) if _waits(one["path"], keys) == waits]

    return state | of_entries(False) | {"_buffers": of_bytes(False)}, of_entries(True) | {"_buffers": of_bytes(True)}


def _waits(path: list[Any], keys: Mapping[str, set[str]]) -> bool:
    """Whether bytes at this path come on demand."""
    return len(path) > 2 and path[1] > 0 and path[2] in keys.get(path[0], ())


def script_folder() -> Path:
    """Where the JavaScript of this package lies."""
    return Path(__file__).parent / "js"
