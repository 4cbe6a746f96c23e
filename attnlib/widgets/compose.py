"""Joins a widget's JavaScript modules into one, for Jupyter, and gives the style of all.

Jupyter loads a widget from a blob, where no `import` of a neighbour resolves, and on machines without
Node. So each module becomes a function called once, in the order of its imports.
Our modules keep to a form that needs no parser: `import * as name from "./name.mjs";` at the top, or
`import { one, other } from "./name.mjs";` (which a page's bundle needs in order to leave out the rest),
then `export function …` or `export const …` or, in a widget, one closing `export default ui.widget(changes, build);`.
"""

import re
from pathlib import Path

FOLDER = Path(__file__).parent
STYLES = (FOLDER / "theme.css", FOLDER / "widgets.css")  # the later wins
_IMPORT = re.compile(r'^import \* as (\w+) from "\./\1\.mjs";$', re.MULTILINE)
_NAMES = re.compile(r'^import (\{ \w+(?:, \w+)* \}) from "\./(\w+)\.mjs";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:(?:async )?function|const) (\w+))", re.MULTILINE)
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def notebook_module(name: str, folder: Path = FOLDER) -> str:
    """The module that anywidget loads for the widget `name`."""
    done: dict[str, str] = {}
    _add(name, folder, done)
    return f"{''.join(done.values())}export default {name};\n"


def style() -> str:
    """The style of every widget."""
    return "".join(file.read_text(encoding="utf8") for file in STYLES)


def _add(name: str, folder: Path, done: dict[str, str]) -> None:
    """Add a module behind those that it imports."""
    if name in done:
        return
    source = (folder / f"{name}.mjs").read_text(encoding="utf8")
    for needed in [*_IMPORT.findall(source), *(module for _, module in _NAMES.findall(source))]:
        _add(needed, folder, done)
    exports = _EXPORT.findall(source)
    body = _DEFAULT.sub("return ", _EXPORT.sub("", _IMPORT.sub("", _NAMES.sub(r"const \1 = \2;", source))))
    if left := _LEFT.search(body):
        raise ValueError(f"{name}.mjs: cannot join the line {left[0]!r}")
    if exports:
        body += f"return {{ {', '.join(exports)} }};\n"
    done[name] = f"const {name} = (() => {{\n{body}}})();\n"
