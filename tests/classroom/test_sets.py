"""A set that would give everybody nothing, or a test away, is refused with its line before anything is written."""

import copy
import re
from pathlib import Path

import nbformat
import pytest
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

from classroom import __main__ as command
from classroom import sets
from classroom.cells import kind, parts
from classroom.contained import grade
from classroom.course import Course, CourseError

ANSWER = "```python answer=half\nhalf = 0.0\n### BEGIN SOLUTION\nhalf = 0.5\n### END SOLUTION\n```\n"
TEST = """```python test=half points=2
assert isinstance(half, float)
### BEGIN HIDDEN TESTS
assert half == 0.5, "It is one of two parts."
### END HIDDEN TESTS
```
"""
SMALL = f"# A half\n\n{ANSWER}\nOne of two.\n\n{TEST}"


@pytest.fixture
def release(tmp_path, capsys):
    """Write files into a folder of graded sets and run the command; what it says, and whether it refused."""

    def run(files, *only):
        folder = tmp_path / "graded"
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        refused = command.main(["--course", str(tmp_path / "course"), "release", "--graded", str(folder), *only])
        said = capsys.readouterr()
        return refused, said.err if refused else said.out

    return run


RUNS = {  # what the containment finds when it runs the set: (text, the line to be named, words)
    "a model answer that stops": (SMALL.replace("half = 0.5", "half = 1 / 0"), "half = 1 / 0", "stops: ZeroDivision"),
    "a model answer that is wrong": (
        SMALL.replace("half = 0.5", "half = 0.4"),
        TEST[:15],
        "does not pass test-half: .*two parts",
    ),
    "a name that nobody defines": (
        SMALL.replace("assert half ==", "assert np.abs(half) =="),
        "assert np.abs",
        "np'? is not defined.*setup",
    ),
    "a test that an empty copy passes": (
        SMALL.replace("assert half == 0.5", "assert half < 1"),
        TEST[:15],
        "copy in which nothing",
    ),
    "a set-up that stops": (f"```python setup\nx = 1\ny = z\n```\n{SMALL}", "y = z", "cannot be graded: NameError"),
}
READ = {
    "a syntax error in an answer": (
        SMALL.replace("half = 0.5", "half = = 0.5"),
        "half = = 0.5",
        "no Python: invalid syntax",
    ),
    "a syntax error in a hidden test": (
        SMALL.replace("half == 0.5", "half == 0.5)"),
        "assert half == 0.5)",
        "no Python",
    ),
    "an answer that no test looks at": (
        SMALL.replace("half = ", "helf = "),
        ANSWER[:20],
        "no test looks at what answer-half",
    ),
    "no points": (SMALL.replace("points=2", "points=0"), "```python test=half points=0", "more than 0"),
    "points below 0": (SMALL.replace("points=2", "points=-1"), "```python test=half points=-1", "more than 0"),
    "points that are no number": (
        SMALL.replace("points=2", "points=nan"),
        "```python test=half points=nan",
        "points=0.5",
    ),
    "a misspelled option": (SMALL.replace("points=2", "point=2"), "```python test=half point=2", "not `point=2`"),
    "an option of nothing": (
        SMALL.replace("answer=half", "answer=half points=2"),
        "```python answer=half points=2",
        "no options",
    ),
    "a misspelled role": (
        SMALL.replace("test=half", "tset=half"),
        "```python tset=half points=2",
        "`tset=half` is none of setup",
    ),
    "another language": (SMALL.replace("python test", "py test"), "```py test=half points=2", "goes with `python`"),
    "an answer in words in Python": (
        SMALL + "```python explain=a points=1\n```\n",
        "```python explain=a points=1",
        "with `markdown`",
    ),
    "no name": (SMALL.replace("answer=half", "answer"), "```python answer", "give it a name"),
    "a name with other letters": (
        SMALL.replace("test=half", "test=hälf"),
        "```python test=hälf points=2",
        "letters from a to z",
    ),
    "a name with a path": (
        SMALL.replace("test=half", "test=../half"),
        "```python test=../half points=2",
        "letters from a to z",
    ),
    "a name twice": (
        SMALL + TEST.replace("points=2", "points=3"),
        "```python test=half points=3",
        "is called test-half too",
    ),
    "two set-ups": (f"```python setup\n```\n{SMALL}```python  setup\n```\n", "```python  setup", "is called setup too"),
    "an open fence at the end": (SMALL.rstrip("`\n"), "```python test=half points=2", "not closed"),
    "an open fence before another": (
        SMALL.replace("SOLUTION\n```", "SOLUTION\n"),
        "```python answer=half",
        "not closed before line",
    ),
    "a fence in a list": (
        SMALL + "- \n  ```python answer=a\n  ```\n",
        "  ```python answer=a",
        "in a list or a quotation",
    ),
    "no solution region": (
        SMALL.replace("### BEGIN SOLUTION\n", "").replace("### END SOLUTION\n", ""),
        ANSWER[:20],
        "BEGIN SOLUTION",
    ),
    "no hidden region": (
        SMALL.replace("### BEGIN HIDDEN TESTS\n", "").replace("### END HIDDEN TESTS\n", ""),
        TEST[:28],
        "BEGIN HIDDEN TESTS",
    ),
    "a region that is not closed": (
        SMALL.replace("### END HIDDEN TESTS\n", ""),
        "### BEGIN HIDDEN TESTS",
        "after it, one",
    ),
    "an end before its begin": (
        SMALL.replace("### BEGIN SOLUTION", "### END SOLUTION", 1),
        "### END SOLUTION",
        "without a BEGIN",
    ),
    "nested regions": (
        SMALL.replace("half = 0.5", "### begin solution\nhalf = 0.5"),
        "### begin solution",
        "without an END",
    ),
    "the mark of the other kind": (
        SMALL.replace("half = 0.5", "### BEGIN HIDDEN TESTS\nhalf = 0.5"),
        "### BEGIN HIDDEN TESTS",
        "`answer` takes",
    ),
    "words after a mark": (
        SMALL.replace("BEGIN SOLUTION", "BEGIN SOLUTION: one"),
        "### BEGIN SOLUTION: one",
        "alone on its line",
    ),
    "a mark in a string": (
        SMALL.replace('"It', '"BEGIN HIDDEN TESTS'),
        'assert half == 0.5, "BEGIN HIDDEN TESTS is one of two parts."',
        "alone on",
    ),
    "a mark in the text": (
        SMALL.replace("One of", "BEGIN SOLUTION of"),
        "BEGIN SOLUTION of two.",
        "text takes no such mark",
    ),
    "a mark in a fence that is shown": (
        SMALL + "```python\n# begin hidden tests\n```\n",
        "# begin hidden tests",
        "text takes no such",
    ),
    "a mark in words": (
        SMALL + "```markdown explain=a points=1\n# begin solution\n```\n",
        "# begin solution",
        "`explain` takes no",
    ),
    "no language": (SMALL + "``` explain=a points=1\nmodel\n```\n", "``` explain=a", "name the language first"),
    "no language and no more": (SMALL + "```explain=a\nmodel\n```\n", "```explain=a", "name the language first"),
    "a language in capitals": (SMALL + "```Markdown explain=a points=1\nb\n```\n", "```Markdown", "not `Markdown`"),
    "a role in capitals": (SMALL + "```md Explain=a\nb\n```\n", "```md Explain=a", "`Explain=a` is none of setup"),
    "a misspelled role elsewhere": (SMALL + "```md explian=a points=1\nb\n```\n", "```md", "`explian=a` is none"),
    "a fence in a comment": (
        SMALL + "<!--\n```markdown explain=a points=1\nb\n```\n-->",
        "```markdown",
        "in a comment",
    ),
    "an indented fence": (SMALL + "\n    ```markdown explain=a points=1\n    b\n", "    ```markdown", "is indented"),
    "a mark in the set-up": (
        f"```python setup\n### END SOLUTION\n```\n{SMALL}",
        "### END SOLUTION",
        "`setup` takes no such mark",
    ),
    "a block that is empty without its region": (
        SMALL.replace("### BEGIN HIDDEN TESTS\n", "if half:\n    ### BEGIN HIDDEN TESTS\n    "),
        TEST[:28],
        "what students see of this test",
    ),
}


@pytest.mark.parametrize(("text", "line", "words"), [*READ.values(), *RUNS.values()], ids=[*READ, *RUNS])
def test_a_set_that_would_hurt_a_class_is_refused_with_its_line(release, tmp_path, text, line, words):
    refused, said = release({"set.md": text, "with.md": SMALL})
    number = next(at for at, one in enumerate(text.split("\n"), 1) if one.startswith(line))
    if "what students see" in words or words == "does not pass test-half: .*two parts":
        number += 1  # the test's first line of Python
    assert refused
    assert re.match(rf"set\.md, line {number}: .*{words}", said), said
    assert [path.name for path in (tmp_path / "course").rglob("*") if path.name != ".lock"] == []


WORKS = {
    "line ends of Windows": SMALL.replace("\n", "\r\n"),
    "line ends of an old Mac": SMALL.replace("\n", "\r"),
    "a mark of byte order": b"\xef\xbb\xbf" + SMALL.encode(),
    "tabs": SMALL.replace("python answer=half", "python\tanswer=half").replace(
        "assert half", "if True:\n\tassert half"
    ),
    "half a point": SMALL.replace("points=2", "points=0.5"),
    "other ways to write the marks": SMALL.replace("### BEGIN", "#begin").replace("TESTS", "Tests \t"),
    "two regions": SMALL.replace(
        "### END HIDDEN TESTS\n",
        "### END HIDDEN TESTS\nshown = 1\n### BEGIN HIDDEN TESTS\nassert half < shown\n### END HIDDEN TESTS\n",
    ),
    "a fence of tildes": SMALL.replace("```", "~~~"),
    "a fence that is shown": SMALL + "```python\nprint(1)\n```\n\n```text wrap\nb\n```\n",
}


@pytest.mark.parametrize("text", WORKS.values(), ids=WORKS)
def test_a_set_is_read_however_an_editor_wrote_it(tmp_path, text):
    (tmp_path / "set.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    graded = sets.parse(tmp_path / "set.md")
    copied = {kind(cell): sets.handed_out(cell) for cell in graded.notebook.cells}
    assert copied["answer"] == "half = 0.0\n# your code here"
    assert not re.search("0.5|half <|begin", "".join(copied.values()), re.IGNORECASE)


@pytest.mark.slow
@pytest.mark.parametrize("text", WORKS.values(), ids=WORKS)
def test_a_set_works_however_an_editor_wrote_it(release, text):
    refused, said = release({"set.md": text})
    assert not refused, said


def test_the_name_of_a_file_is_one_that_every_system_takes(release, tmp_path):
    for name in ("a b", "hälfte", "a+b", "-a", "a" * 61):
        refused, said = release({f"{name}.md": SMALL})
        assert refused
        assert f"{name}.md: the name of a set goes into other names, so it may have letters from a to z" in said
        (tmp_path / "graded" / f"{name}.md").unlink()
    assert release({"latin.md": SMALL.replace("half", "hälf").encode("latin1")})[1].startswith("latin.md: is no UTF-8")


def test_a_file_without_graded_cells_is_no_set_and_is_said_to_be_none(release, tmp_path):
    readme = "# How to\n\n```bash session\nmake classroom\n```\n"
    refused, said = release({"set.md": SMALL, "README.md": readme, "notes.md": "ideas"})
    assert not refused
    assert said.splitlines()[0] == "trying set"
    assert said.splitlines()[2:] == [
        f"{name}: no graded cell in it, passed over." for name in ("README.md", "notes.md")
    ]
    assert sorted(path.name for path in (tmp_path / "course" / "release").iterdir()) == ["set"]
    assert "No graded set is called README" in release({}, "README")[1]
    (tmp_path / "graded" / "set.md").write_text("```python setup\nx = 1\n```\n")
    assert release({})[1].startswith("set.md: nothing in it gives points")
    (tmp_path / "graded" / "set.md").unlink()
    assert "holds no graded set" in release({})[1]


INDENTED = """```python test=half points=2
with np.errstate(all="raise"):
    assert isinstance(half, float)
    \t### begin hidden tests
    assert np.float64(half) / 1 == 0.5, "It is one of two parts."
    # END Hidden Tests
```
"""


def test_marks_may_be_indented_and_mean_the_same_in_every_step(release, tmp_path):
    text = f"```python setup\nimport numpy as np\n```\n{SMALL.replace(TEST, INDENTED)}"
    assert not release({"set.md": text})[0]
    course = Course(tmp_path / "course")
    copied, source = (nbformat.read(place("set"), 4) for place in (course.released, course.source))
    shown = 'with np.errstate(all="raise"):\n    assert isinstance(half, float)'
    assert copied.cells[-1].source == parts(source.cells[-1].source)[0] == shown
    for answer, says in (("half = 0.5", []), ("half = 0.25", ["It is one of two parts."])):
        handed_in = copy.deepcopy(source)
        next(cell for cell in handed_in.cells if kind(cell) == "answer").source = answer
        grade(handed_in)
        assert [output.evalue for output in handed_in.cells[-1].outputs] == says


@pytest.mark.parametrize("mark", ["### {}", "###{}", "# {}  ", "  \t### {}", "### {}\t"])
@pytest.mark.parametrize("twice", [False, True])
def test_release_cuts_what_the_one_definition_says(mark, twice):
    for region, clear, stub in (("SOLUTION", ClearSolutions(), "# here"), ("HIDDEN TESTS", ClearHiddenTests(), "")):
        piece = f"a = 1\n{mark.format('BEGIN ' + region)}\nb = 2\n{mark.format('END ' + region)}\nc = 3"
        cell = nbformat.v4.new_code_cell("\n".join([piece] * (1 + twice)))
        cell.metadata["nbgrader"] = {
            "grade_id": "answer-a" if stub else "test-a",
            "grade": not stub,
            "solution": bool(stub),
            "locked": not stub,
        }
        mine = sets.handed_out(cell).replace(sets.STUBS["answer"], stub)
        clear.code_stub = {"python": "# here"}
        clear.preprocess_cell(cell, {"language": "python"}, 0)
        assert mine == cell.source
        assert "b = 2" not in mine


def test_a_copy_that_holds_what_it_should_not_is_withdrawn(release, tmp_path, monkeypatch):
    monkeypatch.setattr(ClearHiddenTests, "preprocess", lambda self, notebook, resources: (notebook, resources))
    refused, said = release({"set.md": SMALL})
    assert refused
    assert "withdrawn" in said
    assert 'a line of test-half is in it: assert half == 0.5, "It is one of two parts."' in said
    assert not Course(tmp_path / "course").released("set").exists()
    monkeypatch.undo()
    assert not release({})[0]  # and nothing is in the way of the next one
    assert Course(tmp_path / "course").released("set").exists()


def test_what_would_be_withdrawn_is_named_also_in_outputs_and_notes(release, tmp_path):
    assert not release({"set.md": SMALL})[0]
    graded, place = sets.read(tmp_path / "graded" / "set.md"), Course(tmp_path / "course").released("set")
    assert sets.leaks(graded, place) == []
    written = nbformat.read(place, 4)
    written.metadata["note"] = 'assert half == 0.5, "It is one of two parts."'
    nbformat.write(written, place)
    assert [found[:24] for found in sets.leaks(graded, place)] == ["a line of test-half is i"]


def test_a_set_that_did_not_change_is_not_tried_again(release, monkeypatch):
    assert not release({"set.md": SMALL})[0]

    def fail(*_):
        raise CourseError("tried again")

    monkeypatch.setattr("classroom.rehearse.contained.grade", fail)
    assert "unchanged" in release({})[1]
    assert release({"set.md": SMALL.replace("One of two", "One of 2")})[0]


def test_the_set_on_the_page_for_teachers_works_when_it_is_pasted_alone(release):
    page = (
        Path("chapters/appendices/exercises.md").read_text(encoding="utf8").partition("## A graded set of your own")[2]
    )
    example, question = re.findall(r"^````markdown\n(.*?)^````$", page, re.DOTALL | re.MULTILINE)
    refused, said = release({"on-itself.md": example, "with-numbers.md": f"{example}\n{question}"})
    assert not refused, said
