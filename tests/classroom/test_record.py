"""One submission stops no class, what stopped it is tried again with other means, and nothing is half-written."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

from classroom import temporary, walls, worker
from classroom.demo.submissions import RIGHT, fill
from classroom.process import Ended

SET = "chapter_01"
ENDLESS = {"answer-cosines": "while True:\n    pass"}
SLOW = {
    "answer-long_enough": "import time\nstart = time.process_time()\nwhile time.process_time() < start + 1.5: pass\n"
    + RIGHT["answer-long_enough"]
}


def limits(monkeypatch, text):
    monkeypatch.setenv("CLASSROOM_LIMITS", text)


@pytest.mark.slow
def test_a_submission_past_its_deadline_is_ended_and_the_next_is_graded(
    course, classroom, submit, notebook, monkeypatch, lines
):
    many = fill(notebook, RIGHT)
    many.cells += [nbformat.v4.new_code_cell("%time 1")] * 400 + [nbformat.v4.new_code_cell(f"x = '{'a' * 1_000_000}'")]
    submit("a", fill(notebook, RIGHT, ENDLESS))
    submit("b", many)
    submit("c", fill(notebook, RIGHT))
    limits(monkeypatch, '{"submission": 8, "seconds": 90, "total": 90}')
    code, said = classroom("grade")
    assert code == 0
    found = lines(course)
    assert (found["a"]["state"], found["a"]["score"]) == ("needs a person", "")
    assert found["a"]["needs a person because"] == "grading it took longer than 8 s"
    assert found["b"]["score"] == "11" or "longer than 8 s" in found["b"]["needs a person because"]
    assert found["c"]["score"] == "11"
    assert walls.strays(temporary.folder(), within=True) == []
    assert [one.name.partition("-")[0] for one in temporary.folder().iterdir()] == ["runner"]
    assert (
        "no grade yet: grading it took longer" in (course.folder / "feedback" / "a" / SET / f"{SET}.html").read_text()
    )
    assert "grading" not in classroom("grade")[1].replace("grading it took", "")
    limits(monkeypatch, '{"seconds": 1}')
    said = classroom("grade")[1]
    (again,) = (line for line in said.splitlines() if line.startswith("grading "))
    names = {*again.removeprefix("grading ").replace(",", "").split()}
    assert names == ({"a"} if found["b"]["score"] == "11" else {"a", "b"})  # whom 8 s were too short for
    assert lines(course)["a"]["score"] == "8"


@pytest.mark.parametrize("method", ["fork", "forkserver"])
def test_work_is_done_the_same_however_its_process_begins(monkeypatch, method):
    monkeypatch.setattr(worker, "CONTEXT", multiprocessing.get_context(method))
    assert worker.run(60, len, [1, 2]) == 2
    with pytest.raises(worker.Stopped, match="the grader stopped: TypeError: "):
        worker.run(60, len, 3)
    with pytest.raises(worker.Stopped, match=r"took longer than 0\.5 s"):
        worker.run(0.5, time.sleep, 60)
    with pytest.raises(worker.Stopped, match=r"ended by itself \(7\)"):
        worker.run(60, os._exit, 7)


@pytest.mark.slow
def test_what_a_limit_stopped_is_graded_again_with_another(course, classroom, submit, notebook, monkeypatch, lines):
    submit("ada", fill(notebook, RIGHT))
    submit("slow", fill(notebook, RIGHT, SLOW))
    limits(monkeypatch, '{"seconds": 1}')
    classroom("grade")
    assert lines(course)["slow"]["test-long_enough"] == "0"
    monkeypatch.delenv("CLASSROOM_LIMITS")
    said = classroom("grade")[1]
    assert [line for line in said.splitlines() if line.startswith("grading")] == ["grading slow"]
    assert lines(course)["slow"]["test-long_enough"] == "2"


def test_tests_that_are_not_run_give_no_points_yet(course, classroom, submit, notebook, monkeypatch, lines):
    submit("ada", fill(notebook, RIGHT))
    monkeypatch.setattr(walls, "best", lambda: walls.LIMITS)
    monkeypatch.setenv("CONTAIN", "root")
    classroom("grade")
    row = lines(course)["ada"]
    assert (row["state"], row["test-long_enough"]) == ("needs a person", "")
    monkeypatch.setenv("CONTAIN", "root none")
    assert "grading ada" in classroom("grade")[1]
    assert lines(course)["ada"]["score"] == "11"


FAILS = {
    "the grader stopped: RuntimeError: disk": RuntimeError("disk"),
    "the process that graded it ended by itself (3)": 3,
}


@pytest.mark.parametrize("reason", FAILS)
def test_the_graders_own_failure_gives_no_grade_and_is_tried_again_when_told_to(
    course, classroom, submit, notebook, monkeypatch, reason, lines
):
    submit("ada", fill(notebook, RIGHT))

    def fail(*_, **__):
        if isinstance(FAILS[reason], Exception):
            raise FAILS[reason]
        os._exit(FAILS[reason])

    monkeypatch.setattr("classroom.contained.grade", fail)
    assert classroom("grade")[0] == 0
    row = lines(course)["ada"]
    assert (row["score"], row["needs a person because"]) == ("", reason)
    assert "RuntimeError" not in (course.folder / "feedback" / "ada" / SET / f"{SET}.html").read_text()
    monkeypatch.undo()
    assert "grading ada" not in classroom("grade")[1]
    classroom("grade", "--again")
    assert lines(course)["ada"]["score"] == "11"


@pytest.mark.slow
def test_a_python_that_did_not_start_is_tried_again(course, classroom, submit, notebook, monkeypatch, lines):
    submit("ada", fill(notebook, RIGHT))

    def fail(*_):
        raise Ended("it ended the process")

    monkeypatch.setattr("classroom.student.Process", fail)
    classroom("grade")
    assert "the student's Python did not start" in lines(course)["ada"]["needs a person because"]
    monkeypatch.undo()
    assert "grading ada" in classroom("grade")[1]
    assert lines(course)["ada"]["score"] == "11"


@pytest.mark.slow
def test_a_set_up_that_a_student_broke_is_tried_again_only_with_other_limits(
    course, classroom, submit, notebook, monkeypatch, lines
):
    broken = fill(notebook, RIGHT)
    broken.cells.insert(
        0,
        nbformat.v4.new_code_cell("import sys\nsys.modules['attnlib.exercises.harness'] = sys.modules['numpy'] = None"),
    )
    submit("eve", broken)
    classroom("grade")
    assert "the set-up stopped with" in lines(course)["eve"]["needs a person because"]
    assert "grading eve" not in classroom("grade")[1]
    limits(monkeypatch, '{"seconds": 9}')
    assert "grading eve" in classroom("grade")[1]


def test_the_work_is_every_file_that_was_handed_in_and_nothing_that_jupyter_leaves(course, classroom, submit, notebook):
    submit("ada", fill(notebook, RIGHT))
    folder = course.folder / "submitted" / "ada" / SET
    classroom("grade")
    (folder / ".ipynb_checkpoints").mkdir()
    (folder / ".ipynb_checkpoints" / f"{SET}-checkpoint.ipynb").write_text("{}")
    assert "grading ada" not in classroom("grade")[1]
    for content in ("1", "2"):
        (folder / "numbers.csv").write_text(content)
        assert "grading ada" in classroom("grade")[1]


def test_what_was_graded_before_an_interruption_is_kept(course, classroom, submit, notebook, monkeypatch, lines):
    for student in ("ada", "bob"):
        submit(student, fill(notebook, RIGHT))
    each = worker.each

    def interrupted(jobs, seconds):
        yield from each([next(iter(jobs))], seconds)
        raise KeyboardInterrupt

    monkeypatch.setattr(worker, "each", interrupted)
    code, said = classroom("grade")
    assert code == 130
    assert "What was graded is kept" in said
    monkeypatch.undo()
    said = classroom("grade")[1]
    assert [line for line in said.splitlines() if line.startswith("grading")] == ["grading bob"]
    assert [row["score"] for row in lines(course).values()] == ["11", "11"]


def test_grading_again_that_was_stopped_goes_on_with_the_rest(course, classroom, submit, notebook, monkeypatch):
    for student in ("ada", "bob"):
        submit(student, fill(notebook, RIGHT))
    classroom("grade")
    each = worker.each

    def interrupted(jobs, seconds):
        yield from each([next(iter(jobs))], seconds)
        raise KeyboardInterrupt

    monkeypatch.setattr(worker, "each", interrupted)
    assert classroom("grade", "--again")[0] == 130
    monkeypatch.undo()
    said = classroom("grade")[1]
    assert [line for line in said.splitlines() if line.startswith("grading")] == ["grading bob"]


@pytest.mark.slow
def test_pages_are_written_when_what_they_say_has_changed(course, classroom, submit, notebook):
    for student in ("ada", "bob"):
        submit(student, fill(notebook, RIGHT))
    classroom("grade")
    pages = [course.folder / "feedback" / student / SET / f"{SET}.html" for student in ("ada", "bob")]
    before = [page.stat().st_ino for page in pages]
    submit("bob", fill(notebook, RIGHT, {"answer-long_enough": "long_enough = 4"}))
    classroom("grade")
    after = [page.stat().st_ino for page in pages]
    assert (after[0] == before[0], after[1] == before[1]) == (True, False)


def test_what_lies_in_the_folder_without_being_a_notebook_stops_nothing(course, classroom, submit, notebook, lines):
    submit("ada", fill(notebook, RIGHT))
    (course.folder / "submitted" / "dir" / SET / f"{SET}.ipynb").mkdir(parents=True)
    odd = course.folder / "submitted" / os.fsdecode(b"\xff") / SET
    odd.mkdir(parents=True)
    (odd / f"{SET}.ipynb").write_text(nbformat.writes(notebook))
    os.mkfifo(course.folder / "submitted" / "dir" / SET / "pipe")
    code, said = classroom("grade")
    assert code == 0, said
    found = lines(course)
    assert found["ada"]["score"] == "11"
    assert found["dir"]["needs a person because"] == f"handed in {SET}.ipynb, pipe, no notebook"
    assert [row["state"] for row in found.values()].count("needs a person") == 2


def test_a_second_command_is_told_to_wait(course, classroom):
    with course.locked():
        code, said = classroom("grade")
        assert code == 1
        assert "Another command is at work" in said
    assert classroom("grade")[0] == 0


def test_a_full_disk_is_said_and_leaves_no_half_table(course, classroom, submit, notebook, monkeypatch, lines):
    submit("ada", b"{")
    classroom("grade")
    table = course.folder / f"grades-{SET}.csv"
    before, replace = table.read_bytes(), os.replace

    def full(source, target):
        if Path(target).name == table.name:
            raise OSError(28, "No space left on device", str(target))
        replace(source, target)

    monkeypatch.setattr("classroom.course.os.replace", full)
    submit("bob", b"{")
    code, said = classroom("grade")
    assert code == 1
    assert f"{table}: No space left on device. What was done before is kept" in said
    assert "Traceback" not in said
    assert table.read_bytes() == before
    assert [file.name for file in course.folder.glob(".grades*")] == []
    monkeypatch.undo()
    assert classroom("grade")[0] == 0
    assert sorted(lines(course)) == ["ada", "bob"]


def test_damaged_records_are_said(course, classroom, submit):
    submit("ada", b"{")
    (course.folder / ".graded.json").write_text("{")
    code, said = classroom("grade")
    assert code == 1
    assert ".graded.json is damaged. Delete it" in said
    (course.folder / ".graded.json").unlink()
    (course.folder / "gradebook.db").write_bytes(b"no database" * 500)
    code, said = classroom("grade")
    assert code == 1
    assert "The gradebook cannot be read or written" in said


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")
def test_a_command_that_is_terminated_leaves_no_process(course, submit, notebook, tmp_path):
    submit("ada", fill(notebook, RIGHT, ENDLESS))
    environment = os.environ | {"TMPDIR": str(tmp_path), "CLASSROOM_LIMITS": '{"seconds": 90, "total": 90}'}
    command = [sys.executable, "-m", "classroom", "--course", str(course.folder), "grade"]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        until = time.monotonic() + 60
        while not walls.strays(tmp_path, within=True) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)  # until the student's process runs
        assert walls.strays(tmp_path, within=True)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=30)[0]
    assert process.returncode == 143, said
    assert walls.strays(tmp_path, within=True) == []
    assert list(tmp_path.glob("grading-*")) == []


@pytest.mark.slow
def test_a_release_needs_no_activated_environment(tmp_path):
    command = [sys.executable, "-m", "classroom", "--course", str(tmp_path / "course"), "release", SET]
    path = os.pathsep.join(one for one in os.defpath.split(os.pathsep) if one and not Path(one, "alembic").exists())
    done = subprocess.run(command, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "course" / "release" / SET / f"{SET}.ipynb").exists()


def test_a_set_may_be_named_with_any_signs_on_the_way_to_make():
    for target, run in (("classroom", 'release --graded "sets"'), ("classroom-grade", "grade --again")):
        command = ["make", "-n", "-o", ".venv/ready", target, "AGAIN=1", "GRADED=sets", "SET=week 3; echo no"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert f'{run} "week 3; echo no"' in said
