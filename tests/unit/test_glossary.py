"""The glossary is held to the chapters: no term before its definition, none that is never defined."""

import pytest
from docutils.core import publish_doctree

from _ext import glossary

GOALS = "After this:\n\n- name a token\n\n"


def read(*chapters):
    """Chapters in reStructuredText, each with a section, as the pieces that a reader meets."""
    return [
        piece
        for number, text in enumerate(chapters)
        for piece in glossary.pieces(
            f"chapters/{number:02d}_x",
            publish_doctree(f"Chapter\n=======\n\n{text}", settings_overrides={"report_level": 5}),
        )
    ]


DEFINED = "A **token** is a word."


@pytest.mark.parametrize(
    "chapters",
    [
        (DEFINED + " Tokens are many.",),
        (GOALS + DEFINED,),
        ("``token`` and :math:`token`.\n\n" + DEFINED,),
        ("*Draws on* “Tokens”.\n\n" + DEFINED,),
        ("Betokened, and non-token.\n\n" + DEFINED,),
        ("Nothing.", "Two **tokens** are words."),
    ],
)
def test_a_term_after_its_definition_is_no_fault(chapters):
    assert list(glossary.faults("token", read(*chapters))) == []


@pytest.mark.parametrize(
    ("chapters", "page"),
    [
        (("A token is read.\n\n" + DEFINED,), "chapters/00_x"),
        (("Many Tokens.", DEFINED), "chapters/00_x"),
        ((GOALS + "- and a token\n\nThe token.", DEFINED), "chapters/00_x"),
        (("A **token grid** is drawn.\n\n" + DEFINED,), "chapters/00_x"),
    ],
)
def test_a_term_before_its_definition_is_named_with_its_page(chapters, page):
    ((message, where),) = glossary.faults("token", read(*chapters))
    assert "'token' is used before it is defined" in message
    assert where == page


def test_words_of_a_term_may_stand_on_two_lines_or_with_a_hyphen():
    assert len(list(glossary.faults("dot product", read("A dot\nproduct, a dot-product.\n\n**dot product**")))) == 1


def test_a_term_that_is_never_defined_is_a_fault():
    assert [message for message, _ in glossary.faults("token", read("A token.", "A *token*."))] == [
        "the glossary's term 'token' is set in bold in no chapter"
    ]
