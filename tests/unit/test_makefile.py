"""`make book` builds when something of the book has changed, and then alone."""

import os
import shutil
import subprocess

import pytest

FAKE = """#!/bin/sh
echo build >> builds
test ! -e broken || exit 1
mkdir -p _build/html _build/.doctrees
"""


@pytest.fixture
def make(tmp_path):
    """Run `make book` where Jupyter Book only counts; give how often it was called, and the exit code."""
    for name in ("_ext", "attnlib/widgets/static", "anywidget-static/src", "chapters", "tools", ".venv/bin"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("_config.yml", "_toc.yml", "index.md", "references.bib", "requirements.txt", "package-lock.json"):
        (tmp_path / name).touch()
    for name in (
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "tools/lite.py",
        "tools/notebooks.py",
        "tools/site_zip.py",
    ):
        (tmp_path / name).touch()
    for name in ("tools/setup.py", "chapters/one.md"):
        (tmp_path / name).touch()
    shutil.copy("Makefile", tmp_path)
    (tmp_path / ".venv/bin/jupyter-book").write_text(FAKE)
    (tmp_path / ".venv/bin/jupyter-book").chmod(0o755)

    def run(**environment):
        for file in (".venv/ready", "attnlib/widgets/static/widgets.mjs"):  # to make these is not what is tested here
            (tmp_path / file).touch()
            os.utime(tmp_path / file, (2**31, 2**31))
        environment = {"PATH": os.environ["PATH"], **environment}
        done = subprocess.run(["make", "book"], cwd=tmp_path, capture_output=True, text=True, env=environment)
        builds = (tmp_path / "builds").read_text().count("build")
        return builds, done.returncode

    return run


def test_what_has_changed_is_seen_and_nothing_else(make, tmp_path):
    assert make() == (1, 0)
    assert make() == (1, 0)
    page, other = tmp_path / "chapters/one.md", tmp_path / "chapters/two.md"
    page.write_text("A sentence.")
    assert make() == (2, 0)
    other.touch()
    assert make() == (3, 0)
    other.unlink()
    assert make() == (4, 0)
    page.rename(other)
    assert make() == (5, 0)
    assert make(BASE_URL="https://host/") == (6, 0)
    assert make(BASE_URL="https://host/") == (6, 0)
    assert make() == (7, 0)
    shutil.rmtree(tmp_path / "_build/html")
    assert make() == (8, 0)
    assert make() == (8, 0)
    wheels = tmp_path / "a folder of wheels"
    wheels.mkdir()
    assert make(PYTHON_WHEELS=str(wheels)) == (9, 0)
    (wheels / "numpy.whl").touch()
    assert make(PYTHON_WHEELS=str(wheels)) == (10, 0)
    assert make(PYTHON_WHEELS=str(wheels)) == (10, 0)


def test_a_site_that_lacks_python_is_built_again_and_a_new_jupyterlite_reaches_it(make, tmp_path):
    static, lite = tmp_path / "_build/html/_static", tmp_path / "a lite"
    static.mkdir(parents=True)
    assert make() == (1, 0)
    assert make() == (2, 0)
    (static / "python").mkdir()
    (static / "python/manifest.json").touch()
    assert make() == (3, 0)
    assert make() == (3, 0)
    lite.mkdir()
    assert make(LITE=str(lite)) == (4, 0)
    (lite / "new.js").touch()
    assert make(LITE=str(lite)) == (5, 0)
    assert make(LITE=str(lite)) == (5, 0)


def test_a_build_that_failed_is_repeated_and_forgets_what_it_had_read(make, tmp_path):
    assert make() == (1, 0)
    (tmp_path / "broken").touch()
    (tmp_path / "index.md").write_text("Broken.")
    assert make() == (2, 2)
    assert not (tmp_path / "_build/.doctrees").exists()
    assert make() == (3, 2)
    (tmp_path / "index.md").write_text("")  # as it was when the site was whole, but the site may not be that any more
    assert make() == (4, 2)
    (tmp_path / "broken").unlink()
    assert make() == (5, 0)
    assert make() == (5, 0)
