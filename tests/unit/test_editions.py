"""A new edition of a notebook comes into a reader's copy: what the reader changed stays, and the rest follows."""

import hashlib
import json
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from tools import editions
from tools.merging import MARKS, merge
from tools.notebooks import convert, notebook_of

CHAPTERS = sorted(Path("chapters").glob("*.md"))


def book(*sources):
    """A notebook of these cells: what begins with # is Markdown."""
    return notebook_of([(new_markdown_cell if text.startswith("#") else new_code_cell)(text) for text in sources])


FIRST = ("# One", "import numpy as np", "x = 1", "# Two", "def f(x):\n    ...  # your code here", "f(x)")


@pytest.fixture
def copy(tmp_path):
    """A reader's copy of the first edition, in a folder of its own."""
    file = tmp_path / "01_first.ipynb"
    assert editions.put(book(*FIRST), file) == "01_first.ipynb"
    return file


def edit(file, change):
    """Change a copy as JupyterLab does: its own metadata, another layout, and what `change` does to its cells."""
    notebook = nbformat.read(file, 4)
    notebook.metadata["language_info"] = {"name": "python"}
    change(notebook.cells)
    file.write_text(json.dumps(notebook, indent=2))
    return file.read_bytes()


def sources(file):
    notebook = nbformat.read(file, 4)
    nbformat.validate(notebook)
    return [cell.source for cell in notebook.cells]


def run(cells):
    for cell in cells:
        cell.metadata["trusted"] = True
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [new_output("stream", text=f"of {cell.source}")], 7


def names(folder):
    return sorted(file.name for file in folder.iterdir() if not file.name.startswith("."))


def test_a_copy_that_was_looked_at_and_run_follows_the_book_and_keeps_the_outputs_that_still_hold(copy):
    looked_at = edit(copy, run)
    assert editions.put(book(*FIRST), copy) == "01_first.ipynb"
    assert copy.read_bytes() == looked_at
    assert editions.put(book(*FIRST[:2], "x = 2", *FIRST[3:], "# News"), copy) == "01_first.ipynb"
    assert sources(copy) == [*FIRST[:2], "x = 2", *FIRST[3:], "# News"]
    notebook = nbformat.read(copy, 4)
    assert [bool(cell.get("outputs")) for cell in notebook.cells] == [False, True, False, False, True, True, False]
    assert notebook.cells[2].execution_count is None
    assert notebook.metadata.language_info.name == "python"
    assert names(copy.parent) == ["01_first.ipynb"]


def test_each_kind_of_change_is_merged_said_and_kept_as_it_was(copy):
    def change(cells):
        cells[4].source = "def f(x):\n    return x + 1"
        cells.insert(2, new_code_cell("mine = 0"))
        del cells[6]

    before = edit(copy, change)
    told = editions.put(book(*FIRST[:2], "new = 0", "x = 2", *FIRST[3:], "# Three"), copy)
    assert told == (
        "01_first.ipynb (merged: 1 added by you, 1 changed by you, 1 deleted by you, 2 new, 1 updated; "
        "as it was: 01_first.before.ipynb)"
    )
    assert sources(copy) == [
        *FIRST[:2],
        "mine = 0",
        "new = 0",
        "x = 2",
        "# Two",
        "def f(x):\n    return x + 1",
        "# Three",
    ]
    assert (copy.parent / "01_first.before.ipynb").read_bytes() == before
    again = copy.read_bytes()
    edition = book(*FIRST[:2], "new = 0", "x = 2", *FIRST[3:], "# Three")
    assert editions.put(edition, copy).startswith("01_first.ipynb (yours, kept: 1 added by you")
    assert copy.read_bytes() == again


def test_of_a_cell_that_both_changed_the_readers_stays_and_the_newest_stands_below_it(copy):
    def mine(cells):
        cells[4].source = "def f(x):\n    return x"

    def edition(text):
        return book(*FIRST[:4], f"def f({text}):\n    ...  # your code here", FIRST[5])

    edit(copy, mine)
    for number, text in enumerate(("x, y", "x, y, z"), 1):
        assert "1 changed by both, the new one below yours" in editions.put(edition(text), copy)
        marked = f"{MARKS['code']}\ndef f({text}):\n    ...  # your code here"
        assert sources(copy) == [*FIRST[:4], "def f(x):\n    return x", marked, FIRST[5]]
        assert len(names(copy.parent)) == number + 1
    ids = [cell.id for cell in nbformat.read(copy, 4).cells]
    assert len({*ids}) == len(ids)


def test_who_takes_the_editions_cell_and_deletes_the_own_one_gets_the_next_update(copy):
    def edition(text):
        return book(*FIRST[:4], f"def f({text}):\n    ...  # your code here", FIRST[5])

    edit(copy, lambda cells: cells[4].update(source="def f(x):\n    return x"))
    editions.put(edition("x, y"), copy)
    edit(copy, lambda cells: cells.pop(4))
    assert "deleted by you" not in editions.put(edition("x, y, z"), copy)
    assert sources(copy) == [*FIRST[:4], "def f(x, y, z):\n    ...  # your code here", FIRST[5]]


def test_of_two_cells_that_are_alike_the_more_alike_one_is_the_same(copy):
    f, g, new = (f"def {head}:\n    return 0  # your code here" for head in ("f(x)", "g(x)", "g(x, y)"))
    file = copy.with_name("two.ipynb")
    editions.put(book("# One", f, g, "# Two"), file)
    edit(file, lambda cells: cells[2].update(source="def g(x):\n    return x"))
    assert "1 changed by both" in editions.put(book("# One", new, "# Two"), file)
    assert sources(file) == ["# One", "def g(x):\n    return x", f"{MARKS['code']}\n{new}", "# Two"]


def test_a_readers_tags_stay_where_the_edition_is_not_known(copy):
    edit(copy, lambda cells: cells[1].metadata.update(tags=["mine"]))
    for file in (copy.parent / ".generated").iterdir():
        file.unlink()
    editions.put(book(*FIRST), copy)
    assert nbformat.read(copy, 4).cells[1].metadata.tags == ["mine"]


def test_what_the_edition_took_out_stays_where_the_reader_changed_it(copy):
    edit(copy, lambda cells: cells[2].update(source="x = 'mine'"))
    editions.put(book(FIRST[0], FIRST[3], *FIRST[4:]), copy)
    assert sources(copy) == [FIRST[0], "x = 'mine'", *FIRST[3:]]


def test_a_new_cell_comes_where_the_reader_deleted_another_one(copy):
    edit(copy, lambda cells: cells.pop(2))
    new = "def mean(values):\n    return sum(values) / len(values)"
    for rest in (FIRST[3:], [*FIRST[3:], "# News"]):
        told = editions.put(book(*FIRST[:2], new, *rest), copy)
        assert "deleted by you" not in told
        assert sources(copy) == [*FIRST[:2], new, *rest]
    edit(copy, lambda cells: cells.pop(2))
    assert "1 deleted by you" in editions.put(book(*FIRST[:2], f"{new}\n", *FIRST[3:]), copy)
    assert sources(copy) == [*FIRST[:2], *FIRST[3:]]


def test_cells_that_the_reader_moved_stay_there_and_follow_the_book(copy):
    edit(copy, lambda cells: cells.insert(0, cells.pop(5)))
    editions.put(book(*FIRST[:5], "f(x + 1)"), copy)
    assert sources(copy) == ["f(x + 1)", *FIRST[:5]]


def test_a_cell_that_was_doubled_with_its_id_is_the_readers(copy):
    edit(copy, lambda cells: cells.insert(2, nbformat.from_dict({**cells[2], "source": "x = 'mine'"})))
    for text in ("x = 2", "x = 3"):
        edition = book(*FIRST[:2], text, *FIRST[3:])
        editions.put(edition, copy)
        assert sources(copy) == [*FIRST[:2], "x = 'mine'", text, *FIRST[3:]]
        assert [cell.id for cell in nbformat.read(copy, 4).cells if cell.source == text] == [edition.cells[2].id]


def test_a_copy_that_came_back_without_ids_is_known_by_its_sources(copy):
    def change(cells):
        cells[4].source = "def f(x):\n    return x  # your code here"
        for cell in cells:
            del cell["id"]

    edit(copy, change)
    text = json.loads(copy.read_text())
    copy.write_text(json.dumps({**text, "nbformat_minor": 0}))
    assert "1 changed by you" in editions.put(book(*FIRST[:2], "x = 2", *FIRST[3:]), copy)
    assert sources(copy) == [*FIRST[:2], "x = 2", "# Two", "def f(x):\n    return x  # your code here", FIRST[5]]


def test_what_lab_had_open_and_saved_over_a_new_edition_is_known_for_what_it_is(copy):
    opened = copy.read_bytes()
    editions.put(book(*FIRST[:2], "x = 2", *FIRST[3:]), copy)
    copy.write_bytes(opened)
    edit(copy, lambda cells: cells[5].update(source="f(9)"))
    assert editions.put(book(*FIRST[:2], "x = 2", *FIRST[3:]), copy).startswith("01_first.ipynb (merged: 1 changed by")
    assert sources(copy) == [*FIRST[:2], "x = 2", *FIRST[3:5], "f(9)"]


@pytest.mark.parametrize("what", ["mine", "[]", "{}", '{"nbformat": 4, "cells": [{"source": 1}]}', b"\xff\x00"])
def test_a_file_that_is_no_notebook_stays_and_the_edition_comes_beside(copy, what):
    copy.write_bytes(what if isinstance(what, bytes) else what.encode())
    before = copy.read_bytes()
    told = editions.put(book(*FIRST), copy)
    assert told.startswith("01_first-2.ipynb (new; 01_first.ipynb is kept: it cannot be read as a notebook, ")
    assert copy.read_bytes() == before
    editions.put(book(*FIRST, "# News"), copy)
    assert sources(copy.with_name("01_first-2.ipynb"))[-1] == "# News"
    assert names(copy.parent) == ["01_first-2.ipynb", "01_first.ipynb"]


def test_of_an_edition_that_is_not_known_only_a_changed_copy_is_kept_aside(copy):
    unchanged = copy.with_name("02_second.ipynb")
    editions.put(book(*FIRST), unchanged)
    before = edit(copy, lambda cells: cells[2].update(source="x = 'mine'"))
    for file in (copy.parent / editions.EDITIONS).iterdir():
        file.unlink()
    assert editions.put(book(*FIRST), copy).endswith("kept: the edition that it comes from is not known here)")
    assert copy.read_bytes() == before
    editions.put(book(*FIRST), unchanged)
    assert editions.put(book(*FIRST, "# News"), unchanged) == "02_second.ipynb"


def test_of_what_an_earlier_version_wrote_and_nobody_changed_nothing_is_kept(tmp_path):
    file = tmp_path / "01_first.ipynb"
    file.write_text("as it was written")
    record = {file.name: hashlib.sha256(file.read_bytes()).hexdigest()}
    (tmp_path / ".generated.json").write_text(json.dumps(record))
    assert editions.put(book(*FIRST), file) == "01_first.ipynb"
    assert sources(file) == [*FIRST]


def test_a_failing_disk_leaves_the_copy_as_it_was(copy, monkeypatch):
    before = edit(copy, lambda cells: cells[2].update(source="x = 'mine'"))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(editions.os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        editions.put(book(*FIRST, "# News"), copy)
    assert copy.read_bytes() == before
    assert names(copy.parent) == ["01_first.ipynb"]


def test_what_is_saved_while_a_copy_is_merged_is_not_written_over(copy, monkeypatch):
    edit(copy, lambda cells: cells[2].update(source="x = 'mine'"))

    def saved_meanwhile(file, content):
        file.write_text("saved")
        return "a backup"

    monkeypatch.setattr(editions, "_back_up", saved_meanwhile)
    told = editions.put(book(*FIRST, "# News"), copy)
    assert told == "01_first.ipynb (not touched, for it was saved just now: run this once more)"
    assert copy.read_text() == "saved"


def test_an_id_stays_when_a_cells_text_changes_or_another_section_grows():
    before = {cell.source: cell.id for cell in book(*FIRST).cells}
    after = {cell.source: cell.id for cell in book(*FIRST[:3], "more", *FIRST[3:5], "f(2)").cells}
    assert {text: id for text, id in before.items() if text in after} == {
        text: id for text, id in after.items() if text in before
    }
    assert after["f(2)"] == before["f(x)"] == "two-3"


@pytest.mark.slow
def test_twenty_cells_of_nine_chapters_are_kept_while_the_book_changes_others(tmp_path):
    changed, kept = 0, 0
    for chapter in CHAPTERS[:9]:
        file = tmp_path / f"{chapter.stem}.ipynb"
        first = convert(chapter.read_text(encoding="utf8"), chapter.name)
        editions.put(first, file)
        code = [at for at, cell in enumerate(first.cells) if cell.cell_type == "code"]
        mine = {at: f"{first.cells[at].source}\n# mine" for at in code[1:20]}

        def change(cells, mine=mine):
            for at, text in mine.items():
                cells[at].source = text
            cells.append(new_markdown_cell("my notes"))

        edit(file, change)
        second = deepcopy(first)
        others = [cell for at, cell in enumerate(second.cells) if at not in mine]
        for cell in others[1::2]:
            cell.source += "\n\nnews"
        second.cells.insert(len(second.cells) // 2, new_markdown_cell("A section that is new."))
        told = editions.put(notebook_of(second.cells), file)
        assert f"{len(mine)} changed by you" in told
        assert "changed by both" not in told
        found = sources(file)
        assert [text for text in found if text not in {*mine.values(), "my notes"}] == [
            cell.source
            for at, cell in enumerate(second.cells)
            if cell.source not in {first.cells[at].source for at in mine}
        ]
        assert [text for text in found if text.endswith("# mine")] == [*mine.values()]
        assert found[-1] == "my notes"
        changed, kept = changed + len(mine) + 1, kept + sum(text in found for text in [*mine.values(), "my notes"])
    assert changed == kept > 9 * 15


def test_merging_changes_none_of_the_three():
    base, mine, new = book(*FIRST), book(*FIRST[:2], "x = 3", *FIRST[3:]), book(*FIRST, "# News")
    texts = [nbformat.writes(one) for one in (base, mine, new)]
    merge(base, mine, new)
    assert [nbformat.writes(one) for one in (base, mine, new)] == texts


def test_a_cell_that_the_edition_unfolds_is_unfolded(tmp_path):
    file, first = tmp_path / "01_first.ipynb", book(*FIRST)
    first.cells[1].metadata["jupyter"] = {"source_hidden": True}
    editions.put(first, file)
    edit(file, run)
    editions.put(book(*FIRST), file)
    assert "jupyter" not in nbformat.read(file, 4).cells[1].metadata
