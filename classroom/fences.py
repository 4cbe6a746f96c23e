"""The fences of a graded set's file: what each says of itself, and the marks in it. SetError, with its line, for a wrong one."""

import re
from pathlib import Path

import nbformat
from markdown_it import MarkdownIt
from markdown_it.token import Token
from nbformat import NotebookNode

from classroom import book
from classroom.cells import MARK

ROLES = dict.fromkeys(("setup", "data", "answer", "test", "question", "wrong"), "python") | {"explain": "markdown"}
REGIONS = {"answer": "SOLUTION", "test": "HIDDEN TESTS"}
MARKED = re.compile(r"([ \t]*)#+\s*(BEGIN|END)\s+(SOLUTION|HIDDEN\s+TESTS)\s*", re.IGNORECASE)
BEGINS = re.compile(rf"[\s>*+-]*(`{{3,}}|~{{3,}})\s*(\w+\s+)?({'|'.join(ROLES)})\b", re.IGNORECASE)
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,59}")
ALLOWED = "letters from a to z, digits, - and _, at most 60, and no - at the start"


class SetError(ValueError):
    """A graded set that cannot be read: the sentence says where and why."""


def text_of(file: Path) -> str:
    """The file's text; a mark of byte order and the line ends of other systems are made plain."""
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SetError(f"{file.name}: is no UTF-8 text (byte {error.start + 1}); save it as UTF-8.") from None


def fences(text: str) -> list[tuple[Token, list[int]]]:
    """Each fence, and the lines from its first to behind its last."""
    return [(token, token.map) for token in MarkdownIt("commonmark").parse(text) if token.type == "fence" and token.map]


def check(fence: Token, lines: list[str], where: str) -> None:
    """Closed, and not by the end of another: one that is not would show what follows, or swallow it."""
    swallowed = next((at for at in range(1, len(lines) - 1) if BEGINS.match(lines[at])), None)
    closed = re.fullmatch(rf"[\s>]*{re.escape(fence.markup[0])}{{{len(fence.markup)},}}\s*", lines[-1])
    if swallowed is not None or not closed or len(lines) == 1:
        start = int(where.rpartition(" ")[2])
        before = "" if swallowed is None else f" before line {start + swallowed}"
        raise SetError(f"{where}: this fence is not closed{before}.")


def role_of(token: Token, where: str) -> tuple[str, str, dict[str, str]] | None:
    """What a fence becomes: its role, its name and its options; nothing for one that is shown as it is."""
    language, *words = token.info.split() or [""]
    if (head := language.partition("=")[0].lower()) in ROLES:
        raise SetError(f"{where}: name the language first, `{ROLES[head]} {language}`.")
    if not words:
        return None
    role, _, name = words[0].partition("=")
    if role not in ROLES:
        meant = role.lower() in ROLES or language.lower() in ROLES.values() or any("point" in word for word in words)
        if not meant:
            return None
        known = ", ".join(ROLES)
        raise SetError(f"{where}: `{words[0]}` is none of {known}. To show the fence, give its language alone.")
    if language != ROLES[role]:
        raise SetError(f"{where}: `{role}` goes with `{ROLES[role]}`, not `{language}`.")
    if token.level:
        raise SetError(f"{where}: this fence stands in a list or a quotation; a cell begins at the margin.")
    if role not in {"setup", "data"} and not name:
        raise SetError(f"{where}: give it a name, `{role}=NAME`.")
    if name and not NAME.fullmatch(name):
        raise SetError(f"{where}: the name {name} may have {ALLOWED}.")
    options = dict(word.partition("=")[::2] for word in words[1:])
    if role == "question" and not name.isidentifier():
        raise SetError(f"{where}: the name {name} becomes a variable, so it may have letters, digits and _.")
    takes = {"points", "section"} if role in {"test", "explain", "question"} else set()
    if unknown := [word for word in words[1:] if word.partition("=")[0] not in takes]:
        known = "`points=2` and `section=PAGE#HEADING` alone" if takes else "no options"
        raise SetError(f"{where}: `{role}` takes {known}, not `{unknown[0]}`.")
    if takes and not (re.fullmatch(r"\d{1,4}(\.\d+)?", options.get("points", "")) and float(options["points"])):
        raise SetError(f"{where}: say what it is worth, `points=2` or `points=0.5`, more than 0.")
    if "section" in options:
        try:
            book.section(options["section"])
        except ValueError as error:
            raise SetError(f"{where}: {error}.") from None
    return role, name, options


def between(lines: list[str], start: int, file: str) -> list[NotebookNode]:
    """The text between two cells, if any. A fence that Markdown does not see there would show a model answer."""
    if unseen := [number for number, line in enumerate(lines, start + 1) if BEGINS.match(line)]:
        raise SetError(f"{file}, line {unseen[0]}: this fence is none, as it is indented or in a comment.")
    regions("\n".join(lines), "text", start, file)
    text = "\n".join(lines).strip()
    return [nbformat.v4.new_markdown_cell(text)] if text else []


def regions(source: str, role: str, start: int, file: str) -> str:
    """The source, its marks as nbgrader knows them; one that is out of place would hand out what it should hide."""
    region, lines, inside = REGIONS.get(role), source.split("\n"), 0
    for number, line in enumerate(lines, 1):
        if not MARK.search(line):
            continue
        mark, where = MARKED.fullmatch(line), f"{file}, line {start + number}"
        words = " ".join(mark[3].upper().split()) if mark else ""
        if mark is None or words != region:
            subject = "text" if role == "text" else f"`{role}`"
            takes = f"`### BEGIN {region}` and `### END {region}`, each alone on its line" if region else "no such mark"
            raise SetError(f"{where}: {subject} takes {takes}: {line.strip()}")
        if (mark[2].upper() == "BEGIN") == bool(inside):
            raise SetError(f"{where}: {line.strip()} without {'an END before it' if inside else 'a BEGIN before it'}.")
        inside = 0 if inside else start + number
        lines[number - 1] = f"{mark[1]}### {mark[2].upper()} {words}"
    if inside or (region and "\n".join(lines).find("### BEGIN") < 0):
        where = f"{file}, line {inside or start}"
        raise SetError(f"{where}: needs a line `### BEGIN {region}` and, after it, one `### END {region}`.")
    return "\n".join(lines)
