"""What students submit on a hub is collected from its exchange, as nbgrader makes it, each student's own alone."""

import os
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import nbformat
import pytest

from classroom import downloads, exchange, temporary
from classroom.demo.submissions import RIGHT, fill
from classroom.downloads import collect, told
from tests.helpers.archives import SET


def _collected(course, student):
    return nbformat.read(course.folder / "submitted" / student / SET / f"{SET}.ipynb", 4)


def test_a_class_submits_and_is_collected_by_the_hubs_folders(course, hub, notebook, classroom):
    right = fill(notebook, RIGHT)
    for student in ("anna", "李雷", "Ελένη-Παππά"):
        hub(student, right)
    hub("ben", right, name="anna.ipynb")
    code, said = classroom("collect", hub.root, SET)
    assert (code, said) == (0, "4 new, 0 changed, 0 unchanged.\n")
    assert {folder.parent.name for folder in course.submissions(SET)} == {"anna", "李雷", "Ελένη-Παππά", "ben"}
    assert all(_collected(course, student).cells == right.cells for student in told(course, SET))


def test_the_newest_submission_counts_and_those_before_stay(course, hub, notebook):
    first, second = (
        fill(notebook, RIGHT | {"explain-hull": "First."}),
        fill(notebook, RIGHT | {"explain-hull": "Second."}),
    )
    older = hub("anna", first)
    collect(course, SET, hub.root)
    newer = hub("anna", second)
    said = collect(course, SET, hub.root)
    assert said[0] == "0 new, 1 changed, 0 unchanged."
    assert _collected(course, "anna").cells == second.cells
    assert [nbformat.read(file, 4).cells for file in course.folder.glob(f"earlier/1/submitted/anna/*/{SET}.ipynb")] == [
        first.cells
    ]
    assert (older / f"{SET}.ipynb").exists()
    assert (newer / f"{SET}.ipynb").exists()
    assert collect(course, SET, hub.root)[0] == "0 new, 0 changed, 1 unchanged."


def test_of_two_notebooks_in_a_submission_the_one_that_was_saved_last_counts(course, hub, notebook, tmp_path):
    old, new = (fill(notebook, RIGHT | {"explain-hull": text}) for text in ("Old.", "New."))
    hub("anna", old)
    home = tmp_path / "home" / "anna" / SET
    (home / "backup").mkdir()
    shutil.copy2(home / f"{SET}.ipynb", home / "backup")
    hub("anna", new)
    collect(course, SET, hub.root)
    assert _collected(course, "anna").cells == new.cells


def test_a_submission_without_a_notebook_is_said(course, hub, notebook):
    (hub("anna", notebook) / f"{SET}.ipynb").unlink()
    collect(course, SET, hub.root)
    problem = told(course, SET)["anna"]["problem"]
    assert problem.startswith("handed in 20")
    assert problem.endswith(" timestamp.txt, no notebook")


@pytest.mark.parametrize("linked", ["notebook", "folder", "submission"])
def test_a_link_out_of_the_exchange_is_refused(course, hub, notebook, tmp_path, linked):
    submission = hub("eve", fill(notebook, RIGHT))
    elsewhere = tmp_path / "elsewhere"
    submission.rename(elsewhere)
    if linked == "submission":
        submission.symlink_to(elsewhere)
    else:
        submission.mkdir()
        name = f"{SET}.ipynb" if linked == "notebook" else "inner"
        (submission / name).symlink_to(elsewhere / f"{SET}.ipynb" if linked == "notebook" else elsewhere)
    said = collect(course, SET, hub.root)
    assert course.submissions(SET) == []
    assert "is a link; left out." in said[1]


def test_a_link_made_after_the_look_is_not_followed(hub, notebook, tmp_path):
    submission = hub("eve", notebook)
    found, files = exchange.uploads(hub.inbound, SET, [])
    file = files[next(one.path for one in found if one.name == f"{SET}.ipynb")]
    assert file.read()
    submission.rename(tmp_path / "elsewhere")
    submission.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=r"Not a directory|symbolic links"):
        file.read()
    submission.unlink()
    submission.mkdir()
    os.mkfifo(submission / f"{SET}.ipynb")  # which would wait for ever
    with pytest.raises(OSError, match="no file any more"):
        file.read()


def test_where_all_share_a_folder_its_owner_says_whose_it_is(course, hub, notebook, monkeypatch):
    (submission := hub("anna", notebook)).rename(hub.inbound / submission.name.replace("root+", "anna+"))
    (hub.inbound / "anna").rmdir()
    hub.inbound.chmod(0o733)
    (hub.inbound / "ben" / f"ben+{SET}+2026-03-01 10:00:00.0 UTC+x").mkdir(parents=True)
    mine = next(one for one in hub.inbound.iterdir() if "+" in one.name)
    mine.rename(hub.inbound / f"anna+{mine.name.partition('+')[2]}")
    said = collect(course, SET, hub.root)
    assert said == ["1 new, 0 changed, 0 unchanged.", "ben: not named as nbgrader names a submission; left out."]
    uid = os.getuid()
    monkeypatch.setattr(exchange.os, "getuid", lambda: uid + 1)
    monkeypatch.setattr(exchange, "_account", lambda owner: "eve")
    assert "it belongs to the account eve; left out." in collect(course, SET, hub.root)[1]
    monkeypatch.setattr(exchange, "_account", lambda owner: "anna")
    assert collect(course, SET, hub.root)[0] == "0 new, 0 changed, 1 unchanged."


def test_a_time_counts_where_the_file_system_agrees(course, hub, notebook):
    before = datetime.now(UTC)
    hub("anna", notebook)
    forged = hub("eve", notebook)
    long_ago = datetime.now(UTC) - timedelta(days=3)
    name = forged.name.split("+")
    forged = forged.rename(forged.with_name(f"{name[0]}+{SET}+{long_ago:%Y-%m-%d %H:%M:%S.%f} UTC+x"))
    os.utime(forged / f"{SET}.ipynb", (time.time() - 3 * 86400,) * 2)
    collect(course, SET, hub.root)
    record = told(course, SET)
    assert record["anna"]["source"] == "the hub's exchange"
    assert abs(datetime.fromisoformat(record["anna"]["time"]) - before) < timedelta(minutes=5)
    assert record["eve"]["source"] == downloads.FILE
    assert datetime.fromisoformat(record["eve"]["time"]) >= before


def test_folders_that_cannot_be_submissions_are_said(course, hub, notebook):
    (hub.inbound / "eve" / f"eve+{SET}+2026-99-99 10:00:00.0 UTC+x").mkdir(parents=True)
    hub("anna", notebook)
    assert collect(course, SET, hub.root) == [
        "1 new, 0 changed, 0 unchanged.",
        f"eve: eve+{SET}+2026-99-99 10:00:00.0 UTC+x names no time that there is; left out.",
    ]


def test_an_exchange_of_several_courses_must_be_named(hub, classroom):
    Path(hub.root, "other", "inbound").mkdir(parents=True)
    Path(hub.root, "other", "outbound").mkdir()
    code, said = classroom("collect", hub.root, SET)
    assert code == 1
    assert "several courses" in said
    assert classroom("collect", hub.inbound.parent, SET)[0] == 0


def test_a_set_that_changed_is_handed_out_again_to_whoever_has_not_fetched_it(course, hub, classroom):
    course.write(course.released(SET), b"newer")
    code, said = classroom("hand-out", SET, hub.root)
    assert code == 0
    assert "(replaced)" in said
    there = hub.inbound.parent / "outbound" / SET
    assert [file.read_bytes() for file in there.iterdir()] == [b"newer"]
    assert oct(there.stat().st_mode)[-3:] == "755"
    assert [folder.name for folder in there.parent.iterdir()] == [SET]


def test_a_copy_that_another_teacher_handed_out_is_replaced_too(course, hub, classroom, monkeypatch):
    def closed(path, ignore_errors=False, **_):
        if not ignore_errors:
            raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(exchange.shutil, "rmtree", closed)
    course.write(course.released(SET), b"newer")
    assert classroom("hand-out", SET, hub.root)[0] == 0
    assert [file.read_bytes() for file in (hub.inbound.parent / "outbound" / SET).iterdir()] == [b"newer"]


@pytest.mark.parametrize(
    ("name", "to", "why"), [("week_9", "", "was not released"), (SET, "attention/inbound/x", "is no exchange")]
)
def test_what_cannot_be_handed_out_is_said(hub, classroom, name, to, why):
    code, said = classroom("hand-out", name, hub.root / to)
    assert code == 1
    assert why in said


def test_a_folder_however_deep_stops_nothing(course, hub, notebook):
    hub("anna", fill(notebook, RIGHT))
    first = deep = hub("eve", fill(notebook, RIGHT)) / "a"
    for _ in range(1100):
        deep.mkdir()
        deep = deep / "a"
    try:
        said = collect(course, SET, hub.root)
        assert said[0] == "2 new, 0 changed, 0 unchanged."
        assert any("folders deeper than 50" in one for one in said)
    finally:
        temporary.remove(first)  # pytest's own way calls itself for each level, too


def test_what_is_taken_away_while_it_is_collected_stops_nothing(course, hub, notebook, monkeypatch):
    for student in ("anna", "eve", "zoe"):
        hub(student, fill(notebook, RIGHT))
    opened, seen = exchange._open, []

    def gone(source, inner):
        seen.append(inner)
        if inner.parts[0] == "eve" and seen.count(inner) > 1:
            raise FileNotFoundError(2, "No such file or directory", str(inner))
        return opened(source, inner)

    monkeypatch.setattr(exchange, "_open", gone)
    said = collect(course, SET, hub.root)
    assert said[0] == "2 new, 0 changed, 0 unchanged."
    assert any(one.startswith("eve: ") and "cannot be read" in one for one in said)
