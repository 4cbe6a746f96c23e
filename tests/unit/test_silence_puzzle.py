"""SilencePuzzle on the Python side: the record's shares and chances, for every set of heads."""

import itertools

import numpy as np
import pytest

from attnlib import corpus, trained
from attnlib.decoder import decoder_logits, decoder_weights
from attnlib.lab.silenced import HEADS, recorded, row
from attnlib.scaled_dot_product import softmax
from attnlib.widgets import InputError, SilencePuzzle

SETS = [heads for count in range(9) for heads in itertools.combinations(HEADS, count)]


def test_every_set_has_its_recorded_share_and_chances():
    found = recorded()
    puzzle = SilencePuzzle(handed=True)
    for heads in SETS:
        puzzle.silenced = row(*heads)
        assert puzzle.heads == heads
        assert puzzle.right == pytest.approx(found.pronoun[row(*heads)].mean(), abs=1e-4)
        assert (puzzle.chances == found.said[row(*heads)]).all()


def test_by_hand_one_head_counts_and_none_reaches_the_goal():
    puzzle = SilencePuzzle()
    for heads in SETS:
        puzzle.silenced = row(*heads)
        assert puzzle.heads == heads[:1]
        assert puzzle.right > 0.65


def test_the_grids_are_those_of_the_model_and_the_first_habit_is_that_of_him_who_is_meant():
    puzzle, model = SilencePuzzle(), trained.parameters()
    ids = trained.encode(" ".join(puzzle.tokens))
    assert np.allclose(np.array(puzzle.grids).reshape(2, 4, 5, 5), decoder_weights(model, ids), atol=6e-4)
    assert [corpus.PRONOUNS[puzzle.tokens[4]][puzzle.tokens[2]], *corpus.WOMEN.values()].count(puzzle.habits[0]) == 2
    assert set(puzzle.habits) == set(corpus.MEN.values())
    chances = softmax(decoder_logits(trained.ablate(model, 0, 1), ids)[-1])
    puzzle.silenced = row("1.2")
    rows = [trained.VOCABULARY.index(habit) for habit in puzzle.habits]
    assert puzzle.chances == pytest.approx(chances[rows], abs=6e-4)


def test_the_table_holds_single_heads_the_lowest_pairs_and_what_is_read(page_of):
    page = page_of(SilencePuzzle())
    cells = page.cells
    assert cells[:8] == ["", "right", "paints", "swims", "runs", "cooks", "reads", "sings"]
    assert cells[8:10] == ["nothing", "100%"]
    shares = {cells[at]: cells[at + 1] for at in range(8, 8 + 12 * 8, 8)}
    assert shares["1.2"] == "69%"
    assert shares["2.2"] == "98%"
    assert shares["1.2 + 2.2"] == "25%"
    assert list(shares) == ["nothing", *HEADS, "1.2 + 2.2", "1.2 + 1.4", "1.1 + 1.2"]
    assert cells[8 + 12 * 8 :][:12] == [
        "",
        "Anna",
        "met",
        "Tom",
        ".",
        "he",
        "1.1",
        "0.00",
        "0.00",
        "0.00",
        "1.00",
        "0.00",
    ]


def test_what_is_silenced_stands_first_in_the_table(page_of):
    page = page_of(SilencePuzzle(silenced=row("1.3", "2.1"), handed=True))
    assert page.cells[8] == "1.3 + 2.1"
    assert page_of(SilencePuzzle(silenced=row("1.3", "2.1"))).cells[8] == "1.3"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"silenced": 256}, "silenced must be from 0 to 255, got 256"),
        ({"silenced": -1}, "silenced must be from 0 to 255, got -1"),
        ({"tried": [3, 256]}, r"tried\[1\] is 256, outside 0 to 255"),
        ({"tried": [-1]}, r"tried\[0\] is -1, outside 0 to 255"),
        ({"shares": [0.5] * 255}, r"shares must have shape \(256,\), got \(255,\)"),
        ({"shares": [1.5] * 256}, r"shares\[0, 0\] is 1.5, outside 0 to 1"),
        ({"said": [[2.0] * 6] * 256}, r"said\[0, 0\] is 2, outside 0 to 1"),
        ({"grids": np.zeros((8, 4, 4))}, r"grids must have shape \(8, 5, 5\), got \(8, 4, 4\)"),
        ({"tokens": ["he"]}, "tokens must have from 5 to 5 entries, got 1"),
        ({"habits": ["sings"]}, "habits must have from 6 to 6 entries, got 1"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(InputError, match=message):
        SilencePuzzle(**options)


def test_another_record_can_be_shown():
    found = recorded("mean")
    puzzle = SilencePuzzle(shares=found.pronoun.mean(axis=1), said=found.said, silenced=row("2.2"))
    assert puzzle.right == pytest.approx(found.pronoun[row("2.2")].mean())
    assert (puzzle.chances == found.said[row("2.2")]).all()
