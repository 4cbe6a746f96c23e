"""ThreeSpaces on Python's side: its numbers, its errors, and what it says where no script runs."""

import json

import numpy as np
import pytest

from attnlib import attention, attention_weights
from attnlib.lab import most_read
from attnlib.widgets import InputError, ThreeSpaces

RNG = np.random.default_rng(0)
X, W_Q, W_K, W_V = RNG.normal(size=(3, 2)), *RNG.normal(size=(3, 2, 2))
QUARTER_TURN = [[0, 1], [-1, 0]]


def some_spaces(**options):
    return ThreeSpaces("abc", X, **{"w_q": W_Q, "w_k": W_K, "w_v": W_V, "selected": 1, **options})


def test_every_vector_score_and_weight_is_that_of_attnlib():
    spaces = some_spaces()
    assert np.allclose(spaces.query, X @ W_Q)
    assert np.allclose(spaces.key, X @ W_K)
    assert np.allclose(spaces.value, X @ W_V)
    assert np.allclose(spaces.scores, X @ W_Q @ (X @ W_K).T)
    assert np.allclose(spaces.weights, attention_weights(X @ W_Q, X @ W_K, scale=1))
    assert np.allclose(spaces.output, attention(X @ W_Q, X @ W_K, X @ W_V, scale=1))


def test_a_matrix_moves_its_own_role_alone():
    spaces = some_spaces()
    before = spaces.query, spaces.key, spaces.value, spaces.weights, spaces.output
    for name, moved in (("w_v", "value output"), ("w_k", "key weights output"), ("w_q", "query weights output")):
        other = some_spaces(**{name: 2 * np.eye(2)})
        after = other.query, other.key, other.value, other.weights, other.output
        names = ("query", "key", "value", "weights", "output")
        assert [n for n, b, a in zip(names, before, after, strict=True) if not np.allclose(b, a)] == moved.split()


def test_keys_turned_by_a_quarter_make_each_word_read_the_next_and_nobody_back():
    spaces = ThreeSpaces()
    assert np.allclose(spaces.scores, spaces.scores.T)
    spaces.w_k = QUARTER_TURN
    readers = {spaces.tokens[i]: spaces.tokens[j] for i, j in enumerate(most_read(spaces.weights))}
    assert readers == {"we": "have", "have": "problem", "problem": "a", "a": "we"}
    assert np.allclose(spaces.scores, -spaces.scores.T)


BAD = {
    "tokens": (lambda: ThreeSpaces("ab", X), "2 tokens for 3 points"),
    "one token": (lambda: ThreeSpaces("a", X[:1]), "tokens must have from 2 to 12 entries, got 1"),
    "too many": (lambda: ThreeSpaces("a" * 13, np.zeros((13, 2))), "tokens must have from 2 to 12 entries, got 13"),
    "width": (lambda: ThreeSpaces("abc", np.eye(3)), r"points must have shape \(n, 2\).*got \(3, 3\)"),
    "a wide matrix": (lambda: some_spaces(w_q=np.eye(2, 3)), r"w_q must have shape \(2, 2\), got \(2, 3\)"),
    "a tall matrix": (lambda: some_spaces(w_k=np.eye(3, 2)), r"w_k must have shape \(2, 2\), got \(3, 2\)"),
    "NaN": (lambda: setattr(some_spaces(), "w_v", [[1, 0], [0, np.nan]]), r"w_v\[1, 1\] is nan"),
    "selected": (lambda: some_spaces(selected=3), "selected token 3 is outside 0 … 2"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, message = BAD[name]
    with pytest.raises(InputError, match=message):
        call()


def test_the_page_form_holds_what_is_shown_and_the_whole_state(page_of):
    spaces = some_spaces()
    page = page_of(spaces)
    assert page.cells[:7] == ["", "weight", "score", "query", "key", "value", "output"]
    place = "({:.2f}, {:.2f})"
    texts = [f"{spaces.weights[1, 2]:.2f}", f"{spaces.scores[1, 2]:.2f}"]
    texts += [place.format(*points[2]) for points in (spaces.query, spaces.key, spaces.value, spaces.output)]
    assert page.cells[-7:] == ["c", *(text.replace("-", "−") for text in texts)]
    state = json.loads(page.state)
    assert (state["w_q"], state["w_k"], state["w_v"]) == (W_Q.tolist(), W_K.tolist(), W_V.tolist())
    assert state["points"] == X.tolist()
    assert (
        "W_Q = [1.00 0.00; 0.00 1.00], W_K = [0.00 1.00; −1.00 0.00], W_V = ["
        in ThreeSpaces(w_k=QUARTER_TURN).fallback()
    )


def test_names_are_text_and_never_html(page_of, hostile):
    page = page_of(ThreeSpaces([hostile, "b", "c"], X, title=hostile, provenance=hostile))
    assert "img" not in page.tags
    assert any(hostile in cell for cell in page.cells)
    assert "</script" not in page.state
