"""A course with one released set, made once; every test that writes gets a copy."""

import copy
import csv
import json
import os
import shutil
import warnings
from functools import cache, partial
from pathlib import Path

import nbformat
import pytest

os.environ.setdefault("CONTAIN", "none root")  # whatever this machine has, and whoever runs the tests
warnings.filterwarnings("ignore", module="nbgrader")  # its own warnings, at import, are not ours to mend

import nbgrader.api  # noqa: E402
from nbgrader.auth import Authenticator  # noqa: E402
from nbgrader.coursedir import CourseDirectory  # noqa: E402
from nbgrader.exchange.default import ExchangeFetchAssignment, ExchangeSubmit  # noqa: E402
from traitlets.config import Config  # noqa: E402

from classroom.__main__ import main  # noqa: E402
from classroom.course import Course, release  # noqa: E402
from classroom.demo.submissions import named  # noqa: E402
from classroom.exchange import hand_out  # noqa: E402

SET, COURSE = "chapter_01", "attention"


@pytest.fixture(scope="session", autouse=True)
def _one_alembic():
    """nbgrader starts a process for each new gradebook, to ask for what is always the same: it is asked once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nbgrader.api, "get_alembic_version", cache(nbgrader.api.get_alembic_version))
        yield


@pytest.fixture(scope="session")
def released_once(once, _one_alembic):
    def make(folder):
        course = Course(folder / "course")
        release(course, only=[SET])
        return course

    return once("released", make)


@pytest.fixture(scope="session")
def copied(released_once):
    """Another course in a folder, as it is after the release."""
    return lambda folder: Course(Path(shutil.copytree(released_once.folder, folder / "course")))


@pytest.fixture
def course(copied, tmp_path):
    return copied(tmp_path)


@pytest.fixture
def notebook(released_once):
    """The students' copy."""
    return nbformat.read(released_once.released(SET), 4)


@pytest.fixture(scope="session")
def place():
    """Put a student's notebook, with the student's name, or bytes, where a collected one lies in a course."""

    def put(course, student, notebook):
        file = course.folder / "submitted" / student / SET / f"{SET}.ipynb"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(
            notebook if isinstance(notebook, bytes) else json.dumps(named(copy.deepcopy(notebook), student)).encode()
        )

    return put


@pytest.fixture
def submit(course, place):
    """The same in this test's course."""
    return partial(place, course)


@pytest.fixture(scope="session")
def lines():
    """The rows of one of a course's sheets, by student."""

    def read(course, sheet="grades"):
        with Path(course.folder / f"{sheet}-{SET}.csv").open(encoding="utf-8-sig", newline="") as file:
            return {row["student"]: row for row in csv.DictReader(file)}

    return read


@pytest.fixture
def classroom(course, capsys):
    """The command `python -m classroom` on the course: its exit code and what it says."""

    def run(*arguments):
        capsys.readouterr()
        code = main(["--course", str(course.folder), *map(str, arguments)])
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


def _nbgrader(step, root, at):
    """A step of nbgrader's exchange, as its command does it."""
    c = Config()
    c.Exchange.root, c.Exchange.assignment_dir = str(root), str(at)
    c.CourseDirectory.course_id, c.CourseDirectory.assignment_id = COURSE, SET
    step(coursedir=CourseDirectory(config=c), authenticator=Authenticator(config=c), config=c).start()


@pytest.fixture
def hub(course, tmp_path, monkeypatch):
    """An exchange in which the set lies ready, and a student who takes and submits it: the folder of the submission."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "cache"))
    root = tmp_path / "exchange"
    for folder in ("inbound", "outbound"):
        (root / COURSE / folder).mkdir(parents=True)
    hand_out(course, SET, root)
    inbound = root / COURSE / "inbound"

    def submit(student, notebook=None, name=f"{SET}.ipynb"):
        own, home = tmp_path / "own" / student / COURSE, tmp_path / "home" / student
        if not own.exists():
            own.mkdir(parents=True)
            home.mkdir(parents=True)
            (inbound / student).mkdir()
            (own / "inbound").symlink_to(inbound / student)
            (own / "outbound").symlink_to(root / COURSE / "outbound")
            _nbgrader(ExchangeFetchAssignment, own.parent, home)
        if notebook is not None:
            (home / SET / f"{SET}.ipynb").unlink(missing_ok=True)
            nbformat.write(notebook, home / SET / name)
        before = {*(inbound / student).iterdir()}
        _nbgrader(ExchangeSubmit, own.parent, home)
        return ({*(inbound / student).iterdir()} - before).pop()

    submit.root, submit.inbound = root, inbound
    return submit
