"""What a learning platform hands out (a zip, or a folder) sorted by student (see `platforms`), into `submitted/`.

Nothing that was collected before is lost: a changed submission is taken, and the one before moves to `earlier/`. What is
to be said of a student's files is recorded, for the table of grades.
"""

import contextlib
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import nbformat
from nbformat import NotebookNode

from classroom import notebooks, platforms, worker
from classroom.course import Course, CourseError
from classroom.limits import Limits
from classroom.notebooks import LARGEST
from classroom.platforms import Upload
from classroom.restore import answered

MOST = 20_000  # files in a download
RECORD = ".collected.json"
HANDED_OUT, TOO_LARGE, ANSWERED = range(3)  # of several notebooks, one that is as it was handed out wins over none


@dataclass
class Download:
    """One student's file, or its size where it is too large; and when it was handed in as far as the download says."""

    student: str
    name: str
    content: bytes | int
    time: tuple[str, bool, str, int]  # the platform's, whether it is called like the set, the file's, its copy
    handed_in: str = ""
    rank: int = ANSWERED

    @property
    def too_large(self) -> str:
        """A sentence without its end, where it is."""
        if not isinstance(self.content, int):
            return ""
        return f"{self.name} has {self.content / (1 << 20):.1f} MB, and {LARGEST >> 20} MB is the most that is read"


@dataclass
class Sorted:
    """Downloads by student, and sentences about what was not taken."""

    notebooks: dict[str, Download] = field(default_factory=dict)
    others: dict[str, Download] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)  # of which notebooks one was taken
    remarks: list[str] = field(default_factory=list)


def sort(place: Path, assignment: str, released: NotebookNode | None = None) -> Sorted:
    """Each student's notebook: of several one with answers, of the newest attempt, called like the set, the newest."""
    found = Sorted()
    files = {path: (content, time) for path, content, time in _files(place, found.remarks)}
    uploads = platforms.uploads([*files], assignment)
    several: dict[str, list[Download]] = {}
    for upload in _told_apart(uploads, found.remarks):
        download = _download(upload, assignment, *files[upload.path])
        if platforms.NOTEBOOK.search(download.name):
            several.setdefault(upload.student, []).append(download)
        else:
            found.others.setdefault(upload.student, download)
    for student, downloads in several.items():
        for one in downloads if len(downloads) > 1 else []:
            one.rank = _rank(one.content, released)
        *rest, taken = sorted(downloads, key=lambda one: (one.rank, one.time, one.name))
        if rest:
            found.notes[student] = _taken(taken, rest)
            found.remarks.append(f"{student}: {found.notes[student]}.")
        (found.others if taken.too_large else found.notebooks)[student] = taken
    found.others = {student: one for student, one in found.others.items() if student not in found.notebooks}
    return found


def collect(course: Course, assignment: str, place: Path) -> list[str]:
    """Bring the downloads into `submitted/`; a sentence for each thing that a teacher should know."""
    if assignment not in course.assignments():
        raise CourseError(f"{assignment} was not released in {course.folder}: run the release first.")
    if not place.exists():
        raise CourseError(f"{place} does not exist.")
    found = sort(place, assignment, nbformat.read(course.released(assignment), 4))
    record = course.remember(RECORD)
    new, changed, same = 0, [], 0
    for student, download in found.notebooks.items():
        record[f"{assignment}/{student}"] = {"note": found.notes.get(student, ""), "problem": ""}
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
        record[f"{assignment}/{student}"] = _other(course, assignment, download, found)
    course.remember(RECORD, record)
    said = [f"{new - len(changed)} new, {len(changed)} changed, {same} unchanged."]
    if changed:
        said.append(f"Changed: {', '.join(changed)}. The versions before are in {course.folder / 'earlier'}.")
    return said + found.remarks


def told(course: Course, assignment: str) -> dict[str, dict[str, str]]:
    """What collecting has to say, by student: a `note`, and the `problem` where there is no notebook."""
    record = course.remember(RECORD)
    return {key.partition("/")[2]: said for key, said in record.items() if key.startswith(f"{assignment}/")}


def _other(course: Course, assignment: str, download: Download, found: Sorted) -> dict[str, str]:
    """Keep what is no notebook that is read, beside nothing older; what there is to say of it."""
    problem = download.too_large or f"handed in {download.name}, no notebook"
    there = course.folder / "submitted" / download.student / assignment
    if (there / f"{assignment}.ipynb").is_file():
        problem += "; what was collected before stays"
        found.remarks.append(f"{download.student}: {problem}.")
        return {"note": problem, "problem": ""}
    found.remarks.append(f"{download.student}: {problem}.")
    name, content = platforms.plain(download.name) or "file", download.content
    if isinstance(content, int):
        name, content = f"{name}.left-out.txt", problem.encode()
    if not (there / name).is_file() or (there / name).read_bytes() != content:
        if there.exists():
            course.set_aside(there)
        course.write(there / name, content)
    return {"note": found.notes.get(download.student, ""), "problem": problem}


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


def _download(upload: Upload, assignment: str, content: bytes | int, time: datetime | None) -> Download:
    like = platforms.named_like(upload.name, assignment)
    when = datetime.strptime(upload.time, "%Y-%m-%d-%H-%M-%S") if upload.time else time
    handed_in = f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if when else ""
    key = (upload.time, like is not None, time.isoformat() if time else "", int(like["copy"] or 0) if like else 0)
    return Download(upload.student, upload.name, content, key, handed_in)


def _rank(content: bytes | int, released: NotebookNode | None) -> int:
    """Whether anything was answered. What cannot be read may hold answers."""
    if isinstance(content, int):
        return TOO_LARGE
    try:
        done = released is None or worker.run(Limits.chosen().submission, _answered, content, released)
    except worker.Stopped:
        return ANSWERED
    return ANSWERED if done else HANDED_OUT


def _answered(content: bytes, released: NotebookNode) -> bool:
    try:
        return answered(notebooks.read(content)[0], released)
    except notebooks.Unreadable:
        return True


def _taken(taken: Download, rest: list[Download]) -> str:
    others = ", ".join(sorted(f"{one.name}{' (too large)' if one.too_large else ''}" for one in rest))
    why = "called like the set" if taken.time[1] and not all(one.time[1] for one in rest) else "the newest"
    if taken.rank > max(one.rank for one in rest):
        why = (
            "the only one that can be read and has answers" if taken.rank == ANSWERED else "the others have no answers"
        )
    same = any((one.rank, one.time) == (taken.rank, taken.time) for one in rest)
    sure = ". They have the same time: look which one is meant" if same else ""
    return f"several notebooks; {taken.name} was taken, {why}; not {others}{sure}"


def _files(place: Path, remarks: list[str]) -> Iterator[tuple[str, bytes | int, datetime | None]]:
    """(path, content, time) of each file in a folder or zip; its size in the place of what is too large."""
    if not place.is_dir() and not zipfile.is_zipfile(place):
        raise CourseError(f"{place} is neither a folder nor a zip.")
    found = _in_folder(place) if place.is_dir() else _in_zip(place, remarks)
    for number, (path, content, time) in enumerate(found):
        if number == MOST:
            remarks.append(f"There are more than {MOST} files; the rest is left out.")
            return
        yield path, content, time


def _in_folder(place: Path) -> Iterator[tuple[str, bytes | int, datetime | None]]:
    for path in sorted(place.rglob("*")):
        name = path.relative_to(place).as_posix()
        if path.is_file() and not path.is_symlink() and not _ignored(name):
            stat = path.stat()
            time = datetime.fromtimestamp(stat.st_mtime).astimezone()
            yield name, path.read_bytes() if stat.st_size <= LARGEST else stat.st_size, time


def _in_zip(place: Path, remarks: list[str]) -> Iterator[tuple[str, bytes | int, datetime | None]]:
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
            yield name, content if len(content) <= LARGEST else max(len(content), entry.file_size), time


def _ignored(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return any((part.startswith(".") and part != "..") or part == "__MACOSX" for part in parts)
