"""What students get holds no solution and no hidden test, and a release never costs a teacher anything."""

import html
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import nbformat
import pytest
import yaml

from classroom import progress, sets
from classroom.cells import kind
from classroom.contained import grade
from classroom.course import Course, CourseError, release
from classroom.demo.submissions import RIGHT, fill

SET = "chapter_01"
GRADED = sorted(sets.GRADED.glob("*.md"))


def secrets(file):
    """The solutions and hidden tests of a set: whole, and the lines of them that students do not see anyway."""
    whole, shown = [], ""
    for cell in sets.read(file).cells:
        tag = cell.metadata.get("nbgrader", {})
        regions = re.findall(r"### BEGIN [A-Z ]+\n(.*?)### END", cell.source, re.DOTALL)
        whole += [cell.source] if tag.get("solution") and tag.get("grade") else regions
        for region in regions:
            shown += cell.source.replace(region, "")
    lines = {line.strip() for region in whole for line in region.splitlines() if len(line.strip()) > 8}
    assert len(lines) > 20
    return whole, {line for line in lines if line not in shown}


def flat(text):
    """Words and signs alone, as a reader sees them: without tags, and without how lines are broken."""
    return "".join(html.unescape(re.sub(r"<[^>]*>", "", text)).split())


@pytest.fixture(scope="session")
def released_all(once, _one_alembic):
    """Every set, released; that each works is tested beside its answers."""

    def make(folder):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("classroom.course.rehearse", lambda _: None)
            release(Course(folder / "course"))
        return Course(folder / "course")

    return once("released all", make)


def test_a_release_says_how_many_sets_are_tried_and_left(tmp_path, capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr("classroom.course.rehearse", lambda _: now.append(now.pop() + 40))
    monkeypatch.setattr("classroom.course._release", lambda _, graded: now.append(now.pop() + 30) or graded.name)
    names = [file.stem for file in GRADED[:3]]
    assert release(Course(tmp_path / "course"), only=names) == names
    assert capsys.readouterr().out.splitlines() == [
        f"trying {', '.join(names)}",
        "tried: 1 of 3, 2 left, about 80 s",
        "tried: 2 of 3, 1 left, about 40 s",
        "released: 1 of 3, 2 left, about 60 s",
        "released: 2 of 3, 1 left, about 30 s",
    ]


@pytest.mark.parametrize("file", GRADED, ids=lambda file: file.stem)
def test_the_release_holds_no_solution_and_no_hidden_test(released_all, file):
    cells = nbformat.read(released_all.released(file.stem), 4).cells
    text = "\n".join(cell.source for cell in cells)
    assert "BEGIN" not in text
    assert [line for line in secrets(file)[1] if line in text] == []
    assert sum(cell.source.endswith("# your code here") for cell in cells) == text.count("# your code here") - 1
    assert "Your answer here." in text


@pytest.mark.parametrize("file", GRADED, ids=lambda file: file.stem)
def test_nothing_of_a_graded_set_reaches_the_site_or_the_notebooks(file):
    whole = [flat(region) for region in secrets(file)[0]]
    title = flat(file.read_text().splitlines()[0].lstrip("# "))
    places = [
        *Path("_build/html").rglob("*.html"),
        *Path("_build/html").rglob("*.js"),
        *Path("notebooks").glob("*.ipynb"),
    ]
    for place in [*places, *Path("chapters").rglob("*.md")]:
        text = flat(place.read_text(encoding="utf8").replace("\\n", "\n").replace('\\"', '"'))
        assert [region for region in [*whole, title] if region in text] == [], place
    assert [path for path in Path("_build/html").rglob("*") if "classroom" in path.name] == []


def test_the_wheel_and_the_site_are_told_to_leave_the_classroom_out():
    wheel = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert not any("classroom" in package for package in wheel["packages"])
    assert {"classroom", "course"} <= set(yaml.safe_load(Path("_config.yml").read_text())["exclude_patterns"])
    subprocess.run(["git", "check-ignore", "-q", "course/gradebook.db"], check=True)


@pytest.mark.slow
def test_nothing_of_the_classroom_is_in_the_wheel(tmp_path):
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", tmp_path, "."]
    subprocess.run(command, check=True, capture_output=True)
    names = zipfile.ZipFile(next(tmp_path.glob("attnlib-*.whl"))).namelist()
    assert [name for name in names if not name.startswith(("anywidget_static", "attnlib", "attention_posters"))] == []
    assert [name for name in names if "graded" in name] == []


def test_releasing_again_changes_nothing(course):
    before = course.released(SET).read_bytes()
    said = f"{SET}, 14 points: hand out {course.released(SET)} (unchanged)"
    assert release(course, only=[SET]) == [said]
    assert course.released(SET).read_bytes() == before
    assert not (course.folder / "earlier").exists()


def changed_set(folder, old, new):
    folder.mkdir()
    (folder / f"{SET}.md").write_text((sets.GRADED / f"{SET}.md").read_text().replace(old, new, 1))
    return folder


def test_a_new_test_keeps_the_submissions_and_the_version_before(course, notebook, submit, tmp_path):
    submit("ada", notebook)
    before = course.source(SET).read_bytes()
    said = release(course, changed_set(tmp_path / "own", "default_rng(4711)", "default_rng(4712)"))
    assert "changed" in said[0]
    assert "4712" in course.source(SET).read_text()
    assert (course.folder / "submitted" / "ada" / SET / f"{SET}.ipynb").exists()
    assert before in [file.read_bytes() for file in (course.folder / "earlier").rglob("*.ipynb")]


def test_a_text_that_the_teacher_changed_since_is_no_answer(course, classroom, submit, notebook, lines, tmp_path):
    submit("ada", fill(notebook, RIGHT, {"explain-hull": "Your answer here."}))
    classroom("grade")
    before = lines(course)["ada"]
    release(course, changed_set(tmp_path / "own", "NumPy is all you need", "NumPy is all that you need"))
    classroom("grade")
    assert lines(course)["ada"] == before
    assert "Your text" not in (course.folder / "feedback" / "ada" / SET / f"{SET}.html").read_text()


def test_other_cells_are_refused_once_students_have_handed_in(course, notebook, submit, tmp_path):
    own = changed_set(tmp_path / "own", "question=long_enough points=2", "question=long_enough points=5")
    submit("ada", notebook)
    before = {file: file.read_bytes() for file in course.folder.rglob("*") if file.is_file()}
    with pytest.raises(CourseError, match="handed this set in"):
        release(course, own)
    assert {file: file.read_bytes() for file in course.folder.rglob("*") if file.is_file()} == before


def test_a_source_that_the_teacher_changed_is_kept(course):
    notebook = json.loads(course.source(SET).read_text())
    notebook["cells"][0]["source"] = ["mine"]
    course.source(SET).write_text(json.dumps(notebook))
    assert "kept as it is" in release(course, only=[SET])[0]
    assert "mine" in course.source(SET).read_text()


SINGLE = {
    "answer-tempered": """def tempered_attention(x, temperature):
    scores = np.float32(x) @ np.float32(x).T / np.float32(temperature)
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True) @ np.float32(x)""",
    "answer-cosines": """def cosines(dots):
    length = np.sqrt(np.float32(dots).diagonal())
    return np.float32(dots) / np.outer(length, length)""",
}


def test_a_right_answer_in_single_precision_passes_what_is_hidden_too():
    work = fill(sets.read(sets.GRADED / f"{SET}.md"), RIGHT, SINGLE)
    grade(work)
    assert [(kind(cell), cell.outputs) for cell in work.cells if cell.get("outputs") and kind(cell) != "data"] == []
