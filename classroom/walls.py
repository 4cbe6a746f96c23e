"""What stands between a student's process and the machine: the strongest means found here, each tried before it is used.

1. Linux namespaces by `unshare`, 2. bubblewrap (`bwrap`), 3. Landlock: no network, no file but Python's own and a folder for
the student, one process. 4. None of them: limits on time, memory and output, and Python's own calls for files and network
refused. Then hidden tests are graded only when the teacher says `CONTAIN=none`. `remains` says what is not contained.
"""

import compileall
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
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from classroom import cgroup, temporary
from classroom.answers import BESIDE, PACKAGE
from classroom.limits import Limits, Refused

ROOT = Path(__file__).resolve().parent.parent
INSIDE = Path("classroom", "inside")  # what runs in a student's process
SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache", "/etc/fonts")
NOBODY = 65534
PATIENCE = 5  # seconds for what was killed to be gone
REMAINS = (
    "Network: Python's own calls are refused, but code that goes round Python can reach it.",
    "Files: likewise. A student's code can read the graded set with its solutions and hidden tests, other students' work "
    "and everything else that this account can, and change it, the gradebook included.",
    "Processes, memory and disk in all: watched while it runs, not bounded.",
)

# As root of a namespace (a real root becomes nobody): a new root with the folders that may be read, and a folder to write
# in, of a fixed size. What of /proc changes the machine cannot be written.
NAMESPACES = r"""
set -e
new=$1; work=$2; bytes=$3; files=$4; user=$5; shift 5
mount -t tmpfs -o size=1m,mode=755 tmpfs "$new"
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
mount -t tmpfs -o "size=$bytes,nr_inodes=$files,mode=700${user:+,uid=$user,gid=$user}" tmpfs "$new$work"
mount -t proc proc "$new/proc"
for part in sys sysrq-trigger irq bus fs acpi; do
  if [ -e "$new/proc/$part" ]; then
    mount --bind "$new/proc/$part" "$new/proc/$part"; mount -o remount,bind,ro "$new/proc/$part"
  fi
done
mount -o remount,bind,ro "$new"
exec chroot "$new" setpriv ${user:+--reuid=$user --regid=$user --clear-groups} \
  --bounding-set=-all --inh-caps=-all --no-new-privs \
  sh -c 'cd "$0" && exec "$@"' "$work" "$@"
"""


@dataclass(frozen=True)
class Walls:
    """How a command is run; `remains` says, in sentences, what a student's code could still do.

    `hidden` says whether hidden tests may be graded behind them; `landlock`, whether the process restricts itself.
    """

    name: str
    wrap: Callable[[list[str], Path, Limits], list[str]]
    remains: tuple[str, ...] = ()
    hidden: bool = True
    landlock: bool = False


def readable() -> list[str]:
    """What a student's Python needs to run: the system's programs, this Python, its packages, and the runner."""
    paths = [*SYSTEM, sys.base_prefix, sys.prefix, runner()]
    paths += [one for one in sys.path if "site-packages" in one]
    kept: list[str] = []
    for path in (name for one in map(str, paths) for name in (one, os.path.realpath(one))):  # a link, and its target
        inside = any(path.startswith(f"{other}/") for other in kept)
        if os.path.exists(path) and path not in kept and not inside:
            kept.append(path)
    return kept


@cache
def runner() -> Path:
    """A folder with what runs in a student's process, and attnlib's data; nobody writes into it again."""
    folder = Path(tempfile.mkdtemp(prefix="runner-", dir=temporary.folder()))
    data = shutil.ignore_patterns("__pycache__", "*.py")
    shutil.copytree(PACKAGE, folder / "attnlib", ignore=data)
    for package in BESIDE:
        shutil.copytree(package, folder / "attnlib" / package.name, ignore=data)
    shutil.copytree(ROOT / INSIDE, folder / INSIDE, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "classroom" / "__init__.py", folder / "classroom")
    compileall.compile_dir(folder / "classroom", quiet=2)  # here once, and not in every student's process
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


def python(module: str, settings: dict[str, object]) -> list[str]:
    """The command that runs a module of `inside/` from the runner, with its settings."""
    return [sys.executable, "-P", "-s", "-m", f"classroom.inside.{module}", json.dumps(settings)]


def _unshare(command: list[str], folder: Path, limits: Limits) -> list[str]:
    root = folder.parent / "root"
    root.mkdir(exist_ok=True)
    user = ["--user", "--map-root-user"] if os.geteuid() else []
    return ["unshare", *user, "--mount", "--net", "--pid", "--ipc", "--uts", "--fork", "--kill-child",
            "sh", "-c", NAMESPACES, "sh", str(root), str(folder), str(limits.disk), str(limits.files),
            "" if user else str(NOBODY), *readable(), "--", *command]  # fmt: skip


def _bwrap(command: list[str], folder: Path, limits: Limits) -> list[str]:
    paths: list[str] = []
    for path in readable():
        paths += ["--symlink", os.readlink(path), path] if os.path.islink(path) else ["--ro-bind", path, path]
    return [shutil.which("bwrap") or "bwrap", "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session",
            "--cap-drop", "ALL", "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys", "--dev", "/dev", *paths,
            "--size", str(limits.disk), "--tmpfs", str(folder), "--remount-ro", "/", "--chdir", str(folder),
            *command]  # fmt: skip


def _as_it_is(command: list[str], folder: Path, limits: Limits) -> list[str]:
    return command


CHOICES = (
    Walls("unshare", _unshare),
    Walls("bwrap", _bwrap, ("The number of files: not bounded, but their bytes are.",)),
    Walls("landlock", _as_it_is, ("Disk in all: watched while it runs, not bounded.",), landlock=True),
)
LIMITS = Walls("limits alone", _as_it_is, REMAINS, hidden=False)


def chosen() -> Walls:
    """The walls to grade behind, as the machine has them and `CONTAIN` allows.

    Raises Refused where work would be graded as root without `CONTAIN=root`, and for a word that `CONTAIN` does not know.
    """
    said = set(os.environ.get("CONTAIN", "").replace(",", " ").split())
    if said - {"none", "root"}:
        raise Refused(f"CONTAIN knows the words none and root, not {', '.join(sorted(said - {'none', 'root'}))}.")
    if os.geteuid() == 0 and "root" not in said:
        raise Refused(
            "This is root. What gets out of a student's process would then own the machine: grade as an ordinary user, or say "
            "CONTAIN=root (students' code then runs as nobody, where namespaces work)."
        )
    walls = best()
    return replace(walls, hidden=True) if walls is LIMITS and "none" in said else walls


def sentences(walls: Walls) -> list[str]:
    """What stands between a submission and this machine, and what does not."""
    alone = "No control group can be made here: the process itself counts"
    counts = "A control group counts" if cgroup.stands(Limits.chosen()) else alone
    said = [f"Submissions run in a process of their own, contained by {walls.name}."]
    said.append(f"  {counts} its memory and threads.")
    said += [f"  NOT CONTAINED. {sentence}" for sentence in walls.remains]
    if walls.name == LIMITS.name:
        said += [
            "  Hidden tests are run all the same: CONTAIN=none."
            if walls.hidden
            else "  Hidden tests are not run: here a submission could read them. Grade on Linux (namespaces, bubblewrap or Landlock), or "
            "accept what stands above with CONTAIN=none."
        ]
    return said


@cache
def best() -> Walls:
    """The strongest walls that work on this machine."""
    return next((walls for walls in CHOICES if works(walls)), LIMITS)


@cache
def works(walls: Walls) -> bool:
    """Try it: Python starts with its packages, sees neither the graded sets nor a network, starts no process, and can write."""
    if walls.name != "unshare" and os.geteuid() == 0:
        return False  # a student's code would be root outside; behind `unshare` it is nobody
    if not walls.landlock and not shutil.which(walls.name):
        return False
    with tempfile.TemporaryDirectory(prefix="walls-") as name:
        folder = Path(name).resolve() / "work"
        folder.mkdir()
        settings = {
            "read": readable(),
            "write": [str(folder)],
            "landlock": walls.landlock,
            "secret": str(ROOT / "classroom"),
        }
        try:
            wrapped = walls.wrap(python("probe", settings), folder, Limits())
            tried = subprocess.run(wrapped, cwd=folder, env=environment(folder), capture_output=True, timeout=60)
            found = json.loads(tried.stdout)
        except (OSError, ValueError, subprocess.SubprocessError):
            return False
        return bool(found == {"shut": True, "secret": False, "network": False, "process": False, "written": True})


def environment(folder: Path) -> dict[str, str]:
    """Nothing of the teacher's: no keys, no paths beyond what Python needs."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    homes = dict.fromkeys(("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR", "XDG_CACHE_HOME"), str(folder))
    return {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "PYTHONPATH": str(runner()), "LANG": "C.UTF-8",
            "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1",
            "USER": "student", "LOGNAME": "student", "CLASSROOM_RUN": str(folder), **one_thread, **homes}  # fmt: skip


def end(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    """End the process, its group, and whatever else was started in the folder; return when nothing of it is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    end_strays(folder)


def end_strays(folder: Path, within: bool = False) -> None:
    """End the processes that carry the mark of a run in this folder, or `within` it, until there are none, or too long."""
    deadline = time.monotonic() + PATIENCE
    while (left := strays(folder, within)) and time.monotonic() < deadline:
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
