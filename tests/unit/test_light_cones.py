"""What can have been read through layers: the power of the mask, what poking shows, and the widget's Python side."""

import json

import numpy as np
import pytest

from attnlib import attention, causal_mask, sliding_window_mask
from attnlib.lab import mask_reach, preset_mask
from attnlib.widgets import InputError, LightCones
from attnlib.widgets.light_cones import PRESETS, TOKENS

RNG = np.random.default_rng(0)
LAYERS = range(5)


def random_masks():
    """Masks of 1 to 7 tokens in which each query may read something, not always its own token."""
    for _ in range(30):
        n = RNG.integers(1, 8)
        mask = RNG.random((n, n)) < 0.3
        mask[np.arange(n), RNG.integers(n, size=n)] = True
        yield mask


@pytest.mark.parametrize("layers", LAYERS)
def test_the_reach_is_the_boolean_power_of_the_mask(layers):
    for mask in random_masks():
        counts = np.linalg.matrix_power(mask + np.eye(len(mask)), layers)  # of paths
        assert (mask_reach(mask, layers) == (counts > 0)).all()
    batch = RNG.random((2, 3, 5, 5)) < 0.3
    assert (mask_reach(batch, layers)[1, 2] == mask_reach(batch[1, 2], layers)).all()


def poked(mask, layers):
    """Which outputs (rows) move when a token (column) is replaced, through `layers` residual layers of attention."""
    x = RNG.normal(size=(len(mask), 6))
    w = RNG.normal(size=(layers, 3, 6, 6)) / 2

    def out(x):
        for w_q, w_k, w_v in w:
            x = x + attention(x @ w_q, x @ w_k, x @ w_v, mask)
        return x

    pokes = [np.where(np.arange(len(x))[:, None] == j, RNG.normal(size=6), x) for j in range(len(x))]
    return np.stack([np.abs(out(poke) - out(x)).max(axis=1) for poke in pokes], axis=1)


@pytest.mark.parametrize("layers", LAYERS)
def test_what_can_be_read_moves_when_it_is_poked_and_what_cannot_does_not(layers):
    masks = [preset_mask(preset, 8, 3) for preset in ("none", "causal", "off by one", "padding", "window", "prefix")]
    for mask in (*masks, *random_masks()):
        moved, reach = poked(mask, layers), mask_reach(mask, layers)
        assert (moved[~reach] == 0).all()
        assert (moved[reach] > 1e-13).all()


def test_presets_are_the_masks_of_their_names(unchecked):
    i, j = np.indices((6, 6))
    assert (preset_mask("none", 6) == (i < 6)).all()
    assert (preset_mask("causal", 6) == causal_mask(6)).all()
    assert (preset_mask("off by one", 6) == (j <= i + 1)).all()
    assert (preset_mask("padding", 6, 4) == (j < 4)).all()
    assert (preset_mask("window", 6, 2) == sliding_window_mask(6, window=2)).all()
    assert (preset_mask("prefix", 6, 3) == ((j <= i) | (j < 3))).all()
    with pytest.raises(ValueError, match="preset must be one of none, causal, off by one, padding, window, prefix"):
        preset_mask("diagonal", 6)
    with pytest.raises(ValueError, match=r"size must .*6.*, got 7"):
        preset_mask("causal", 6, 7)


@pytest.mark.parametrize("layers", LAYERS[1:])
def test_one_leaked_place_per_layer_and_a_window_that_grows_and_masks_that_do_not(layers):
    n = 12
    i, j = np.indices((n, n))
    assert (mask_reach(preset_mask("off by one", n), layers) == (j <= i + layers)).all()
    for width in range(1, n + 1):
        seen = mask_reach(preset_mask("window", n, width), layers).sum(axis=1)
        assert (seen == np.minimum(np.arange(n) + 1, layers * (width - 1) + 1)).all()
        prefix = preset_mask("prefix", n, width)
        assert (mask_reach(prefix, layers) == prefix).all()
    for preset in ("none", "causal"):
        assert (mask_reach(preset_mask(preset, n), layers) == preset_mask(preset, n)).all()


def test_a_mask_that_is_not_square_and_layers_below_0_are_named(unchecked):
    with pytest.raises(ValueError, match=r"mask must have as many keys as queries, got shape \(2, 3\)"):
        mask_reach(np.ones((2, 3), bool), 1)
    with pytest.raises(ValueError, match=r"layers must be .*, got -1"):
        mask_reach(np.ones((3, 3), bool), -1)


def looped(mask, layer, selected, layers):
    """The cone, dot by dot."""
    lit = np.zeros((layers + 1, len(mask)), bool)
    lit[layer, selected] = True
    for k in range(layer, 0, -1):
        lit[k - 1] = [any(lit[k, i] and mask[i, j] for i in range(len(mask))) for j in range(len(mask))]
    for k in range(layer, layers):
        lit[k + 1] = [any(lit[k, j] and mask[i, j] for j in range(len(mask))) for i in range(len(mask))]
    return lit


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("layers", LAYERS[1:])
def test_the_cone_goes_from_dot_to_dot_below_and_above(preset, layers):
    for layer in range(layers + 1):
        for selected in (0, 3, 7):
            cones = LightCones(preset=preset, layers=layers, layer=layer, selected=selected)
            assert (cones.allowed == preset_mask(preset, 8, 3)).all()
            assert (cones.cone == looped(cones.allowed, layer, selected, layers)).all()
            assert cones.read == [token for token, lit in zip(TOKENS, cones.cone[0], strict=True) if lit]


def test_without_arguments_the_middle_of_the_top_layer_is_chosen():
    cones = LightCones()
    assert (cones.layers, cones.layer, cones.selected, cones.preset) == (3, 3, 4, "causal")
    small = LightCones("a", layers=2)
    assert (small.layer, small.selected, small.size, small.read) == (2, 0, 1, ["a"])


BAD = {
    "no tokens": ({"tokens": []}, "tokens must have from 1 to 10 entries, got 0"),
    "many tokens": ({"tokens": "a" * 11}, "tokens must have from 1 to 10 entries, got 11"),
    "preset": ({"preset": "padding"}, "preset must be one of none, causal, off by one, window, prefix, got 'padding'"),
    "size": ({"tokens": "ab", "size": 3}, "size must lie between 1 and the 2 tokens, got 3"),
    "layers": ({"layers": 5}, "layers must be from 1 to 4, got 5"),
    "layer": ({"layer": 4}, "layer 4 is outside 0 … 3"),
    "selected": ({"selected": 8}, "selected token 8 is outside 0 … 7"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    options, says = BAD[name]
    with pytest.raises(InputError, match=says):
        LightCones(**options)


def test_without_a_script_a_table_tells_every_dot(page_of, hostile):
    page = page_of(LightCones(preset="off by one", layers=2, selected=2, tokens="abcdef"))
    assert page.cells[:7] == ["", *"abcdef"]
    assert page.cells[7:14] == ["layer 2", "–", "–", "here", "–", "–", "–"]
    assert page.cells[14:21] == ["layer 1", "read", "read", "read", "future", "–", "–"]
    assert page.cells[21:] == ["tokens", "read", "read", "read", "future", "future", "–"]
    above = page_of(LightCones(preset="off by one", layers=1, layer=0, selected=2, tokens="abcdef")).cells
    assert above[7:] == ["layer 1", "–", "future", "reads it", "reads it", "reads it", "reads it", "tokens", "–", "–",
        "here", "–", "–", "–"]  # fmt: skip
    assert "Mask: window of size 3." in LightCones(preset="window").fallback()
    assert json.loads(page.state).keys() == LightCones().state().keys()
    assert "img" not in page_of(LightCones([hostile])).tags
