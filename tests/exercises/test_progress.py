"""What is done is kept beside the notebooks: for all kernels, in one format, and nowhere else unasked."""

import json
import multiprocessing
import stat
import subprocess
import sys
import warnings

import pytest

from attnlib import exercises
from attnlib.exercises import check, load_progress, progress, progress_file, save_progress
from attnlib.exercises.progress_file import FORMAT, SESSION, Done, Keeper, beside_the_notebook


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A notebook's folder: where its progress goes."""
    monkeypatch.setattr(exercises, "_kept", Keeper(tmp_path / "progress.json"))
    return tmp_path / "progress.json"


def names(file):
    return sorted(one.name for one in file.parent.iterdir() if not one.name.startswith("."))


def test_another_kernel_knows_what_this_one_did(file, monkeypatch):
    check("thief", "2")
    check("write-attention", lambda x: x)
    assert json.loads(file.read_text())["points"]["write-attention"] == [1, 3]
    monkeypatch.setattr(exercises, "_kept", Keeper(file))
    check("thief", 0)
    assert progress().points == {"thief": (1, 1), "write-attention": (1, 3)}


def one_kernel(file, name):
    for number in range(25):
        keeper = Keeper(file)
        keeper.done.add(Done({f"{name}-{number}": (1, 2)}))
        keeper.keep()


def test_kernels_that_write_at_once_lose_nothing(file):
    context = multiprocessing.get_context("spawn")
    kernels = [context.Process(target=one_kernel, args=(file, name)) for name in "ab"]
    for kernel in kernels:
        kernel.start()
    for kernel in kernels:
        kernel.join()
    assert len(Done.parse(file.read_text()).points) == 50
    assert names(file) == ["progress.json"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{broken", "no JSON"),
        ("[]", "no progress of this book"),
        (json.dumps({"format": FORMAT, "points": {"thief": [2, 1]}, "pages": {}}), "the points of 'thief'"),
        (json.dumps({"format": FORMAT, "points": [], "pages": {}}), "'points' is no object"),
        (json.dumps({"format": FORMAT, "points": {}, "pages": {"a": 1}}), "of the page 'a'"),
    ],
)
def test_a_file_that_holds_no_progress_is_put_aside_and_said(file, text, says):
    for number in (1, 2):
        file.write_text(text)
        with pytest.warns(UserWarning, match=f"{says}.*kept as progress.broken-{number}.json"):
            check("thief", "2")
        assert file.with_name(f"progress.broken-{number}.json").read_text() == text
        assert progress().points == {"thief": (1, 1)}


def test_a_folder_that_cannot_be_written_is_said_once_and_points_last_in_this_python(tmp_path, monkeypatch):
    (tmp_path / "a file").touch()
    monkeypatch.setattr(exercises, "_kept", Keeper(tmp_path / "a file/progress.json"))
    with pytest.warns(UserWarning, match="cannot be written .*: points last as long as this kernel"):
        check("thief", "2")
    with warnings.catch_warnings(action="error"):
        check("which-shape", "7 × 7")
    assert set(progress().points) == {"thief", "which-shape"}


def test_what_a_file_holds_that_cannot_be_written_is_shown(file, monkeypatch):
    check("thief", "2")

    def refused(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(progress_file, "_locked", refused)
    for before, points in ((file.read_text(), {"thief": (1, 1)}), ("{broken", {})):
        file.write_text(before)
        monkeypatch.setattr(exercises, "_kept", Keeper(file))
        with pytest.warns(UserWarning, match=r"cannot be written \(Permission denied\): points last as long"):
            assert progress().points == points
        assert file.read_text() == before


def test_a_link_stays_one_and_what_it_leads_to_keeps_its_mode(file, tmp_path):
    elsewhere = tmp_path / "elsewhere" / "mine.json"
    elsewhere.parent.mkdir()
    elsewhere.write_text(Done({"which-shape": (1, 1)}).text())
    elsewhere.chmod(0o664)
    file.symlink_to(elsewhere)
    check("thief", "2")
    assert file.is_symlink()
    assert Done.parse(elsewhere.read_text()).points == {"thief": (1, 1), "which-shape": (1, 1)}
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o664
    assert names(elsewhere) == ["mine.json"]


def test_a_broken_file_behind_a_link_is_put_aside_there_and_the_link_stays(file, tmp_path):
    elsewhere = tmp_path / "elsewhere" / "mine.json"
    elsewhere.parent.mkdir()
    elsewhere.write_text("{broken")
    file.symlink_to(elsewhere)
    with pytest.warns(UserWarning, match=r"kept as mine\.broken-1\.json"):
        check("thief", "2")
    assert file.is_symlink()
    assert Done.parse(elsewhere.read_text()).points == {"thief": (1, 1)}
    assert names(elsewhere) == ["mine.broken-1.json", "mine.json"]


def test_a_new_file_has_the_mode_of_any_other(file, tmp_path):
    check("thief", "2")
    (tmp_path / "other").touch()
    assert file.stat().st_mode == (tmp_path / "other").stat().st_mode


def test_what_is_brought_in_is_the_better_of_both_and_the_pages_part_stays(file, tmp_path):
    check("write-attention", lambda x: x)
    other = Done({"write-attention": (3, 3), "of-another-edition": (1, 2)}, {"chapters/01": {"read": 2, "of": 9}})
    (tmp_path / "theirs.json").write_text(other.text())
    assert load_progress(tmp_path / "theirs.json").points["write-attention"] == (3, 3)
    check("write-attention", lambda x: x)
    save_progress(tmp_path / "saved.json")
    assert Done.parse((tmp_path / "saved.json").read_text()) == other == Done.parse(file.read_text())


def test_what_is_no_progress_is_not_brought_in(file, tmp_path):
    (tmp_path / "theirs.json").write_text('{"format": "other"}')
    with pytest.raises(ValueError, match=r"theirs\.json: no progress of this book"):
        load_progress(tmp_path / "theirs.json")
    assert not file.exists()


def test_this_chapter_comes_first_and_each_other_one_is_a_line(file, monkeypatch):
    monkeypatch.setenv(SESSION, "/home/me/notebooks/03_query_key_value.ipynb")
    check("thief", "2")
    lines = repr(progress()).splitlines()
    assert lines[0].startswith("Chapter 3: 0 of ")
    assert "Chapter 1: 1 of 8 done" in lines
    assert len(lines) == len(exercises.CHAPTERS) + len(exercises.CHAPTERS[3])
    assert progress()._repr_html_().count("<table") == 1
    assert repr(progress(1)).startswith("Chapter 1: 1 of 8 done\n  ✓ ") or "\n  ✓ " in repr(progress(1))
    monkeypatch.setenv(SESSION, "Untitled.ipynb")
    assert len(repr(progress()).splitlines()) == len(exercises.CHAPTERS)
    with pytest.raises(ValueError, match="chapter 99 has no exercises; the chapters are 0 to 10"):
        progress(99)


def test_only_a_notebook_server_makes_a_file(tmp_path, monkeypatch):
    monkeypatch.delenv(SESSION, raising=False)
    assert beside_the_notebook() is None
    code = 'from attnlib.exercises import check; check("thief", "2")'
    environment = {"PYTHONPATH": ":".join(sys.path)}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True)
    assert list(tmp_path.iterdir()) == []
    session = {SESSION: "01_dot_product.ipynb"}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment | session, check=True)
    assert Done.parse((tmp_path / "progress.json").read_text()).points == {"thief": (1, 1)}
