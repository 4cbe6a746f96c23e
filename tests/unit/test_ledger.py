"""Every part of the sources is taught by a labelled section with a cell that was run, and the page that lists them says where."""

from collections import defaultdict
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document

from _ext import ledger

HERE = "chapters/00_x"
LIST = "chapters/appendices/coverage"


def pages(metadata, contents=()):
    """What Sphinx knows of some pages, of which the contents list some."""
    known = {"found_docs": {*metadata}, "toctree_includes": {"index": [*contents]}}
    return SimpleNamespace(metadata=metadata, config=SimpleNamespace(root_doc="index"), **known)


def found(*labels, exec_count=1):
    """The places in a chapter of one section with these labels and one cell."""
    document, cell = new_document(""), nodes.container(nb_element="cell_code", exec_count=exec_count)
    section = nodes.section("", nodes.title("", "Rows"), cell, names=["rows", *labels])
    document += nodes.section("", nodes.title("", "Chapter"), section, names=["chapter"])
    return list(ledger.places(HERE, document))


def test_a_place_is_the_labelled_section():
    (place,) = found("s0.1")
    assert (place.part, place.page, place.anchor, place.title, place.runs) == ("s0.1", HERE, "s0-1", "Rows", True)


def test_a_label_on_a_part_of_a_section_counts_for_the_section():
    document, cell = new_document(""), nodes.container(exec_count=3)
    document += nodes.section("", nodes.title("", "Rows"), nodes.sidebar(names=["s0.1-again"]), cell)
    assert [(place.title, place.runs) for place in ledger.places(HERE, document)] == [("Rows", True)]


@pytest.mark.parametrize(
    ("parts", "labels", "ran", "faults"),
    [
        (["s0.1"], ["s0.1"], 1, []),
        (["s0.1"], ["s0.1-again"], 1, []),
        (["s0.1", "s0.2"], ["s0.1"], 1, [("S0.2 is taught nowhere", LIST)]),
        (["s0.1"], ["s0.1"], None, [("label S0.1, but no cell that was run", HERE)]),
        (["s0.1"], ["s0.1", "s9.9"], 1, [("label S9.9, which no list names", HERE)]),
        (["e1"], ["e1", "erratum-1"], 1, [("label ERRATUM-1, but no title that begins with E1", HERE)]),
        (["e1"], ["e1"], None, []),
        (["e1", "e3", "e2"], ["e1", "e2", "e3"], 1, []),
        (["e2"], ["e2"], 1, [("the lists of errata name e2: not each once, from e1 on", LIST)]),
        (["e1", "e1"], ["e1"], 1, [("the lists of errata name e1, e1: not each once", LIST)]),
    ],
)
def test_what_is_missing_is_named_with_its_page(parts, labels, ran, faults):
    noted = defaultdict(dict, {LIST: {"listed": parts}, HERE: {"places": found(*labels, exec_count=ran)}})
    said = list(ledger.check(None, pages(noted)))
    assert len(said) == len(faults)
    for (message, page), (fragment, where) in zip(said, faults, strict=True):
        assert fragment in message
        assert page == where


def test_pages_come_in_the_order_of_the_contents_and_the_others_after_them():
    metadata = {page: {"terms": [page]} for page in ("index", "03_anatomy", "03_query", "zoo")}
    assert ledger.noted(pages(metadata, ["03_query", "03_anatomy"]), "terms") == [
        "03_query",
        "03_anatomy",
        "index",
        "zoo",
    ]
