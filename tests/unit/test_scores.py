"""What a head does: each score by loops, from its definition, and what has no case."""

import math

import numpy as np
import pytest

from attnlib.models.scores import SCORES, head_scores, score_cases
from attnlib.scaled_dot_product import softmax

PUNCTUATION = set(".,;!?")


def counts(name, tokens, keys, marks, i, j, *, crossed):
    """Whether key j counts for query i."""
    if name == "first token":
        return j == 0
    if name == "separator":
        return j > 0 and (marks[j] or set(keys[j]) <= PUNCTUATION)
    if crossed:
        return False
    return {
        "previous token": j == i - 1,
        "next token": j == i + 1,
        "itself": j == i,
        "same token": j != i and keys[j] == tokens[i] and not marks[i] and not marks[j],
        "induction": j != i and 0 < j < i and keys[j - 1] == tokens[i] and not marks[i] and not marks[j - 1],
    }[name]


def by_loops(grid, tokens, keys, marks, mask, *, crossed, sinks):
    found, cases = {}, {}
    for name in SCORES:
        shares = []
        for i in range(len(tokens)):
            seen = [j for j in range(len(keys)) if mask[i, j]]
            if name == "entropy":
                weights = [grid[i, j] for j in seen] + ([1 - sum(grid[i, j] for j in seen)] if sinks else [])
                if seen and len(weights) > 1:
                    entropy = -sum(weight * math.log(weight) for weight in weights if weight > 0)
                    shares.append(entropy / math.log(len(weights)))
                continue
            right = [j for j in seen if counts(name, tokens, keys, marks, i, j, crossed=crossed)]
            if right and (len(right) < len(seen) or sinks):
                shares.append(sum(grid[i, j] for j in right))
        if shares:
            found[name], cases[name] = sum(shares) / len(shares), len(shares)
    return found, cases


@pytest.mark.parametrize("seed", range(30))
def test_every_score_is_that_of_its_definition(seed):
    rng = np.random.default_rng(seed)
    n_q, crossed, sinks = int(rng.integers(1, 9)), seed % 3 == 2, seed % 2 == 1
    n_k = int(rng.integers(1, 9)) if crossed else n_q
    words = ["we", "read", ".", "?!", "it", "[SEP]"]
    tokens, keys = ([words[k] for k in rng.integers(6, size=n)] for n in (n_q, n_k))
    keys = keys if crossed else tokens
    marks = [key == "[SEP]" for key in keys]
    mask = np.tri(n_q, n_k, dtype=bool) if seed % 3 == 0 else np.ones((n_q, n_k), bool)
    grids = softmax(np.where(mask, rng.normal(size=(2, 3, n_q, n_k)) * 2, -np.inf))
    grids = grids * (rng.uniform(0.1, 1, size=(2, 3, n_q, 1)) if sinks else 1)
    crossing = {"key_tokens": keys, "key_special": marks} if crossed else {"special": marks}
    scores = head_scores(grids, tokens, mask=mask, sinks=sinks, **crossing)
    for at in np.ndindex(2, 3):
        expected, cases = by_loops(grids[at], tokens, keys, marks, mask, crossed=crossed, sinks=sinks)
        assert scores.keys() == expected.keys()
        assert all(abs(scores[name][at] - expected[name]) < 1e-12 for name in expected)
    assert score_cases(tokens, mask=mask, sinks=sinks, **crossing) == cases


def test_a_score_without_a_case_is_not_there():
    assert set(head_scores(np.eye(2), ["a", "b"], mask=np.tri(2, dtype=bool))) == {
        "previous token",
        "itself",
        "first token",
        "entropy",
    }
    assert head_scores(np.ones((1, 1)), ["a"]) == {}
    crossed = head_scores(np.full((2, 3), 1 / 3), ["a", "b"], key_tokens=["a", "a", "."])
    assert set(crossed) == {"first token", "separator", "entropy"}


def test_perfect_heads_have_a_score_of_one():
    tokens = ["a", "b", "a", "b"]
    heads = {
        "previous token": [0, 0, 1, 2],
        "itself": [0, 1, 2, 3],
        "first token": [0, 0, 0, 0],
        "same token": [0, 0, 0, 1],
        "induction": [0, 0, 1, 2],
    }
    for name, reads in heads.items():
        assert head_scores(np.eye(4)[reads], tokens, mask=np.tri(4, dtype=bool))[name] == 1
    assert head_scores(np.full((4, 4), 0.25), tokens)["entropy"] == pytest.approx(1)


def test_a_head_that_rests_on_its_sink_reads_no_key_and_is_not_spread():
    grids = np.array([[1e-4, 0], [5e-5, 5e-5]])
    mask = np.tri(2, dtype=bool)
    scores = head_scores(grids, ["a", "b"], mask=mask, sinks=True)
    assert scores["entropy"] < 0.002
    assert score_cases(["a", "b"], mask=mask, sinks=True)["itself"] == 2  # the first, too, had a choice
    even = head_scores(np.array([[0.5, 0], [1 / 3, 1 / 3]]), ["a", "b"], mask=mask, sinks=True)
    assert even["entropy"] == pytest.approx(1)
    assert head_scores(np.zeros((1, 1)), ["a"], mask=np.zeros((1, 1), bool), sinks=True) == {}  # padding


@pytest.mark.parametrize("token", ["␣(", "␣", ").↵", "⇥”", "⟨?⟩", "⟨"])
def test_punctuation_may_have_white_space_around_it_and_is_no_name_of_an_unknown_token(token):
    grid = np.array([[1.0, 0, 0], [0, 1, 0], [0, 1, 0]])
    scores = head_scores(grid, ["we", token, "a"], mask=np.tri(3, dtype=bool))
    assert scores.get("separator") == (None if token in {"␣", "⟨?⟩"} else 1)


def test_sizes_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match=r"2 tokens and 2 keys do not fit grids of shape \(3, 3\)"):
        head_scores(np.eye(3), ["a", "b"])
    with pytest.raises(ValueError, match="special must have one entry for each of 3 tokens, got 1"):
        head_scores(np.eye(3), ["a", "b", "c"], [True])
