"""Every checker passes right answers of three kinds, and answers each published wrong one with the sentence meant for it."""

import pytest

from attnlib.exercises import EXERCISES, check
from tests.exercises import chapter_00, chapter_01, chapter_02, chapter_03, chapter_04

CHAPTERS = (
    chapter_00,
    chapter_01,
    chapter_02,
    chapter_03,
    chapter_04,
)
RIGHT = [(name, answer) for chapter in CHAPTERS for name, answers in chapter.RIGHT.items() for answer in answers]
WRONG = [
    (name, says, answer) for chapter in CHAPTERS for name, pairs in chapter.WRONG.items() for says, answer in pairs
]


@pytest.mark.parametrize(("name", "answer"), RIGHT)
def test_a_right_answer_passes(name, answer):
    assert check(name, answer).correct, check(name, answer)


@pytest.mark.parametrize(("name", "says", "answer"), WRONG)
def test_a_wrong_answer_is_told_what_is_wrong(name, says, answer):
    report = check(name, answer)
    assert not report.correct
    assert says in repr(report)


def test_every_program_has_three_right_answers_and_wrong_ones():
    for name, exercise in EXERCISES.items():
        if exercise.kind == "program":
            assert sum(right == name for right, _ in RIGHT) >= 3, name
            assert sum(wrong == name for wrong, *_ in WRONG) >= 1, name
