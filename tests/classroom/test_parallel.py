"""Whoever grades, and in whatever order: the same grades, nobody lost, nobody twice."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import nbformat
import numpy as np
import pytest

from attnlib.exercises.harness import Mistake, call
from classroom import pages, progress, scheduler, walls, worker
from classroom.__main__ import _ended_by_signals, main
from classroom.demo.submissions import COLUMNS, EXITS, RIGHT, SYNTAX, TAMPERED, fill

SET = "chapter_01"
MIXED = {
    "ada": {},
    "bob": COLUMNS,
    "eve": TAMPERED,
    "joe": EXITS,
    "kim": SYNTAX,
    "Лев": {"answer-long_enough": "long_enough = 4"},
}
WAITS = {"answer-long_enough": "import time\ntime.sleep(2)\n" + RIGHT["answer-long_enough"]}


def hand_in(course, place, students=None):
    notebook = nbformat.read(course.released(SET), 4)
    for student, changes in (students or MIXED).items():
        place(course, student, fill(notebook, RIGHT, changes))
    place(course, "zoe", b"{")
    return course


def written(course):
    """Every file of a graded course that a person reads or a later run relies on, as bytes."""
    files = [
        *course.folder.glob("*.csv"),
        *course.folder.glob("feedback/*/*/*"),
        *course.folder.glob("autograded/*/*/*"),
    ]
    records = [course.folder / ".graded.json", course.folder / ".pages.json", course.folder / ".marked.json"]
    return {str(file.relative_to(course.folder)): file.read_bytes() for file in (*files, *records)}


@pytest.fixture(scope="module")
def alone(copied, place, once):
    """What one process makes of the class."""

    def grade(folder):
        course = hand_in(copied(folder), place)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PROCESSES", "1")
            assert main(["--course", str(course.folder), "grade"]) == 0
        return course

    return written(once("alone", grade))


@pytest.mark.parametrize("processes", ["2", pytest.param("3", marks=pytest.mark.slow)])
def test_what_is_written_is_the_same_however_many_processes_grade(
    course, place, classroom, alone, monkeypatch, processes
):
    hand_in(course, place)
    monkeypatch.setenv("PROCESSES", processes)
    assert classroom("grade")[0] == 0
    assert written(course) == alone
    assert len([file for file in alone if file.endswith(".html")]) == len(MIXED) + 1
    if processes == "3":
        assert classroom("grade", "--again")[0] == 0
        assert written(course) == alone


def _pid(folder, name):
    """Note who does it, and die the first time, or always."""
    tries = Path(folder, name)
    tries.write_text(f"{tries.read_text() if tries.exists() else ''}x")
    if name == "always" or (name == "once" and tries.read_text() == "x"):
        os.kill(os.getpid(), signal.SIGKILL)
    return name


def test_a_worker_that_dies_is_noticed_and_its_work_done_again_once(tmp_path, monkeypatch):
    monkeypatch.setenv("PROCESSES", "2")
    jobs = [worker.Job(name, _pid, (tmp_path, name)) for name in ("a", "once", "b", "always", "c")]
    found = dict(worker.each(jobs, 60))
    died = found.pop("always")
    assert found == {name: name for name in ("a", "b", "c", "once")}
    assert isinstance(died, worker.Stopped)
    assert str(died) == "the process that graded it ended by itself (-9)"
    assert {file.name: len(file.read_text()) for file in tmp_path.iterdir()} == {
        "a": 1, "b": 1, "c": 1, "once": 2, "always": 2,
    }  # fmt: skip


def test_work_that_is_left_is_ended(monkeypatch):
    monkeypatch.setenv("PROCESSES", "2")
    with contextlib.closing(worker.each([worker.Job(f"{n}", time.sleep, (n * 60,)) for n in range(3)], 99)) as found:
        assert next(found) == ("0", None)
        assert multiprocessing.active_children()
    assert multiprocessing.active_children() == []


def _calls(folder):
    """Call a student's function as a test does, and go on after a mistake."""
    with contextlib.suppress(Mistake):
        call(lambda: (Path(folder, "in").touch(), time.sleep(30)), ())
    Path(folder, "on").touch()


def test_a_process_is_ended_in_a_students_function_too(tmp_path):
    process = worker._Process(worker.Job("", _calls, (tmp_path,)), 60)
    process.start()
    try:
        until((tmp_path / "in").exists)
        process.terminate()
        until(lambda: not process.process.is_alive())
    finally:
        process.end()
    assert not (tmp_path / "on").exists()


def test_a_command_is_ended_in_a_students_function_too():
    with pytest.raises(SystemExit) as ended, _ended_by_signals():
        call(lambda: signal.raise_signal(signal.SIGTERM), ())
    assert ended.value.code == 143


def test_a_number_of_processes_that_is_none_is_refused(course, classroom, monkeypatch):
    for wrong in ("0", "two", "-1", "1.5", "²"):
        monkeypatch.setenv("PROCESSES", wrong)
        code, said = classroom("grade")
        assert (code, f"PROCESSES is {wrong!r}; write a number from 1 to 1,000." in said) == (1, True)


@contextlib.contextmanager
def command(course, folder):
    """`python -m classroom grade` with two processes, once student's code runs."""
    environment = os.environ | {"TMPDIR": str(folder), "PROCESSES": "2"}
    started = [sys.executable, "-m", "classroom", "--course", str(course.folder), "grade"]
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # which a shell's background job ignores
    with subprocess.Popen(
        started, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=heard
    ) as ran:
        try:
            yield ran
        finally:
            ran.kill()


def recorded(course):
    return sorted(name.partition("/")[2] for name in course.remember(".graded.json"))


def until(true, seconds=90):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    assert true()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_was_stopped_goes_on_where_it_was(course, place, classroom, tmp_path, lines, number):
    hand_in(course, place, {name: WAITS for name in ("ann", "ben", "cat", "dan", "eli")})
    folder = tmp_path / "temporary"
    folder.mkdir()
    with command(course, folder) as ran:
        until(lambda: recorded(course))
        ran.send_signal(number)
        said = ran.communicate(timeout=60)[0]
    assert ran.returncode == {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}[number], said
    until(lambda: walls.strays(folder, within=True) == [])
    until(lambda: not list(folder.iterdir()))
    before = recorded(course)
    assert 0 < len(before) < 6
    code, said = classroom("grade")
    assert code == 0, said
    (graded,) = [line for line in said.splitlines() if line.startswith("grading ")]
    assert sorted(graded.removeprefix("grading ").split(", ") + before) == ["ann", "ben", "cat", "dan", "eli", "zoe"]
    assert [row["score"] for row in lines(course).values()] == ["11"] * 5 + [""]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are found by /proc")
def test_a_worker_that_is_killed_costs_nobody_a_grade(course, place, tmp_path, lines):
    hand_in(course, place, {name: WAITS for name in ("ann", "ben", "cat")})
    with command(course, tmp_path) as ran:
        until(lambda: walls.strays(tmp_path, within=True))
        children = Path(f"/proc/{ran.pid}/task/{ran.pid}/children")
        os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
        said = ran.communicate(timeout=120)[0]
    assert ran.returncode == 0, said
    assert [row["score"] for row in lines(course).values()] == ["11"] * 3 + [""]
    assert walls.strays(tmp_path, within=True) == []


@pytest.mark.slow
def test_feedback_that_was_interrupted_goes_on_where_it_was(course, place, classroom, alone, monkeypatch):
    hand_in(course, place)
    each = worker.each

    def interrupted(jobs, seconds):
        jobs = list(jobs)
        if jobs[0].work is not pages._page:
            return each(jobs, seconds)
        return stopping(each(jobs[:2], seconds))

    def stopping(found):
        yield from found
        raise KeyboardInterrupt

    monkeypatch.setattr(worker, "each", interrupted)
    assert classroom("grade")[0] == 130
    monkeypatch.undo()
    made = {file: file.stat().st_ino for file in course.folder.glob("feedback/*/*/*.html")}
    assert len(made) == 2
    assert classroom("grade")[0] == 0
    assert written(course) == alone
    assert {file: file.stat().st_ino for file in made} == made


def test_progress_is_a_line_now_and_then_and_in_a_terminal_one_that_is_written_over(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])

    def slow():
        for number in range(100):
            now[0] += 4
            yield number

    assert list(progress.told(slow(), 100, "graded")) == list(range(100))
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["graded: 8 of 100, 92 left, about 6 min", "graded: 16 of 100, 84 left, about 6 min"]
    assert said[-1] == "graded: 96 of 100, 4 left, about 16 s"
    assert len(said) == 12
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    list(progress.told(slow(), 100, "graded"))
    said = capsys.readouterr().out
    assert said.count("\n") == 0
    assert said.count("\r") == 101
    assert said.endswith("\r")


def test_a_scheduler_that_cannot_be_had_is_said_in_a_sentence(course, classroom, monkeypatch):
    monkeypatch.setenv("SCHEDULER", "tcp://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, said = classroom("grade")
    assert (code, said.splitlines()[-1]) == (
        1,
        "SCHEDULER needs Dask's package `distributed` here: pip install distributed.",
    )


@pytest.fixture(scope="module")
def cluster():
    """A scheduler and two workers of one thread, in processes of their own."""
    distributed = pytest.importorskip("distributed", reason="Dask's `distributed` is not installed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as found:
        yield found


@pytest.mark.slow
def test_a_cluster_gives_the_same_grades(cluster, course, place, classroom, alone, monkeypatch):
    hand_in(course, place)
    monkeypatch.setenv("SCHEDULER", cluster.scheduler_address)
    code, said = classroom("grade")
    assert code == 0, said
    assert written(course) == alone


@pytest.mark.slow
def test_a_worker_of_a_cluster_that_is_killed_costs_nobody_a_grade(cluster, course, place, alone, monkeypatch):
    """The cluster goes on with the other, and begins a new one in its place."""
    hand_in(course, place)
    monkeypatch.setenv("SCHEDULER", cluster.scheduler_address)
    killed = []
    with scheduler.chosen() as run:

        def killing(jobs, seconds):
            for number, came in enumerate(run(jobs, seconds)):
                if number == 1:
                    killed.append(cluster.workers[0].pid)
                    os.kill(killed[0], signal.SIGKILL)
                yield came

        monkeypatch.setattr(scheduler, "chosen", lambda: contextlib.nullcontext(killing))
        assert main(["--course", str(course.folder), "grade"]) == 0
    assert killed
    assert written(course) == alone
    until(lambda: cluster.workers[0].pid not in {None, killed[0]})


@pytest.mark.slow
def test_a_cluster_that_contains_otherwise_is_refused(cluster, course, classroom, monkeypatch):
    monkeypatch.setenv("SCHEDULER", cluster.scheduler_address)
    monkeypatch.setattr(walls, "best", lambda: walls.LIMITS)
    code, said = classroom("grade")
    assert code == 1
    assert "contains students' code by" in said.splitlines()[-1]
    assert said.endswith(", and this machine by limits alone: both must do the same.\n")


@pytest.mark.slow
def test_no_scheduler_at_an_address_is_said(cluster, course, classroom, monkeypatch):
    monkeypatch.setattr("classroom.scheduler.PATIENCE", 1)
    for address in ("tcp://127.0.0.1:9", "nonsense://a", "tcp://"):
        monkeypatch.setenv("SCHEDULER", address)
        code, said = classroom("grade")
        assert code == 1
        assert f"No Dask scheduler answers at {address} (" in said.splitlines()[-1]


def _room():
    return len(np.empty(1 << 30))


def test_what_grades_has_a_limit_of_memory():
    with pytest.raises(worker.Stopped, match="MemoryError"):
        worker.run(60, _room)
