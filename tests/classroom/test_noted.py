"""A ready-made answer is noted whenever a test reaches it, however it was found, copied or passed on; honest work is not."""

import contextlib
import re
import textwrap
from dataclasses import replace

import numpy as np
import pytest

from attnlib import attention
from classroom import findings, sets
from classroom.cells import grade_id
from classroom.contained import grade
from classroom.demo.submissions import RIGHT, fill
from classroom.limits import Limits
from classroom.student import Step, Student
from classroom.walls import LIMITS, best
from tests.helpers.submitted import APART, HONEST, TAIL, TORCH, UNSEEN, WAYS, WORKINGS

SET = "chapter_01"


@pytest.fixture(scope="module")
def source():
    return sets.read(sets.GRADED / f"{SET}.md")


def graded(source, answer, more=(), walls=None):
    """What is found about a submission whose first answer this is, and whether the answer gave its points."""
    full = fill(source, RIGHT, {"answer-tempered": answer}, dict(more))
    grade(full, walls=walls)
    failed = {grade_id(cell) for cell in full.cells if cell.get("outputs") and grade_id(cell)}
    tests = {name for name in failed if name.startswith("test-")}
    return {**full.metadata.classroom, "failed": tests}, "test-tempered-at-one" not in failed


def together(answers):
    """Of several answers that run in one process: what a person must look at, and whether its function is right."""
    functions = {name: f"answer_{number}" for number, name in enumerate(answers)}
    steps = [Step("setup", "import numpy as np\nfrom attnlib.exercises.harness import call, compare")]
    for name, function in functions.items():
        own = re.sub(r"\bfound\b", f"{function}_found", answers[name].replace("tempered_attention", function))
        steps += [Step(name, own), Step(f"test {name}", keep=(function,))]
    x, right = np.eye(2), {}
    with Student(steps, Limits(seconds=60, total=600), best()) as student:
        student.run()
        for name, function in functions.items():
            with contextlib.suppress(Exception):  # of the answer, which then is not right
                given = student.names(f"test {name}", (function,))[function](x, 1.0)
                right[name] = np.allclose(given, attention(x, x, x, scale=1))
    notes = {
        name: [(by, note) for by, note in student.notes if by == function or (not by and note.cell == f"cell {name}")]
        for name, function in functions.items()
    }
    return {name: (findings.sort(notes[name], set(), {}, True).person, right.get(name, False)) for name in answers}


@pytest.fixture(scope="module")
def found(once):
    """Every way that leaves its process as it was, judged with its like."""
    groups = [
        {name: one for name, one in group.items() if name not in APART} for group in (HONEST, WORKINGS, WAYS | TORCH)
    ]
    return once("noted", lambda _: {name: judged for group in groups for name, judged in together(group).items()})


def slow(cases):
    """Each case in a process of its own, as a submission is graded."""
    return [pytest.param(case, marks=pytest.mark.slow) for case in cases]


@pytest.mark.parametrize("way", [way for way in (*WAYS, *TORCH) if way not in APART])
def test_a_ready_made_answer_is_noted_however_it_was_found(found, way):
    person, right = found[way]
    library = "torch" if way in TORCH else "attnlib"
    assert any(f" reached {library}." in what for what in person), person
    assert right or way in {"compiled", "kernel"}


@pytest.mark.parametrize("way", ["plain", *slow(way for way in WAYS if way != "plain")])
def test_a_submission_with_a_ready_made_answer_is_for_a_person(source, way):
    told, _ = graded(source, WAYS[way])
    assert any("the test of tempered_attention reached attnlib." in what for what in told["person"]), told


@pytest.mark.slow
@pytest.mark.parametrize("way", TORCH)
def test_a_submission_with_torchs_own_attention_is_for_a_person(source, way):
    told, right = graded(source, TORCH[way])
    assert any("the test of tempered_attention reached torch." in what for what in told["person"]), told
    assert right or way in {"compiled", "kernel"}


@pytest.mark.slow
def test_torchs_layers_are_noted(source):
    layer = """
        import torch
        def tempered_attention(x, temperature):
            layer = torch.nn.MultiheadAttention(x.shape[1], 1, bias=False, batch_first=True, dtype=torch.float64)
            return layer(*[torch.tensor(x)[None]] * 3)[0][0].detach()
    """
    told, _ = graded(source, textwrap.dedent(layer))
    assert any("multi_head_attention_forward" in what for what in told["person"])


@pytest.mark.slow
@pytest.mark.parametrize("remark", UNSEEN)
def test_what_a_ready_made_answer_needs_is_named_even_where_its_call_is_not_seen(source, remark):
    told, _ = graded(source, UNSEEN[remark])
    assert any(remark in what for what in told["notes"] + told["person"]), told


@pytest.mark.parametrize("what", WORKINGS)
def test_pythons_own_workings_are_out_of_reach_whoever_is_asked_to_call(found, what):
    assert any("tried to reach Python's own workings" in one for one in found[what][0]), found[what]


def test_many_notes_drive_no_other_out(source):
    told, right = graded(
        source, "import attnlib; z = np.eye(2)\n" + "attnlib.softmax(z)\n" * 500 + "found = attnlib.attention" + TAIL
    )
    assert right
    assert any(
        "the test of tempered_attention reached attnlib.scaled_dot_product.attention" in what for what in told["person"]
    )
    assert "noted more than is read" in told["person"]


def test_what_answers_nothing_is_at_hand_without_being_asked_for(source):
    told, _ = graded(source, RIGHT["answer-tempered"] + "\ncall(lambda: 1, ())\ncompare(1, 1)\nhelp(compare)")
    assert told["notes"] == []


def test_attnlib_is_whole_once_it_is_asked_for(source):
    answer = """import attnlib.scaled_dot_product, attnlib.houston
from attention_posters import masks_page
from attnlib import exercises, masks
from attnlib.exercises import check
assert callable(attnlib.attention) and callable(attnlib.softmax) and masks.causal_mask is attnlib.causal_mask
assert check('which-shape', '7 × 7').correct and exercises.check is check and len(attnlib.houston.TOKENS) == 5
try: attnlib.nothing
except AttributeError as error: print(error)
"""
    told, right = graded(source, answer + RIGHT["answer-tempered"])
    assert right
    assert told["person"] == []
    assert told["notes"][0] == "answer-tempered: imports what attnlib has ready-made"


def test_a_comparison_in_a_cell_is_a_remark_and_no_accusation(source):
    answer = f"{RIGHT['answer-tempered']}\n\nfrom attnlib import attention\nx = np.eye(3)\n"
    answer += "print(np.abs(attention(x, x, x, scale=1) - tempered_attention(x, 1)).max())"
    told, right = graded(source, answer)
    assert told["person"] == []
    assert told["notes"] == [
        "answer-tempered: imports what attnlib has ready-made",
        "answer-tempered, line 8: reached attnlib.scaled_dot_product.attention, which is ready-made",
    ]
    assert right


def test_what_the_set_up_hands_out_may_be_called(source):
    full = fill(
        source,
        RIGHT,
        {"answer-tempered": "def tempered_attention(x, temperature):\n    return softmax(x @ x.T / temperature) @ x"},
    )
    next(cell for cell in full.cells if grade_id(cell) == "setup").source += "\nfrom attnlib import softmax"
    grade(full)
    assert full.metadata.classroom["person"] == full.metadata.classroom["notes"] == []


@pytest.mark.parametrize("kind", [kind for kind in HONEST if kind not in APART])
def test_honest_work_is_not_accused_and_is_right(found, kind):
    assert found[kind] == ([], True)


@pytest.mark.slow
@pytest.mark.parametrize("kind", HONEST)
def test_honest_work_gets_its_points(source, kind):
    later = {"answer-long_enough": "def softmax(a, b): pass\nthief = 4\ndel np"} if kind == "a name used again" else {}
    told, right = graded(source, HONEST[kind], later)
    assert told["person"] == []
    assert right


def test_a_cell_may_use_what_a_test_above_it_has_made(source):
    told, _ = graded(
        source,
        RIGHT["answer-tempered"],
        {"answer-cosines": "print(tempered_attention(x, 1.0))\n" + RIGHT["answer-cosines"]},
    )
    assert told["failed"] == set()


def test_work_that_ran_out_of_its_time_as_a_whole_is_for_a_person(source, monkeypatch):
    monkeypatch.setenv("CLASSROOM_LIMITS", '{"total": 4}')
    told, right = graded(source, "import time\nfor _ in range(9): time.sleep(1)\n" + RIGHT["answer-tempered"])
    assert told["person"] == ["the 4 s for all of its work were used up, and what came after was not run"]
    assert not right


def test_what_was_tried_and_refused_is_a_remark_behind_a_wall_and_else_for_a_person(source):
    answer = "import os\nos.listdir('/root')\n"
    told, _ = graded(source, answer)
    assert told["notes"] == ["answer-tempered, line 2: tried to reach a file outside its folder (refused)"]
    told, _ = graded(source, answer, walls=replace(LIMITS, hidden=True))
    assert told["person"] == ["answer-tempered, line 2: tried to reach a file outside its folder"]


FORGED = """import functools, os
from attnlib import attention
def tempered_attention(x, temperature):
    os.write(250, b"('reached', 'attnlib.exercises.harness.call', 'cell answer-tempered', 6, 'a:b')")
    os.write(250, b"('reached', 'a.b', 'cell answer-tempered', 6, '<attnlib>/exercises/harness.py:call')")
    return call(functools.partial(attention, scale=1 / temperature), (x, x, x))
"""


def test_notes_that_a_student_writes_hide_no_other(source):
    told, _ = graded(source, FORGED)
    assert any("the test of tempered_attention reached attnlib." in what for what in told["person"]), told
