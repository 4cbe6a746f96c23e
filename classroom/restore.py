"""Gives a submission back the cells that the set has: nbgrader can then grade whatever a student did to them.

A cell is known by nbgrader's tag. One that lost its tag is found again by what it is: a locked cell by its text, an
answer by the name that its stub defines, and otherwise by its place, where it is the only one between two known
neighbours. What can mean two things is left to a person.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

DEFINED = re.compile(r"^(?:(?:async +)?(?:def|class) +(\w+)|(\w+)(?: *:[^=\n]*)? *=(?!=))", re.MULTILINE)


@dataclass
class Restored:
    """What was done, in sentences; why a person must look; and, for an explanation, the text found outside its cell."""

    notes: list[str] = field(default_factory=list)
    person: list[str] = field(default_factory=list)
    elsewhere: dict[str, str] = field(default_factory=dict)


class RestoreCells(NbGraderPreprocessor):
    """Before nbgrader looks: locked cells as released, deleted ones back in their places, strange tags gone."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        course = self.parent.parent.coursedir
        assignment, notebook = (resources["nbgrader"][key] for key in ("assignment", "notebook"))
        released = Path(course.format_path(course.release_directory, ".", assignment)) / f"{notebook}.ipynb"
        found = restore(nb, nbformat.read(released, 4))
        notes = [*nb.metadata.get("reading", []), *found.notes]
        nb.metadata = NotebookNode(classroom={"notes": notes, "person": found.person}, elsewhere=found.elsewhere)
        return nb, resources


def restore(submitted: NotebookNode, released: NotebookNode) -> Restored:
    """Make `submitted` hold every cell of `released`, in place."""
    return _Restoring(submitted, released).run()


class _Restoring:
    def __init__(self, submitted: NotebookNode, released: NotebookNode):
        self.cells = submitted.cells
        self.order = released.cells
        self.wanted = {_tag(cell): cell for cell in released.cells if _tag(cell)}
        self.texts = {_words(cell) for cell in released.cells if not _tag(cell)}
        self.seen: dict[str, NotebookNode] = {}
        self.said = Restored()

    def run(self) -> Restored:
        found = self._by_tag(), self._by_content(), self._by_place()
        if again := [*found[1], *found[2]]:
            self._note("had lost their tags, found again", again)
        changed, lost = self._put_back(), [name for name in self.wanted if name not in self.seen]
        self._insert(lost)
        self._rest_stubs()
        self._explanations()
        self._note("put back as they were", changed)
        self._note("missing, put back empty", lost)
        self._answers_in_tests()
        for cell in self.cells:
            name = next((name for name, one in self.seen.items() if one is cell), None)
            cell.metadata = NotebookNode()
            if name:
                cell.metadata["nbgrader"] = NotebookNode(self.wanted[name].metadata.nbgrader)
        return self.said

    def _by_tag(self) -> None:
        """The first cell with each tag; of an answer's doubles, the first that is filled in."""
        for cell in self.cells:
            name = _tag(cell)
            first = self.seen.get(name)
            if name in self.wanted and (first is None or (self._is_stub(name, first) and not self._locked(name))):
                self.seen[name] = cell
            elif first is not None and cell.cell_type == "markdown" and _words(cell) not in self._words(name, first):
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
        return [at.get(id(self.seen.get(_tag(cell)))) if _tag(cell) else words.get(_words(cell)) for cell in self.order]

    def _between(self, name: str, places: list[int | None]) -> tuple[int, int]:
        """From behind the last known cell before this one to the first known after it."""
        at = self._at(name)
        before = [place for place in places[:at] if place is not None]
        after = [place for place in places[at + 1 :] if place is not None]
        return max(before, default=-1) + 1, min(after, default=len(self.cells))

    def _alike(self, name: str, original: NotebookNode) -> bool:
        return not self._locked(name) and self.wanted[name].cell_type == original.cell_type

    def _at(self, name: str) -> int:
        return next(i for i, cell in enumerate(self.order) if _tag(cell) == name)

    def _put_back(self) -> list[str]:
        self.typed_over: dict[str, str] = {}
        changed = []
        for name, cell in self.seen.items():
            original = self.wanted[name]
            if self._locked(name) and _words(cell) != _words(original):
                self.typed_over[name] = cell.source
            if cell.cell_type != original.cell_type or (self._locked(name) and cell.source != original.source):
                changed.append(name)
                _become(cell, original)
            if original.cell_type == "markdown" and not self._locked(name) and not cell.source.strip():
                cell.source = original.source  # an empty answer is none
        return changed

    def _insert(self, lost: list[str]) -> None:
        for name in lost:
            before = list(self.wanted)[: list(self.wanted).index(name)]
            previous = self.seen[before[-1]] if before else None
            place = next((i + 1 for i, cell in enumerate(self.cells) if cell is previous), 0)
            self.seen[name] = nbformat.from_dict(self.wanted[name])
            self.cells.insert(place, self.seen[name])

    def _rest_stubs(self) -> None:
        """A stub does not run over an answer that stands in a cell of the student's own."""
        own = [(i, defined(cell.source), cell) for i, cell in enumerate(self.cells) if self._is_unknown(cell)]
        own = [one for one in own if one[2].cell_type == "code"]
        for name, cell in self.seen.items():
            if self._locked(name) or cell.cell_type != "code":
                continue
            names = defined(self.wanted[name].source)
            stubs = [i for i, _, one in own if names and self._is_stub(name, one)]
            answers = [i for i, given, _ in own if names & given and i not in stubs]
            if self._is_stub(name, cell) and answers:
                stubs.append(next(i for i, one in enumerate(self.cells) if one is cell))
                self.said.notes.append(f"answered in a cell of its own: {name}")
                if any(test is not None and test < min(answers) for test in self._tests_after(name)):
                    self.said.person.append(f"{name} is answered in a cell that stands after its test")
            if answers or not self._is_stub(name, cell):
                for i in stubs:
                    self.cells[i].source = "# the answer stands in another cell"

    def _tests_after(self, name: str) -> list[int | None]:
        """Where the tests between this answer and the next stand."""
        at = self._at(name)
        ends = (i for i, cell in enumerate(self.order) if i > at and _tag(cell) and not self._locked(_tag(cell)))
        end = next(ends, len(self.order))
        return [
            place
            for place, cell in zip(self._places()[at + 1 : end], self.order[at + 1 : end], strict=True)
            if _tag(cell)
        ]

    def _explanations(self) -> None:
        """Text in cells of the student's own, while the cell for it is as it was handed out: a person reads it."""
        stubs = [n for n, cell in self.seen.items() if cell.cell_type == "markdown" and self._is_stub(n, cell)]
        places = {name: next(i for i, cell in enumerate(self.cells) if cell is self.seen[name]) for name in stubs}
        for i, cell in enumerate(self.cells):
            text = cell.source.strip()
            added = cell.cell_type != "code" or all(line.startswith("#") for line in text.splitlines())
            if not stubs or not text or not added or _words(cell) in self.texts or not self._is_unknown(cell):
                continue
            name = min(stubs, key=lambda name: abs(places[name] - i))
            self.said.elsewhere[name] = "\n\n".join(filter(None, (self.said.elsewhere.get(name), text)))
        for name in self.said.elsewhere:
            self.said.person.append(f"{name} is as it was handed out, but there is text in an added cell")

    def _answers_in_tests(self) -> None:
        for name, cell in self.seen.items():
            for where, source in self.typed_over.items():
                if not self._locked(name) and self._is_stub(name, cell) and defined(cell.source) & defined(source):
                    self.said.person.append(f"{name} is as it was handed out, and its answer was written over {where}")

    def _unknown(self, kind: str = "") -> list[NotebookNode]:
        return [cell for cell in self.cells if self._is_unknown(cell) and cell.cell_type == (kind or cell.cell_type)]

    def _is_unknown(self, cell: NotebookNode) -> bool:
        known = any(cell is one for one in self.seen.values())
        return not known and (_words(cell) not in self.texts or cell.cell_type == "code")

    def _words(self, name: str, cell: NotebookNode) -> set[str]:
        """Texts of an answer that are nothing new beside this one."""
        return {"", _words(self.wanted[name]), _words(cell)}

    def _is_stub(self, name: str, cell: NotebookNode) -> bool:
        return _words(cell) in {"", _words(self.wanted[name])}

    def _locked(self, name: str) -> bool:
        return bool(self.wanted[name].metadata.nbgrader.locked)

    def _note(self, what: str, names: list[str]) -> None:
        if names:
            self.said.notes.append(f"{what}: {', '.join(names)}")


def defined(source: str) -> set[str]:
    """The names that a cell defines at its top, also where Python cannot read it: functions, classes, variables."""
    return {one or other for one, other in DEFINED.findall(source)}


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


def _tag(cell: NotebookNode) -> str:
    tag = cell.metadata.get("nbgrader")
    name = tag.get("grade_id") if isinstance(tag, dict) else None
    return name if isinstance(name, str) else ""


def _words(cell: NotebookNode) -> str:
    return " ".join(cell.source.split())
