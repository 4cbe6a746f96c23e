"""A folder for what a command needs while it runs. It goes with the last of its processes, also after SIGKILL.

A process beside them removes it, the keeper. Where that is killed, too, the folder stays.
"""

import atexit
import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# In the background: makes the folder, says where, and removes it when no process has the other end of its input any more.
KEEPER = """exec 3<&0
(
  trap "" HUP INT TERM
  made=$(mktemp -d "$0/grading-XXXXXXXX") || exit
  echo "$made"
  exec >&-
  read -r nothing
  chmod -R u+rwX "$made"
  rm -rf "$made"
) <&3 3<&- &"""


@cache
def folder() -> Path:
    """The folder of this process and of those forked from it. Raises OSError where none can be made."""
    awaited, _ = os.pipe()  # the other end is never closed: the system does it when the process is no more
    where = tempfile.gettempdir()
    try:
        said = subprocess.run(
            ["sh", "-c", KEEPER, os.path.abspath(where)], cwd="/", start_new_session=True, text=True,
            stdin=awaited, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ).stdout  # fmt: skip
    finally:
        os.close(awaited)
    if not said:
        raise OSError(f"No folder can be made in {where}")
    made = Path(said.removesuffix("\n")).resolve()
    atexit.register(_remove, made, os.getpid())
    return made


@contextlib.contextmanager
def used() -> Iterator[None]:
    """Have everything that is temporary lie there."""
    before, tempfile.tempdir = tempfile.tempdir, str(folder())
    try:
        yield
    finally:
        tempfile.tempdir = before


def remove(folder: Path | str) -> None:
    """Remove a folder, however deep, and though folders in it are closed."""
    with contextlib.suppress(RecursionError):  # in some versions it calls itself for each level
        shutil.rmtree(folder, ignore_errors=True)
    if os.path.lexists(folder):
        for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            subprocess.run([*command, "--", str(folder)], stderr=subprocess.DEVNULL, check=False)


def _remove(made: Path, owner: int) -> None:
    """At an orderly end at once; otherwise the keeper does it."""
    if os.getpid() == owner:  # and not a process that it has forked
        remove(made)
