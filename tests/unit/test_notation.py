"""Appendix A: its table of symbols is true of the code below it, and its cells run."""

import re
from pathlib import Path

import jupytext
import numpy as np
import pytest

PAGE = Path("chapters/appendices/notation.md")
ROW = re.compile(r"^\| \$(.+?)\$ \| \$(.+?)\$ \| `(\w+)`", re.MULTILINE)
SYMBOLS = ROW.findall(PAGE.read_text(encoding="utf8"))


@pytest.fixture(scope="module")
def names():
    """What the page has drawn and computed after its first two cells."""
    names = {}
    code = [cell.source for cell in jupytext.read(PAGE, fmt="md:myst").cells if cell.cell_type == "code"]
    for source in code[:3]:
        exec(source, names)
    return names


def test_the_table_has_every_symbol_of_the_first_cells():
    assert [symbol for symbol, _, _ in SYMBOLS] == [
        "X",
        "Z",
        "U",
        "W_Q",
        "W_K",
        "W_V",
        "B",
        "Q",
        "K",
        "V",
        "S",
        "A",
        "Y",
        "W_O",
    ]


@pytest.mark.parametrize(("symbol", "shape", "name"), [row for row in SYMBOLS if row[2] != "u"])
def test_a_symbol_has_the_shape_that_the_table_gives(symbol, shape, name, names):
    sizes = [[names[letter] for letter in side.split()] for side in shape.strip("{}").split(r"\times")]
    assert names[name].shape == tuple(int(np.prod(side)) for side in sizes)


def test_no_two_sizes_are_equal():
    sizes = ["n", "n_z", "d", "d_z", "d_k", "d_v", "h"]
    (line,) = re.findall(rf"^{', '.join(sizes)} = (.+)$", PAGE.read_text(encoding="utf8"), re.MULTILINE)
    assert len(set(line.split(", "))) == len(sizes)


def test_every_cell_runs_and_prints_what_fits_a_phone(capsys):
    names = {}
    for cell in jupytext.read(PAGE, fmt="md:myst").cells:
        if cell.cell_type == "code":
            exec(cell.source, names)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 40


def test_every_text_it_translates_is_checked_by_a_cell():
    parts = re.split(r"^###? ", PAGE.read_text(encoding="utf8"), flags=re.MULTILINE)
    translated = [part for part in parts if "| here |" in part]
    assert len(translated) == 6
    assert [part.splitlines()[0] for part in translated if "assert np.allclose(" not in part] == []
