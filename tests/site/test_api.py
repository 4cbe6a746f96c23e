"""The API reference: nothing public is missing, and what a docstring promises is on the page."""

import inspect
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from jaxtyping import Bool, Float, Real
from numpy import ndarray as Array

import attnlib
from attnlib import corpus, cost, exercises, houston, plots, trained, training, vocabulary, widgets

sys.path.insert(0, "_ext")
import api

PAGE = Path("chapters/appendices/api.md").read_text(encoding="utf8")
LISTED = re.findall(r"^\.\. auto(?:function|class):: attnlib\.([\w.]+)", PAGE, re.M)


def own(module):
    """The functions and classes that a module defines for others."""
    return {
        name: thing
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__ and callable(thing)
    }


PUBLIC = {
    **{name: getattr(attnlib, name) for name in attnlib.__all__},
    **{
        f"plots.{name}": thing
        for name, thing in vars(plots).items()
        if name in plots.__all__ and inspect.isfunction(thing)
    },
    **{f"widgets.{name}": getattr(widgets, name) for name in widgets.__all__ if name != "InputError"},
    **{
        f"exercises.{name}": getattr(exercises, name)
        for name in exercises.__all__
        if name not in {"CHAPTERS", "EXERCISES", "PREDICTIONS"}
    },
    **{f"cost.{name}": thing for name, thing in own(cost).items()},
    **{f"houston.{name}": thing for name, thing in own(houston).items()},
    **{f"corpus.{name}": thing for name, thing in own(corpus).items()},
    **{f"trained.{name}": thing for name, thing in own(trained).items()},
    "vocabulary.read_words": vocabulary.read_words,
    "training.transformer.Transformer": training.Transformer,
    **{f"training.{name}": getattr(training, name) for name in ("Recipe", "train", "weights_of")},
}


def test_everything_public_is_on_the_page_once():
    assert sorted(LISTED) == sorted(PUBLIC)


@pytest.mark.parametrize("name", [name for name in widgets.__all__ if name != "InputError"])
def test_a_widgets_signature_is_the_one_it_has(name):
    """Written on the page, since traitlets hides it from autodoc."""
    written = re.search(rf"attnlib\.widgets\.{name}\((.*)\)", PAGE)[1]
    parameters = list(inspect.signature(getattr(widgets, name).__init__).parameters.values())[1:]
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    assert str(inspect.Signature(plain)) == f"({written})"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_entry_has_an_example_that_runs(name):
    shown_by_others = {"cost.Cost", "houston.Stage", "corpus.Streams"} | {
        f"exercises.{c}" for c in ("Exercise", "Progress", "Property", "Report", "Mistake")
    }
    if name not in shown_by_others:  # the functions that return them
        doc = inspect.getdoc(PUBLIC[name]) or ""
        assert ">>> " in doc


@pytest.mark.parametrize("name", [name for name, thing in PUBLIC.items() if inspect.isfunction(thing)])
def test_every_entry_that_can_fail_says_with_what(name):
    function = PUBLIC[name]
    doc = inspect.getdoc(function)
    if re.search(r"\braise\b|check|must_be_finite|forbid", inspect.getsource(function).split('"""')[2]):
        assert "\nRaises ValueError" in doc


def test_shapes_come_from_the_signature():
    def function(
        query: Real[Array, "*batch n d_k"],
        mask: Bool[Array, "*#batch n n"] | None,
        sizes: Float[Array, "m"],
        scale: float,
    ) -> Float[Array, "*batch n d_v"]: ...

    assert api.shapes(function) == [
        ":Shapes:",
        "    | ``query`` (…, n, d_k) numbers",
        "    | ``mask`` (…, n, n) booleans",
        "    | ``sizes`` (m,) floats",
        "    | gives (…, n, d_v) floats",
        "",
    ]
    assert api.shapes(np.sin) == []


def test_a_docstring_becomes_fields_links_and_an_example():
    lines = [
        "With `weights` and `softmax`: |a*b|.",
        "",
        "`entropy` tells more.",
        "",
        "Raises ValueError for `x`,",
        "or NaN.",
        "",
        "Source: A *book*.",
        "",
        ">>> f(`*`)",
        "2",
    ]
    assert api.restructured(lines) == [
        r"With ``weights`` and :py:obj:`softmax <attnlib.softmax>`: \|a\*b\|.",
        "",
        ":py:obj:`entropy <attnlib.entropy>` tells more.",
        "",
        ":Raises: ValueError for ``x``,",
        "    or NaN.",
        "",
        ":Source: A *book*.",
        "",
        ">>> f(`*`)",
        "2",
    ]


def test_shapes_stand_before_errors_and_after_the_prose():
    lines = ["First.", "", "`entropy` more.", "", "Raises ValueError."]
    api.rewrite(None, "function", "f", attnlib.entropy, None, lines)
    assert [line.split(":")[1] for line in lines if line.startswith(":")] == ["py", "Shapes", "Raises"]
