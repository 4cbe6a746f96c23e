"""Each graded set: its tests take right answers and find wrong ones, for several students; and it can be handed out.

Answers are in `sets/chapter_NN.py`: of a function its source, of a question an expression of the student's data.
"""

import collections
import contextlib
import importlib
import re

import numpy as np
import pytest

from attnlib.exercises import results
from attnlib.lab import minilm
from classroom import drawn, rubric, sets
from classroom.cells import grade_id, kind, parts
from classroom.contained import _judged, _run_test, _sentence, _wanted, sentences
from classroom.rehearse import rehearse
from tests.helpers.graded import BY_STUDENT, GRADED, known
from tests.helpers.tiers import some_of

NAMES = ("Ada Lovelace", "Grace Hopper", "李雷")
TASKS = [
    (name, task.removeprefix("answer-"))
    for name in BY_STUDENT
    for task in GRADED[name].lines
    if task.startswith("answer-") and task != f"answer-{drawn.VARIABLE}"
]


def looked_at(graded, task, answer, who):
    """The two parts of every test that looks at what an answer defines, and what they know."""
    space = known(graded, who)
    student = dict(space)
    exec(f"{task} = {answer}" if task in graded.questions else answer, student)
    tests = [cell for cell in graded.notebook.cells if kind(cell) == "test"]
    looks = {
        grade_id(cell): cell.source
        for cell in tests
        if set(_wanted(cell.source, space)) & (student.keys() - space.keys())
    }
    assert looks, f"no test looks at what {answer} defines"
    for name, source in looks.items():
        yield name, parts(source), space | {one: student[one] for one in _wanted(source, space) if one in student}


def passes(graded, task, answer, who):
    """Whether every test that looks at the task passes with this answer."""
    return not any(
        _run_test(part, name, here) for name, both, here in looked_at(graded, task, answer, who) for part in both
    )


def named(graded, task, answer):
    """The sentences of known mistakes in what a student is told of this answer, and whether an example failed first."""
    found, failed = set(), False
    for name, (example, hidden), here in looked_at(graded, task, answer, NAMES[0]):
        shown = _run_test(example, name, here)
        failed |= shown is not None
        told = _judged(shown and (shown, _sentence(shown)), _run_test(hidden, name, here), hidden)
        known_ones = {one for one in sentences(hidden) | drawn.SAID if " " in one and one != sets.OTHERWISE}
        found |= {one for one in known_ones if told and told[1].endswith(one)}
    return found, failed


@pytest.mark.parametrize(("name", "task", "who"), some_of([(*task, who) for task in TASKS for who in NAMES], every=3))
def test_right_answers_pass_and_wrong_ones_do_not_whoever_the_student_is(name, task, who):
    answers = importlib.import_module(f"tests.classroom.sets.{name}")
    right, wrong = answers.RIGHT[task], answers.WRONG[task]
    assert len(set(right)) >= 3
    assert len(set(wrong)) >= 10
    assert [answer for answer in right if not passes(GRADED[name], task, answer, who)] == []
    assert [answer for answer in wrong if passes(GRADED[name], task, answer, who)] == []


@pytest.mark.parametrize(("name", "task"), TASKS)
def test_wrong_answers_are_told_their_mistake_where_an_example_fails_first_too(name, task):
    """Two thirds of a function's wrong answers; of a question's, which have no example but None, three kinds.

    A sentence that many different ones earn is no mistake's name.
    """
    wrong = sorted(set(importlib.import_module(f"tests.classroom.sets.{name}").WRONG[task]))
    told = [named(GRADED[name], task, answer) for answer in wrong]
    if task in GRADED[name].questions:
        assert len(set().union(*(found for found, _ in told))) >= 3
        return
    often = collections.Counter(sentence for found, _ in told for sentence in found)
    nameless = [
        answer for answer, (found, _) in zip(wrong, told, strict=True) if not any(often[one] <= 4 for one in found)
    ]
    assert len(nameless) <= len(wrong) / 3, nameless
    assert sum(bool(found and failed) for found, failed in told) >= 2


@pytest.mark.parametrize(("name", "task"), [one for one in TASKS if one[1] not in GRADED[one[0]].questions])
def test_no_known_mistake_gives_what_right_answers_give_in_every_case(name, task):
    """One that does would be told to nobody, or hide that two ways are right."""
    right = importlib.import_module(f"tests.classroom.sets.{name}").RIGHT[task][0]
    apart = collections.Counter()

    def compared(got, expected, mistakes=(), **how):
        for sentence, result in mistakes:
            result, wanted = np.asarray(result, dtype=float), np.asarray(expected, dtype=float)
            apart[sentence] += not results.equal(result, wanted, how.get("tolerance", 1e-9))
        return results.compare(got, expected, mistakes, **how)

    for test, (_, hidden), here in looked_at(GRADED[name], task, right, NAMES[0]):
        assert _run_test(hidden, test, here | {"compare": compared}) is None
    assert [sentence for sentence, count in apart.items() if not count] == []


@pytest.mark.parametrize("name", BY_STUDENT)
def test_a_set_asks_what_every_set_asks_in_sixty_to_ninety_minutes(name):
    graded = GRADED[name]
    cells = [grade_id(cell) for cell in graded.notebook.cells]
    functions = [task for one, task in TASKS if one == name and task not in graded.questions]
    assert 3 <= len(functions) <= 5
    assert len(graded.questions) >= 3  # two answers by pencil, and a grid to diagnose
    assert sum(cell.startswith("explain-") for cell in cells) == 1
    text = "\n".join(cell.source for cell in graded.notebook.cells if kind(cell) == "text")
    minutes = [int(one) for one in re.findall(r"about (\d+) minutes", text)]
    assert len(minutes) == 1
    assert 60 <= minutes[0] <= 90
    promised = [
        float(one) for one in re.findall(r"\((\d+)(?: points?|, read)|\b(\d+) points?\b", text) for one in one if one
    ]
    assert sum(promised) == sum(
        cell.metadata["nbgrader"].get("points", 0) for cell in graded.notebook.cells if grade_id(cell)
    )


@pytest.mark.parametrize("name", BY_STUDENT)
def test_one_question_is_answered_from_the_students_own_grid(name):
    """With the grid of another student in its place, and all else as it was, its right answer is another."""
    graded = GRADED[name]
    spaces = [known(graded, f"student {number}") for number in range(20)]
    assert all(np.ndim(space["grid"]) >= 2 and np.size(space["grid"]) >= 20 for space in spaces)

    def right(task, space):
        here = dict(space)
        exec(graded.questions[task], here)
        return here["right"]

    def moves(task):
        for space in spaces:
            expected = right(task, space)
            for grid in (other["grid"] for other in spaces if np.shape(other["grid"]) == np.shape(space["grid"])):
                with contextlib.suppress(ArithmeticError, LookupError, ValueError, StopIteration):  # no slip is in it
                    if right(task, space | {"grid": grid}) != expected:
                        return True
        return False

    assert sum(map(moves, graded.questions)) == 1


@pytest.mark.parametrize(
    "file", [*(sets.GRADED / f"{name}.md" for name in GRADED), sets.TEMPLATE], ids=lambda file: file.stem
)
def test_an_answer_in_words_has_criteria(file):
    """That they sum to its points, the reading of a set sees to."""
    answers = [cell for cell in sets.read(file).cells if kind(cell) == "explain"]
    assert answers
    for cell in answers:
        assert len(rubric.criteria(cell.source)) >= 2, grade_id(cell)
        assert rubric.ITEM.sub("", cell.source).strip() == "", grade_id(cell)


@pytest.mark.parametrize("name", BY_STUDENT)
def test_what_is_asked_differs_by_student(name):
    graded = GRADED[name]
    spaces = [known(graded, f"student {number}") for number in range(60)]
    for task, source in graded.questions.items():
        right = set()
        for space in map(dict, spaces):
            exec(source, space)
            right.add(space["right"])
        assert len(right) >= 9, (task, right)


def test_what_the_set_of_chapter_10_says_of_minilm_is_what_was_recorded():
    space = known(GRADED["chapter_10"], NAMES[0])
    pairs = list(space["combinations"](range(6), 2))
    for measure, (none, each, both) in space["measured"].items():
        silent = [(), *((layer,) for layer in range(6)), *pairs]
        assert [none, *each, *both] == [minilm.silenced_layers(layers)[measure] for layers in silent]


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_STUDENT)
def test_a_set_can_be_handed_out(name):
    assert rehearse(GRADED[name]) is None  # it raises for a set that cannot
