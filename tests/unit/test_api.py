"""The API reference: nothing public is missing, and what a docstring promises is on the page."""

import inspect
import re
from pathlib import Path

import pytest

import attnlib
from _ext import api
from attnlib import (
    corpus,
    cost,
    decoder,
    exercises,
    houston,
    lab,
    masks,
    models,
    multihead,
    plots,
    positions,
    scaled_dot_product,
    trained,
    training,
    variants,
    vocabulary,
    widgets,
)
from attnlib.lab import lengths, minilm, rates, roofline, silenced
from attnlib.models import packing, scores
from attnlib.training import tasks

PAGE = Path("chapters/appendices/api.md").read_text(encoding="utf8")
LISTED = re.findall(r"^\.\. auto(?:function|class):: attnlib\.([\w.]+)", PAGE, re.M)


def own(module):
    """The functions and classes that a module defines for others."""
    return {
        name: thing
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", None) == module.__name__ and callable(thing)
    }


TOP = {name: getattr(attnlib, name) for name in attnlib.__all__ if name != "__version__"}
PACKAGES = {"lab": lab, "models": models, "plots": plots, "widgets": widgets, "exercises": exercises}
PACKAGES |= {"cost": cost, "trained": trained}
MODULES = (
    corpus,
    decoder,
    houston,
    lengths,
    masks,
    minilm,
    multihead,
    positions,
    rates,
    roofline,
    scaled_dot_product,
    silenced,
)
PUBLIC = {
    **TOP,
    **{
        f"{package}.{name}": getattr(of, name)
        for package, of in PACKAGES.items()
        for name in of.__all__
        if inspect.isroutine(getattr(of, name)) or inspect.isclass(getattr(of, name))
    },
    **{
        f"{module.__name__.removeprefix('attnlib.')}.{name}": thing
        for module in MODULES
        for name, thing in own(module).items()
        if thing not in TOP.values()
    },
    **{f"variants.{name}": getattr(variants, name) for name in ("tied_attention", "elu_plus_one")},
    "vocabulary.read_words": vocabulary.read_words,
    "models.packing.Vectors": packing.Vectors,
    "models.scores.head_scores": scores.head_scores,
    "models.scores.score_cases": scores.score_cases,
    "training.transformer.Transformer": training.Transformer,
    **{f"training.{name}": getattr(training, name) for name in ("Recipe", "train", "weights_of")},
    **{f"training.tasks.{name}": thing for name, thing in own(tasks).items()},
}
del PUBLIC["widgets.InputError"]


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
    shown_by_others = (
        {"cost.Cost", "houston.Stage", "corpus.Streams", "lab.Properties", "lab.Saturation"}
        | {"lab.roofline.Point"}
        | {"corpus.Sentence", "trained.NextWord"}
        | {f"exercises.{c}" for c in ("Exercise", "Progress", "Property", "Report", "Mistake")}
    )
    if name not in shown_by_others:  # the functions that return them
        doc = inspect.getdoc(PUBLIC[name]) or ""
        assert ">>> " in doc


@pytest.mark.parametrize("name", [name for name, thing in PUBLIC.items() if inspect.isfunction(thing)])
def test_every_entry_that_can_fail_says_with_what(name):
    function = PUBLIC[name]
    doc = inspect.getdoc(function)
    if re.search(r"\braise\b|check|must_be_finite|forbid", inspect.getsource(function).split('"""')[2]):
        assert re.search(r"^Raises:$", doc, re.MULTILINE)


@pytest.mark.parametrize("name", PUBLIC)
def test_what_an_entry_gives_and_when_it_fails_stands_in_sections(name):
    thing = PUBLIC[name]
    members = vars(thing).values() if inspect.isclass(thing) else ()
    for one in (thing, *(getattr(member, "__func__", member) for member in members)):
        doc = inspect.getdoc(one) or ""
        assert not re.search(r"^Raises [A-Z]", doc, re.MULTILINE)
        for errors in re.findall(r"^Raises:\n((?: .*\n?)+)", doc, re.MULTILINE):
            assert re.match(r" +\w+: \S", errors)
    if inspect.isfunction(thing) and inspect.signature(thing).return_annotation not in (None, "None"):
        assert re.search(r"^Returns:$", inspect.getdoc(thing), re.MULTILINE)


@pytest.mark.parametrize("name", re.findall(r"^\.\. autofunction:: attnlib\.([\w.]+)", PAGE, re.M))
def test_every_parameter_is_in_the_list_of_parameters(name):
    """Several may share a line, as in "query, key: …"."""
    listed = re.search(r"^Args:\n((?: +.*\n?)+)", inspect.getdoc(PUBLIC[name]), re.M)
    lines = re.findall(r"^ {4}(\*{0,2}\w+(?:, \*{0,2}\w+)*): \S", listed[1] if listed else "", re.M)
    named = [parameter.lstrip("*") for line in lines for parameter in line.split(", ")]
    assert sorted(named) == sorted(inspect.signature(PUBLIC[name]).parameters)


def test_a_docstring_becomes_fields_links_and_an_example():
    lines = [
        "With `weights` and `softmax`: |a*b|.",
        "",
        "`entropy` tells more.",
        "",
        "Source: A *book*,",
        "or two.",
        "",
        ">>> f(`*`)",
        "2",
    ]
    assert list(api.restructured(lines)) == [
        r"With ``weights`` and :py:obj:`softmax <attnlib.softmax>`: \|a\*b\|.",
        "",
        ":py:obj:`entropy <attnlib.entropy>` tells more.",
        "",
        ":Source: A *book*,",
        "    or two.",
        "",
        ">>> f(`*`)",
        "2",
    ]


SECTIONS = """First.

Args:
    weights: Of `entropy`.

Returns:
    What it is.

Raises:
    ValueError: For NaN.

Source:
    A book.
"""


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("First.\n\n`entropy` more.\n\nSource: A book.", ["py", "Source"]),
        (SECTIONS, ["param weights", "returns", "raises ValueError", "Source"]),
    ],
)
def test_sections_and_paragraphs_become_fields(text, fields):
    lines = text.splitlines()
    api.rewrite(None, "function", "f", attnlib.entropy, None, lines)
    assert [line.split(":")[1] for line in lines if line.startswith(":")] == fields


def test_what_a_function_returns_may_hold_a_colon():
    lines = ["First.", "", "Returns:", "    By name: what", "    it is."]
    api.rewrite(None, "function", "f", len, None, lines)
    assert [line for line in lines if line] == ["First.", ":returns: By name: what", "          it is."]


def test_the_first_line_of_a_property_names_no_type():
    lines = ["One line: right or not yet."]
    api.rewrite(None, "property", "p", property(), None, lines)
    assert lines[0] == "One line: right or not yet."
