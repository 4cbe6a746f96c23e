"""A file that a student handed in."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import IO

from classroom.notebooks import LARGEST


@dataclass(frozen=True)
class File:
    """A file in a folder or a zip, and when it was changed. It is read when it is needed, so that few are in memory."""

    open: Callable[[], IO[bytes]]
    stated: int  # its size, which in a zip may be a lie
    time: datetime | None

    def read(self) -> bytes:
        """As much as shows whether it is too large."""
        with self.open() as file:
            return file.read(LARGEST + 1)
