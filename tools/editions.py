"""Bring a new edition of a notebook into a reader's copy, cell by cell: what the reader changed stays.

A cell is the reader's where its source differs from the edition that the copy was made from. That edition lies
in `.generated/`, under the name that the copy carries in its metadata, which Jupyter keeps.
"""

import copy
import hashlib
import itertools
import json
import os
import tempfile
from pathlib import Path

import nbformat
import nbformat.reader

from tools.merging import Notebook, in_ids_of, key, merge

EDITIONS = ".generated"
OLD_RECORD = ".generated.json"  # of earlier versions: the SHA-256 of each file as it was written
STAMP = "edition"  # in a notebook's metadata: which of EDITIONS it comes from


class Unreadable(ValueError):
    """The file is no notebook, or nothing is known of where it comes from."""


def put(new: Notebook, file: Path) -> str:
    """Write an edition to a file, or bring it into the copy that is there.

    What was there is kept beside it when cells of the reader's own were in it. A file that is no notebook, or whose
    edition is not known, stays as it is, and the new one comes beside it as `NAME-2.ipynb`.

    Args:
        new: the edition, without outputs.
        file: where it goes; the folder exists.

    Returns:
        The file's name, and what was done.

    Raises:
        OSError: where the folder cannot be written to.
    """
    kept = ""
    record = _old_record(file.parent)
    for number in itertools.count(1):
        at = file if number == 1 else file.with_name(f"{file.stem}-{number}.ipynb")
        if not at.exists() or _hash(at) == record.get(at.name):
            _write(at, _stamped(new, at.parent, new))
            return at.name + kept
        try:
            return _update(new, at) + kept
        except Unreadable as why:
            kept += f" (new; {at.name} is kept: {why})"
    raise AssertionError  # the numbers have no end


def _update(new: Notebook, file: Path) -> str:
    """Bring an edition into the copy in this file; raise Unreadable where that cannot be."""
    content = file.read_bytes()
    mine = _read(content)
    try:
        base, known = _edition(file.parent, mine.metadata.get(STAMP)), True
    except Unreadable:
        if [*map(key, mine.cells)] != [*map(key, new.cells)]:
            raise
        base, known = copy.deepcopy(mine), False  # nothing in it is anybody's
        for cell, theirs in zip(base.cells, new.cells, strict=True):
            cell.metadata = copy.deepcopy(theirs.metadata)  # what a reader's cell has besides stays
    merged = merge(base, mine, new)
    if known and not _differ(base, new):
        return f"{file.name} (yours, kept: {merged})" if merged.yours else file.name
    notebook = _stamped(merged.notebook, file.parent, in_ids_of(base, mine, new))
    backup = f"; as it was: {_back_up(file, content)}" if merged.yours else ""
    if file.read_bytes() != content:
        return f"{file.name} (not touched, for it was saved just now: run this once more)"
    _write(file, notebook)
    return f"{file.name} (merged: {merged}{backup})" if merged.yours else file.name


def _differ(base: Notebook, new: Notebook) -> bool:
    return [(key(cell), cell.metadata) for cell in base.cells] != [(key(cell), cell.metadata) for cell in new.cells]


def _read(content: bytes) -> Notebook:
    """A notebook of any version, in this one's form."""
    try:
        notebook: Notebook = nbformat.convert(nbformat.reader.reads(content.decode("utf8")), 4)
        if notebook.get("nbformat_minor", 0) < 5:  # its cells have no ids
            notebook = nbformat.v4.upgrade(notebook, 4, notebook.get("nbformat_minor", 0))
        for number, cell in enumerate(notebook.cells):
            key(cell)
            cell.setdefault("id", f"without-{number}")
            cell.setdefault("metadata", nbformat.NotebookNode())
        notebook.metadata.get(STAMP)
    except Exception as why:  # nbformat raises what comes, for a file that is anything
        raise Unreadable(f"it cannot be read as a notebook, {type(why).__name__}") from why
    return notebook


def _edition(folder: Path, stamp: object) -> Notebook:
    file = folder / EDITIONS / f"{stamp}.ipynb"
    if not isinstance(stamp, str) or not stamp.isalnum() or not file.exists():
        raise Unreadable("the edition that it comes from is not known here")
    return _read(file.read_bytes())


def _stamped(notebook: Notebook, folder: Path, edition: Notebook) -> Notebook:
    """The notebook, naming its edition, which is kept."""
    text = nbformat.writes(edition)
    stamp = hashlib.sha256(text.encode()).hexdigest()[:16]
    (folder / EDITIONS).mkdir(exist_ok=True)
    kept = folder / EDITIONS / f"{stamp}.ipynb"
    if not kept.exists():
        _replace(kept, text.encode())
    notebook = copy.deepcopy(notebook)
    notebook.metadata[STAMP] = stamp
    return notebook


def _back_up(file: Path, content: bytes) -> str:
    """Keep what was there beside it, under a name that is free."""
    names = itertools.chain([f"{file.stem}.before"], (f"{file.stem}.before-{number}" for number in itertools.count(2)))
    at = next(at for name in names if not (at := file.with_name(f"{name}.ipynb")).exists())
    _replace(at, content)
    return at.name


def _write(file: Path, notebook: Notebook) -> None:
    _replace(file, (nbformat.writes(notebook) + "\n").encode())


def _replace(file: Path, content: bytes) -> None:
    """Write a file at once or not at all; of a link, what it leads to."""
    file = file.resolve()
    handle, part = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(content)
        os.chmod(part, file.stat().st_mode & 0o777 if file.exists() else 0o644)
        os.replace(part, file)
    except BaseException:
        os.unlink(part)
        raise


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _old_record(folder: Path) -> dict[str, str]:
    try:
        record = json.loads((folder / OLD_RECORD).read_text(encoding="utf8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}
