"""The page of stages: each grid is the stage's own, what is blocked is hatched, and no two texts touch."""

import numpy as np
import pytest

import attention_posters
from attnlib import houston, plots

N = 5
SENTENCE = "Nobody chose these numbers: each word but the first reads the word that stands before it."


def grid_of(stage):
    return stage.weights if stage.weights.ndim == 2 else stage.weights[-1]


STAGES = {
    stage.name: (r"$\mathrm{softmax}(\mathrm{mask}(Q_aK_a^\top/\sqrt{d_k}+D_a))$", SENTENCE, grid_of(stage), stage.mask)
    for stage in houston.stages()
}


@pytest.mark.parametrize("name", STAGES)
def test_each_stage_shows_its_number_its_name_and_its_weights(name):
    figure = attention_posters.stages_page(houston.TOKENS, {name: STAGES[name]})
    written = [text.get_text() for text in figure.axes[0].texts]
    assert written[0] == f"1  {name}"
    assert written[2].replace("\n", " ") == SENTENCE
    weights, mask = STAGES[name][2:]
    allowed = np.ones((N, N), dtype=bool) if mask is None else mask
    assert [text for text in written if text[:2] in {"0.", "1."}] == [f"{weight:.2f}" for weight in weights[allowed]]


def test_cells_are_shaded_by_weight_and_what_is_blocked_is_hatched():
    _, _, weights, mask = STAGES["masked"]
    cells = attention_posters.stages_page(houston.TOKENS, {"masked": STAGES["masked"]}).axes[0].patches
    assert [bool(cell.get_hatch()) for cell in cells] == (~mask).ravel().tolist()
    for cell, weight in zip(cells, weights.ravel(), strict=True):
        if not cell.get_hatch():
            assert cell.get_facecolor() == tuple(plots.WEIGHTS(float(weight)))


def test_rows_go_down_and_columns_to_the_right():
    weights = np.array([[0.9, 0.1], [0.2, 0.8]])
    texts = attention_posters.stages_page(["a", "b"], {"one": ("", "", weights, None)}).axes[0].texts
    where = {text.get_text(): text.get_position() for text in texts}
    assert where["0.90"][0] < where["0.10"][0]
    assert where["0.90"][1] > where["0.20"][1]


def test_no_two_texts_touch_and_nothing_leaves_the_page(assert_tidy):
    assert_tidy(attention_posters.stages_page(houston.TOKENS, STAGES, title="Seven stages"))
    figure = attention_posters.stages_page(
        houston.TOKENS, STAGES, provenance="hand-made, and those of the last grid trained"
    )
    assert_tidy(figure)
    axes = figure.axes[0].get_window_extent().transformed(figure.dpi_scale_trans.inverted())
    assert axes.width > 0.95 * figure.get_figwidth()  # no text is so long that it makes the drawing smaller


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ({}, "0 stages for 5 tokens"),
        ({"odd": ("", "", np.ones((4, 5)), None)}, r"'odd' has weights \(4, 5\) for 5 tokens"),
        ({"odd": ("", "", np.eye(5), np.ones((4, 5), dtype=bool))}, "the stage 'odd'"),
        ({"odd": ("", "", 2 * np.eye(5), None)}, r"the weights of 'odd'\[0, 0\] is 2.0"),
    ],
)
def test_a_page_that_does_not_fit_is_refused(stages, message, unchecked):
    with pytest.raises(ValueError, match=message):
        attention_posters.stages_page(houston.TOKENS, stages)
