"""How long a class takes to be graded, and how much memory, with the limits that a teacher gets; and whether twice gives the same.

    python bench/classroom.py [--students 300] [--processes 2] [--kinds honest|mixed] [--scheduler]

The class is the demo's, over and over: right work, mistakes, and what never ends, floods or tries to get out; or right work
and mistakes alone. It is graded and its feedback written, on as many cores as `--processes` says, to which this process is
pinned. Then all of it is graded again, and rows and pages are compared; with `--scheduler` by two workers of a Dask cluster
here, of which one is killed in the midst. Computing is that of all processes that took part. Ends with 1 where a bar is not
met: the time of the first run, scaled to 300 submissions, the memory of both, or equal grades and feedback. The machine
should be quiet; how busy others kept its cores is said.
"""

import argparse
import contextlib
import copy
import ctypes
import os
import resource
import sys
import tempfile
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
warnings.simplefilter("ignore")

import nbformat  # noqa: E402

WHOLE, BAR, MEMORY = 300, 3.5, 2.0  # submissions, minutes for them on two cores, and GB
HONEST = ("all right", "all right, with loops", "wrong axis", "times temperature", "nothing done", "syntax error")
SET = "chapter_01"
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what a student's process leaves behind is counted too


def hand_in(course, students: int, kinds: list[str]) -> None:
    """Put the submissions where collected ones lie."""
    from classroom.demo.submissions import STUDENTS, named

    notebook = nbformat.read(course.released(SET), 4)
    for number in range(students):
        student = f"student-{number:03}"
        made = STUDENTS[kinds[number % len(kinds)]](named(copy.deepcopy(notebook), student))
        file = course.folder / "submitted" / student / SET / f"{SET}.ipynb"
        file.parent.mkdir(parents=True)
        file.write_text(nbformat.writes(made), encoding="utf8")


def computing() -> float:
    """Seconds of computing of this process and of all that it started and that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def busy(cores: set[int]) -> float:
    """Seconds for which these cores have computed, for whomever."""
    found = 0
    for line in Path("/proc/stat").read_text().splitlines():
        name, *ticks = line.split()
        if name in {f"cpu{core}" for core in cores}:
            found += sum(map(int, ticks[:3])) + sum(map(int, ticks[5:8]))
    return found / os.sysconf("SC_CLK_TCK")


def held(number: int) -> int:
    """Bytes of memory of a process and of all that it started, what they share counted once."""
    found = 0
    with suppress(OSError):
        for line in Path(f"/proc/{number}/smaps_rollup").read_text().splitlines():
            found += int(line.split()[1]) * 1024 if line.startswith("Pss:") else 0
        for task in Path(f"/proc/{number}/task").iterdir():
            found += sum(held(int(child)) for child in (task / "children").read_text().split())
    return found


def pages(course) -> dict[str, bytes]:
    """What students get back, by file."""
    folder = course.folder / "feedback"
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


class Memory(threading.Thread):
    """The most memory that was held at once, looked at every half second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most, self.done = 0, threading.Event()

    def run(self) -> None:
        while not self.done.wait(0.5):
            self.most = max(self.most, held(os.getpid()))


@contextlib.contextmanager
def cluster(students: int):
    """A runner on two workers in processes of their own; one of them is killed after a third of the class."""
    import distributed

    from classroom import scheduler

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers:
        os.environ["SCHEDULER"] = workers.scheduler_address
        with scheduler.chosen() as run:

            def killing(jobs, seconds):
                for number, came in enumerate(run(jobs, seconds)):
                    if number == students // 3:
                        os.kill(workers.workers[0].pid, 9)
                        print(f"  one of two workers was killed after {number + 1} submissions")
                    yield came

            yield killing
        del os.environ["SCHEDULER"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--students", type=int, default=38)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--kinds", choices=("honest", "mixed"), default="mixed")
    parser.add_argument("--scheduler", action="store_true", help="grade the second time on a Dask cluster")
    chosen = parser.parse_args()
    cores = set(sorted(os.sched_getaffinity(0))[: chosen.processes])
    os.sched_setaffinity(0, cores)
    os.environ |= {"PROCESSES": str(chosen.processes), "CLASSROOM_LIMITS": ""}
    os.environ.setdefault("CONTAIN", "root")
    from classroom import grades, worker
    from classroom.course import Course, release
    from classroom.demo.submissions import STUDENTS
    from classroom.limits import Limits

    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        course = Course(Path(folder).resolve())
        release(course, only=[SET])
        hand_in(course, chosen.students, list(HONEST if chosen.kinds == "honest" else STUDENTS))
        memory = Memory()
        memory.start()
        start, before, others = time.monotonic(), computing(), busy(cores)
        rows = grades.grade(course, SET, say=lambda _: None, run=worker.each)
        graded = time.monotonic()
        grades.feedback(course, SET)
        seconds, used = time.monotonic() - start, computing() - before
        others = max(0.0, busy(cores) - others - used) / (len(cores) * seconds)
        first = pages(course)
        with cluster(chosen.students) if chosen.scheduler else contextlib.nullcontext(worker.each) as run:
            again = grades.grade(course, SET, again=True, say=lambda _: None, run=run)
        grades.feedback(course, SET)
        now = pages(course)
        other = [page for page in first.keys() | now.keys() if first.get(page) != now.get(page)]
        memory.done.set()
        memory.join()
    minutes, most = seconds / len(rows) * WHOLE / 60, memory.most / 1e9
    limits = Limits.chosen()
    print(
        f"{len(rows)} submissions, {chosen.kinds}, {chosen.processes} at once on cores {sorted(cores)}: {seconds:.1f} s"
    )
    print(
        f"  the limits: {limits.seconds:g} s, {limits.memory >> 20} MiB; others kept {others:.0%} of these cores busy"
    )
    print(f"  grading {graded - start:.1f} s, feedback {start + seconds - graded:.1f} s")
    print(f"  for each: {used / len(rows):.2f} s of computing, {seconds / len(rows):.2f} s of waiting")
    alone = used / len(rows) * WHOLE / len(cores) / 60
    print(f"  {WHOLE} submissions: {minutes:.1f} min (bar {BAR} on two cores), of which computing is {alone:.1f}")
    print(f"  memory at most {most:.2f} GB (bar {MEMORY:g})")
    states = {state: sum(row.state == state for row in rows) for state in sorted({row.state for row in rows})}
    print(f"  {', '.join(f'{number} {state}' for state, number in states.items())}")
    moved = sum(one != before for one, before in zip(again, rows, strict=False)) + abs(len(again) - len(rows))
    print(
        f"  graded again{' by the cluster' if chosen.scheduler else ''}: "
        f"{moved} of {len(rows)} rows and {len(other)} of {len(first)} pages are another"
    )
    return int(minutes > BAR or most > MEMORY or bool(moved or other) or not first)


if __name__ == "__main__":
    sys.exit(main())
