"""What Binder, a devcontainer and the workflow take from the repository: a Python that the book supports, commands that are there."""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet

SUPPORTED = SpecifierSet(tomllib.loads(Path("pyproject.toml").read_text())["project"]["requires-python"])
CONTAINER = json.loads(Path(".devcontainer/devcontainer.json").read_text())
PAGES = yaml.safe_load(Path(".github/workflows/pages.yml").read_text())["jobs"]


@pytest.fixture
def bash(tmp_path):
    """Run a script in a folder, with settings of its own."""

    def run(script, **environment):
        command = ["bash", "-eo", "pipefail", "-c", script]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ | environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_every_environment_says_a_python_that_the_book_supports():
    (binder,) = re.fullmatch(r"python-(\d\.\d+)\n", Path("binder/runtime.txt").read_text()).groups()
    (container,) = re.fullmatch(r"python:(\d\.\d+)", CONTAINER["image"]).groups()
    (setup,) = [step["with"] for step in PAGES["build"]["steps"] if "setup-python" in step.get("uses", "")]
    for version in (binder, container, setup["python-version"]):
        assert version in SUPPORTED


def test_the_commands_of_the_environments_are_there():
    targets = set(re.findall(r"^([\w-]+):", Path("Makefile").read_text(), re.MULTILINE))
    said = [CONTAINER["postCreateCommand"], Path("binder/postBuild").read_text()]
    said += [step["run"] for step in PAGES["build"]["steps"] if "run" in step]
    named = [name for text in said for name in re.findall(r"^make ([\w-]+)", text, re.MULTILINE)]
    assert len(named) == len(said)
    assert set(named) <= targets
    assert CONTAINER["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"] == ".venv/bin/python"


def test_on_binder_the_set_up_fills_the_environment_that_is_there(bash, tmp_path):
    script = Path("binder/postBuild")
    assert os.access(script, os.X_OK)
    (tmp_path / "commands").mkdir()
    make = tmp_path / "commands/make"
    make.write_text('#!/bin/sh\necho "$@"\n')
    make.chmod(0o755)
    path = f"{tmp_path}/commands:{os.environ['PATH']}"
    said = bash(str(script.absolute()), NB_PYTHON_PREFIX="/srv/env", PATH=path)
    assert (tmp_path / ".venv").readlink() == Path("/srv/env")
    assert said.split() == ["notebooks", "PYTHON=/srv/env/bin/python"]


def test_the_workflow_pushes_the_sites_notebooks_and_nothing_else(bash, tmp_path):
    (push,) = [step["run"] for step in PAGES["notebooks"]["steps"] if step.get("name") == "push"]
    bash(
        "git init -q --bare remote && git init -q . && git remote add origin remote && echo '*.whl' > .gitignore"
        " && mkdir downloads && touch downloads/{01_one.ipynb,package.whl,all.zip} index.html"
        " && tar -cf artifact.tar downloads index.html && rm -r downloads"
    )
    for _ in range(2):  # another publication takes the place of the first
        bash(f"rm -rf site\n{push}")
    assert bash("git -C remote ls-tree -r --name-only notebooks").split() == ["01_one.ipynb", "package.whl"]
    assert bash("git -C remote rev-list --count notebooks").strip() == "1"


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        ("title: T", ""),
        ("# colab_url: x", ""),
        ("launch_buttons: {colab_url: x}", "yes=1"),
        ("  jupyterhub_url: x", "yes=1"),
    ],
)
def test_the_workflow_pushes_only_where_a_button_needs_it(config, wanted, bash, tmp_path):
    (asks,) = [step["run"] for step in PAGES["notebooks"]["steps"] if step.get("id") == "wanted"]
    (tmp_path / "_config.yml").write_text(config)
    (tmp_path / "output").touch()
    bash(asks, GITHUB_OUTPUT=str(tmp_path / "output"))
    assert (tmp_path / "output").read_text().strip() == wanted
