"""Work that is alike, listed for a person to look at: `similar-SET.csv`, a row for each pair. Nothing is judged here.

Each student's own cells are read as tokens, in which every name and number counts the same, and answers in words as words.
Runs of tokens are hashed, and by winnowing some of them are kept, always the same ones of equal text. What was handed out is
left out, and what many students have is too: a short task has few right answers. Of the rest, the share that two have in
common is that of the smaller one. Work that is the same as another's from beginning to end is listed in any case.
"""

import keyword
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from classroom import notebooks, sheets, texts, worker
from classroom.course import Course, CourseError
from classroom.limits import Limits

TOKEN = re.compile(
    r"(?P<blank>#[^\n]*|\s+|\\\n)"
    r"|(?P<text>[rbfuRBFU]{0,2}(?:'{3}.*?(?:'{3}|\Z)|\"{3}.*?(?:\"{3}|\Z)"
    r"|'(?:\\.|[^'\\\n])*'?|\"(?:\\.|[^\"\\\n])*\"?))"
    r"|(?P<number>\d[\w.]*)|(?P<name>[^\W\d]\w*)|(?P<sign>.)",
    re.DOTALL,
)
KEPT = {*keyword.kwlist, "np", "sum", "exp", "max", "min", "sqrt", "zeros", "len", "range"}
CODE, PROSE = (12, 4), (5, 2)  # tokens of a run, and of how many runs the least is kept
LONGEST = 100_000  # characters of a notebook that are read
FEWEST = 4  # runs in common, below which a pair is not listed
WHOLE = 20  # runs of work that, where others have all of it and no more, is listed however many they are
SHARE, MOST = 0.3, 100  # the least share, and the most pairs
CANNOT = (
    "A pair is no proof: two may have worked together as allowed, used one source, or been taught the same way. It cannot "
    "see code that was rewritten, translated or made by a program, parts that more than a tenth of the class share, and work "
    "from outside this class or from another year."
)
Marks = dict[int, set[int]]  # hashes, and the lines that each stands for


@dataclass(frozen=True)
class Pair:
    """Two students, the share of the smaller one's runs that both have, how many, and the lines of each."""

    one: str
    other: str
    share: float
    runs: int
    lines: tuple[str, str]


def similar(course: Course, name: str) -> list[str]:
    """Write `similar-SET.csv`; sentences about what is in it and what it cannot see."""
    if name not in course.assignments():
        raise CourseError(f"{name} was not released in {course.folder}: run `make classroom` first.")
    released = nbformat.read(course.released(name), 4)
    found, unread = {}, []
    for folder in course.submissions(name):
        try:
            found[folder.parent.name] = worker.run(
                Limits.chosen().submission, _read, folder / f"{name}.ipynb", released
            )
        except worker.Stopped:
            unread.append(texts.line(folder.parent.name, 80))
    listed = pairs(
        {student: marks for student, (_, marks) in found.items()}, {who: one for who, (one, _) in found.items()}
    )
    rows = [["share", "runs in common", "student", "other", "lines of student", "lines of other"]]
    for pair in listed:
        names = [sheets.name(pair.one), sheets.name(pair.other)]
        rows.append([f"{pair.share:.0%}", str(pair.runs), *names, *map(sheets.safe, pair.lines)])
    file = course.folder / f"similar-{name}.csv"
    course.write(file, sheets.table(rows))
    count = f"{len(listed)} pair{'' if len(listed) == 1 else 's'} of {len(found)} students to look at, in {file}"
    return [count, CANNOT, *([f"Could not be read: {', '.join(unread)}."] if unread else [])]


def pairs(marks: dict[str, Marks], lines: dict[str, list[str]]) -> list[Pair]:
    """The pairs with most in common. A run that more than a tenth of the class has, and more than three, is left out."""
    many = max(3, len(marks) // 10)
    owners: dict[int, list[str]] = {}
    for student, own in marks.items():
        for mark in own:
            owners.setdefault(mark, []).append(student)
    rare = {mark: who for mark, who in owners.items() if len(who) <= many}
    left = Counter(student for who in rare.values() for student in who)
    common = Counter(pair for who in rare.values() for pair in combinations(sorted(who), 2))
    shares = {pair: (runs / min(left[who] for who in pair), runs) for pair, runs in common.items() if runs >= FEWEST}
    shares = {pair: share for pair, share in shares.items() if share[0] >= SHARE}
    whole: dict[frozenset[int], str] = {}
    for student in sorted(marks):
        work = frozenset(marks[student])
        if len(work) >= WHOLE and work in whole:
            shares[whole[work], student] = 1.0, len(work)
        whole[work] = student
    found = []
    for (one, other), (share, runs) in shares.items():
        both = marks[one].keys() & marks[other].keys()
        both = both if len(both) == runs else both & rare.keys()
        shown = [_shown(lines[who], {line for mark in both for line in marks[who][mark]}) for who in (one, other)]
        found.append(Pair(one, other, share, runs, (shown[0], shown[1])))
    return sorted(found, key=lambda pair: (-pair.share, -pair.runs, pair.one, pair.other))[:MOST]


def marks_of(notebook: NotebookNode, released: NotebookNode) -> tuple[list[str], Marks]:
    """The lines of a student's own cells, and the winnowed runs in them that were not handed out."""
    handed_out = {cell.source.strip() for cell in released.cells}
    given = {mark for cell in released.cells for mark, _, _ in _runs(cell.source, cell.cell_type == "code", every=True)}
    lines: list[str] = []
    found: Marks = {}
    left = LONGEST
    for cell in notebook.cells:
        source = cell.source[:left]
        if source.strip() in handed_out:
            continue
        left -= len(source)
        for mark, first, last in _runs(source, cell.cell_type == "code"):
            if mark not in given:
                found.setdefault(mark, set()).update(range(len(lines) + first, len(lines) + last + 1))
        lines += source.split("\n")
    return lines, found


def _read(file: Path, released: NotebookNode) -> tuple[list[str], Marks]:
    return marks_of(notebooks.read(notebooks.start(file))[0], released)


def _runs(source: str, code: bool, every: bool = False) -> Iterator[tuple[int, int, int]]:
    """The winnowed runs: a hash, and the first and the last line of each."""
    tokens = list(_tokens(source) if code else _words(source))
    length, window = CODE if code else PROSE
    hashes = [
        zlib.crc32("\0".join([str(code), *(token for token, _ in tokens[at : at + length])]).encode("utf8", "replace"))
        for at in range(len(tokens) - length + 1)
    ]
    kept = set(range(len(hashes))) if every else _winnowed(hashes, window)
    for at in sorted(kept):
        yield hashes[at], tokens[at][1], tokens[at + length - 1][1]


def _winnowed(hashes: list[int], window: int) -> set[int]:
    """Where the least hash of each window is, the last of equal ones."""
    return {
        min(range(at, min(at + window, len(hashes))), key=lambda one: (hashes[one], -one))
        for at in range(max(1, len(hashes) - window + 1) if hashes else 0)
    }


def _tokens(source: str) -> Iterator[tuple[str, int]]:
    """Tokens and their lines: names, but those that everybody uses, are all N, numbers 0, texts S."""
    line = 0
    for found in TOKEN.finditer(source):
        kind, text = found.lastgroup, found[0]
        if kind != "blank":
            yield {"text": "S", "number": "0", "name": text if text in KEPT else "N"}.get(kind or "", text), line
        line += text.count("\n")


def _words(source: str) -> Iterator[tuple[str, int]]:
    for number, line in enumerate(source.split("\n")):
        for word in re.findall(r"\w+", line.casefold()):
            yield word, number


def _shown(lines: list[str], which: set[int]) -> str:
    return "\n".join(lines[number] for number in sorted(which) if lines[number].strip())
