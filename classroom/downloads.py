"""What a learning platform hands out (a zip, or a folder) sorted by student (see `platforms`), into `submitted/`.

Nothing that was collected before is lost: a changed submission is taken, and the one before moves to `earlier/`.
"""

import contextlib
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from classroom import platforms
from classroom.course import Course, CourseError
from classroom.notebooks import LARGEST
from classroom.platforms import Upload

MOST = 20_000  # files in a download


@dataclass
class Download:
    """One student's file, and when it was handed in as far as the download says."""

    student: str
    name: str
    content: bytes
    time: tuple[
        str, bool, str, int
    ]  # the platform's time, whether it is called like the set, the file's time, its copy
    handed_in: str = ""


@dataclass
class Sorted:
    """Downloads by student, and sentences about what was not taken."""

    notebooks: dict[str, Download] = field(default_factory=dict)
    others: dict[str, Download] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def sort(place: Path, assignment: str) -> Sorted:
    """Each student's notebook: of several that of the newest attempt, called like the set, the newest of these."""
    found = Sorted()
    files = {path: (content, time) for path, content, time in _files(place, found.remarks)}
    uploads = platforms.uploads([*files], assignment)
    several: dict[str, list[Download]] = {}
    for upload in _told_apart(uploads, found.remarks):
        download = _download(upload, assignment, *files[upload.path])
        if download.name.endswith(".ipynb"):
            several.setdefault(upload.student, []).append(download)
        else:
            found.others.setdefault(upload.student, download)
    for student, downloads in several.items():
        *rest, found.notebooks[student] = sorted(downloads, key=lambda one: (one.time, one.name))
        if rest:
            found.remarks.append(_taken(found.notebooks[student], rest))
    found.others = {student: one for student, one in found.others.items() if student not in found.notebooks}
    return found


def collect(course: Course, assignment: str, place: Path) -> list[str]:
    """Bring the downloads into `submitted/`; a sentence for each thing that a teacher should know."""
    if assignment not in course.assignments():
        raise CourseError(f"{assignment} was not released in {course.folder}: run the release first.")
    if not place.exists():
        raise CourseError(f"{place} does not exist.")
    found = sort(place, assignment)
    new, changed, same = 0, [], 0
    for student, download in found.notebooks.items():
        there = course.folder / "submitted" / student / assignment
        if (file := there / f"{assignment}.ipynb").exists() and file.read_bytes() == download.content:
            same += 1
            continue
        if there.exists():
            course.set_aside(there)
            changed.append(student)
        new += 1
        course.write(file, download.content)
        if download.handed_in:
            course.write(there / "timestamp.txt", download.handed_in.encode())  # nbgrader's, for its late penalties
    for student, download in found.others.items():
        there = course.folder / "submitted" / student / assignment
        said = f"{student}: handed in {download.name}, which is no notebook"
        other = there / (platforms.plain(download.name) or "file")
        if there.exists() and not other.exists():
            found.remarks.append(f"{said}; what was collected before stays.")
        elif not there.exists():
            course.write(other, download.content)
            found.remarks.append(f"{said}.")
    said = [f"{new - len(changed)} new, {len(changed)} changed, {same} unchanged."]
    if changed:
        said.append(f"Changed: {', '.join(changed)}. The versions before are in {course.folder / 'earlier'}.")
    return said + found.remarks


def _told_apart(uploads: list[Upload], remarks: list[str]) -> Iterator[Upload]:
    """The uploads of which it is clear whose they are."""
    same = platforms.collisions(uploads)
    for called in same.values():
        remarks.append(f"{' and '.join(sorted(called))} cannot be told apart: their work is left out. Rename one.")
    for upload in uploads:
        if upload.trouble:
            remarks.append(f"{upload.path}: {upload.trouble}; left out.")
        elif upload.student.casefold() not in same:
            yield upload


def _download(upload: Upload, assignment: str, content: bytes | None, time: datetime | None) -> Download:
    like = platforms.named_like(upload.name, assignment)
    when = datetime.strptime(upload.time, "%Y-%m-%d-%H-%M-%S") if upload.time else time
    handed_in = f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if when else ""
    key = (upload.time, like is not None, time.isoformat() if time else "", int(like["copy"] or 0) if like else 0)
    if content is None:  # so that the student has a line among the grades
        return Download(upload.student, f"{upload.name}.left-out.txt", b"too large", key, handed_in)
    return Download(upload.student, upload.name, content, key, handed_in)


def _taken(taken: Download, rest: list[Download]) -> str:
    others = ", ".join(sorted(one.name for one in rest))
    why = "called like the set" if taken.time[1] and not all(one.time[1] for one in rest) else "the newest"
    same = any(one.time == taken.time for one in rest)
    sure = " They have the same time: look which one is meant." if same else ""
    return f"{taken.student}: several notebooks; {taken.name} was taken, {why}; not {others}.{sure}"


def _files(place: Path, remarks: list[str]) -> Iterator[tuple[str, bytes | None, datetime | None]]:
    """(path, content, time) of each file in a folder or zip; no content where it is too large."""
    if not place.is_dir() and not zipfile.is_zipfile(place):
        raise CourseError(f"{place} is neither a folder nor a zip.")
    found = _in_folder(place) if place.is_dir() else _in_zip(place, remarks)
    for number, (path, content, time) in enumerate(found):
        if number == MOST:
            remarks.append(f"There are more than {MOST} files; the rest is left out.")
            return
        if content is None:
            remarks.append(f"{path}: larger than {LARGEST >> 20} MB, left out.")
        yield path, content, time


def _in_folder(place: Path) -> Iterator[tuple[str, bytes | None, datetime | None]]:
    for path in sorted(place.rglob("*")):
        name = path.relative_to(place).as_posix()
        if path.is_file() and not path.is_symlink() and not _ignored(name):
            stat = path.stat()
            time = datetime.fromtimestamp(stat.st_mtime).astimezone()
            yield name, path.read_bytes() if stat.st_size <= LARGEST else None, time


def _in_zip(place: Path, remarks: list[str]) -> Iterator[tuple[str, bytes | None, datetime | None]]:
    with zipfile.ZipFile(place) as archive:
        for entry in archive.infolist():
            name = entry.filename.lstrip("/")
            if entry.is_dir() or _ignored(name):
                continue
            if ".." in PurePosixPath(name).parts:
                remarks.append(f"{name}: outside the archive; left out.")
                continue
            try:
                with archive.open(entry) as file:
                    content = file.read(LARGEST + 1)  # the size that the archive states may be a lie
            except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError) as error:
                remarks.append(f"{name}: cannot be unpacked ({error}); left out.")
                continue
            time = None
            with contextlib.suppress(ValueError, OverflowError, OSError):  # a day that there is not
                time = datetime(*entry.date_time).astimezone()
            yield name, content if len(content) <= LARGEST else None, time


def _ignored(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return any((part.startswith(".") and part != "..") or part == "__MACOSX" for part in parts)
