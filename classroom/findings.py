"""What a student's process noted, sorted: what a person must look at, and what is only worth a remark.

A ready-made answer counts when a *test* reached it through the student's function; reached from a cell it may be a
comparison, so it is a remark. What the set's own set-up handed out is nobody's fault.
"""

from dataclasses import dataclass

from classroom.inside.watch import INSIDE, TEXT_AS_CODE, TRIED
from classroom.process import IMPORT, WANTED, Note
from classroom.student import Ran
from classroom.texts import clean

MOST = 12


@dataclass(frozen=True)
class Sorted:
    """Sentences, each once."""

    person: list[str]
    remarks: list[str]


def sort(notes: list[tuple[str, Note]], handed: set[str], ran: dict[str, Ran], walled: bool) -> Sorted:
    """Sort the notes of a submission.

    Args:
        notes: what the process was doing (the function that a test called, "" for a cell), and what was noted then.
        handed: the functions of attnlib that the set-up gave to students, as "attnlib.masks.causal_mask".
        ran: the cells, with the magics that were passed over.
        walled: whether more than Python's own refusal stood in the way of what was tried.
    """
    person: dict[str, None] = {}
    remarks: dict[str, None] = {}
    direct = {
        (during, note.cell, note.line, note.what)
        for during, note in notes
        if note.kind == "reached" and _dotted(note.by) in {"", note.what}
    }  # each is named in any case: a student can write notes, and none of theirs hides another
    for during, note in notes:
        cell, what, by = (clean(text)[:120] for text in (note.cell.removeprefix("cell "), note.what, _dotted(note.by)))
        where = f"{cell}, line {note.line}: " if note.line else f"{cell}: " if cell else ""
        if what == WANTED and cell == "setup" and handed:
            continue
        if note.kind == "did":
            held = walled and what.startswith(TRIED) and INSIDE not in what
            what += ", which has attention ready-made" if what == "imports torch" else ""
            mild = what == TEXT_AS_CODE or what.startswith(("reads ", "imports "))
            (remarks if held or mild else person)[f"{where}{what}{' (refused)' if held else ''}"] = None
            continue
        if {what, by} & handed:
            continue
        if by != what and (during, note.cell, note.line, by) in direct:
            continue  # that one reached this one, and is named itself
        through = f" through {by}" if by and by != what else ""
        reaches = f"reached {what}, which is ready-made{through}"
        if not during:
            remarks[f"{where}{reaches}"] = None
        elif note.by != IMPORT or not any(f"the test of {during} " in one for one in person):
            person[f"{where}the test of {during} {reaches}"] = None
    for cell, one in ran.items():
        remarks.update(dict.fromkeys(f"{cell}: {magic} does nothing while work is graded" for magic in one.skipped))
    return Sorted(_few(person), _few(remarks))


def _dotted(by: str) -> str:
    """`<attnlib>/plots/grid.py:draw` as attnlib.plots.grid.draw; a place elsewhere as its file and function."""
    file, _, function = by.partition(":")
    if by == IMPORT:
        return "an import"
    if file.startswith("<attnlib>/"):
        module = file.removeprefix("<attnlib>/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        return f"attnlib.{module}.{function}"
    return f"{file.rpartition('/')[2].removesuffix('.py')}.{function}" if function else ""


def _few(sentences: dict[str, None]) -> list[str]:
    kept = list(sentences)
    return kept if len(kept) <= MOST else [*kept[:MOST], f"and {len(kept) - MOST} more"]
