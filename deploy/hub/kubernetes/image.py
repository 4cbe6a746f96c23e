"""Lay out what repo2docker makes the image of a student's server from. The project and its solutions are not in it.

    python deploy/hub/kubernetes/image.py FOLDER [VERSION]

VERSION is that of the chart's JupyterHub (`make hub-check` says it); without it, that of ../requirements.txt.
"""

import re
import shutil
import sys
from pathlib import Path

HUB = Path(__file__).resolve().parent.parent
ROOT = HUB.parent.parent
sys.path[:0] = [str(ROOT), str(HUB)]

import environment  # noqa: E402

from tools import setup  # noqa: E402

POST_BUILD = f"""#!/usr/bin/env bash
set -euo pipefail
pip install --no-deps --extra-index-url {setup.TORCH_CPU} "$(grep '^torch==' constraints.txt)"
pip install -c constraints.txt -r student.txt
pip install --no-deps *.whl
cp -R bin etc share "$NB_PYTHON_PREFIX/"
"""
OTHER = re.compile(r"#|jupyterhub-[\w-]+==")  # comments, and packages of the hub, which the chart's own image has


def main(folder: Path, version: str = "") -> None:
    """Write the folder anew. Ends with a sentence where the wheel cannot be built."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    environment.wheel(folder)
    environment.student(folder)
    lines = (HUB / "requirements.txt").read_text().splitlines()
    kept = [f"jupyterhub=={version}" if version and line.startswith("jupyterhub==") else line for line in lines]
    (folder / "student.txt").write_text("\n".join(line for line in kept if not OTHER.match(line)) + "\n")
    shutil.copy(ROOT / "requirements.txt", folder / "constraints.txt")
    (folder / "runtime.txt").write_text("python-3.12\n")
    post_build = folder / "postBuild"
    post_build.write_text(POST_BUILD)
    post_build.chmod(0o755)
    print(
        f"{folder} is ready: jupyter-repo2docker --no-run --user-id 1000 --user-name jovyan --image-name NAME {folder}"
    )


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("Say where: python deploy/hub/kubernetes/image.py FOLDER [VERSION]")
    main(Path(sys.argv[1]).resolve(), *sys.argv[2:])
