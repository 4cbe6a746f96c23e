"""A course with one released set, made once; every test that writes gets a copy."""

import shutil
import warnings

import nbformat
import pytest

warnings.filterwarnings("ignore", module="nbgrader")  # its own warnings, at import, are not ours to mend

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
    """Put a notebook where a collected one lies."""

    def put(student, notebook):
        folder = course.folder / "submitted" / student / SET
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, folder / f"{SET}.ipynb")

    return put
