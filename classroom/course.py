"""A course folder for nbgrader: made, released into, and never emptied.

What a new version would replace is moved to `earlier/` in the course folder first, so that nothing is lost by running a
command again.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    ClearOutput,
    DeduplicateIds,
    GetGrades,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
)
from nbgrader.utils import capture_log
from traitlets.config import Config

from classroom import progress, sets, worker
from classroom.contained import RunContained
from classroom.feedback import HideHidden
from classroom.notebooks import Reader, handed_out_before
from classroom.rehearse import rehearse
from classroom.restore import RestoreCells

ROOT = Path(__file__).resolve().parent.parent
RELEASED = ".released.json"
SETTINGS = f"""# Written by `make classroom`; add settings of your own below.
import sys

sys.path.insert(0, {str(ROOT)!r})
from classroom.course import configure

c = get_config()
configure(c)
"""


class CourseError(Exception):
    """Something that the teacher must decide: the sentence says what."""


def configure(c: Config) -> None:
    """nbgrader's settings: stubs in a student's words, submissions in a process of their own, feedback without tests."""
    c.CourseDirectory.course_id = "attention"
    c.ClearSolutions.code_stub = {"python": "# your code here"}
    c.ClearSolutions.text_stub = "Your answer here."
    c.Autograde.exporter_class = Reader
    c.Autograde.sanitize_preprocessors = [
        ClearOutput, RestoreCells, DeduplicateIds, OverwriteKernelspec, OverwriteCells, CheckCellMetadata,
    ]  # fmt: skip
    c.Autograde.autograde_preprocessors = [RunContained, SaveAutoGrades, AssignLatePenalties, CheckCellMetadata]
    c.GenerateFeedback.preprocessors = [GetGrades, HideHidden, CSSHTMLHeaderPreprocessor]


@dataclass(frozen=True)
class Course:
    """The folder, and nbgrader in it."""

    folder: Path

    def nbgrader(self, step: type, name: str, student: str = "*", without: type | None = None) -> str:
        """Run a step of nbgrader for a set; what went wrong, in a line, or nothing."""
        c = Config()
        configure(c)
        c.Autograde.autograde_preprocessors = [one for one in c.Autograde.autograde_preprocessors if one is not without]
        c.CourseDirectory.root = str(self.folder)
        c.CourseDirectory.assignment_id, c.CourseDirectory.student_id = name, student
        work = step(coursedir=CourseDirectory(config=c), config=c)
        work.force = True  # its own results of an earlier run; what people made is set aside before
        work.log.handlers.clear()
        work.log.propagate = False
        start, ended = work.start, list[BaseException]()

        def started() -> None:
            try:
                start()
            except (KeyboardInterrupt, SystemExit) as error:
                ended.append(error)
                raise

        work.start = started
        with quiet():
            result = capture_log(work)
        if ended:  # which it keeps to itself
            raise ended[0]
        return "" if result["success"] else _reason(result)

    def make_release(self, name: str) -> str:
        return self.nbgrader(GenerateAssignment, name)

    def autograde(self, name: str, student: str, run: bool = True) -> str:
        """Grade a submission; without `run` none of its code is run, and its points mean nothing."""
        return self.nbgrader(Autograde, name, student, None if run else RunContained)

    def autograded(self, name: str, student: str) -> Path:
        """The student's notebook as it was graded."""
        return self.folder / "autograded" / student / name / f"{name}.ipynb"

    @property
    def database(self) -> str:
        return f"sqlite:///{self.folder / 'gradebook.db'}"

    def source(self, name: str) -> Path:
        return self.folder / "source" / name / f"{name}.ipynb"

    def released(self, name: str) -> Path:
        return self.folder / "release" / name / f"{name}.ipynb"

    def submissions(self, name: str) -> list[Path]:
        """The folders that students' work lies in, by student."""
        return sorted(folder for folder in self.folder.glob(f"submitted/*/{name}") if folder.is_dir())

    def handed_out_before(self, name: str) -> list[Path]:
        """The students' copies of a set that a newer one has replaced: whoever fetched one has its cells."""
        return handed_out_before(self.folder, name)

    def assignments(self) -> list[str]:
        """The sets that were released here."""
        return sorted(file.stem for file in self.folder.glob("release/*/*.ipynb"))

    def set_aside(self, path: Path) -> None:
        """Move a file or folder to `earlier/1`, `earlier/2` …, where nothing reads it and nothing is lost."""
        number = 1 + len(list(self.folder.glob("earlier/*")))
        while (place := self.folder / "earlier" / str(number)).exists():
            number += 1
        target = place / path.relative_to(self.folder)
        target.parent.mkdir(parents=True)
        shutil.move(path, target)

    def write(self, file: Path, content: bytes) -> None:
        """Write a file whole or not at all."""
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        try:
            with os.fdopen(handle, "wb") as opened:
                opened.write(content)
            os.chmod(name, 0o644)
            os.replace(name, file)
        except BaseException:
            os.unlink(name)
            raise

    def remember(self, file: str, content: dict[str, Any] | None = None) -> dict[str, Any]:
        """A small record in the folder: read it, or write it when content is given."""
        path = self.folder / file
        if content is not None:
            self.write(path, json.dumps(content, indent=1).encode())
            return content
        try:
            return json.loads(path.read_text(encoding="utf8")) if path.exists() else {}
        except ValueError:
            raise CourseError(f"{path} is damaged. Delete it: what it records is then made anew.") from None

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """For one command at a time; a second one is told so."""
        if not self.folder.exists():  # a release that is refused leaves no folder
            yield
            return
        with (self.folder / ".lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise CourseError(f"Another command is at work in {self.folder}. Wait until it is done.") from None
            with worker.not_inherited(file.fileno()):  # else a process that outlives this one would hold the lock
                yield


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings of nbgrader's talk with its database."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _reason(result: dict[str, Any]) -> str:
    """Why a step failed: the error in its log, or its own."""
    errors = re.findall(r"^ {4}([A-Za-z_][\w.]*: .*)$", result.get("log", ""), re.MULTILINE)
    return str((errors or [line for line in result["error"].splitlines() if line.strip()])[-1])


def release(course: Course, graded: Path = sets.GRADED, only: list[str] | None = None) -> list[str]:
    """Put each graded set into the course and make the students' copies; a sentence for each says what was done.

    Every set is read and tried first, so that nothing is written when one is refused (SetError). A set that students have
    handed in changes only where their cells stay the same; CourseError otherwise.
    """
    known = sets.names(graded)
    if not known:
        raise CourseError(f"{graded} holds no graded set: no Markdown file with a test, or an answer in words.")
    if unknown := set(only or []) - set(known):
        raise CourseError(f"No graded set is called {', '.join(sorted(unknown))}; there are {', '.join(known)}.")
    found = [sets.parse(graded / f"{name}.md") for name in only or known]
    changed = [one for one in found if course.remember(RELEASED).get(one.name) != digest(_content(one))]
    if changed:
        print(f"trying {', '.join(one.name for one in changed)}", flush=True)
    for one in progress.told(changed, len(changed), "tried"):
        rehearse(one)
    course.folder.mkdir(parents=True, exist_ok=True)
    settings = course.folder / "nbgrader_config.py"
    if not settings.exists():
        course.write(settings, SETTINGS.encode())
    passed = [] if only else [f"{name}: no graded cell in it, passed over." for name in sets.others(graded)]
    return [_release(course, one) for one in progress.told(found, len(found), "released")] + passed


def _release(course: Course, graded: sets.Set) -> str:
    name, notebook, content = graded.name, graded.notebook, _content(graded)
    source, record = course.source(name), course.remember(RELEASED)
    points = sum(points for _, _, points in sets.shape(notebook))
    done = f"{name}, {points:g} points: hand out {course.released(name)}"
    if source.exists():
        if record.get(name) != digest(source.read_bytes()):
            return f"{name}: {source} was changed by hand and is kept as it is; {name}.md was not read."
        if record[name] == digest(content) and course.released(name).exists():
            return f"{done} (unchanged)"
        if course.submissions(name) and sets.shape(nbformat.read(source, 4)) != sets.shape(notebook):
            raise CourseError(
                f"{name}: students have handed this set in, and {name}.md now has other cells or points. Nothing was "
                f"changed. Give the new set a file name of its own, or another course folder."
            )
        course.set_aside(source)
        done += f" (changed; the version before is in {course.folder / 'earlier'})"
    course.remember(RELEASED, record | {name: digest(content)})
    course.write(source, content)
    if course.released(name).parent.exists():
        course.set_aside(course.released(name).parent)
    if trouble := course.make_release(name):
        raise CourseError(f"{name}: nbgrader could not make the students' copy: {trouble}")
    if wrong := sets.leaks(notebook, course.released(name)):
        shutil.rmtree(course.released(name).parent)
        raise CourseError(f"{name}: the students' copy was made and withdrawn: {' '.join(wrong)}")
    return done


def _content(graded: sets.Set) -> bytes:
    """The source notebook as it is written."""
    return f"{nbformat.writes(graded.notebook)}\n".encode()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
