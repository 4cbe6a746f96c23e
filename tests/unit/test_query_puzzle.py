"""QueryPuzzle: which keys a query can read most, by the dot product and by distance."""

import numpy as np
import pytest

from anywidget_static import InputError
from attnlib import houston
from attnlib.lab import convex_hull, distance_scores
from attnlib.widgets import QueryPuzzle


def test_no_query_of_many_reads_a_key_within_the_hull_most():
    rng = np.random.default_rng(0)
    queries = rng.normal(size=(20_000, 2)) * rng.choice([0.1, 1, 30], size=(20_000, 1))
    led = set((queries @ houston.PLACES.T).argmax(axis=1).tolist())
    assert led == {0, 1, 2, 4} == set(convex_hull(houston.PLACES))
    assert QueryPuzzle().reachable == [houston.TOKENS[i] for i in sorted(led)]


def test_each_key_wins_by_distance_where_the_query_stands_on_it():
    for token, place in zip(houston.TOKENS, houston.PLACES, strict=True):
        puzzle = QueryPuzzle(query=place, measure="distance")
        assert puzzle.leader == token
        assert puzzle.weights.sum() == pytest.approx(1)


def test_distance_is_the_dot_product_less_half_the_squared_length_of_the_key():
    rng = np.random.default_rng(1)
    query, key = rng.normal(size=(2, 4, 3)), rng.normal(size=(2, 6, 3))
    lengths = [(x**2).sum(axis=-1) / 2 for x in (query, key)]
    expected = query @ key.swapaxes(1, 2) - lengths[0][:, :, None] - lengths[1][:, None]
    np.testing.assert_allclose(distance_scores(query, key), expected, atol=1e-12)
    shifted = distance_scores(query + 5, key + 5)
    np.testing.assert_allclose(shifted, distance_scores(query, key), atol=1e-12)


def test_two_keys_that_score_alike_share_the_lead():
    assert QueryPuzzle("ab", [[1, 1], [1, -1]], query=[1, 0]).leader is None
    assert QueryPuzzle(query=[0, 0]).leader is None


def test_without_a_script_both_measures_stand_in_print():
    shown = QueryPuzzle().to_html()
    assert shown.count(">yes<") == 9
    assert shown.count(">no<") == 1
    twice = QueryPuzzle("abc", [[0, 0], [0, 0], [1, 1]]).to_html()
    assert twice.count(">no<") == 4


WRONG = {
    "points": (lambda: QueryPuzzle("abc", [[0, 1]]), "3 tokens for 1 keys"),
    "width": (lambda: QueryPuzzle("ab", [[0, 1, 2], [3, 4, 5]]), r"points must have shape \(n, 2\)"),
    "won": (lambda: QueryPuzzle(won=[0, 1, 2, 0, 0]), r"won\[2\] is 2.0, not 0 or 1"),
    "marks": (lambda: QueryPuzzle(won=[0]), "5 tokens for 1 marks"),
    "query": (lambda: QueryPuzzle(query=[np.nan, 0]), "query"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_makes_no_sense_is_said(name):
    make, sentence = WRONG[name]
    with pytest.raises(InputError, match=sentence):
        make()
