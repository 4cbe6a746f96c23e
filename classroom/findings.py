"""What a student's process noted, sorted: what a person must look at, and what is only worth a remark.

A ready-made answer counts when a *test* reached it through the student's function; reached from a cell it may be a
comparison, so it is a remark. What the set's own set-up handed out is nobody's fault.
"""

from dataclasses import dataclass
from typing import Any

from classroom.inside.watch import TEXT_AS_CODE
from classroom.student import Ran, clean

MOST = 12
HANDS_ON = ("attnlib.exercises.harness.", "attnlib.exercises.guard.")  # these call what they are given


@dataclass(frozen=True)
class Sorted:
    """Sentences, each once."""

    person: list[str]
    remarks: list[str]


def sort(notes: list[tuple[str, dict[str, Any]]], handed: set[str], ran: dict[str, Ran]) -> Sorted:
    """Sort the notes of a submission.

    Args:
        notes: what the process was doing (the function that a test called, "" for a cell), and what was noted then.
        handed: the names that the set-up gave to students.
        ran: the cells, with the magics that were passed over.
    """
    person: dict[str, None] = {}
    remarks: dict[str, None] = {}
    entries = {(during, note.get("cell"), note.get("line"), note.get("reached")) for during, note in notes}
    for during, note in notes:
        cell, line = clean(str(note.get("cell", ""))).removeprefix("cell "), note.get("line", 0)
        where = f"{cell}, line {line}: " if cell else ""
        if "reached" in note:
            name, by = (clean(str(note.get(key, "")))[:120] for key in ("reached", "by"))
            if by.rpartition(".")[2] in handed and by.startswith("attnlib.") and not by.startswith(HANDS_ON):
                continue
            if by != name and (during, note.get("cell"), note.get("line"), by) in entries:
                continue  # that one reached this one, and is named itself
            by = f" through {by}" if by and by != name else ""
            if during:
                person[f"{where or f'{during}: '}the test of {during} reached {name}, which is ready-made{by}"] = None
            else:
                remarks[f"{where}reached {name}, which is ready-made{by}"] = None
        else:
            did = clean(str(note.get("did", "wrote into the grader's notes")))[:160]
            milder = did == TEXT_AS_CODE or did.startswith(("reads ", "imports "))
            (remarks if milder else person)[f"{where}{did}"] = None
    for cell, one in ran.items():
        remarks.update(dict.fromkeys(f"{cell}: {magic} does nothing while work is graded" for magic in one.skipped))
    return Sorted(_few(person), _few(remarks))


def _few(sentences: dict[str, None]) -> list[str]:
    kept = list(sentences)
    return kept if len(kept) <= MOST else [*kept[:MOST], f"and {len(kept) - MOST} more"]
