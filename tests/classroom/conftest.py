"""A course with one released set, made once; every test that writes gets a copy."""

import csv
import json
import os
import shutil
import warnings
from pathlib import Path

import nbformat
import pytest

os.environ.setdefault("CONTAIN", "none root")  # whatever this machine has, and whoever runs the tests
warnings.filterwarnings("ignore", module="nbgrader")  # its own warnings, at import, are not ours to mend

from classroom.__main__ import main  # noqa: E402
from classroom.course import Course, release  # noqa: E402

SET = "chapter_01"


@pytest.fixture(scope="session")
def released_once(tmp_path_factory):
    course = Course(tmp_path_factory.mktemp("released") / "course")
    release(course)
    return course


@pytest.fixture
def course(released_once, tmp_path):
    shutil.copytree(released_once.folder, tmp_path / "course")
    return Course(tmp_path / "course")


@pytest.fixture
def notebook(released_once):
    """The students' copy."""
    return nbformat.read(released_once.released(SET), 4)


@pytest.fixture
def submit(course):
    """Put a notebook, or bytes, where a collected one lies."""
    return lambda student, notebook: place(course, student, notebook)


@pytest.fixture
def classroom(course, capsys):
    """The command `python -m classroom` on the course: its exit code and what it says."""

    def run(*arguments):
        capsys.readouterr()
        code = main(["--course", str(course.folder), *map(str, arguments)])
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


def place(course, student, notebook):
    file = course.folder / "submitted" / student / SET / f"{SET}.ipynb"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode())


def lines(course, sheet="grades"):
    """The rows of one of the course's sheets, by student."""
    with Path(course.folder / f"{sheet}-{SET}.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}
