"""The exchange of a hub: where students fetch sets and submit, in folders as nbgrader has them.

A submission is the folder `NAME+SET+TIME+…`. Who submitted it is not what the student wrote there:

- `COURSE/inbound/STUDENT/NAME+SET+TIME+…`: the hub made the folder STUDENT (deploy/hub does), and STUDENT counts;
- `COURSE/inbound/NAME+SET+TIME+…`, which all write into: NAME counts where the folder belongs to the account of that
  name, or to whoever collects, who may have copied it.

Students own what lies in these folders and may change it at any time. So no link is followed, at no place of a path. They
write TIME too: it counts where the file system's own time of change, which they cannot set, says the same.
"""

import os
import pwd
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import IO

from classroom import texts
from classroom.course import Course, CourseError
from classroom.files import File
from classroom.platforms import Upload

ORIGIN = "exchange"
DEEPEST = 50  # folders in each other that are looked into
SUBMISSION = re.compile(
    r"(?P<who>.+)\+(?P<set>[\w-]+)\+(?P<time>[0-9]{4}-[0-9-]{5} [0-9:]{8}(?:\.[0-9]+)?) UTC(?:\+[\w=-]*)?", re.DOTALL
)
SLACK = timedelta(minutes=5)  # between the time that is written into a folder's name and the end of copying
SECRET, TIMESTAMP = "submission_secret.txt", "timestamp.txt"  # nbgrader's


def inbound(source: Path) -> Path | None:
    """Where an exchange keeps what was submitted, if `source` is one; CourseError where it has several courses."""
    if not source.is_dir():
        return None
    found = [source] if source.name == "inbound" else [source / "inbound", *sorted(source.glob("*/inbound"))]
    found = [folder for folder in found if folder.is_dir() and (folder.parent / "outbound").is_dir()]
    if len(found) > 1:
        named = ", ".join(str(folder.parent) for folder in found)
        raise CourseError(f"{source} holds several courses: say which one, {named}.")
    return found[0] if found else None


def uploads(source: Path, assignment: str, remarks: list[str]) -> tuple[list[Upload], dict[str, File]]:
    """Each student's files for a set, of the newest submission first, and the files by their paths in `source`."""
    found: list[Upload] = []
    files: dict[str, File] = {}
    every = []
    for folder, who, name in _submissions(source, remarks):
        if name["set"] != assignment:
            continue
        try:
            every.append((datetime.fromisoformat(name["time"]).replace(tzinfo=UTC), folder, who))
        except ValueError:
            remarks.append(f"{who}: {texts.line(folder.name)} names no time that there is; left out.")
    for when, folder, who in sorted(every, reverse=True):
        time = when.isoformat(timespec="microseconds")
        within = {path: file for path, file in _files(source, folder, who, remarks) if path.name != SECRET}
        stamp = within.pop(folder / TIMESTAMP, None)
        if not within and stamp:  # nothing else was submitted, which must be said
            within = {folder / TIMESTAMP: stamp}
        for path, file in within.items():
            found.append(Upload(path.as_posix(), who, path.name, time, origin=ORIGIN))
            files[path.as_posix()] = file
    return found, files


def vouched(upload: Upload, file: File) -> bool:
    """Whether the file system says the same about the time as the folder's name does."""
    return file.time is not None and abs(file.time - datetime.fromisoformat(upload.time)) <= SLACK


def _submissions(source: Path, remarks: list[str]) -> Iterator[tuple[Path, str, re.Match[str]]]:
    """The folder in `source`, whose it is, and the parts of its name."""
    shared = bool(source.stat().st_mode & stat.S_IWOTH)
    for entry in _entries(source, remarks):
        if name := SUBMISSION.fullmatch(entry.name):
            owner = entry.stat(follow_symlinks=False).st_uid
            if owner == os.getuid() or _account(owner) == name["who"]:
                yield Path(entry.name), name["who"], name
            else:
                remarks.append(f"{texts.line(entry.name)}: it belongs to the account {_account(owner)}; left out.")
        elif shared:
            remarks.append(f"{texts.line(entry.name)}: not named as nbgrader names a submission; left out.")
        else:
            for inner in _entries(Path(entry.path), remarks):
                if name := SUBMISSION.fullmatch(inner.name):
                    yield Path(entry.name, inner.name), entry.name, name


def _entries(folder: Path, remarks: list[str]) -> list[os.DirEntry[str]]:
    """The folders in a folder, without hidden ones; links are said."""
    try:
        with os.scandir(folder) as entries:
            every = sorted((one for one in entries if not one.name.startswith(".")), key=lambda one: one.name)
    except OSError as error:
        remarks.append(f"{texts.line(folder.name)} cannot be read ({error.strerror}); left out.")
        return []
    remarks += [f"{texts.line(one.name)} is a link; left out." for one in every if one.is_symlink()]
    return [one for one in every if one.is_dir(follow_symlinks=False)]


def _files(source: Path, folder: Path, who: str, remarks: list[str]) -> Iterator[tuple[Path, File]]:
    """What lies in a submission, by paths in `source`."""

    def unread(error: OSError) -> None:
        remarks.append(f"{who}: {texts.line(Path(error.filename).name)} cannot be read ({error.strerror}); left out.")

    for place, folders, names in os.walk(source / folder, onerror=unread):
        folders[:] = sorted(one for one in folders if one != ".ipynb_checkpoints")
        if folders and len(Path(place).relative_to(source).parts) > DEEPEST:
            remarks.append(f"{who}: folders deeper than {DEEPEST}; left out.")
            folders.clear()
        links = [one for one in folders if Path(place, one).is_symlink()]
        for name in [*links, *sorted(names)]:
            path = Path(place, name)
            try:
                found = path.lstat()
            except OSError as error:  # gone since
                unread(error)
                continue
            if stat.S_ISREG(found.st_mode):
                inner = path.relative_to(source)
                changed = datetime.fromtimestamp(found.st_ctime, UTC)
                saved = f"{max(found.st_mtime_ns, 0):020}"  # a student may set any, and no date need fit it
                yield inner, File(partial(_open, source, inner), found.st_size, changed, saved)
            else:
                kind = "a link" if stat.S_ISLNK(found.st_mode) else "no file"
                remarks.append(f"{who}: {texts.line(name)} is {kind}; left out.")


def _open(source: Path, inner: Path) -> IO[bytes]:
    """The file, though a student makes links meanwhile: each folder is opened from the one before. OSError for a link."""
    at = os.open(source, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in inner.parts:
            folder = os.O_DIRECTORY if part != inner.parts[-1] else 0
            then = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | folder, dir_fd=at)
            os.close(at)
            at = then
        if not stat.S_ISREG(os.fstat(at).st_mode):
            raise OSError(f"{inner.name} is no file any more")
        return os.fdopen(at, "rb", buffering=0)
    except BaseException:
        os.close(at)
        raise


def _account(owner: int) -> str:
    try:
        return pwd.getpwuid(owner).pw_name
    except KeyError:
        return str(owner)


def hand_out(course: Course, assignment: str, to: Path) -> str:
    """Put the students' copy of a set where a hub's students fetch it; a sentence says what was done.

    CourseError where `to` is no exchange, or the set was not released. A copy that is there is replaced: whoever has
    fetched it keeps what they have.
    """
    if assignment not in course.assignments():
        raise CourseError(f"{assignment} was not released in {course.folder}: run `make classroom` first.")
    there = inbound(to)
    if there is None:
        raise CourseError(
            f"{to} is no exchange: it has no folders inbound and outbound. The hub makes them when it starts."
        )
    place = there.parent / "outbound" / assignment
    new = Path(tempfile.mkdtemp(prefix=f".{assignment}.", dir=place.parent))
    old, replaced = new.with_name(f"{new.name}.old"), place.exists()  # students see no hidden folders
    try:
        shutil.copytree(course.released(assignment).parent, new, dirs_exist_ok=True)
        for path in [new, *new.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        if replaced:
            place.rename(old)  # another teacher's folder can be moved, and not emptied
        new.rename(place)
    except BaseException:
        if old.exists() and not place.exists():
            old.rename(place)
        shutil.rmtree(new, ignore_errors=True)
        raise
    shutil.rmtree(old, ignore_errors=True)
    return f"{assignment}: students fetch it from {place}{' (replaced)' if replaced else ''}"
