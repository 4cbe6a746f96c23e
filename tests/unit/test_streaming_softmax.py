"""The softmax in passing: what is kept after each key, the errors, the table."""

import json

import numpy as np
import pytest

from attnlib import softmax
from attnlib.formatting import compact, text
from attnlib.lab import streamed_softmax
from attnlib.widgets import InputError, StreamingSoftmax


@pytest.mark.parametrize("scale", [1, 30, 1e300])
def test_after_every_key_the_answer_is_that_of_the_softmax_of_the_keys_seen(scale):
    rng = np.random.default_rng(7)
    scores, values = rng.normal(scale=scale, size=50), rng.normal(size=50)
    for k, (largest, total, blend) in enumerate(streamed_softmax(scores, values), start=1):
        assert largest == scores[:k].max()
        assert np.isclose(total, np.exp(scores[:k] - largest).sum())
        assert np.isclose(blend / total, softmax(scores[:k]) @ values[:k])


def test_the_order_of_the_keys_changes_the_way_and_not_the_end():
    scores, values = np.array([2.0, 5.0, 3.0]), np.array([1.0, 2.0, 4.0])
    up, down = (streamed_softmax(scores[order], values[order]) for order in ([0, 2, 1], [1, 2, 0]))
    assert np.allclose(up[-1], down[-1])
    assert not np.allclose(up[:-1], down[:-1])


def test_scores_of_hundreds_do_not_overflow_where_exp_does():
    with np.errstate(over="ignore"):
        assert np.exp(720.0) == np.inf
    assert np.isfinite(streamed_softmax(np.array([-1000.0, 720.0, 1000.0]), np.ones(3))).all()


WRONG = {
    "lengths": (([1.0], [1.0, 2.0]), r"one length, got \(1,\) and \(2,\)"),
    "a matrix": (([[1.0]], [[1.0]]), r"got \(1, 1\) and \(1, 1\)"),
    "NaN": (([1.0, np.nan], [1.0, 2.0]), r"scores\[1\] is nan"),
    "infinite": (([1.0], [np.inf]), r"values\[0\] is inf"),
    "beyond": (([0.0, 0.0], [1.7e308, 1.7e308]), r"the blend\[1\] leaves its range: values are too large"),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_function_names_what_is_wrong(name, unchecked):
    given, message = WRONG[name]
    with pytest.raises(ValueError, match=message):
        streamed_softmax(*map(np.array, given))


def test_the_widget_has_the_states_and_the_answer_of_the_keys_seen():
    stream = StreamingSoftmax([2, 5, 3], [1, 2, 4])
    assert (stream.states == streamed_softmax(np.array([2, 5, 3]), np.array([1, 2, 4]))).all()
    assert stream.answer is None
    stream.seen = 2
    assert np.isclose(stream.answer, softmax(np.array([2.0, 5.0])) @ [1, 2])


BAD = {
    "lengths": ({"scores": [1, 2]}, "2 scores for 3 values"),
    "none": ({"scores": [], "values": []}, r"scores must have shape \(n,\) with n ≥ 1"),
    "13 keys": ({"scores": [0] * 13, "values": [0] * 13}, "scores must have from 1 to 12 entries, got 13"),
    "beyond": ({"scores": [0, 0, 1001]}, r"scores\[2\] is 1001, outside −1000 to 1000"),
    "a value beyond": ({"values": [0, -1e9, 0]}, r"values\[1\] is −1e\+09, outside"),
    "NaN": ({"values": [np.nan, 0, 0]}, r"values\[0\] is nan"),
    "seen": ({"seen": 4}, "seen is 4, of 3 keys"),
    "seen before": ({"seen": -1}, "seen must be from 0 to 12, got -1"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    changes, message = BAD[name]
    with pytest.raises(InputError, match=message):
        StreamingSoftmax(**{"scores": [2, 5, 3], "values": [1, 2, 4]} | changes)


def test_the_table_tells_what_is_remembered_after_each_key(page_of, hostile):
    stream = StreamingSoftmax(title=hostile)
    page = page_of(stream)
    assert page.cells[1:7] == ["score", "value", "largest", "total", "blend", "answer"]
    largest, total, blend = stream.states[-1]
    assert page.cells[-4:] == [text(largest), compact(total), compact(blend), text(blend / total)]
    assert "img" not in page.tags
    assert json.loads(page.state) == stream.state()
