"""Work that is alike is listed, whatever its names are; what everybody has, and what was handed out, is not."""

import copy
import csv
import random
import re

import pytest

from classroom import similar
from classroom.demo.submissions import COLUMNS, LOOPS, MULTIPLIED, RIGHT, fill
from tests.helpers.archives import SET

WORDS = [
    "average",
    "weight",
    "token",
    "query",
    "row",
    "sum",
    "positive",
    "hull",
    "length",
    "inside",
    "outside",
    "every",
    "each",
    "never",
    "because",
    "when",
    "more",
]
OWN = """def tempered_attention(x, temperature):
    total = np.zeros((len(x), 1))
    blended = np.zeros_like(x)
    for start in range(0, len(x), 3):
        part = x[start : start + 3]
        raised = np.exp(x @ part.T / temperature)
        total += raised.sum(axis=1, keepdims=True)
        blended += raised @ part
    return blended / total"""


def renamed(source):
    """As somebody hides a copy: other names, other blanks, comments."""
    for old, new in (
        ("total", "z"),
        ("blended", "acc"),
        ("start", "i"),
        ("part", "chunk"),
        ("raised", "e"),
        (r"\bx\b", "data"),
    ):
        source = re.sub(rf"\b{old}\b" if old.isalpha() else old, new, source)
    return source.replace("    ", "  ").replace("\n", "  # mine\n", 3)


def listed(works, released):
    marks = {student: similar.marks_of(work, released) for student, work in works.items()}
    return similar.pairs(
        {who: one for who, (_, one) in marks.items()}, {who: lines for who, (lines, _) in marks.items()}
    )


@pytest.fixture
def crowd(notebook):
    """Forty who write one of four answers in code, with names of their own, and words of their own."""
    chance = random.Random(5)
    works = {}
    for number in range(40):
        own = RIGHT | [RIGHT, COLUMNS, MULTIPLIED, LOOPS][number % 4]
        own = {cell: re.sub(r"\b(scores|raised)\b", rf"\1_{number}", source) for cell, source in own.items()}
        own["explain-hull"] = " ".join(chance.choices(WORDS, k=30))
        works[f"s{number:02}"] = fill(notebook, own)
    return works


def test_a_copy_is_found_among_many_who_answer_alike(crowd, notebook):
    assert listed(crowd, notebook) == []
    crowd["s07"] = fill(crowd["s07"], {"answer-tempered": OWN})
    crowd["s31"] = fill(crowd["s31"], {"answer-tempered": renamed(OWN)})
    crowd["s39"] = copy.deepcopy(crowd["s11"])
    found = {(pair.one, pair.other): pair for pair in listed(crowd, notebook)}
    assert set(found) == {("s07", "s31"), ("s11", "s39")}
    assert found["s11", "s39"].share == 1
    assert "blended += raised @ part" in found["s07", "s31"].lines[0]
    assert "acc += e @ chunk" in found["s07", "s31"].lines[1]


def test_words_are_compared_and_what_was_handed_out_is_not(notebook):
    text = "Each output is a mean with weights above zero, so it stays where the rows are, whatever the query asks."
    works = {
        who: fill(notebook, {"explain-hull": words}) for who, words in (("ada", text), ("bob", f"I think: {text}"))
    }
    works |= {"cyd": notebook, "dan": notebook, "eve": fill(notebook, {"explain-hull": "No idea at all."})}
    (pair,) = listed(works, notebook)
    assert (pair.one, pair.other, pair.share) == ("ada", "bob", 1)
    assert pair.lines[0] == text


def test_a_whole_class_with_one_and_the_same_work_is_listed(notebook):
    works = {f"s{number}": fill(notebook, RIGHT) for number in range(9)}
    found = listed(works, notebook)
    assert [(pair.one, pair.other) for pair in found] == [(f"s{number}", f"s{number + 1}") for number in range(8)]
    assert all(pair.share == 1 for pair in found)


def test_the_command_writes_a_list_and_says_what_it_cannot_see(course, classroom, submit, notebook):
    for student in ("=ada", "bob"):
        submit(student, fill(notebook, RIGHT))
    submit("eve", b"{")
    code, said = classroom("similar", SET)
    assert code == 0
    assert "1 pair of 2 students to look at" in said
    assert "A pair is no proof" in said
    assert "Could not be read: eve." in said
    with (course.folder / f"similar-{SET}.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["share"], row["student"], row["other"]) == ("100%", "'=ada", "bob")
    assert "was not released" in classroom("similar", "chapter_99")[1]


def test_hostile_text_is_read_in_time_that_grows_with_it(notebook):
    for source in ('"""' * 30_000, "'" * 90_000, "(" * 90_000, "\\" * 90_000, '"\\' * 45_000, "\x00#" * 40_000):
        lines, _ = similar.marks_of(fill(notebook, {"answer-long_enough": source, "explain-hull": source}), notebook)
        assert lines
