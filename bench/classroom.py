"""How long a class takes to be graded: its seconds of computing, of waiting, and its memory, on this machine.

    python bench/classroom.py [--students 40] [--processes 2] [--kinds honest|mixed] [--class 300]

The class is the demo's, over and over: right work, mistakes, and what stops, floods or tries to get out; or right work and
mistakes alone. It is graded once and its feedback written, with the demo's limits. Computing is that of all processes that
took part. Prints the figures, and what follows for a class of 300.
"""

import argparse
import copy
import ctypes
import json
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

BAR, MEMORY = 3.5, 2.0  # minutes for 300 on two cores, and GB
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


def held(number: int) -> int:
    """Bytes of memory of a process and of all that it started, what they share counted once."""
    found = 0
    with suppress(OSError):
        for line in Path(f"/proc/{number}/smaps_rollup").read_text().splitlines():
            found += int(line.split()[1]) * 1024 if line.startswith("Pss:") else 0
        for task in Path(f"/proc/{number}/task").iterdir():
            found += sum(held(int(child)) for child in (task / "children").read_text().split())
    return found


class Memory(threading.Thread):
    """The most memory that was held at once, looked at every second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most, self.done = 0, threading.Event()

    def run(self) -> None:
        while not self.done.wait(1):
            self.most = max(self.most, held(os.getpid()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--students", type=int, default=38)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--kinds", choices=("honest", "mixed"), default="mixed")
    parser.add_argument("--class", type=int, default=300, dest="whole")
    chosen = parser.parse_args()
    os.environ["PROCESSES"] = str(chosen.processes)
    os.environ.setdefault("CONTAIN", "root")
    os.environ.setdefault("CLASSROOM_LIMITS", json.dumps({"seconds": 2, "total": 120, "memory": 1 << 30}))
    from classroom import grades
    from classroom.course import Course, release
    from classroom.demo.submissions import STUDENTS

    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        course = Course(Path(folder).resolve())
        release(course, only=[SET])
        hand_in(course, chosen.students, list(HONEST if chosen.kinds == "honest" else STUDENTS))
        memory = Memory()
        memory.start()
        start, before = time.monotonic(), computing()
        rows = grades.grade(course, SET, say=lambda _: None)
        graded = time.monotonic()
        grades.feedback(course, SET)
        seconds, used = time.monotonic() - start, computing() - before
        memory.done.set()
        memory.join()
    each = chosen.whole / len(rows)
    print(f"{len(rows)} submissions, {chosen.kinds}, {chosen.processes} at once: {seconds:.1f} s")
    print(f"  grading {graded - start:.1f} s, feedback {start + seconds - graded:.1f} s")
    print(f"  for each: {used / len(rows):.2f} s of computing, {seconds / len(rows):.2f} s of waiting")
    print(f"  memory at most {memory.most / 1e9:.2f} GB (bar {MEMORY:g})")
    print(f"  {chosen.whole} submissions: {seconds * each / 60:.1f} min (bar {BAR} for 300 on two cores)")


if __name__ == "__main__":
    main()
