"""Gives a submission back the cells that the set has: nbgrader can then grade whatever a student did to them.

A cell is known by nbgrader's tag. One that lost its tag is found again by what it is: a locked cell by its text, an
answer by the name that its stub defines, and otherwise by its place, where it is the only one between two known
neighbours. No stub runs over what the student defined in another cell, and what the student wrote into a locked cell
stands after it. What can mean two things is left to a person.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from classroom import texts
from classroom.cells import grade_id
from classroom.notebooks import cell_of, handed_out_before

DEFINED = re.compile(r"^(?:(?:async +)?(?:def|class) +(\w+)|(\w+(?: *, *\w+)*) *(?::[^=\n]*)?=(?!=))", re.MULTILINE)


@dataclass
class Restored:
    """What was done, in sentences; why a person must look; and, for an explanation, the text found outside its cell."""

    notes: list[str] = field(default_factory=list)
    person: list[str] = field(default_factory=list)
    elsewhere: dict[str, str] = field(default_factory=dict)


class RestoreCells(NbGraderPreprocessor):
    """Before nbgrader looks: locked cells as released, deleted ones back in their places, strange tags gone."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        course = self.parent.parent.coursedir
        assignment, notebook = (resources["nbgrader"][key] for key in ("assignment", "notebook"))
        released = Path(course.format_path(course.release_directory, ".", assignment)) / f"{notebook}.ipynb"
        before = [nbformat.read(file, 4) for file in handed_out_before(Path(course.root), assignment)]
        found = restore(nb, nbformat.read(released, 4), before)
        notes = [*nb.metadata.get("mended", []), *found.notes]
        for number, cell in enumerate(nb.cells):
            cell.id = f"cell-{number}"  # nbformat draws them by lot: work graded twice would differ
        nb.metadata = NotebookNode(classroom={"notes": notes, "person": found.person}, elsewhere=found.elsewhere)
        return nb, resources


def restore(submitted: NotebookNode, released: NotebookNode, earlier: Sequence[NotebookNode] = ()) -> Restored:
    """Make `submitted` hold every cell of `released`, in place. What was handed out `earlier` is not the student's."""
    return _Restoring(submitted, released, earlier).run()


def answered(submitted: NotebookNode, released: NotebookNode, earlier: Sequence[NotebookNode] = ()) -> bool:
    """Whether any answer differs from what was handed out; `submitted` is restored by this."""
    solutions = [cell for cell in released.cells if grade_id(cell) and cell.metadata.nbgrader.solution]
    said = restore(submitted, released, earlier)
    now = {grade_id(cell): _words(cell) for cell in submitted.cells if grade_id(cell)}
    return bool(said.elsewhere) or any(now[grade_id(cell)] != _words(cell) for cell in solutions)


class _Restoring:
    def __init__(self, submitted: NotebookNode, released: NotebookNode, earlier: Sequence[NotebookNode]):
        self.cells = submitted.cells
        self.before: dict[str, set[str]] = {}  # the words of each cell in copies that newer ones replaced
        for cell in (cell for copy in earlier for cell in copy.cells):
            self.before.setdefault(grade_id(cell) or "", set()).add(_words(cell))
        self.order = released.cells
        self.wanted = {grade_id(cell): cell for cell in released.cells if grade_id(cell)}
        self.texts = {_words(cell) for cell in released.cells if not grade_id(cell)} | self.before.get("", set())
        self.handed_out = "\n".join(cell.source for copy in (released, *earlier) for cell in copy.cells)
        self.seen: dict[str, NotebookNode] = {}
        self.kept: list[tuple[str, NotebookNode]] = []
        self.said = Restored()

    def run(self) -> Restored:
        self._by_tag()
        self._note("had lost their tags, found again", self._by_content() + self._by_place())
        changed, lost = self._put_back(), [name for name in self.wanted if name not in self.seen]
        self._insert(lost)
        other = self._rest_stubs()
        self._explanations()
        self._note("put back as they were", changed)
        self._note("answered in another cell", other)
        self._note("missing, put back empty", [name for name in lost if name not in other])
        for cell in self.cells:
            name = self._known(cell)
            cell.metadata = NotebookNode()
            if name:
                cell.metadata["nbgrader"] = NotebookNode(self.wanted[name].metadata.nbgrader)
        return self.said

    def _by_tag(self) -> None:
        """The first cell with each tag; of an answer's doubles, the first that is filled in."""
        for cell in self.cells:
            name = grade_id(cell)
            first = self.seen.get(name)
            if name in self.wanted and (first is None or (self._is_stub(name, first) and not self._locked(name))):
                self.seen[name] = cell
            elif first and cell.cell_type == "markdown" and _words(cell) not in self._known_words(name, first):
                self.said.person.append(f"{name} is answered twice; the first counts until a person decides")

    def _by_content(self) -> list[str]:
        """A locked cell, or an untouched one, has its text; an answer defines its stub's names: the last that does."""
        found = []
        for name, original in self.wanted.items():
            if name in self.seen:
                continue
            names = defined(original.source)
            same = [cell for cell in self._unknown() if _words(cell) == _words(original)]
            like = [cell for cell in self._unknown("code") if names and names <= defined(cell.source)]
            if matches := (same[:1] if self._locked(name) or (same and not like) else like[-1:]):
                self.seen[name] = matches[0]
                found.append(name)
        return found

    def _by_place(self) -> list[str]:
        """Between two known neighbours: one cell missing, and one unknown cell of its kind."""
        found = []
        for name, original in self.wanted.items():
            if name in self.seen or self._locked(name):
                continue
            places = self._places()
            start, end = self._between(name, places)
            like = [one for one in self.wanted if one not in self.seen and self._alike(one, original)]
            missing = [one for one in like if self._between(one, places) == (start, end)]
            unknown = {id(cell) for cell in self._unknown(original.cell_type)}
            fits = [cell for cell in self.cells[start:end] if id(cell) in unknown and cell.source.strip()]
            if missing == [name] and len(fits) == 1:
                self.seen[name] = fits[0]
                found.append(name)
        return found

    def _places(self) -> list[int | None]:
        """Where each cell of the set stands in the submission; the texts between its cells are known by their words."""
        at = {id(cell): i for i, cell in enumerate(self.cells)}
        words = {_words(cell): i for i, cell in reversed([*enumerate(self.cells)]) if cell.cell_type == "markdown"}
        return [
            at.get(id(self.seen.get(grade_id(cell)))) if grade_id(cell) else words.get(_words(cell))
            for cell in self.order
        ]

    def _between(self, name: str, places: list[int | None]) -> tuple[int, int]:
        """From behind the last known cell before this one to the first known after it."""
        at = self._at(name)
        before = [place for place in places[:at] if place is not None]
        after = [place for place in places[at + 1 :] if place is not None]
        return max(before, default=-1) + 1, min(after, default=len(self.cells))

    def _alike(self, name: str, original: NotebookNode) -> bool:
        return not self._locked(name) and self.wanted[name].cell_type == original.cell_type

    def _at(self, name: str) -> int:
        return next(i for i, cell in enumerate(self.order) if grade_id(cell) == name)

    def _put_back(self) -> list[str]:
        """Locked cells as released, each before what the student made of it."""
        changed = []
        for name, cell in self.seen.items():
            original = self.wanted[name]
            if self._locked(name) and not self._is_stub(name, cell):
                self.kept.append((name, cell_of(cell.cell_type, cell.source)))
                self.cells.insert(self._index(cell) + 1, self.kept[-1][1])
            if cell.cell_type != original.cell_type or (self._locked(name) and cell.source != original.source):
                changed += [name] * (_words(cell) not in self.before.get(name, ()))
                _become(cell, original)
            if original.cell_type == "markdown" and not self._locked(name) and self._is_stub(name, cell):
                cell.source = original.source  # an empty answer is none
        return changed

    def _insert(self, lost: list[str]) -> None:
        for name in lost:
            before = list(self.wanted)[: list(self.wanted).index(name)]
            previous = self.seen[before[-1]] if before else None
            place = next((i + 1 for i, cell in enumerate(self.cells) if cell is previous), 0)
            self.seen[name] = nbformat.from_dict(self.wanted[name])
            self.cells.insert(place, self.seen[name])

    def _rest_stubs(self) -> list[str]:
        """Empty each stub that would run over an answer in another cell; the answers that stand in another cell."""
        other = []
        for name, cell in self.seen.items():
            if self._locked(name) or cell.cell_type != "code":
                continue
            left, places = self._is_stub(name, cell), self._answers(name)
            if left and not places:
                continue
            if left:
                other.append(name)
            if any(test is not None and test < min(places) for test in self._tests_after(name)):
                self.said.person.append(self._late(name, self.cells[min(places)], left))
            for one in self.cells:
                if self._known(one) in {None, name} and one.cell_type == "code" and self._is_stub(name, one):
                    one.source = ""
        return other

    def _answers(self, name: str) -> list[int]:
        """Where names of the stub are defined; where none is, the answer's own cell if it is filled in."""
        names, own = defined(self.wanted[name].source), self._index(self.seen[name])
        filled = [(i, cell) for i, cell in enumerate(self.cells) if not self._is_stub(name, cell)]
        found = [i for i, cell in filled if names & self._given(cell, name)]
        return found or ([] if self._is_stub(name, self.seen[name]) else [own])

    def _given(self, cell: NotebookNode, name: str) -> set[str]:
        """The names that the student defines in a cell, for an answer: what another cell was handed out with is none."""
        known = self._known(cell)
        if cell.cell_type != "code" or (known and self._locked(known)):
            return set()
        over = known or next((test for test, one in self.kept if one is cell), name)
        return defined(cell.source) - (defined(self.wanted[over].source) if over != name else set())

    def _late(self, name: str, cell: NotebookNode, left: bool) -> str:
        over = next((test for test, one in self.kept if one is cell), None)
        if left and over:
            return f"{name} is as it was handed out, and its answer was written over {over}"
        return f"{name} is answered in a cell that stands after its test"

    def _tests_after(self, name: str) -> list[int | None]:
        """Where the tests between this answer and the next stand."""
        at = self._at(name)
        ends = (
            i for i, cell in enumerate(self.order) if i > at and grade_id(cell) and not self._locked(grade_id(cell))
        )
        end = next(ends, len(self.order))
        return [
            place
            for place, cell in zip(self._places()[at + 1 : end], self.order[at + 1 : end], strict=True)
            if grade_id(cell)
        ]

    def _explanations(self) -> None:
        """Text of the student's in other cells, while the cell for it is as it was handed out: a person reads it."""
        stubs = [n for n, cell in self.seen.items() if cell.cell_type == "markdown" and self._is_stub(n, cell)]
        places = {name: self._index(self.seen[name]) for name in stubs}
        for i, cell in enumerate(self.cells):
            if stubs and (text := self._text(cell)):
                name = min(stubs, key=lambda name: abs(places[name] - i))
                self.said.elsewhere[name] = "\n\n".join(filter(None, (self.said.elsewhere.get(name), text)))
        for name in self.said.elsewhere:
            self.said.person.append(f"{name} is as it was handed out, but there is text in another cell")

    def _text(self, cell: NotebookNode) -> str:
        known = self._known(cell)
        if cell.cell_type == "code" and not (known and self._locked(known)):
            return texts.told(cell.source, self.handed_out, alone=not known)
        return cell.source.strip() if self._is_unknown(cell) else ""

    def _index(self, cell: NotebookNode) -> int:
        return next(i for i, one in enumerate(self.cells) if one is cell)

    def _known(self, cell: NotebookNode) -> str | None:
        return next((name for name, one in self.seen.items() if one is cell), None)

    def _unknown(self, kind: str = "") -> list[NotebookNode]:
        return [cell for cell in self.cells if self._is_unknown(cell) and cell.cell_type == (kind or cell.cell_type)]

    def _is_unknown(self, cell: NotebookNode) -> bool:
        return not self._known(cell) and (_words(cell) not in self.texts or cell.cell_type == "code")

    def _known_words(self, name: str, cell: NotebookNode) -> set[str]:
        """Texts of an answer that are nothing new beside this one."""
        return {"", _words(self.wanted[name]), _words(cell), *self.before.get(name, ())}

    def _is_stub(self, name: str, cell: NotebookNode) -> bool:
        return _words(cell) in {"", _words(self.wanted[name]), *self.before.get(name, ())}

    def _locked(self, name: str) -> bool:
        return bool(self.wanted[name].metadata.nbgrader.locked)

    def _note(self, what: str, names: list[str]) -> None:
        if names:
            self.said.notes.append(f"{what}: {', '.join(names)}")


def defined(source: str) -> set[str]:
    """The names that a cell defines at its top, also where Python cannot read it: functions, classes, variables."""
    return {name for one, several in DEFINED.findall(source) for name in re.split(" *, *", one or several)}


def _become(cell: NotebookNode, original: NotebookNode) -> None:
    """Type and, where locked, source of the original; an answer that lost its type keeps its text."""
    if cell.cell_type != original.cell_type:
        cell.cell_type = original.cell_type
        if original.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.pop("attachments", None)
        else:
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
    if original.metadata.nbgrader.locked:
        cell.source = original.source


def _words(cell: NotebookNode) -> str:
    return " ".join(cell.source.split())
