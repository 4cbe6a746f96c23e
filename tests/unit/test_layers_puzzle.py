"""LayersPuzzle on the Python side: MiniLM's cosines without each head, and without each set of layers."""

import itertools

import numpy as np
import pytest

from attnlib.lab import minilm
from attnlib.widgets import InputError, LayersPuzzle

BANK = "The bank by the river was covered with flowers."


def test_no_head_alone_reaches_the_goal():
    after = np.array(minilm.recording(BANK).effects["after"])
    puzzle = LayersPuzzle()
    for head in range(72):
        puzzle.silenced = head
        assert puzzle.cosines == pytest.approx(after[divmod(head, 12)])
        assert not puzzle.reached


def test_of_the_layers_alone_the_first_reaches_it():
    reached = {layer for layer in range(6) if LayersPuzzle(off=32 >> layer, handed=True).reached}
    assert reached == {0}


def test_every_set_of_layers_has_its_recorded_cosines():
    layers = minilm.record()["silenced"]["zero"]["layers"]
    puzzle = LayersPuzzle(handed=True)
    for row, silent in enumerate(itertools.product((0, 1), repeat=6)):  # as the record counts: layer 6 changes first
        puzzle.off = sum(32 >> layer for layer in range(6) if silent[layer])
        assert puzzle.off == row
        assert puzzle.cosines.tolist() == layers[row]["shown"][minilm.texts().index(BANK)]


def test_the_whole_model_is_that_of_the_recording():
    puzzle, effects = LayersPuzzle(), minilm.recording(BANK).effects
    assert puzzle.cosines.tolist() == effects["before"] == [0.425, 0.335]
    assert puzzle.texts == [BANK, *effects["labels"]]


def test_layers_count_where_they_are_handed_over_and_then_in_place_of_a_head():
    assert LayersPuzzle(off=32).cosines.tolist() == [0.425, 0.335]
    assert LayersPuzzle(off=32, silenced=4).cosines.tolist() == [0.385, 0.355]
    assert LayersPuzzle(off=32, silenced=4, handed=True).cosines.tolist() == [0.283, 0.355]
    assert LayersPuzzle(silenced=4, handed=True).cosines.tolist() == [0.385, 0.355]


def test_the_table_holds_the_nearest_head_of_each_layer_and_each_layer(page_of):
    cells = page_of(LayersPuzzle(off=33, handed=True)).cells
    rows = {cells[at]: cells[at + 1 : at + 4] for at in range(0, len(cells), 4)}
    assert rows[""] == [*minilm.recording(BANK).effects["labels"], "first − second"]
    heads = ["1.5", "2.11", "3.11", "4.1", "5.5", "6.7"]
    assert list(rows)[1:] == ["nothing", "layers 1, 6", *heads, *(f"layer {layer}" for layer in range(1, 7))]
    assert rows["1.5"] == ["0.385", "0.355", "0.030"]
    assert rows["layer 1"] == ["0.283", "0.355", "−0.072"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"texts": ["a"]}, "texts must have from 3 to 3 entries, got 1"),
        ({"silenced": -2}, "silenced must be from -1 to 127, got -2"),
        ({"silenced": 72}, "silenced 72 is outside 0 … 71"),
        ({"off": 64}, "off 64 is outside 0 … 63"),
        ({"tried": [3, 72]}, r"tried\[1\] 72 is outside 0 … 71"),
        ({"tried": [-1]}, r"tried\[0\] -1 is outside 0 … 71"),
        ({"heads": np.zeros((6, 12, 3))}, r"heads must have shape \(layers, heads, 2\) .* got \(6, 12, 3\)"),
        ({"heads": np.zeros((6, 17, 2))}, "heads has 17 heads in a layer, more than 16"),
        ({"heads": np.full((6, 12, 2), 1.5)}, r"heads\[0\]\[0, 0\] is 1.5, outside −1 to 1"),
        ({"heads": np.zeros((5, 12, 2))}, "5 layers have 32 sets, layers has 64 rows"),
        ({"layers": [[0.2, -1.5]] * 64}, r"layers\[0, 1\] is −1.5, outside −1 to 1"),
        ({"layers": [[0.2, 0.2]] * 64}, r"layers\[0\] is 0.2 and 0.2: the goal is reached before anything is silenced"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(InputError, match=message):
        LayersPuzzle(**options)


def test_another_model_can_be_shown():
    heads, layers = np.full((2, 3, 2), (0.5, 0.25)), [(0.5, 0.25), (0.5, 0.75), (0.25, 0.0), (0.0, 0.5)]
    puzzle = LayersPuzzle("abc", heads=heads, layers=layers, off=1, handed=True)
    assert puzzle.cosines.tolist() == [0.5, 0.75]
    assert puzzle.reached
    assert not LayersPuzzle("abc", heads=heads, layers=layers, silenced=5).reached
