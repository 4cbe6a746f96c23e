"""The questions on the way accept what is right, answer what is wrong, and each stands in its page once."""

import re
from pathlib import Path

import numpy as np
import pytest

from attnlib import softmax
from attnlib.exercises import PREDICTIONS, predict
from attnlib.exercises.chapter_00 import EXERCISES
from attnlib.exercises.questions import reply


@pytest.mark.parametrize("chapter", PREDICTIONS)
def test_the_page_asks_each_once(chapter):
    (page,) = Path("chapters").glob(f"{chapter:02d}_*.md")
    asked = re.findall(rf'^predict\({chapter}, "(.+)"\)$', page.read_text(), re.M)
    assert sorted(asked) == sorted(PREDICTIONS[chapter])


@pytest.mark.parametrize(
    ("chapter", "name"), [(chapter, name) for chapter in PREDICTIONS for name in PREDICTIONS[chapter]]
)
def test_a_right_answer_is_accepted_and_every_wrong_one_is_not(chapter, name):
    asked, given = predict(chapter, name), PREDICTIONS[chapter][name]
    if given.get("mode") == "order":
        asked.answer = list(range(len(given["options"])))
    else:
        asked.answer = given["right"] if "options" in given else str(given["right"])
    assert asked.correct
    wrong = [str(value) for value, *_ in given.get("wrong", ())]
    if "options" in given and given.get("mode") != "order":
        wrong = [at for at in range(len(given["options"])) if at != given["right"]]
    for answer in wrong:
        asked.answer = answer
        assert not asked.correct
        assert reply(asked)


@pytest.mark.parametrize(
    ("chapter", "name", "says"),
    [
        (0, "dice", "chapter 0 asks nothing by the name 'dice'; it asks .*'hundred-dice'"),
        (12, "dice", "only the chapters"),
    ],
)
def test_an_unknown_question_is_named(chapter, name, says):
    with pytest.raises(ValueError, match=says):
        predict(chapter, name)


def test_the_number_of_words_is_answered_with_what_to_do():
    asked = predict(0, "ten-words")
    asked.answer = "10"
    assert "Each share is 1/10" in reply(asked)


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


@pytest.mark.parametrize("guess", ["0.15", "0.2", "1/4", "0.258", "0.33", "0.37"])
def test_a_rough_guess_of_the_fixed_average_will_do(guess):
    asked = predict(0, "fixed-average")
    asked.answer = guess
    assert asked.correct


@pytest.mark.parametrize("guess", ["0", "0.05", "1/16", "1/8", "0.14", "0.41", "0.5", "0.8", "1", "12.5", "25", "40"])
def test_a_poor_guess_of_the_fixed_average_hears_why(guess):
    asked = predict(0, "fixed-average")
    asked.answer = guess
    assert not asked.correct
    assert "Try another way" not in reply(asked)
