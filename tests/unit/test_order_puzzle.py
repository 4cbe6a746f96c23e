"""OrderPuzzle on the Python side: scores of words lose by the sum of two weights, and a number for each place wins."""

import itertools
import math

import numpy as np
import pytest

from attnlib.widgets import InputError, OrderPuzzle
from attnlib.widgets.order_puzzle import PLACES, SENTENCES

STEPS = [step / 2 for step in range(-10, 11)]  # every place of a slider
GOAL = 0.9


def by_loops(dog, man, itself, before=0.0, after=0.0):
    """Scores and weights, word by word."""
    found = []
    for sentence in SENTENCES:
        scores = [{"dog": dog, "man": man, "bites": itself}[word] for word in sentence]
        scores = [scores[0] + before, scores[1], scores[2] + after]
        raised = [math.exp(score) for score in scores]
        found.append((scores, [one / sum(raised) for one in raised]))
    return zip(*found, strict=True)


def test_the_sentences_have_the_same_words_and_the_reader_in_the_middle():
    one, other = SENTENCES
    assert one == other[::-1]
    assert one[1] == "bites"
    assert PLACES[1] == "itself"


@pytest.mark.parametrize("handed", [False, True])
def test_scores_and_weights_are_those_of_loops(handed):
    for dog, man, itself, before, after in itertools.product([-5, -0.5, 3], repeat=5):
        puzzle = OrderPuzzle(dog=dog, man=man, itself=itself, handed=handed, before=before, after=after)
        scores, weights = by_loops(dog, man, itself, *((before, after) if handed else ()))
        assert puzzle.scores.tolist() == list(scores)
        assert puzzle.weights == pytest.approx(np.array(list(weights)))
        assert puzzle.share == pytest.approx(puzzle.weights[:, 0].mean())


def test_at_the_start_each_word_has_a_third():
    assert OrderPuzzle().weights == pytest.approx(1 / 3)


def test_scores_of_words_alone_leave_half_of_what_dog_and_man_have_together():
    """Every setting of the three sliders, at once; three of them by the widget itself."""
    dog, man, itself = np.exp(np.meshgrid(STEPS, STEPS, STEPS, indexing="ij"))
    share = (dog + man) / (dog + man + itself) / 2
    assert share.max() < 0.5
    for i, j, k in ((20, 0, 0), (20, 20, 0), (3, 11, 17)):
        puzzle = OrderPuzzle(dog=STEPS[i], man=STEPS[j], itself=STEPS[k])
        assert puzzle.share == pytest.approx(share[i, j, k])
        one, other = puzzle.weights
        assert one == pytest.approx(other[::-1])  # dog has the same in both, and so has man
        assert puzzle.share == pytest.approx((one[0] + one[2]) / 2)


def test_with_a_number_for_the_place_it_is_won_from_the_start_and_lost_with_the_other():
    won = [step for step in STEPS if OrderPuzzle(handed=True, before=step).share >= GOAL]
    assert won == [step for step in STEPS if step >= 3]
    assert max(OrderPuzzle(handed=True, after=step).share for step in STEPS) < 0.5 + 1e-9


def test_what_is_added_counts_nothing_until_it_is_handed_over():
    assert OrderPuzzle(before=5, after=-5).share == OrderPuzzle().share
    assert OrderPuzzle(handed=True).share == OrderPuzzle().share


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"dog": 5.5}, "dog must be from -5 to 5, got 5.5"),
        ({"man": np.nan}, "man must be from -5 to 5, got nan"),
        ({"itself": -6}, "itself must be from -5 to 5, got -6"),
        ({"before": np.inf}, "before must be from -5 to 5, got inf"),
        ({"after": 7}, "after must be from -5 to 5, got 7"),
    ],
)
def test_bad_input_is_named(options, says):
    with pytest.raises(InputError, match=says):
        OrderPuzzle(**options)


def test_without_a_script_the_weights_and_what_can_be_reached_stand_in_print(page_of):
    cells = page_of(OrderPuzzle(dog=3, itself=-5)).cells
    assert cells[1:12] == [
        *PLACES,
        *("dog bites man", "dog 95%", "bites 0%", "man 5%"),
        *("man bites dog", "man 5%", "bites 0%", "dog 95%"),
    ]
    assert np.reshape(cells[16:], (4, 4))[:, -1].tolist() == ["33%", "50%", "50%", "99%"]


def test_its_page_is_small():
    assert len(OrderPuzzle(handed=True).to_html()) < 3500
