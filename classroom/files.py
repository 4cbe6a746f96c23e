"""The files that students handed in, in a folder or a zip."""

import contextlib
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from io import FileIO
from pathlib import Path, PurePosixPath
from typing import IO

from classroom import texts
from classroom.course import CourseError
from classroom.notebooks import LARGEST

DROPPINGS = re.compile(r"__MACOSX|\.DS_Store|\._.*|\.ipynb_checkpoints|\.git")


@dataclass(frozen=True)
class File:
    """A file in a folder or a zip, and when it was changed. It is read when it is needed, so that few are in memory."""

    open: Callable[[], IO[bytes]]
    stated: int  # its size, which in a zip may be a lie
    time: datetime | None
    saved: str = ""  # orders what lies in one submission of a hub, where `time` is that of submitting

    def read(self) -> bytes:
        """As much as shows whether it is too large."""
        with self.open() as file:
            return file.read(LARGEST + 1)


def files_in(source: Path, remarks: list[str]) -> dict[str, File]:
    """Each file in a folder or zip, by its path."""
    if not source.is_dir() and not zipfile.is_zipfile(source):
        raise CourseError(f"{source} is neither a folder nor a zip.")
    return dict(_in_folder(source) if source.is_dir() else _in_zip(source, remarks))


def _in_folder(source: Path) -> Iterator[tuple[str, File]]:
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source).as_posix()
        if path.is_file() and not path.is_symlink() and not _ignored(name):
            stat = path.stat()
            yield name, File(partial(FileIO, path), stat.st_size, datetime.fromtimestamp(stat.st_mtime).astimezone())


def _in_zip(source: Path, remarks: list[str]) -> Iterator[tuple[str, File]]:
    archive = zipfile.ZipFile(source)  # closed with the last of its files
    for entry in archive.infolist():
        name = entry.filename.lstrip("/")
        if entry.is_dir() or _ignored(name):
            continue
        if ".." in PurePosixPath(name).parts:
            remarks.append(f"{texts.line(name)}: outside the archive; left out.")
            continue
        time = None
        with contextlib.suppress(ValueError, OverflowError, OSError):  # a day that there is not
            time = datetime(*entry.date_time).astimezone()
        yield name, File(partial(archive.open, entry), entry.file_size, time)


def _ignored(path: str) -> bool:
    """What computers leave everywhere. A hidden file in a student's folder is the student's."""
    parts = PurePosixPath(path).parts
    hidden = parts[:1] != ("..",) and parts[0].startswith(".")
    return hidden or any(map(DROPPINGS.fullmatch, parts))
