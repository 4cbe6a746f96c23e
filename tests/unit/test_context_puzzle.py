"""ContextPuzzle on the Python side: a word that is away plays no part, and the chapter's two sentences are among them."""

import itertools

import numpy as np
import pytest

from attnlib import houston
from attnlib.scaled_dot_product import attention_weights
from attnlib.widgets import ContextPuzzle, InputError
from attnlib.widgets.context_puzzle import SENTENCE

ABSENT = [list(places) for count in range(5) for places in itertools.combinations(range(4), count)]


@pytest.mark.parametrize("absent", ABSENT)
def test_words_that_are_away_are_as_if_they_were_masked(absent):
    puzzle = ContextPuzzle(absent=absent)
    x = houston.EMBEDDINGS[[houston.TOKENS.index(word) for word in SENTENCE]]
    here = np.array([[i not in absent for i in range(5)]])
    weights = attention_weights(x[-1:] @ houston.W_Q, x @ houston.W_K, mask=here, scale=1)[0]
    assert puzzle.here == np.flatnonzero(here[0]).tolist()
    assert puzzle.weights == pytest.approx(weights[here[0]])
    assert puzzle.blend == pytest.approx(weights @ x @ houston.W_V)
    assert puzzle.most == SENTENCE[weights.argmax()]


def test_houston_reads_problem_and_without_it_have():
    assert ContextPuzzle().most == "problem"
    assert [ContextPuzzle(absent=[place]).most for place in range(4)] == ["problem", "problem", "problem", "have"]
    assert ContextPuzzle(absent=[0, 1, 2, 3]).most == "Houston"


def test_other_words_bring_their_own_rows():
    puzzle = ContextPuzzle(["Houston", "problem"])
    assert puzzle.x == houston.EMBEDDINGS[[0, 4]].tolist()
    own = ContextPuzzle(["a", "b"], np.eye(2), w_q=np.eye(2), w_k=np.eye(2), w_v=[[1.0], [2]], value_axes=["v"])
    assert own.weights == pytest.approx(np.exp([0, 1]) / np.exp([0, 1]).sum())
    assert own.blend == pytest.approx([own.weights @ [1, 2]])


def test_the_table_holds_sentences_with_one_word_less(page_of):
    cells = page_of(ContextPuzzle(absent=[2, 3])).cells
    assert cells[:5] == ["", "reads most", "who", "deed", "what"]
    rows = {cells[at]: cells[at + 1 : at + 5] for at in range(5, len(cells), 5)}
    assert list(rows)[:2] == ["we have Houston", "we have a problem Houston"]
    assert rows["we have Houston"] == ["have 0.55", "0.48", "0.55", "0.18"]
    assert rows["we have a problem Houston"] == ["problem 0.79", "0.08", "0.09", "1.23"]
    assert rows["we have a Houston"][0] == "have 0.44"
    assert len(rows) == 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"absent": [4]}, r"absent\[0\] is 4, outside 0 to 3: the last word stays"),
        ({"absent": [1, -1]}, r"absent\[1\] is -1, outside 0 to 3"),
        ({"tokens": ["hello", "Houston"]}, r"tokens\[0\] is 'hello', no word of the example: give x"),
        ({"tokens": ["Houston"]}, "tokens must have from 2 to 12 entries, got 1"),
        ({"value_axes": ["one"]}, "1 value_axes for values of width 3"),
        ({"w_v": np.ones((7, 3)), "value_axes": list("abc")}, "x has width 8, w_v has 7 rows"),
        ({"tokens": list("ab"), "x": np.eye(3)}, "2 tokens for 3 rows of x"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(InputError, match=message):
        ContextPuzzle(**options)
