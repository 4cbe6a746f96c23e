"""The questions on the way accept what is right, answer what is wrong, and each stands in its page once."""

import re
from pathlib import Path

import numpy as np
import pytest

from attnlib import attention, causal_mask, cost, sliding_window_mask, softmax
from attnlib.exercises import EXERCISES, PREDICTIONS, predict
from attnlib.lab import blend_errors, mask_reach
from attnlib.questions import ChoiceQuestion, NumberQuestion, OrderQuestion


@pytest.mark.parametrize("chapter", PREDICTIONS)
def test_a_page_of_the_chapter_asks_each_once(chapter):
    pages = [*Path("chapters").glob(f"{chapter:02d}_*.md"), Path("chapters/appendices/reading.md")]
    text = "\n".join(page.read_text() for page in pages)
    asked = re.findall(rf'^predict\({chapter}, "(.+)"\)$', text, re.M)
    assert sorted(asked) == sorted(PREDICTIONS[chapter])


@pytest.mark.parametrize(
    ("chapter", "name"), [(chapter, name) for chapter in PREDICTIONS for name in PREDICTIONS[chapter]]
)
def test_a_right_answer_is_accepted_and_every_wrong_one_is_not(chapter, name):
    asked = PREDICTIONS[chapter][name]
    if isinstance(asked, OrderQuestion):
        right = list(range(len(asked.options)))
        wrong = [[i, *right[:i], *right[i + 1 :]] for i in right[1:]]
    elif isinstance(asked, ChoiceQuestion):
        right, wrong = asked.right, [i for i in range(len(asked.options)) if i != asked.right]
    else:
        right, wrong = asked.right, [value for value, *_ in asked.wrong]
    assert asked.reply(right).correct
    assert wrong or isinstance(asked, NumberQuestion)
    for answer in wrong:
        assert asked.reply(answer).correct is False
        assert asked.reply(answer).sentence
    assert predict(chapter, name).question.reply(right) == asked.reply(right)


@pytest.mark.parametrize(
    ("chapter", "name", "says"),
    [
        (0, "dice", "chapter 0 asks nothing by the name 'dice'; it asks .*'same-vector'"),
        (12, "dice", "only the chapters"),
    ],
)
def test_an_unknown_question_is_named(chapter, name, says):
    with pytest.raises(ValueError, match=says):
        predict(chapter, name)


def test_the_number_of_words_is_answered_with_what_to_do():
    assert "Each share is 1/10" in PREDICTIONS[0]["ten-words"].reply("10").sentence


def test_the_slope_question_states_what_f_is():
    low, high = (x**2 + 10 * 5 for x in (0.99, 1.01))
    assert (round(low, 2), round(high, 2)) == (50.98, 51.02)


def test_one_change_alone_leaves_the_weights_as_they_are():
    scores = np.array([1.0, 2.0, 4.0])
    changes = [2 * scores, scores + 3, scores + 3 * (scores == 4), scores / scores.sum()]
    still = [bool(np.allclose(softmax(changed), softmax(scores))) for changed in changes]
    assert still == [i == EXERCISES["shift-scores"].question.right for i in range(4)]


def test_the_lead_that_is_asked_for_gives_the_weight():
    assert softmax(np.array([EXERCISES["needed-lead"].question.right, *[0.0] * 9]))[0] == pytest.approx(0.9)


def test_the_questions_of_chapter_0_are_answered_by_its_own_numbers():
    scores = np.array([0, 0.96, 3.78, 0.63, 0])
    hidden = softmax(np.where(scores == 3.78, -np.inf, scores))
    assert PREDICTIONS[0]["hidden-share"].right == pytest.approx(hidden[1], abs=1e-3)
    assert 2 ** np.array([1, 3, 3]) @ [1, 0, 0] / 18 == PREDICTIONS[0]["base-two"].right
    grid = np.array([[0.5, 0.2, 0.1], [0.3, 0.3, 0.2], [0.2, 0.5, 0.7]])
    assert np.allclose(grid.sum(axis=0), 1)
    assert np.allclose(grid.sum(axis=1), [0.8, 0.8, 1.4])
    with np.errstate(all="ignore"):
        raised = np.exp(np.array([1000.0, 1002.0]))
        assert np.isnan(raised / raised.sum()).all()


def test_the_questions_of_chapter_5_are_answered_by_its_own_masks():
    right = {name: asked.right for name, asked in PREDICTIONS[5].items() if not isinstance(asked, OrderQuestion)}
    assert mask_reach(sliding_window_mask(40, window=5), 3)[-1].sum() == right["window-reach"]
    assert causal_mask(3, 13)[0].sum() == right["corner"]
    assert causal_mask(4, 17, offset=13).sum() == EXERCISES["chunks"].question.right
    row = np.log([0.2, 0.3, 0.1, 0.4])
    masked = softmax(np.where(causal_mask(4)[1], row, -np.inf))
    assert masked[1] == pytest.approx(EXERCISES["pencil-row"].question.right)
    assert (np.arange(4)[:, None] > np.arange(4)).sum(axis=1).tolist() == [0, 1, 2, 3]


def test_of_three_words_of_which_two_change_places_the_last_alone_keeps_its_output():
    query, key, value = np.random.default_rng(0).normal(size=(3, 3, 4))
    order = [1, 0, 2]
    before = attention(query, key, value, causal_mask(3))[order]
    after = attention(query[order], key[order], value[order], causal_mask(3))
    assert np.isclose(before, after).all(axis=1).tolist() == [False, False, True]
    assert EXERCISES["order-again"].question.right == 1


def test_what_chapter_6_prints_is_told_from_what_each_forgotten_step_prints():
    asked, x = EXERCISES["print-split"].question, np.arange(12).reshape(3, 4)
    pieces = x.reshape(3, 2, 2)
    printed = [f"`{piece[1, 0]}`" for piece in (pieces.swapaxes(0, 1), pieces, x.reshape(2, 3, 2))]
    assert asked.texts[asked.right] == printed[0]
    assert sorted({*printed}) == sorted(asked.texts[:3])


def test_the_questions_of_chapter_6_are_answered_by_its_own_counts():
    words = np.repeat(np.arange(1, 6), 2).reshape(2, 5)  # whose the ten pieces are, half by half
    asked = PREDICTIONS[6]["no-swap"]
    assert asked.texts[asked.right] == f"Of words {', '.join(map(str, words[0]))}"
    before, after = (cost.multi_head_parameters(512, 64, 64, num_heads=h) for h in (8, 16))
    assert after == 2 * before
    assert np.mean(blend_errors([1, 0])) == 0
    assert np.mean(blend_errors([0.5, 0.5])) == 0.5
