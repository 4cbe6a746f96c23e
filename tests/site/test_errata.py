"""Appendix B: each erratum has a verdict, a quotation, a cell that shows it on its own, and a link. That none is missing is the build's to say."""

import html
import re
from collections import Counter
from pathlib import Path

import jupytext
import numpy as np
import pytest

PAGE = Path("chapters/appendices/errata.md")
TEXT = PAGE.read_text(encoding="utf8")
VERDICTS = ["wrong", "loose", "easily misread", "left unsaid"]
SECTION = re.compile(
    rf"^\(erratum-(\d+)\)=\n### E(\d+) · ([^\n]+ \(({'|'.join(VERDICTS)})\))\n(.*?)(?=^\(erratum-\d+\)=$|^## |\Z)",
    re.MULTILINE | re.DOTALL,
)
SECTIONS = {int(found[2]): found for found in SECTION.finditer(TEXT)}
LISTED, *PARTS = re.split(r"^## ", TEXT, flags=re.MULTILINE)
CELL = re.compile(r"^```\{code-cell\} ipython3\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DEPTH = {  # pages that a reader may skip
    "Anatomy of attention": "03_anatomy",
    "What the root rests on": "04_assumptions",
    "Training and writing": "05_writing",
    "What the model lacks": "09_feed_forward",
    "Waves, and a bias that wakes up": "08_waves",
    "Other functions, fewer products": "07_other_functions",
}
LINK = re.compile(r"\{ref\}`([^<`]+) <([ES][\d.]+)>`")
LABEL = re.compile(r"^\(([ES]\d+(?:\.\d+)?)\)=$", re.MULTILINE)
HOMES = {
    label: file.stem
    for file in [*Path("chapters").glob("*.md"), Path("chapters/appendices/notation.md")]
    for label in LABEL.findall(file.read_text(encoding="utf8"))
}
OPEN = [f"S2.{part}" for part in range(10, 18)]  # sections of a source that E28 finds filled

numbered = pytest.mark.parametrize("number", SECTIONS)


def cells(number):
    return CELL.findall(SECTIONS[number][5])


@pytest.fixture(scope="module")
def drawn():
    """What the page's first cell draws, for the others to use."""
    names = {}
    exec(jupytext.read(PAGE, fmt="md:myst").cells[1].source, names)
    return names


def numbers(listed):
    """Those of a list such as 11-18, 53."""
    ends = [[int(end) for end in part.split("-")] for part in listed.split(", ")]
    return [number for part in ends for number in range(part[0], part[-1] + 1)]


def test_the_list_at_the_top_names_those_under_the_title_of_each_source():
    listed = re.findall(r"^\*(.+?)(?: \(.+\)|, by .+)?\*\n: :::\{errata\} (.+)$", LISTED, re.MULTILINE)
    expected = [(part.splitlines()[0], [*map(int, re.findall(r"^### E(\d+)", part, re.MULTILINE))]) for part in PARTS]
    assert [(title, numbers(said)) for title, said in listed] == expected
    assert sorted(SECTIONS) == sorted(number for _, found in expected for number in found)


def test_the_table_at_the_top_counts_the_verdicts():
    rows = [tuple(line.split(" | ")[:2]) for line in re.findall(r"^\| (.+) \|$", LISTED, re.MULTILINE)]
    counts = Counter(section[4] for section in SECTIONS.values())
    assert rows[1:] == [(verdict, str(counts[verdict])) for verdict in VERDICTS]
    assert set(re.findall(r"(\d+) places", LISTED)) == {str(len(SECTIONS))}


def test_the_page_links_each_by_its_number_and_title():
    page = Path("_build/html/chapters/appendices/errata.html").read_text(encoding="utf8")
    for number, section in SECTIONS.items():
        title = re.escape(html.escape(section[3], quote=False)).replace('"', "[“”]").replace("'", "’")
        assert re.search(
            rf'href="#erratum-{number}"><span class="std std-ref">E{number} · {title}</span></a></p></li>', page
        ), section[3]


@numbered
def test_it_quotes_its_source_and_says_what_is_true(number):
    *_, verdict, text = SECTIONS[number].groups()
    says, then = re.match(r"\n\*\*It says:\*\* (.+?)\n\n\*\*(In fact|Left unsaid):\*\* ", text, re.DOTALL).groups()
    quoted = re.findall(r'"([^"]+)"', says)
    assert quoted
    assert says.count('"') == 2 * len(quoted)
    assert (then == "Left unsaid") == (verdict == "left unsaid")


@numbered
def test_it_has_one_short_cell_that_shows_it(number):
    (cell,) = cells(number)
    assert len(cell.splitlines()) <= 10
    assert re.search(r"^\s*assert ", cell, re.MULTILINE)


@numbered
def test_it_leads_to_the_section_that_teaches_it(number):
    links = LINK.findall(SECTIONS[number][5])
    assert links[0][-1] == f"E{number}"
    assert number != 28 or [label for _, label in links[1:]] == OPEN
    for page, label in links:  # that a label is there at all is the build's to say
        if page in DEPTH or re.fullmatch(r"chapter \d|appendix A", page):
            home = {"appendix A": "notation", **DEPTH}.get(page, page.replace("chapter ", "0"))
            assert HOMES[label].startswith(home)
            assert page in DEPTH or HOMES[label] not in DEPTH.values()


@numbered
def test_its_cell_runs_after_the_first_alone_and_prints_what_fits_a_phone(number, drawn, capsys):
    names, kept = dict(drawn), {name: np.copy(a) for name, a in drawn.items() if isinstance(a, np.ndarray)}
    exec(cells(number)[0], names)
    assert max(map(len, capsys.readouterr().out.splitlines()), default=0) <= 40
    assert [name for name in drawn if name != "__builtins__" and names[name] is not drawn[name]] == []
    assert all(np.array_equal(names[name], a) for name, a in kept.items())


def test_e5_in_general_the_variance_of_a_score_is_the_trace_of_both_covariances():
    rng, d = np.random.default_rng(0), 6
    mix_q, mix_k = rng.normal(size=(d, d)), rng.normal(size=(d, d))
    query, key = rng.normal(size=(200_000, d)) @ mix_q, rng.normal(size=(200_000, d)) @ mix_k
    expected = np.trace(mix_q.T @ mix_q @ mix_k.T @ mix_k)
    assert (query * key).sum(axis=1).var() == pytest.approx(expected, rel=0.03)
