"""What stands between a student's process and the machine: the strongest means found here, each tried before it is used.

1. bubblewrap (`bwrap`), 2. Linux namespaces by `unshare`: no network, no file but Python's own and a folder for the
student, no process outlives the run. 3. Neither: limits on time, memory and output, and Python's own calls for files
and network refused; `remains` says what that does not contain.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache", "/etc/fonts")
REMAINS = (
    "Network: Python's own calls are refused, but code that goes round Python can reach it.",
    "Reading files: likewise; grade in an account, or a container, that holds nothing else.",
)

# As root of a name space of its own: a new root with the folders that may be read, without the power to change it again.
NAMESPACES = r"""
set -e
new=$1; work=$2; shift 2
mount -t tmpfs tmpfs "$new"
while [ "$1" != -- ]; do
  if [ -L "$1" ]; then mkdir -p "$new$(dirname "$1")"; ln -s "$(readlink "$1")" "$new$1"
  else
    if [ -d "$1" ]; then mkdir -p "$new$1"; else mkdir -p "$new$(dirname "$1")"; : > "$new$1"; fi
    mount --rbind "$1" "$new$1"; mount -o remount,bind,ro "$new$1"
  fi
  shift
done
shift
mkdir -p "$new/dev" "$new$work" "$new/proc" "$new/tmp"
for device in null zero urandom; do : > "$new/dev/$device"; mount --bind "/dev/$device" "$new/dev/$device"; done
mount --bind "$work" "$new$work"
mount -t proc proc "$new/proc"
mount -o remount,ro "$new"
exec chroot "$new" setpriv --bounding-set=-all --inh-caps=-all --no-new-privs sh -c 'cd "$0" && exec "$@"' "$work" "$@"
"""


@dataclass(frozen=True)
class Walls:
    """How a command is run; `remains` says, in sentences, what a student's code could still do."""

    name: str
    wrap: Callable[[list[str], Path], list[str]]
    remains: tuple[str, ...] = ()


def readable() -> list[str]:
    """What a student's Python needs to run: the system's programs, this Python, its packages, and attnlib."""
    places = [*SYSTEM, sys.base_prefix, sys.prefix, ROOT / "attnlib"]
    places += [path for path in sys.path if "site-packages" in path]
    kept: list[str] = []
    for place in [
        name for path in map(str, places) for name in (path, os.path.realpath(path))
    ]:  # a link, and where it leads
        inside = any(place.startswith(f"{other}/") for other in kept)
        if os.path.exists(place) and place not in kept and not inside:
            kept.append(place)
    return kept


def _bwrap(command: list[str], folder: Path) -> list[str]:
    places: list[str] = []
    for place in readable():
        places += ["--symlink", os.readlink(place), place] if os.path.islink(place) else ["--ro-bind", place, place]
    return [shutil.which("bwrap") or "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev",
            "--tmpfs", "/tmp", *places, "--bind", str(folder), str(folder), "--chdir", str(folder), *command]  # fmt: skip


def _unshare(command: list[str], folder: Path) -> list[str]:
    root = folder.parent / "root"
    root.mkdir(exist_ok=True)
    return ["unshare", "--user", "--map-root-user", "--mount", "--net", "--pid", "--ipc", "--fork", "--kill-child",
            "sh", "-c", NAMESPACES, "sh", str(root), str(folder), *readable(), "--", *command]  # fmt: skip


def _limits(command: list[str], folder: Path) -> list[str]:
    return command


CHOICES = (Walls("bwrap", _bwrap), Walls("unshare", _unshare))
LIMITS = Walls("limits alone", _limits, REMAINS)

PROBE = """
import json, os, socket, sys
import numpy, attnlib, IPython
def seen(place):
    try:
        return bool(os.listdir(place))
    except OSError:
        return False
open("written", "w").close()
print(json.dumps({"seen": seen(sys.argv[1]), "net": [name for _, name in socket.if_nameindex() if name != "lo"]}))
"""


@cache
def best() -> Walls:
    """The strongest walls that work on this machine."""
    return next((walls for walls in CHOICES if works(walls)), LIMITS)


def works(walls: Walls) -> bool:
    """Try it: Python starts with its packages, sees neither the graded sets nor a network, and can write in its folder."""
    if not shutil.which(walls.name):
        return False
    with tempfile.TemporaryDirectory(prefix="walls-") as place:
        folder = Path(place).resolve() / "work"
        folder.mkdir()
        command = walls.wrap([sys.executable, "-c", PROBE, str(ROOT / "classroom")], folder)
        try:
            tried = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, timeout=60)
            found = json.loads(tried.stdout)
        except (OSError, ValueError, subprocess.SubprocessError):
            return False
        return not found["seen"] and not found["net"] and (folder / "written").exists()


def environment(folder: Path) -> dict[str, str]:
    """Nothing of the teacher's: no keys, no paths beyond what Python needs."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    homes = dict.fromkeys(("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR", "XDG_CACHE_HOME"), str(folder))
    return {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(ROOT), "CLASSROOM_RUN": str(folder), **one_thread, **homes}  # fmt: skip


def end(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    """End the process, its group, and whatever else was started in the folder; return when nothing of it is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    for _ in range(100):
        left = strays(folder)
        if not left:
            return
        for stray in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(stray, signal.SIGKILL)
        time.sleep(0.02)


def strays(folder: Path, within: bool = False) -> list[int]:
    """Processes that carry the mark of a run in this folder, or anywhere `within` it (Linux; elsewhere none are found)."""
    mark, found = f"CLASSROOM_RUN={folder}".encode(), []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            variables = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if mark in variables or (within and any(one.startswith(mark + b"/") for one in variables)):
            found.append(int(entry.parent.name))
    return found
