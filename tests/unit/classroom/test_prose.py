"""What students write in Markdown and formulas is bounded, and nothing of it acts."""

import re
from pathlib import Path

import pytest

from classroom import formulas, prose


@pytest.mark.slow
def test_formulas_are_those_of_the_book():
    found = set()
    for file in Path("chapters").glob("[01]*.md"):
        tokens = prose.parsed(re.sub(r"(?s)\A---.*?\n---\n", "", file.read_text(encoding="utf8")))
        found |= {formula for formula in prose.formulas(tokens) if "\\new" not in formula[0]}
    assert len(found) > 300
    failed = []
    for group in range(0, len(found), 100):
        some = sorted(found)[group : group + 100]
        failed += [formula for formula in some if formula not in formulas.typeset(some)]
    assert failed == []


def test_formulas_are_bounded_together_and_refused_when_they_could_act():
    many = [(f"x_{{{number}}}" + "+1" * 900, False) for number in range(30)]
    assert 5 < len(formulas.typeset(many)) < 12
    refused = [r"\href{javascript:a}{x}", r"\htmlStyle{color:red}{x}", r"\includegraphics{a}", r"\foo", r"\frac{1"]
    assert formulas.typeset([(source, False) for source in refused]) == {}


@pytest.mark.parametrize(
    "piece", ["[a]: x\n", "[", "![", "> ", "- ", "$", "$$a\n", "*a ", "`a``b", "&", "|a", "\\begin{align}\n\n"]
)
def test_no_markdown_makes_a_page_larger_than_it_is_worth(piece):
    tokens = prose.parsed(piece * (20_000 // len(piece)))
    assert len(prose.rendered(tokens, {})) < 500_000
