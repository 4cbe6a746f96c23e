"""Merge two notebooks that come from one, cell by cell: what the reader changed stays.

nbdime merges lines within a cell, and writes its conflicts into the reader's code; here a cell is whole.
"""

import copy
import difflib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import nbformat

Cell: TypeAlias = nbformat.NotebookNode
Notebook: TypeAlias = nbformat.NotebookNode

ALIKE = 0.5  # from here on two sources are taken for one cell that was changed
MARKS = {
    "code": "# The new edition has this cell; yours is above.",
    "markdown": "*The new edition has this cell; yours is above.*\n",
}
BY_READER = ("changed by you", "added by you", "deleted by you")


@dataclass
class Merged:
    """A reader's copy with a new edition in it, and how many cells were dealt with in each way."""

    notebook: Notebook
    said: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return ", ".join(f"{count} {what}" for what, count in sorted(self.said.items()))

    @property
    def yours(self) -> bool:
        """Whether the reader changed, added or deleted a cell."""
        return any(self.said[what] for what in BY_READER)


def merge(base: Notebook, mine: Notebook, new: Notebook) -> Merged:
    """Bring a new edition into a reader's copy.

    The order is the copy's. A cell that the reader did not change follows the edition; its outputs stay where its
    source does. One that both changed stays the reader's, and the edition's stands below it, marked. What either
    deleted is gone, but for a cell of the reader's. A new cell of the edition comes after the one that it follows there,
    and after what the reader added to that.

    Args:
        base: the edition that the copy comes from.
        mine: the copy.
        new: the new edition, as `base`.

    Returns:
        The merged notebook, and what was done. The three stay as they are.
    """
    mine = copy.deepcopy(mine)
    to_mine, to_new = _pairs(base.cells, mine.cells, by_id=True), _pairs(base.cells, new.cells)
    identified = in_ids_of(base, mine, new).cells
    of_editions = {cell.id for cell in [*base.cells, *identified]}
    # where the reader's own is gone: did what an edition had put below it stay?
    for b in sorted({*range(len(base.cells))} - to_mine.keys()):
        marked = key(_marked(base.cells[b], ""))
        left = next((at for at, cell in enumerate(mine.cells) if key(cell) == marked), None)
        if left is not None and left not in to_mine.values():
            to_mine[b], mine.cells[left].source = left, base.cells[b].source
    of = {at: b for b, at in to_mine.items()}
    said: Counter[str] = Counter()
    placed: list[tuple[int | None, list[Cell]]] = []  # the place in the new edition, and the cells there
    skipped = None
    for at, cell in enumerate(mine.cells):
        if at == skipped:
            continue
        if at not in of:
            said["added by you"] += 1
            own = copy.deepcopy(cell)
            own.id = _free(cell.id, of_editions)  # a doubled cell has that of the edition's
            placed.append((None, [own]))
            continue
        was = base.cells[of[at]]
        place = to_new.get(of[at])
        target = identified[place] if place is not None else None
        cells = _one(was, cell, target, said)
        if len(cells) == 2 and at + 1 < len(mine.cells) and key(mine.cells[at + 1]) == key(_marked(was, "")):
            skipped = at + 1  # what an earlier edition had put there
        if cells:
            placed.append((place, cells))
    of_new = {place: b for b, place in to_new.items()}
    for place, cell in enumerate(identified):
        if place in of_new and of_new[place] in to_mine:
            continue
        if place in of_new and _alike(base.cells[of_new[place]], cell) > ALIKE:
            said["deleted by you"] += 1
        else:  # what only stands where the reader deleted another is new, too
            said["new"] += 1
            placed.insert(_after(placed, place), (place, [copy.deepcopy(cell)]))
    notebook = copy.deepcopy(mine)
    notebook.metadata = nbformat.from_dict({**new.metadata, **mine.metadata})
    notebook.cells = [*_unique(cell for _, cells in placed for cell in cells)]
    return Merged(notebook, said)


def _one(was: Cell, cell: Cell, target: Cell | None, said: Counter[str]) -> list[Cell]:
    """What becomes of a reader's cell that the edition had: `target` is what the new one has."""
    cell = copy.deepcopy(cell)
    cell.id = was.id
    if key(cell) != key(was):
        said["changed by you"] += 1
        if target is None or key(target) in {key(was), key(cell)}:
            return [cell]
        said["changed by both, the new one below yours"] += 1
        return [cell, _marked(target, f"{target.id}-new")]
    if target is None:
        said["taken out"] += 1
        return []
    if target.metadata != was.metadata:
        for name in was.metadata.keys() - target.metadata.keys():
            cell.metadata.pop(name, None)
        cell.metadata.update(copy.deepcopy(target.metadata))
    if key(target) == key(cell):
        return [cell]
    said["updated"] += 1
    followed = copy.deepcopy(target)
    followed.metadata = cell.metadata
    return [followed]


def _marked(cell: Cell, id: str) -> Cell:
    marked = copy.deepcopy(cell)
    marked.id = id
    marked.source = f"{MARKS.get(cell.cell_type, '')}\n{cell.source}"
    return marked


def _after(placed: list[tuple[int | None, list[Cell]]], place: int) -> int:
    """Where a cell of the new edition belongs: after the nearest of those before it, and what the reader added there."""
    before = [at for at, (known, _) in enumerate(placed) if known is not None and known < place]
    at = 0
    if before:
        at = 1 + max(before, key=lambda at: placed[at][0] or 0)
    while at < len(placed) and placed[at][0] is None:
        at += 1
    return at


def _pairs(old: list[Cell], new: list[Cell], by_id: bool = False) -> dict[int, int]:
    """Which of `old` is which of `new`: by id where asked, by source, by what stands around and is alike."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()

    def pair(a: int, b: int) -> None:
        pairs[a] = b
        taken.add(b)

    def free(some: Iterable[int], there: Iterable[int]) -> tuple[list[int], list[int]]:
        return [a for a in some if a not in pairs], [b for b in there if b not in taken]

    if by_id:
        ids: dict[str, list[int]] = {}
        for b, cell in enumerate(new):
            ids.setdefault(cell.id, []).append(b)
        for a, cell in enumerate(old):
            if same := ids.get(cell.id):  # of a cell that was doubled, the one that is as it was
                pair(a, next((b for b in same if key(new[b]) == key(cell)), same[0]))
    ids_kept = bool(pairs)  # where ids are kept, an id that is not there is a cell that is not there
    left, right = free(range(len(old)), range(len(new)))
    old_keys, new_keys = [key(old[a]) for a in left], [key(new[b]) for b in right]
    gaps: list[tuple[list[int], list[int]]] = []
    for kind, a, to_a, b, to_b in difflib.SequenceMatcher(None, old_keys, new_keys, autojunk=False).get_opcodes():
        if kind == "equal":
            for one, other in zip(left[a:to_a], right[b:to_b], strict=True):
                pair(one, other)
        else:
            gaps.append((left[a:to_a], right[b:to_b]))
    for a in free(left, ())[0]:
        if moved := [b for b in free((), right)[1] if key(new[b]) == key(old[a])]:
            pair(a, moved[0])
    for some, there in gaps if not ids_kept else ():
        some, there = free(some, there)
        alike = sorted(((_alike(old[a], new[b]), -a, -b) for a in some for b in there), reverse=True)
        for ratio, a, b in alike:  # the most alike first
            if ratio > ALIKE and -a not in pairs and -b not in taken:
                pair(-a, -b)
        some, there = free(some, there)
        if len(some) == len(there):
            for a, b in zip(some, there, strict=True):
                if old[a].cell_type == new[b].cell_type:
                    pair(a, b)
    return pairs


def _alike(one: Cell, other: Cell) -> float:
    if one.cell_type != other.cell_type:
        return 0
    return difflib.SequenceMatcher(None, one.source, other.source, autojunk=False).ratio()


def key(cell: Cell) -> tuple[str, str]:
    """What makes a cell another one: its kind and its source, not its outputs or metadata."""
    return cell.cell_type, cell.source.rstrip()


def in_ids_of(base: Notebook, mine: Notebook, new: Notebook) -> Notebook:
    """The new edition, where each cell that the old one has keeps its id, and no other has an id of the two."""
    new = copy.deepcopy(new)
    of_new = {place: b for b, place in _pairs(base.cells, new.cells).items()}
    used = {cell.id for cell in [*base.cells, *mine.cells]}
    for place, cell in enumerate(new.cells):
        cell.id = base.cells[of_new[place]].id if place in of_new else _free(cell.id, used)
        used.add(cell.id)
    return new


def _free(id: str, used: set[str]) -> str:
    return next(
        name for name in (f"{id[:56]}-{n}" if n > 1 else id for n in range(1, len(used) + 2)) if name not in used
    )


def _unique(cells: Iterable[Cell]) -> Iterator[Cell]:
    """The cells; an id that was there already becomes a new one."""
    used: set[str] = set()
    for cell in cells:
        cell.id = _free(cell.id, used)
        used.add(cell.id)
        yield cell
