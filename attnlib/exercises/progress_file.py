"""What is done so far: kept in a file beside the notebooks, and shown."""

import html
import json
import os
import re
import secrets
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attnlib.exercises.harness import Exercise

FILE = "progress.json"
FORMAT = "attention-book progress 1"  # that of the pages too: _ext/theme/static/progress.js
SESSION = "JPY_SESSION_NAME"  # what a notebook server tells a kernel of its notebook; no build and no test has it
Points = tuple[int, int]


@dataclass
class Done:
    """The most points of each exercise, and how far each page was read, which only a page knows."""

    points: dict[str, Points] = field(default_factory=dict)
    pages: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, other: "Done") -> None:
        """Take the better of both."""
        for id, points in other.points.items():
            self.points[id] = max(self.points.get(id, points), points, key=lambda one: (one[0] / one[1], one[1]))
        for name, page in other.pages.items():
            self.pages[name] = max(self.pages.get(name, page), page, key=lambda one: one["read"])

    @classmethod
    def parse(cls, text: str) -> "Done":
        """What a file holds.

        Raises:
            ValueError: where it is no progress of this book.
        """
        try:
            found = json.loads(text)
        except ValueError as why:
            raise ValueError(f"no JSON: {why}") from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ValueError(f'no progress of this book: "format" is not {FORMAT!r}')
        done = cls()
        for name in ("points", "pages"):
            if not isinstance(found.get(name), dict):
                raise ValueError(f"{name!r} is no object")
        for id, points in found["points"].items():
            whole = isinstance(points, list) and len(points) == 2 and all(type(number) is int for number in points)
            if not whole or not 0 <= points[0] <= points[1] or points[1] == 0:
                raise ValueError(f"the points of {id!r} are no two whole numbers, some of all: {points!r}")
            done.points[id] = (points[0], points[1])
        for name, page in found["pages"].items():
            if not isinstance(page, dict) or type(page.get("read")) is not int:
                raise ValueError(f"of the page {name!r} it does not say how many sections were read")
            done.pages[name] = page
        return done

    def text(self) -> str:
        """What a file holds of it."""
        return json.dumps({"format": FORMAT, "points": self.points, "pages": self.pages}, indent=1, ensure_ascii=False)


class Keeper:
    """What is done, in a file or, without one, in this Python alone.

    Several kernels may use one file. One that cannot be written, or holds no progress, is said once.
    """

    def __init__(self, file: Path | None) -> None:
        self.file = file
        self.done = Done()

    def keep(self) -> Done:
        """Bring what is done here and what the file holds together, in both."""
        if self.file:
            try:
                with _locked(self.file):
                    before = self._before(self.file.resolve())  # a link stays one
                    self.done.add(before)
                    if self.done != before:
                        write(self.file, self.done.text())
            except OSError as why:
                with suppress(OSError, ValueError):  # it may be there to read all the same
                    self.done.add(Done.parse(self.file.read_text(encoding="utf8")))
                warnings.warn(
                    f"{self.file} cannot be written ({why.strerror}): points last as long as this kernel", stacklevel=4
                )
                self.file = None
        return self.done

    @staticmethod
    def _before(file: Path) -> Done:
        """What the file holds. One that holds no progress is put aside."""
        if not file.exists():
            return Done()
        try:
            return Done.parse(file.read_text(encoding="utf8"))
        except ValueError as why:
            number = 1
            while (aside := file.with_name(f"{file.stem}.broken-{number}.json")).exists():
                number += 1
            os.replace(file, aside)
            warnings.warn(f"{file.name} was not readable ({why}); it is kept as {aside.name}", stacklevel=5)
            return Done()


def beside_the_notebook() -> Path | None:
    """Where a notebook's progress is kept: nowhere unless a notebook server started this Python."""
    return Path.cwd() / FILE if os.environ.get(SESSION) else None


def chapter_of_the_notebook() -> int | None:
    """The chapter whose notebook this is, by its name."""
    found = re.search(r"(?:^|[/\\])(\d\d)_\w[^/\\]*$", os.environ.get(SESSION, ""))
    return int(found[1]) if found else None


def write(file: Path, text: str) -> None:
    """Write a file at once or not at all; of a link, what it leads to. Its mode stays; that of a new one is the usual."""
    file = file.resolve()
    part = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    part.touch(exist_ok=False)
    try:
        part.write_text(text, encoding="utf8")
        if file.exists():
            shutil.copymode(file, part)
        os.replace(part, file)
    except BaseException:
        part.unlink()
        raise


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Nobody else has the file meanwhile: the lock ends with its process, and the file beside it stays."""
    file = file.resolve()  # several links may lead to it
    with open(file.with_name(f".{file.name}.lock"), "a+b") as lock:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore] # of Windows
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True)
class Progress:
    """For each chapter its exercises; for those that were tried, the most points and how many there are.

    The chapter `here` is shown first, exercise by exercise, and each other one in a line.
    """

    chapters: Mapping[int, tuple[Exercise, ...]]
    points: Mapping[str, Points]
    here: int | None = None

    def done(self, chapter: int) -> int:
        """How many exercises of a chapter are right."""
        return sum(points == of for points, of in map(self._points, self.chapters[chapter]))

    def _points(self, exercise: Exercise) -> Points:
        return self.points.get(exercise.id, (0, max(1, len(exercise.properties))))

    def _heading(self, chapter: int) -> str:
        return f"Chapter {chapter}: {self.done(chapter)} of {len(self.chapters[chapter])} done"

    def _row(self, exercise: Exercise) -> tuple[str, str, str, str]:
        points, of = self._points(exercise)
        mark = "✓" if points == of else "·" if exercise.id in self.points else ""
        return mark, exercise.title, exercise.id, f"{points} of {of}" if exercise.id in self.points else ""

    def _others(self) -> list[str]:
        return [self._heading(chapter) for chapter in self.chapters if chapter != self.here]

    def _rows(self) -> list[tuple[str, str, str, str]]:
        return [] if self.here is None else [self._row(exercise) for exercise in self.chapters.get(self.here, ())]

    def __repr__(self) -> str:
        lines = []
        if (rows := self._rows()) and self.here is not None:
            widths = [max(len(row[i]) for row in rows) for i in (1, 2)]
            lines.append(self._heading(self.here))
            lines += [f"  {m or ' '} {t.ljust(widths[0])}  {i.ljust(widths[1])}  {p}".rstrip() for m, t, i, p in rows]
        return "\n".join([*lines, *self._others()])

    def _repr_html_(self) -> str:
        table = ""
        if (rows := self._rows()) and self.here is not None:
            for mark, title, id, points in ([*map(html.escape, row)] for row in rows):
                table += (
                    f"<tr><td>{mark}</td><th scope='row'>{title}</th><td><code>{id}</code></td><td>{points}</td></tr>"
                )
            caption = f"<caption>{self._heading(self.here)}</caption>"
            table = f"<table class='check-progress'>{caption}<tbody>{table}</tbody></table>"
        others = "".join(f"<li>{line}</li>" for line in self._others())
        return f"<div class='check'>{table}<ul style='list-style:none;padding:0'>{others}</ul></div>"
