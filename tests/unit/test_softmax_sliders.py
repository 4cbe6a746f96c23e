"""SoftmaxSliders and the functions behind it, on the Python side."""

import numpy as np
import pytest

from attnlib import houston, softmax
from attnlib.formatting import compact, text
from attnlib.lab import positive_function, positive_weights, weight_properties
from attnlib.widgets import InputError, SoftmaxSliders

SCORES = np.array([-1.5, 0.25, 0.5, 2.0])
NAMES = ("exp", "softplus", "sigmoid", "relu", "square")


def a_widget(**options):
    return SoftmaxSliders("abcd", SCORES, **options)


def test_the_first_scores_are_houstons():
    widget = SoftmaxSliders()
    assert np.allclose(widget.weights, houston.stages()[0].weights[0])
    assert widget.tokens == list(houston.TOKENS)
    assert "hand-made" in widget.provenance


@pytest.mark.parametrize("phi", NAMES)
def test_weights_are_phi_over_its_sum(phi):
    widget = a_widget(phi=phi, constant=1.5, temperature=0.5)
    s = (SCORES + 1.5) / 0.5
    formulas = {
        "exp": np.exp(s),
        "softplus": np.log(1 + np.exp(s)),
        "sigmoid": 1 / (1 + np.exp(-s)),
        "relu": np.where(s > 0, s, 0) + 0.01,
        "square": s * s,
    }
    assert np.allclose(positive_function(s, phi), formulas[phi])
    assert np.allclose(widget.weights, formulas[phi] / formulas[phi].sum())


def test_only_exp_takes_no_notice_of_a_constant():
    changes = {phi: a_widget(phi=phi, constant=3.0).properties.moved for phi in NAMES}
    assert changes.pop("exp") < 1e-15
    assert min(changes.values()) > 0.05


def test_the_change_is_the_one_that_the_constant_made():
    for constant in (0.0, 2.5, -4.0):
        widget = a_widget(phi="square", constant=constant, temperature=2.0)
        apart = positive_weights((SCORES + constant) / 2, "square") - positive_weights(SCORES / 2, "square")
        one = positive_weights((SCORES + 1) / 2, "square") - positive_weights(SCORES / 2, "square")
        assert np.isclose(widget.properties.moved, np.abs(apart if constant else one).max())


def test_the_properties_by_hand():
    smallest, total, change, wrong, lifted = weight_properties(np.array([-2.0, 1.0, 1.0]), "square", raised=2)
    assert np.allclose([smallest, total], [1 / 6, 1])
    assert np.isclose(change, 4 / 6 - 1 / 9)  # from (4, 1, 1) / 6 to (1, 4, 4) / 9
    assert wrong == 2  # both ones lie above −2, and have less; they tie with each other, and may
    assert lifted == 9 / 14  # (4, 9, 1) / 14
    assert weight_properties(np.array([-1.0, -2.0]), "relu").misordered == 1  # a tie is not in order


def test_scores_that_a_constant_brings_to_where_phi_is_zero_are_shown():
    assert weight_properties(np.array([-1.0, -1.0]), "square", constant=1).moved == 0.5
    for scores, constant in (([-1, -1], 0), ([0, 0], 1)):
        assert "<table" in SoftmaxSliders("ab", scores, phi="square", constant=constant).to_html()


def test_a_function_is_named_or_given():
    assert (positive_weights(SCORES, "exp") == softmax(SCORES)).all()
    assert np.isfinite(positive_weights(np.array([0.0, 5000.0]), "exp")).all()
    assert np.allclose(positive_weights(SCORES, "square"), positive_weights(SCORES, np.square))
    assert positive_function(SCORES.astype(np.float32), "softplus").dtype == np.float32
    with pytest.raises(ValueError, match=r"name must be one of exp, softplus, .*, got 'cube'"):
        positive_function(SCORES, "cube")
    with pytest.raises(ValueError, match=r"x\[0\] is nan"):
        positive_function(np.array([np.nan]), "exp")


BAD = {
    "sizes": (lambda: SoftmaxSliders("ab", SCORES), "2 tokens for 4 scores"),
    "tokens alone": (lambda: SoftmaxSliders("ab"), "tokens and scores are given together"),
    "no tokens": (lambda: SoftmaxSliders([], []), "tokens must have from 1 to 16 entries, got 0"),
    "no scores": (lambda: SoftmaxSliders("a", []), r"scores must have shape \(n,\) with n ≥ 1, got \(0,\)"),
    "a matrix": (lambda: SoftmaxSliders("a", [[1.0]]), r"got \(1, 1\)"),
    "words": (lambda: SoftmaxSliders("a", ["x"]), "scores must be numbers"),
    "NaN": (lambda: SoftmaxSliders("ab", [0, np.nan]), r"scores\[1\] is nan"),
    "beyond": (lambda: SoftmaxSliders("ab", [0, -5.5]), "score 1 is -5.5, beyond the slider's ±5"),
    "constant": (lambda: a_widget(constant=np.nan), "constant must be from -10 to 10, got nan"),
    "temperature": (lambda: a_widget(temperature=0.1), "temperature must be from 0.2 to 5, got 0.1"),
    "φ": (lambda: a_widget(phi="cube"), "phi must be one of exp, softplus, sigmoid, relu, square, got 'cube'"),
    "a control": (lambda: SoftmaxSliders("ab", [0, 1], controls=["power"]), "controls"),
    "nothing but 0": (lambda: SoftmaxSliders("ab", [2, 2], phi="square", constant=-2), "the square of every score is 0"),
}  # fmt: skip


BAD |= {
    "hidden": (lambda: a_widget(hidden=[4]), "hidden token 4 is outside 0 … 3"),
    "half hidden": (lambda: a_widget(hidden=[0.5]), "hidden token 0.5 is outside 0 … 3"),
    "all hidden": (lambda: a_widget(hidden=range(4)), "every token is hidden"),
    "values": (lambda: a_widget(values=[[1]], value_axes="x"), "4 tokens for 1 rows of values"),
    "value axes": (lambda: a_widget(values=np.ones((4, 2)), value_axes="x"), "1 value_axes for values of width 2"),
    "others": (lambda: a_widget(others=[[1, 2]]), "others has width 2, for 4 tokens"),
}


def test_a_hidden_token_has_the_weight_0_and_the_ratios_stay():
    whole, part = a_widget(), a_widget(hidden=[1, 3])
    assert part.weights[[1, 3]].tolist() == [0, 0]
    assert np.isclose(part.weights.sum(), 1)
    assert np.isclose(part.weights[0] / part.weights[2], whole.weights[0] / whole.weights[2])
    assert np.allclose(part.weights, softmax(np.where(part.shown, SCORES, -np.inf)))


def test_over_the_queries_each_column_sums_to_1():
    others = np.random.default_rng(0).normal(size=(3, 4))
    grid = np.vstack([SCORES, others])
    widget = a_widget(others=others, axis="queries", temperature=2.0, constant=3.0)
    assert np.allclose(widget.weights, softmax(grid / 2, axis=0)[0])


def test_the_blend_is_weights_times_values():
    values = np.arange(8.0).reshape(4, 2)
    widget = a_widget(values=values, value_axes=["x", "y"], hidden=[0])
    assert np.allclose(widget.blend, widget.weights @ values)
    assert text(widget.blend[0]) in widget.fallback()


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    call, message = BAD[name]
    with pytest.raises(InputError, match=message):
        call()


def test_what_is_read_without_a_script(page_of):
    page = page_of(a_widget(phi="square", constant=-2.0))
    weights = positive_weights(SCORES - 2, "square")
    assert page.cells[:5] == ["", "s", "φ(s)", "weight", "a"]
    assert [page.cells[k] for k in (7, 11, 15, 19)] == [text(w) for w in weights]
    assert page.cells[20:24] == ["sum", "", "17.56", "1.00"]
    verdicts = page.cells[24:]
    assert verdicts[6:9] == ["Every weight is positive", "smallest: 0.00", "fails"]
    assert verdicts[9:12] == ["A higher score gets a higher weight", "pairs that fail: 6", "fails"]
    assert verdicts[12:15] == ["Adding −2.0 to every score changes nothing", f"largest change: {text(abs(weights - positive_weights(SCORES, 'square')).max())}", "fails"]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "s"),
    [
        ({}, "(score + constant) / temperature"),
        ({"controls": ["phi"]}, "score"),
        ({"controls": ["constant"]}, "score + constant"),
        ({"controls": ["temperature"]}, "score / temperature"),
        ({"controls": ["phi"], "constant": 2.0}, "score + constant"),  # not offered, but at work
        ({"controls": [], "temperature": 2.0}, "score / temperature"),
    ],
)
def test_the_caption_says_what_s_is(options, s):
    assert f"where s = {s}." in a_widget(**options).to_html()


def test_a_token_is_text(page_of, hostile):
    page = page_of(SoftmaxSliders([hostile], [0.0]))
    assert hostile in page.cells
    assert "img" not in page.tags


def test_numbers_are_written_as_the_page_writes_them():
    assert [text(x) for x in (0.125, -0.125, -0.001, 2.675)] == ["0.13", "−0.13", "0.00", "2.67"]
    assert [compact(x) for x in (0.0, 0.01, -9999.0, 12345.0, -0.0001)] == [
        "0.00", "0.01", "−9999.00", "1.2×10⁴", "−1.0×10⁻⁴",
    ]  # fmt: skip


def test_the_square_over_the_queries_is_refused_where_a_column_is_zero_and_passes_over_what_is_hidden():
    with pytest.raises(InputError, match="the square of every score of token 1 is 0"):
        SoftmaxSliders("ab", [1, 0], others=[[2, 0]], axis="queries", phi="square")
    hidden = SoftmaxSliders("ab", [1, 0], others=[[2, 0]], axis="queries", phi="square", hidden=[1])
    assert hidden.weights.tolist() == [0.2, 0]


def test_what_no_decimal_of_28_digits_holds_is_written_as_javascript_does():
    assert [text(number) for number in (1e30, -1e21, 123456789012345678901)] == [
        "1e+30",
        "−1e+21",
        "123456789012345683968.00",
    ]
