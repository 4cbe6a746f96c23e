"""What a learning platform hands out (a zip, or a folder; see `platforms`) or a hub's exchange holds (see `exchange`),
sorted by student, into `submitted/`.

Nothing that was collected before is lost: a changed submission is taken, and the one before moves to `earlier/`. What is
to be said of a student's files is recorded, for the table of grades.
"""

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from classroom import exchange, notebooks, platforms, texts, worker, worksheets
from classroom.course import Course, CourseError, digest
from classroom.files import File, files_in
from classroom.limits import Limits
from classroom.notebooks import LARGEST
from classroom.platforms import Upload
from classroom.restore import answered

MOST = 200  # files of a student
RECORD = ".collected.json"
FILE = "the file"  # the source of a time that no platform vouches for
HANDED_OUT, TOO_LARGE, ANSWERED = range(3)  # of several notebooks, one that is as it was handed out wins over none


@dataclass
class Download:
    """One student's file."""

    student: str
    name: str
    file: File
    time: tuple[str, bool, str, int]  # the platform's, whether it is called like the set, the file's, its copy
    upload: Upload = field(default_factory=lambda: Upload(""))
    rank: int = ANSWERED
    size: int = 0

    @property
    def content(self) -> bytes:
        return self.file.read()

    @property
    def too_large(self) -> str:
        """A sentence without its end, where it is."""
        if self.size <= LARGEST:
            return ""
        return f"{self.name} has {self.size / (1 << 20):.1f} MB, and {LARGEST >> 20} MB is the most that is read"


@dataclass
class Sorted:
    """Downloads by student, and sentences about what was not taken."""

    notebooks: dict[str, Download] = field(default_factory=dict)
    others: dict[str, Download] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)  # of which notebooks one was taken
    remarks: list[str] = field(default_factory=list)


def sort(source: Path, assignment: str, *released: NotebookNode) -> Sorted:
    """Each student's notebook: of several one with answers, of the newest attempt, called like the set, the newest.

    `released` is the set as it is handed out now, and then as it was before.
    """
    found = Sorted()
    for student, downloads in _by_student(source, assignment, found.remarks).items():
        several = [one for one in downloads if _is_notebook(one) and _readable(one, found.remarks)]
        if not several:
            others = (one for one in downloads if not _is_notebook(one) and _readable(one, found.remarks))
            if other := next(others, None):
                found.others[student] = other
            continue
        for one in several if len(several) > 1 else []:
            one.rank = _rank(one, released)
        *rest, taken = sorted(several, key=lambda one: (one.rank, one.time, one.name))
        if rest:
            found.notes[student] = _taken(taken, rest)
            found.remarks.append(f"{student}: {found.notes[student]}.")
        (found.others if taken.too_large else found.notebooks)[student] = taken
    return found


def collect(course: Course, assignment: str, source: Path, times: Path | None = None) -> list[str]:
    """Bring the downloads into `submitted/`; a sentence for each thing that a teacher should know.

    `times` is a worksheet in which the platform says when each student handed in (see `worksheets.times`).
    """
    if assignment not in course.assignments():
        raise CourseError(f"{assignment} was not released in {course.folder}: run `make classroom` first.")
    if not source.exists():
        raise CourseError(f"{source} does not exist.")
    stated = worksheets.times(times) if times else {}
    copies = course.released(assignment), *course.handed_out_before(assignment)
    found = sort(source, assignment, *(nbformat.read(copy, 4) for copy in copies))
    record = course.remember(RECORD)
    new, changed, same = 0, [], 0
    for student, download in found.notebooks.items():
        said_of = {"note": found.notes.get(student, ""), "problem": ""}
        key, origin = f"{assignment}/{student}", _origin(download, stated)
        there = course.folder / "submitted" / student / assignment
        try:
            content = download.content
        except OSError as error:  # whose it is, on a hub, has taken it away since
            found.remarks.append(f"{student}: {download.name} cannot be read ({error}); left out.")
            continue
        unchanged = (file := there / f"{assignment}.ipynb").exists() and file.read_bytes() == content
        before, work = record.get(key, {}), digest(content)
        same_work = unchanged and before.get("work", work) == work  # one that was stopped may have brought this
        if same_work and origin["source"] == FILE and before.get("source", FILE) != FILE:
            origin |= {"time": before["time"], "source": before["source"]}  # the platform said it then
        record[key] = said_of | origin | {"work": work}
        if unchanged:
            same += 1
            continue
        if there.exists():
            course.set_aside(there)
            changed.append(student)
        new += 1
        course.write(file, content)
        if origin["source"] != FILE:
            when = datetime.fromisoformat(origin["time"]).astimezone(UTC)
            course.write(there / "timestamp.txt", f"{when:%Y-%m-%d %H:%M:%S} UTC".encode())  # nbgrader's
    for student, download in found.others.items():
        kept = record.get(f"{assignment}/{student}", {}) if _there(course, assignment, student) else {}
        own = _other(course, assignment, download, found)
        record[f"{assignment}/{student}"] = (
            _origin(download, stated)
            | {key: kept[key] for key in ("time", "source", "late", "work") if key in kept}
            | own
        )
    course.remember(RECORD, record)
    said = [f"{new - len(changed)} new, {len(changed)} changed, {same} unchanged."]
    if changed:
        said.append(f"Changed: {', '.join(changed)}. The versions before are in {course.folder / 'earlier'}.")
    return [texts.line(sentence, len(sentence)) for sentence in said + found.remarks]


def told(course: Course, assignment: str) -> dict[str, dict[str, str]]:
    """What collecting has to say, by student: a `note`, and the `problem` where there is no notebook."""
    record = course.remember(RECORD)
    return {key.partition("/")[2]: said for key, said in record.items() if key.startswith(f"{assignment}/")}


def _origin(download: Download, stated: dict[str, str]) -> dict[str, str]:
    """Where work comes from, for its way back: its path in the download, and when it was handed in, by whose word."""
    upload, changed = download.upload, download.file.time
    found = {"path": upload.path, "origin": upload.origin, "who": upload.who, "late": "yes" if upload.late else ""}
    number = upload.who.rpartition("_")[2]
    if upload.origin == "moodle" and number in stated:
        return found | {"time": stated[number], "source": "Moodle's worksheet"}
    if upload.origin == "blackboard" and upload.time:
        return found | {"time": _when(upload).isoformat(), "source": "Blackboard's file name"}
    if upload.origin == exchange.ORIGIN and exchange.vouched(upload, download.file):
        return found | {"time": upload.time, "source": "the hub's exchange"}
    return found | {"time": changed.isoformat() if changed else "", "source": FILE}


def _when(upload: Upload) -> datetime:
    """The platform's own time, taken as this machine's."""
    return datetime.strptime(upload.time, "%Y-%m-%d-%H-%M-%S").astimezone()


def _there(course: Course, assignment: str, student: str) -> bool:
    return (course.folder / "submitted" / student / assignment / f"{assignment}.ipynb").is_file()


def _other(course: Course, assignment: str, download: Download, found: Sorted) -> dict[str, str]:
    """Keep what is no notebook that is read, beside nothing older; what there is to say of it."""
    problem = download.too_large or f"handed in {download.name}, no notebook"
    there = course.folder / "submitted" / download.student / assignment
    if _there(course, assignment, download.student):
        problem += "; what was collected before stays"
        found.remarks.append(f"{download.student}: {problem}.")
        return {"note": problem, "problem": ""}
    found.remarks.append(f"{download.student}: {problem}.")
    name = platforms.plain(download.name) or "file"
    if download.too_large:
        name, content = f"{name}.left-out.txt", problem.encode()
    else:
        read = platforms.NOTEBOOK.search(name) or name.casefold() == "timestamp.txt"  # by nbgrader
        try:
            name, content = f"{name}.other" if read else name, download.content
        except OSError:  # it has gone since
            name, content = f"{name}.left-out.txt", problem.encode()
    if not (there / name).is_file() or (there / name).read_bytes() != content:
        if there.exists():
            course.set_aside(there)
        course.write(there / name, content)
    return {"note": found.notes.get(download.student, ""), "problem": problem}


def _by_student(source: Path, assignment: str, remarks: list[str]) -> dict[str, list[Download]]:
    """Each student's files, notebooks first, up to a number that leaves time for those of the others."""
    if inbound := exchange.inbound(source):
        uploads, files = exchange.uploads(inbound, assignment, remarks)
    else:
        files = files_in(source, remarks)
        uploads, said = platforms.uploads([*files], assignment)
        remarks += said
    found: dict[str, list[Download]] = {}
    for upload in _told_apart(uploads, remarks):
        found.setdefault(upload.student, []).append(_download(upload, assignment, files[upload.path]))
    for student, downloads in found.items():
        downloads.sort(key=lambda one: not _is_notebook(one))
        if len(downloads) > MOST:
            remarks.append(f"{student}: {len(downloads)} files; all but {MOST} are left out, notebooks last.")
            del downloads[MOST:]
    return found


def _told_apart(uploads: list[Upload], remarks: list[str]) -> Iterator[Upload]:
    """The uploads of which it is clear whose they are."""
    same = platforms.collisions(uploads)
    for called in same.values():
        remarks.append(f"{' and '.join(sorted(called))} cannot be told apart: their work is left out. Rename one.")
    for upload in uploads:
        if upload.trouble:
            remarks.append(f"{texts.line(upload.path)}: {upload.trouble}; left out.")
        elif upload.student.casefold() not in same:
            yield upload


def _download(upload: Upload, assignment: str, file: File) -> Download:
    name = f"{upload.time} {upload.name}" if upload.origin == exchange.ORIGIN else upload.name
    name = texts.line(name, len(name))
    name = name if len(name) <= 200 else f"{name[:120]} … {name[-60:]}"
    like = platforms.named_like(upload.name, assignment)
    changed = file.saved or (file.time.isoformat() if file.time else "")
    key = (upload.time, like is not None, changed, int(like["copy"] or 0) if like else 0)
    return Download(upload.student, name, file, key, upload)


def _is_notebook(download: Download) -> bool:
    return bool(platforms.NOTEBOOK.search(download.name))


def _readable(download: Download, remarks: list[str]) -> bool:
    """Whether it can be read, and then how large it is."""
    try:
        size = len(download.content)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError) as error:
        remarks.append(f"{download.student}: {download.name} cannot be read ({error}); left out.")
        return False
    download.size = size if size <= LARGEST else max(size, download.file.stated)
    return True


def _rank(download: Download, released: Sequence[NotebookNode]) -> int:
    """Whether anything was answered. What cannot be read may hold answers."""
    if download.too_large:
        return TOO_LARGE
    try:
        done = not released or worker.run(Limits.chosen().submission, _answered, download.content, released)
    except worker.Stopped:
        return ANSWERED
    except OSError:  # it has gone since: any other counts more
        return HANDED_OUT
    return ANSWERED if done else HANDED_OUT


def _answered(content: bytes, released: Sequence[NotebookNode]) -> bool:
    try:
        return answered(notebooks.read(content)[0], released[0], released[1:])
    except notebooks.Unreadable:
        return True


def _taken(taken: Download, rest: list[Download]) -> str:
    others = ", ".join(sorted(f"{one.name}{' (too large)' if one.too_large else ''}" for one in rest))
    why = "called like the set" if taken.time[1] and not all(one.time[1] for one in rest) else "the newest"
    if taken.rank > max(one.rank for one in rest):
        alone = taken.rank == ANSWERED
        why = "the only one that can be read and has answers" if alone else "the others have no answers"
    same = any((one.rank, one.time) == (taken.rank, taken.time) for one in rest)
    sure = ". They have the same time: look which one is meant" if same else ""
    return f"several notebooks; {taken.name} was taken, {why}; not {others}{sure}"
