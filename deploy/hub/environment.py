"""Make the environment of a hub: JupyterHub, its proxy, and what a student's server runs. Nothing of it is in .venv.

    python deploy/hub/environment.py FOLDER

Students may read all of FOLDER: no solution, hidden test or graded set is in it. Run it again after an update of the book.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT))

from tools import setup  # noqa: E402
from tools.notebooks import write  # noqa: E402

PROXY = "configurable-http-proxy@5.3.0"
TEACHERS = ("course-list", "formgrader", "create-assignment", "validate-assignment")  # menus that students do not need
NEWS = "@jupyterlab/apputils-extension:announcements"  # asks each student, and then asks the network


def main(folder: Path) -> None:
    """Make or update it. Ends with a sentence where a step fails."""
    made, wanted = folder / "made-from", _version()
    if made.exists() and made.read_text() == wanted:
        return
    programs = folder / "bin"
    if not (programs / "pip").exists():
        run([sys.executable, "-m", "venv", folder])
    setup.BIN = programs
    setup.install_torch()
    setup.say(3, "the hub, the notebooks' packages, and attnlib")
    wheels = folder / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    wheel(wheels)
    setup.pip("install", "--quiet", "-c", ROOT / "requirements.txt", "-r", HERE / "requirements.txt")
    setup.pip("install", "--quiet", "--force-reinstall", "--no-deps", *wheels.glob("*.whl"))
    setup.say(4, "the hub's proxy")
    if not _node():
        setup.pip("install", "--quiet", setup.NODE)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    run(["npm", "install", "--global", "--prefix", folder, "--loglevel=error", PROXY], path)
    student(folder)
    made.write_text(wanted)


def wheel(folder: Path) -> None:
    """The book's package, without solutions of graded sets."""
    run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", folder, ROOT])


def student(folder: Path) -> None:
    """What a student's server needs beside packages: the chapters, nbgrader's settings, and the command that starts it."""
    chapters = folder / "share" / "attention" / "notebooks"
    shutil.rmtree(chapters, ignore_errors=True)
    chapters.mkdir(parents=True)
    write(sorted((ROOT / "chapters").glob("*.md")), chapters)
    (folder / "bin").mkdir(exist_ok=True)
    shutil.copy(HERE / "student-server", folder / "bin")
    settings = folder / "etc" / "jupyter"
    settings.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "nbgrader_config.py", settings)
    off = {f"@jupyter/nbgrader:{name}": True for name in TEACHERS} | {NEWS: True}
    setup.write(settings / "labconfig" / "page_config.json", {"disabledExtensions": off})


def run(command: list[object], path: str = os.environ["PATH"]) -> None:
    if subprocess.run([str(part) for part in command], env=os.environ | {"PATH": path}).returncode:
        sys.exit(f"{command[0]} failed; its message is above. Run the same command again to go on from here.")


def _node() -> bool:
    """Whether the machine has npm, and a Node that the proxy runs on."""
    if not (shutil.which("npm") and shutil.which("node")):
        return False
    said = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    return int(said.strip().lstrip("v").partition(".")[0] or 0) >= 20


def _version() -> str:
    """What an environment is made from, as one text."""
    folders = ("attnlib", "anywidget-static/src", "chapters", "deploy/hub")
    files = [file for name in folders for file in (ROOT / name).rglob("*") if file.is_file() and file.suffix != ".pyc"]
    files += [ROOT / name for name in ("pyproject.toml", "requirements.txt", "tools/notebooks.py")]
    made = hashlib.sha256(PROXY.encode())
    for file in sorted(files):
        made.update(f"{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    return made.hexdigest()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Say where: python deploy/hub/environment.py FOLDER")
    main(Path(sys.argv[1]).resolve())
