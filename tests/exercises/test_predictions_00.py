"""The questions of chapter 0 accept what is right, answer what is wrong, and each stands in the page once."""

import re
from pathlib import Path

import numpy as np
import pytest

from attnlib import softmax
from attnlib.exercises.chapter_00 import EXERCISES
from attnlib.exercises.predictions_00 import PREDICTIONS, predict
from attnlib.exercises.questions import reply


def test_the_page_asks_each_once():
    asked = re.findall(r'^predict\("(.+)"\)$', Path("chapters/00_orientation.md").read_text(), re.M)
    assert sorted(asked) == sorted(PREDICTIONS)


@pytest.mark.parametrize("name", PREDICTIONS)
def test_a_right_answer_is_accepted_and_every_wrong_number_is_not(name):
    asked, given = predict(name), PREDICTIONS[name]
    asked.answer = (
        str(given["right"]) if "wrong" in given else [0, 1, 2, 3] if given.get("mode") == "order" else given["right"]
    )
    assert asked.correct
    for value, *_ in given.get("wrong", ()):
        asked.answer = str(value)
        assert not asked.correct


def test_the_slope_question_states_what_f_is():
    low, high = (x**2 + 10 * 5 for x in (0.99, 1.01))
    assert (round(low, 2), round(high, 2)) == (50.98, 51.02)


def test_one_change_alone_leaves_the_weights_as_they_are():
    scores = np.array([1.0, 2.0, 4.0])
    changes = [2 * scores, scores + 3, scores + 3 * (scores == 4), scores / scores.sum()]
    still = [bool(np.allclose(softmax(changed), softmax(scores))) for changed in changes]
    (exercise,) = [exercise for exercise in EXERCISES if exercise.id == "shift-scores"]
    assert still == [i == exercise.question["right"] for i in range(4)]


def test_the_lead_that_is_asked_for_gives_the_weight():
    (exercise,) = [exercise for exercise in EXERCISES if exercise.id == "needed-lead"]
    assert softmax(np.array([exercise.question["right"], *[0.0] * 9]))[0] == pytest.approx(0.9)


@pytest.mark.parametrize("guess", ["0.15", "0.2", "1/4", "0.258", "0.33", "0.4"])
def test_a_rough_guess_of_the_fixed_average_will_do(guess):
    asked = predict("fixed-average")
    asked.answer = guess
    assert asked.correct


@pytest.mark.parametrize("guess", ["0", "0.05", "1/16", "1/8", "0.14", "0.41", "0.5", "0.8", "1", "12.5", "25", "40"])
def test_a_poor_guess_of_the_fixed_average_hears_why(guess):
    asked = predict("fixed-average")
    asked.answer = guess
    assert not asked.correct
    assert "Try another way" not in reply(asked)
