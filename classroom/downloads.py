"""What a learning platform hands out (a zip, or a folder) sorted by student, and collected by `nbgrader zip_collect`.

It knows the names that Moodle, Canvas and Blackboard give, a folder for each student, and a file for each student.
Nothing that was collected before is lost: a changed submission is taken, and the one before moves to `earlier/`.
"""

import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from classroom.course import Course, CourseError

LARGEST = 20 << 20  # bytes of one file
MOST = 20_000  # files in a download
FORMS = [
    re.compile(form)
    for form in (
        r"(?:.*/)?(?P<who>[^/]+_\d+)_assignsubmission_(?:file|onlinetext)(?:[_/].*)?",  # Moodle
        r"(?:.*/)?[^/]*_(?P<who>[^/_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_.*)?",  # Blackboard
        r"(?:.*/)?(?P<who>[^/_]+(?:_LATE)?_\d+)_\d+_[^/]*",  # Canvas
        r"(?:.*/)?(?P<who>[^/]+)/[^/]+",
        r"(?P<who>[^/]+)\.\w+",
    )
]


@dataclass
class Download:
    """One student's file."""

    student: str
    name: str
    content: bytes
    time: tuple[str, ...]


@dataclass
class Sorted:
    """Downloads by student, and sentences about what was not taken."""

    notebooks: dict[str, Download] = field(default_factory=dict)
    others: dict[str, Download] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def sort(place: Path, assignment: str) -> Sorted:
    """Each student's notebook, the newest where there are several."""
    found = Sorted()
    for path, content, time in _files(place, found.remarks):
        student, stamp = _student(path, assignment)
        if not student:
            found.remarks.append(f"{path}: no student's name in it; left out.")
            continue
        download = Download(student, PurePosixPath(path).name, content, (stamp, time))
        if not path.endswith(".ipynb"):
            found.others.setdefault(student, download)
        elif (before := found.notebooks.get(student)) is None:
            found.notebooks[student] = download
        else:
            newest = max(before, download, key=lambda one: one.time)
            found.notebooks[student] = newest
            found.remarks.append(f"{student}: several notebooks; the newest, {newest.name}, was taken.")
    found.others = {student: one for student, one in found.others.items() if student not in found.notebooks}
    return found


def collect(course: Course, assignment: str, place: Path) -> list[str]:
    """Bring the downloads into `submitted/`; a sentence for each thing that a teacher should know."""
    if assignment not in course.assignments():
        raise CourseError(f"{assignment} was not released in {course.folder}: run the release first.")
    if not place.exists():
        raise CourseError(f"{place} does not exist.")
    found = sort(place, assignment)
    archive = course.folder / "downloaded" / assignment / "archive"
    shutil.rmtree(archive.parent, ignore_errors=True)  # copies, made here below and nowhere else
    new, replaced = [], []
    for student, download in found.notebooks.items():
        there = course.folder / "submitted" / student / assignment
        if (file := there / f"{assignment}.ipynb").exists() and file.read_bytes() == download.content:
            continue
        if there.exists():
            course.set_aside(there)
            replaced.append(student)
        new.append(student)
        target = archive / student / f"{assignment}.ipynb"
        target.parent.mkdir(parents=True)
        target.write_bytes(download.content)
    if new:
        _zip_collect(course, assignment)
    for student, download in found.others.items():
        there = course.folder / "submitted" / student / assignment
        if not there.exists():
            there.mkdir(parents=True)
            (there / _plain(download.name)).write_bytes(download.content)
            found.remarks.append(f"{student}: handed in {download.name}, which is no notebook.")
    same = len(found.notebooks) - len(new)
    said = [f"{len(new) - len(replaced)} new, {len(replaced)} changed, {same} unchanged."]
    if replaced:
        said.append(f"Changed: {', '.join(replaced)}. The versions before are in {course.folder / 'earlier'}.")
    return said + found.remarks


def _zip_collect(course: Course, assignment: str) -> None:
    form = r".*[/\\](?P<student_id>[^/\\]+)[/\\](?P<file_id>[^/\\]+)$"
    command = [
        sys.executable,
        "-m",
        "nbgrader",
        "zip_collect",
        assignment,
        f"--FileNameCollectorPlugin.named_regexp={form}",
    ]
    ran = subprocess.run(command, cwd=course.folder, capture_output=True, text=True)
    if ran.returncode:
        raise CourseError(f"nbgrader zip_collect failed:\n{ran.stderr[-2000:]}")


def _files(place: Path, remarks: list[str]) -> Iterator[tuple[str, bytes, str]]:
    """(path, content, time) of each file in a folder or zip; what is too large or goes outside is left out."""
    if place.is_dir():
        for path in sorted(place.rglob("*"))[:MOST]:
            if path.is_file() and not path.is_symlink() and not _ignored(path.relative_to(place).as_posix()):
                if path.stat().st_size > LARGEST:
                    remarks.append(f"{path.relative_to(place)}: too large, left out.")
                else:
                    yield path.relative_to(place).as_posix(), path.read_bytes(), f"{path.stat().st_mtime:020.3f}"
    elif zipfile.is_zipfile(place):
        with zipfile.ZipFile(place) as archive:
            for entry in archive.infolist()[:MOST]:
                if entry.is_dir() or _ignored(entry.filename):
                    continue
                if entry.file_size > LARGEST or ".." in PurePosixPath(entry.filename).parts:
                    remarks.append(f"{entry.filename}: too large, or outside the archive; left out.")
                    continue
                with archive.open(entry) as file:
                    content = file.read(LARGEST + 1)  # the size that the archive states may be a lie
                if len(content) > LARGEST:
                    remarks.append(f"{entry.filename}: too large, left out.")
                else:
                    yield entry.filename.lstrip("/"), content, str(entry.date_time)
    else:
        raise CourseError(f"{place} is neither a folder nor a zip.")


def _ignored(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return any((part.startswith(".") and part != "..") or part == "__MACOSX" for part in parts)


def _student(path: str, assignment: str) -> tuple[str, str]:
    match = next((match for form in FORMS if (match := form.fullmatch(path))), None)
    if not match:
        return "", ""
    who = re.sub(rf"[ _-]*{re.escape(assignment)}.*$", "", match["who"]).replace("_LATE", "")
    return _plain(who), match.groupdict().get("time") or ""


def _plain(name: str) -> str:
    return re.sub(r"[^\w.@-]+", "-", name).strip("-.")[:80]
