"""What each number of multi-head attention is computed from: what poking shows, and the widget's Python side."""

import json
from functools import reduce
from typing import get_args

import numpy as np
import pytest

from attnlib import causal_mask, multi_head_attention
from attnlib.lab import tile_parents
from attnlib.lab.tiles import Forgotten
from attnlib.scaled_dot_product import softmax
from attnlib.widgets import HeadTiles, InputError
from attnlib.widgets.head_tiles import STAGES

FORGOTTEN = get_args(Forgotten)
SIZES = [(4, 4, 2), (4, 6, 3), (5, 6, 2), (3, 8, 4), (2, 2, 2), (1, 4, 4), (3, 4, 1)]  # n, d, h
RNG = np.random.default_rng(0)


def stages(x, weights, h, forgotten):
    """Every stage in plain NumPy, each a list of arrays of one shape: three for Q, K and V, else one."""
    n, d = x.shape
    w_q, w_k, w_v, w_o = weights
    qkv = [x @ w for w in (w_q, w_k, w_v)]
    right = [m.reshape(n, h, d // h).swapaxes(0, 1) for m in qkv]
    q, k, v = split = [m.reshape(h, n, d // h) for m in qkv] if forgotten in ("split", "both") else right
    scores = np.where(causal_mask(n), q @ k.swapaxes(1, 2) / np.sqrt(d // h), -np.inf)
    blends = softmax(scores) @ v
    merged = (blends if forgotten in ("merge", "both") else blends.swapaxes(0, 1)).reshape(n, d)
    return [[x], qkv, split, [softmax(scores)], [blends], [merged], [merged @ w_o]]


def composed(n, d, h, forgotten):
    """For each stage, which of its tiles are computed from which numbers of X."""
    made = [np.eye(n * d, dtype=bool)]
    for stage in STAGES[1:]:
        made.append(tile_parents(stage, n, d, h, forgotten) @ made[-1])
    return made


@pytest.mark.parametrize("forgotten", FORGOTTEN)
@pytest.mark.parametrize(("n", "d", "h"), SIZES)
def test_a_tile_moves_when_a_number_that_it_is_computed_from_is_poked_and_no_other_does(n, d, h, forgotten):
    x, weights = RNG.normal(size=(n, d)), RNG.normal(size=(4, d, d)) / 2
    before = stages(x, weights, h, forgotten)
    moved = [[] for _ in before]
    for at in range(n * d):
        poked = stages(x + np.eye(n * d)[at].reshape(n, d), weights, h, forgotten)
        for k, (new, old) in enumerate(zip(poked, before, strict=True)):
            moved[k].append(np.max([np.abs(a - b).ravel() for a, b in zip(new, old, strict=True)], axis=0))
    made = composed(n, d, h, forgotten)
    for k, stage in enumerate(STAGES):
        seen = np.array(moved[k]).T
        assert (seen[~made[k]] == 0).all()
        if stage == "weights":  # the one weight of a first row is 1, whatever its query and key
            first = (np.arange(len(seen)) // n) % n == 0
            assert (seen[first] == 0).all()
            seen, made[k] = seen[~first], made[k][~first]
        assert (seen[made[k]] > 1e-13).all()


@pytest.mark.parametrize(("n", "d", "h"), SIZES)
def test_the_right_stages_are_those_of_multi_head_attention(n, d, h):
    x, weights = RNG.normal(size=(n, d)), RNG.normal(size=(4, d, d))
    (output,) = stages(x, weights, h, "nowhere")[-1]
    assert np.allclose(output, multi_head_attention(x, *weights, num_heads=h, causal=True))


@pytest.mark.parametrize("forgotten", FORGOTTEN)
@pytest.mark.parametrize(("n", "d", "h"), SIZES)
def test_cut_and_merged_tiles_have_one_parent_each_and_a_blocked_weight_has_none(n, d, h, forgotten):
    for stage in ("split", "merge"):
        parents = tile_parents(stage, n, d, h, forgotten)
        assert (parents.sum(axis=0) == 1).all()
        assert (parents.sum(axis=1) == 1).all()
    weights = tile_parents("weights", n, d, h, forgotten).reshape(h, n, n, -1)
    assert (weights.any(axis=-1) == causal_mask(n)).all()


def test_no_output_reads_its_future_unless_one_swap_alone_is_forgotten():
    for n, d, h in SIZES:
        if min(n, h) < 2:
            continue
        future = {name: np.triu(composed(n, d, h, name)[-1][::d, ::d], 1).any() for name in FORGOTTEN}
        assert future == {"nowhere": False, "split": True, "merge": True, "both": False}


def test_with_both_forgotten_a_late_token_cannot_read_the_first():
    for n, d, h in SIZES:
        read = composed(n, d, h, "both")[-1].reshape(n, d, n, d).any(axis=(1, 3))
        assert read[-1, 0] == (min(n, h) < 2)


BAD_CALLS = {
    "stage": (("X", 2, 2, 2), "stage must be one of project, split, weights, heads, merge, output, got 'X'"),
    "forgotten": (("split", 2, 2, 2, "here"), "forgotten must be one of nowhere, split, merge, both, got 'here'"),
    "heads": (("split", 2, 6, 4), "num_heads must divide d = 6, got 4"),
    "n": (("split", 0, 2, 2), "n must be 1 or more and at most 64, got 0"),
    "d": (("split", 2, 65, 5), "d must be 1 or more and at most 64, got 65"),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_what_does_not_fit_is_named(name, unchecked):
    arguments, says = BAD_CALLS[name]
    with pytest.raises(ValueError, match=says):
        tile_parents(*arguments)


@pytest.mark.parametrize("forgotten", FORGOTTEN)
@pytest.mark.parametrize(("d", "num_heads"), [(4, 2), (6, 3)])
def test_the_cone_is_what_the_tile_is_computed_from_and_what_is_computed_from_it(forgotten, d, num_heads):
    for at in range(7):
        count = len(HeadTiles(d=d, num_heads=num_heads, at=at).cone[at])
        for tile in {0, count // 3, count - 1}:
            tiles = HeadTiles(d=d, num_heads=num_heads, forgotten=forgotten, at=at, tile=tile)
            cone = tiles.cone
            for k in range(7):
                low, high = sorted((k, at))
                between = reduce(np.matmul, reversed(tiles.parents[low:high]), np.eye(len(cone[high]), dtype=bool))
                assert (cone[k] == (between[tile] if k <= at else between[:, tile])).all()
            lit = cone[0].reshape(4, d).any(axis=1)
            assert tiles.read == [token for token, one in zip(tiles.tokens, lit, strict=True) if one]


def test_outputs_are_those_of_the_last_stage():
    for forgotten in FORGOTTEN:
        made = composed(4, 4, 2, forgotten)[-1]
        assert (HeadTiles(forgotten=forgotten).outputs == made.reshape(4, 4, 4, 4).any(axis=(1, 3))).all()
    assert HeadTiles().outputs.tolist() == np.tril(np.ones((4, 4), bool)).tolist()


def test_without_arguments_x_alone_is_shown_and_a_tile_is_shown_with_its_stage():
    tiles = HeadTiles()
    assert (tiles.stage, tiles.at, tiles.tile, tiles.read) == (0, -1, 0, [])
    assert not any(lit.any() for lit in tiles.cone)
    assert HeadTiles(at=4).stage == 4
    assert HeadTiles(at=4, stage=6).stage == 6


BAD = {
    "one token": ({"tokens": ["a"]}, "tokens must have from 2 to 6 entries, got 1"),
    "many tokens": ({"tokens": "abcdefg"}, "tokens must have from 2 to 6 entries, got 7"),
    "d": ({"d": 9}, "d must be from 2 to 8, got 9"),
    "one head": ({"num_heads": 1}, "num_heads must be from 2 to 4, got 1"),
    "heads": ({"num_heads": 3}, "num_heads must divide d = 4, got 3"),
    "forgotten": ({"forgotten": "all"}, "forgotten must be one of nowhere, split, merge, both, got 'all'"),
    "stage": ({"stage": 7}, "stage must be from 0 to 6, got 7"),
    "at": ({"at": 3, "stage": 2}, "the tile is of stage 3, and stages are shown up to 2"),
    "tile": ({"at": 6, "tile": 16}, "tile 16 is outside 0 … 15"),
    "weight": ({"at": 3, "tile": 32}, "tile 32 is outside 0 … 31"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    options, says = BAD[name]
    with pytest.raises(InputError, match=says):
        HeadTiles(**options)


def test_without_a_script_two_tables_tell_the_heads_and_what_outputs_read(page_of, hostile):
    page = page_of(HeadTiles(forgotten="split", at=6))
    heads, outputs = page.cells[:15], page.cells[15:]
    assert heads[5:10] == ["head 1", "1A 1B", "1C 1D", "2A 2B", "2C 2D"]
    assert heads[10:] == ["head 2", "3A 3B", "3C 3D", "4A 4B", "4C 4D"]
    assert outputs[5:10] == ["we", "read", "–", "future", "–"]
    assert outputs[20:] == ["problem", "read", "read", "read", "read"]
    assert "Where swapaxes is forgotten: split." in HeadTiles(forgotten="split").fallback()
    assert json.loads(page.state).keys() == HeadTiles().state().keys()
    assert "img" not in page_of(HeadTiles([hostile, "b"])).tags
