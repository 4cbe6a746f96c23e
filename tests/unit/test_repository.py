"""The project's own promises: exact pins, a clean lock file, no address of a machine, two commands."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

TRACKED = [
    Path(f) for f in subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split()
]
PACKAGES = [Path("package.json"), Path("tools/audit/package.json")]
TEXTS = [f for f in TRACKED if f.exists() and f.suffix not in {".png", ".woff2", ".ico", ".npz", ".gz"}]


def test_every_direct_dependency_is_pinned_exactly():
    lines = [line for line in Path("requirements.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9][\w.]*( # .+)?", line) for line in lines)
    for file in PACKAGES:
        package = json.loads(file.read_text())
        pins = [
            pin for kind in ("dependencies", "devDependencies", "overrides") for pin in package.get(kind, {}).values()
        ]
        assert pins
        assert all(re.fullmatch(r"\d+\.\d+\.\d+", pin) for pin in pins)


def test_katex_on_the_page_is_the_katex_that_rendered_it():
    from sphinxcontrib.katex import katex_version

    assert json.loads(Path("package.json").read_text())["dependencies"]["katex"] == katex_version


@pytest.mark.parametrize("file", PACKAGES, ids=str)
def test_a_lock_file_names_no_download_address_and_follows_no_moving_tag(file):
    text = file.with_name("package-lock.json").read_text()
    assert '"resolved"' not in text
    packages = json.loads(text)["packages"]
    assert all(package["integrity"] for name, package in packages.items() if name)
    overrides = json.loads(file.read_text()).get("overrides", {})
    moving = {d for package in packages.values() for d, v in package.get("dependencies", {}).items() if v == "latest"}
    assert moving <= set(overrides)  # `npm ci` refuses the lock file on the day that such a package changes


def test_every_import_is_a_pinned_dependency():
    files = ("requirements.txt", "deploy/hub/requirements.txt")
    lines = [line for file in files for line in Path(file).read_text().splitlines()]
    pinned = {line.split("==")[0].replace("-", "_") for line in lines if "==" in line}
    brought = {
        "bs4": "beautifulsoup4",
        "comm": "ipywidgets",
        "fontTools": "fonttools",
        "markdown_it": "markdown_it_py",
        "sphinxcontrib": "sphinxcontrib_katex",
        "pybtex": "sphinxcontrib_bibtex",
        "matplotlib_inline": "ipykernel",
        "IPython": "ipykernel",
        "imagesize": "sphinx",
        "nbconvert": "nbgrader",
        "yaml": "jupyter_book",
        "PIL": "matplotlib",
        "jsonschema": "nbformat",
        "bcrypt": "jupyterhub_firstuseauthenticator",
    }
    known = (
        set(sys.stdlib_module_names)
        | {
            "anywidget_static",
            "attnlib",
            "attention_posters",
            "pyodide_cells",
            "_ext",
            "tools",
            "tests",
            "classroom",
            "bench",
        }
        | {"pyodide"}  # in the page alone
        | {file.stem for folder in ("classroom/inside", "deploy/hub") for file in Path(folder).glob("*.py")}
        | {file.stem for part in ("examples", "tests") for file in Path("anywidget-static", part).iterdir()}
    )
    for file in [f for f in TRACKED if f.suffix == ".py" and f.exists()]:
        for node in ast.walk(ast.parse(file.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            for name in {name.split(".")[0] for name in names} - known:
                assert brought.get(name, name) in pinned, f"{file} imports {name}"


def test_no_file_names_a_place_on_one_machine():
    marks = ("/" + "work/", "/" + "root/", ".." + "/shared", "shared" + "/design")
    texts = [(file, file.read_text(encoding="utf8")) for file in TEXTS]
    found = [(file, mark) for file, text in texts for mark in marks if mark in text]
    assert found == [(Path(".ci/run"), marks[2])]  # wheels for a test without a network, where that folder is there


def test_every_command_that_a_page_names_is_there():
    targets = set(re.findall(r"^([\w-]+):", Path("Makefile").read_text(), re.MULTILINE))
    for file in [*Path().glob("*.md"), *Path("chapters").rglob("*.md"), *Path(".ci").iterdir()]:
        for command in re.findall(r"(?:`|^    )make ([a-z-]+)", file.read_text(encoding="utf8"), re.MULTILINE):
            assert command in targets, f"{file} names make {command}"
