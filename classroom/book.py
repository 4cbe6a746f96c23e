"""The book's sections, as a graded set names them: `section=04_scaling#four-times-as-wide`, a page and one of its headings.

What is before the # is a file of `chapters/`, and what is after it the heading's address in the page. Without a # it is the
whole page.
"""

import difflib
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml
from docutils.nodes import make_id
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = ROOT / "chapters"
SITE = ROOT / "_build" / "html"
QUESTIONS = {"Choice", "FillTable", "Number"}  # widgets that ask, and show nothing
IMPORTED = re.compile(r"from attnlib\.widgets import ([\w, ]+)")
HIDDEN = re.compile(r"tags: *\[[^]]*remove-cell")
FIGURE = re.compile(r'\bplots\.\w+\([^`]*?\btitle="([^"\n]+)"')


@dataclass(frozen=True)
class Section:
    """A section, or a whole page where it is the first heading: its words, its page's title, and what can be shown in it.

    `widgets` and `figures` are in the order of the text: names of widgets as words, titles of figures.
    """

    page: str
    anchor: str
    title: str
    chapter: str
    widgets: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        return f"chapters/{self.page}.html#{self.anchor}"


def section(name: str) -> Section:
    """The section of this name. ValueError, with what is there and near, where there is none."""
    page, _, anchor = name.partition("#")
    if page not in (known := sorted(file.stem for file in CHAPTERS.glob("*.md"))):
        raise ValueError(f"the book has no page {page}; there are {', '.join(known)}")
    found = sections(page)
    if not anchor:
        return next(iter(found.values()))
    if anchor not in found:
        near = difflib.get_close_matches(anchor, found, n=5, cutoff=0.3) or list(found)
        raise ValueError(f"the page {page} has no section {anchor}; there are {', '.join(near)}")
    return found[anchor]


def nearest(one: Section) -> Section:
    """The section itself where it has something to show, else the nearest on its page that has; of two the one before."""
    if one.widgets + one.figures:
        return one
    _, *there = sections(one.page).values()
    at = next((place for place, other in enumerate(there) if other == one), 0)
    able = [(abs(place - at), place) for place, other in enumerate(there) if other.widgets + other.figures]
    return there[min(able)[1]] if able else one


def address(one: Section, folder: Path) -> str:
    """Where a page in this folder finds the section: on the book's site, in the site that was built here, or nowhere ("")."""
    if base := _base():
        return f"{base.rstrip('/')}/{one.place}"
    if (SITE / one.place.partition("#")[0]).is_file():
        return Path(os.path.relpath(SITE, folder)).as_posix() + f"/{one.place}"
    return ""


def _base() -> str:
    """The site's own address, as `make book` takes it."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))
    base = os.environ.get("BASE_URL") or config["sphinx"]["config"].get("html_baseurl") or ""
    return base if re.match("https?://", base) else ""


@cache
def sections(page: str) -> dict[str, Section]:
    """Each section of a page by the address of its heading, in order."""
    text = (CHAPTERS / f"{page}.md").read_text(encoding="utf8")
    text = re.sub(r"\A---\n.*?\n---\n", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    lines, tokens = text.split("\n"), MarkdownIt("commonmark").parse(text)
    heads = [
        (int(token.tag[1]), token.map[0], tokens[at + 1].content)
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.map and not token.level
    ]
    widgets = [one for names in IMPORTED.findall(text) for one in re.findall(r"\w+", names) if one not in QUESTIONS]
    found: dict[str, Section] = {}
    for at, (level, first, title) in enumerate(heads):
        ends = (line for other, line, _ in heads[at + 1 :] if other <= level)
        code = _shown_code("\n".join(lines[first : next(ends, len(lines))]))
        shown = sorted({code.index(f"{one}("): one for one in widgets if f"{one}(" in code}.items())
        found.setdefault(
            make_id(title),
            Section(
                page,
                make_id(title),
                title,
                heads[0][2],
                tuple(re.sub(r"(?<=[a-z])([A-Z])", r" \1", one).capitalize() for _, one in shown),
                tuple(dict.fromkeys(FIGURE.findall(code))),
            ),
        )
    return found


def _shown_code(text: str) -> str:
    """The cells of code whose result a reader sees."""
    cells = re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return "\n".join(cell for cell in cells if not HIDDEN.search(cell))
