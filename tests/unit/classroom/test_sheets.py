"""No text of a student's acts in a spreadsheet or a terminal."""

import re

import pytest

from classroom import sheets, texts

UNSEEN = "\u00ad\u034f\u115f\u180e\u2800\u3164\ufe0f\U000e0020"


@pytest.mark.parametrize(
    "text", ["\u2212 1", *(f"{sign}1" for sign in "﹦﹢﹣﹫"), *(f"{one}=1" for one in UNSEEN)], ids=ascii
)
def test_no_text_becomes_a_formula_behind_what_has_no_width_or_by_a_sign_that_looks_alike(text):
    assert sheets.safe(text) == f"{text[:-2]}'{text[-2:]}" if text[-2:] == "=1" else f"'{text}"
    assert sheets.safe(f"a;{text}").count("'") == 1


@pytest.mark.parametrize(
    "text", ["=1", " =1", "+1", "-1", "@a", "＝1", "\t=1", "\r\n=1", 'a;"=1', "a; =1", "a\n=1", "a,＠b", "a\t-1"]
)
def test_no_text_becomes_a_formula_at_any_delimiter(text):
    found = sheets.safe(text)
    assert re.sub(r"\s", "", found.replace("'", "")) == re.sub(r"\s", "", text)
    for part in re.split(r"[;,\t\n]", found):
        assert part.strip(' \r"')[:1] not in set("=+-@＝＋－＠")


def test_no_text_acts_in_a_terminal_or_turns_round():
    text = "a\x1b[2J\x1b]0;title\x07b\u202ec\u2066d\u200be\x9bf\rg\ud800"
    assert texts.clean(text) == "abcdefg"
    assert texts.line("graded\n14 of 14\tgraded") == "graded 14 of 14 graded"
    assert len(texts.line("a" * 999)) == 300
    assert sheets.safe("a" * 40_000).endswith("(cut here: 40000 characters in all)")
    assert len(sheets.safe("a" * 40_000)) < 32_767
