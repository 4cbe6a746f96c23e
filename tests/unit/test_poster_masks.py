"""Masks on one page: what is written is computed, and no two texts touch."""

import numpy as np
import pytest

import attention_posters
from attnlib import attention_weights, causal_mask, houston, padding_mask, plots

N = 5
QUERY, KEY = houston.stages()[3].query, houston.stages()[3].key
SCORES = QUERY @ KEY.T / 2
MASKS = {
    "none": ("everybody reads everybody", np.ones((N, N), dtype=bool)),
    "causal": ("j ≤ i", causal_mask(N)),
    "padding": ("j < 4", padding_mask(np.array(4), N)),
    "both": ("j ≤ i and j < 4", causal_mask(N) & padding_mask(np.array(4), N)),
}


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


@pytest.mark.parametrize("name", MASKS)
def test_each_mask_shows_the_weights_that_attention_gives_with_it(name):
    says, mask = MASKS[name]
    written = texts(attention_posters.masks_page(houston.TOKENS, SCORES, {name: (says, mask)}))
    assert written[:2] == [name, says]
    assert written.count("−∞") == written.count("0") == (~mask).sum()
    weights = attention_weights(QUERY, KEY, mask)
    shown = [text for text in written if text.startswith(("0.", "1.00"))]
    for weight in weights[mask]:
        assert f"{weight:.2f}" in shown
    assert written.count("1.00") >= N  # the sums


def test_blocked_cells_are_hatched_and_the_others_shaded_by_weight():
    figure = attention_posters.masks_page(houston.TOKENS, SCORES, {"causal": MASKS["causal"]})
    cells = figure.axes[0].patches
    assert len(cells) == 2 * N * N
    assert sum(bool(cell.get_hatch()) for cell in cells) == 2 * (~causal_mask(N)).sum()
    weights = attention_weights(QUERY, KEY, causal_mask(N)).ravel()
    for cell, weight in zip(cells[N * N :], weights, strict=True):
        if not cell.get_hatch():
            assert cell.get_facecolor() == tuple(plots.WEIGHTS(float(weight)))


@pytest.mark.parametrize("tokens", [houston.TOKENS, ("we", "have", "a", "problem", "filler")])
def test_no_two_texts_touch_and_nothing_leaves_the_page(tokens, assert_tidy):
    assert_tidy(attention_posters.masks_page(tokens, -SCORES, MASKS, title="Masks on one page"))


@pytest.mark.parametrize(
    ("scores", "masks", "message"),
    [
        (SCORES[:4], MASKS, r"scores of shape \(4, 5\) and 4 masks for 5 tokens"),
        (SCORES, {}, "and 0 masks"),
        (SCORES, {"odd": ("", np.ones((4, 5), dtype=bool))}, r"'odd' has shape \(4, 5\) for 5 tokens"),
        (SCORES, {"strict": ("", np.tri(N, k=-1, dtype=bool))}, r"'strict'\[0\] is a query that may attend to no key"),
    ],
)
def test_a_page_that_does_not_fit_is_refused(scores, masks, message, unchecked):
    with pytest.raises(ValueError, match=message):
        attention_posters.masks_page(houston.TOKENS, scores, masks)
