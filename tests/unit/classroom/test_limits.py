"""The limits of a student's code, and what a teacher must say before work is graded."""

import os
from pathlib import Path

import pytest

from classroom import cgroup, walls
from classroom.limits import Limits, Refused


def test_root_is_refused_and_hidden_tests_need_walls_unless_the_teacher_says_so(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.delenv("CONTAIN", raising=False)
    with pytest.raises(Refused, match="CONTAIN=root"):
        walls.chosen()
    monkeypatch.setenv("CONTAIN", "root, nothing")
    with pytest.raises(Refused, match="not nothing"):
        walls.chosen()
    monkeypatch.setattr(walls, "best", lambda: walls.LIMITS)
    monkeypatch.setenv("CONTAIN", "root")
    assert not walls.chosen().hidden
    assert "Hidden tests are not run" in walls.sentences(walls.chosen())[-1]
    monkeypatch.setenv("CONTAIN", "root none")
    assert walls.chosen().hidden
    said = "\n".join(walls.sentences(walls.chosen()))
    assert "NOT CONTAINED. Network" in said
    assert "solutions and hidden tests" in said


@pytest.mark.parametrize(
    "text",
    [
        *["[]", "{", '{"speed": 1}', '{"seconds": 0}', '{"seconds": "10"}', '{"memory": true}', '{"seconds": NaN}'],
        *['{"submission": 1e7}', '{"seconds": 1e10}', '{"memory": 0.5}'],
    ],
)
def test_limits_that_are_none_are_refused_in_a_sentence(monkeypatch, text):
    monkeypatch.setenv("CLASSROOM_LIMITS", text)
    with pytest.raises(Refused, match="CLASSROOM_LIMITS"):
        Limits.chosen()


def test_the_page_for_teachers_names_every_limit_as_it_is():
    page, limits = Path("chapters/appendices/grading.md").read_text(encoding="utf8"), Limits()
    rows = [line for line in page.partition("(teach-limits)=")[2].splitlines() if line.startswith("|")]
    for name, words in {
        "seconds": f"{limits.seconds} s",
        "total": f"{limits.total} s",
        "submission": f"{limits.submission} s",
        "memory": f"{limits.memory >> 20} MiB",
        "file": f"{limits.file >> 20} MiB, {limits.disk >> 20} MiB, {limits.files:,}",
        "output": f"{limits.output:,} characters",
    }.items():
        assert any(f"`{name}`" in row and words in row for row in rows), name


def test_a_control_group_counts_memory_and_goes_again(tmp_path, monkeypatch):
    """With folders in the kernel's place: what is written, and where."""
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setattr(
        cgroup, "_own", lambda limits: [(own, {"memory.max": limits.memory, "pids.max": limits.processes})]
    )
    make = Path.mkdir

    def mkdir(folder, *a, **k):
        make(folder, *a, **k)
        for name in ("memory.max", "pids.max"):
            (folder / name).touch()

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with cgroup.group(Limits(memory=1 << 30)) as made:
        (group,) = made
        assert (group.parent / "memory.max").read_text() == str(1 << 30)
        for name in ("memory.max", "pids.max"):
            (group.parent / name).unlink()  # as the kernel does with a group that is empty
    assert list(own.iterdir()) == []
