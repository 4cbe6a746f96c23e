"""The README of anywidget-static, followed to the letter: every block of code in it runs here."""

import importlib
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from anywidget_static import InputError, esbuild
from anywidget_static.page import Source, script_folder
from tools.site import ROOT

LANGUAGES = ["sh", "python", "js", "markdown", "yaml", "yaml", "sh", "python", "python", "js", "sh", "html", "js"]
INSTALL, PYTHON, MODULE, INDEX, TOC, CONFIG, BUILD, CHECKED, DIAL, DIAL_MODULE, BUNDLE, OWN, OPTIONS = range(13)


def sh(command, folder, python):
    """Run a line as a reader's shell would, in his environment and without esbuild."""
    environment = os.environ | {"PATH": os.pathsep.join([str(Path(python).parent), "/usr/bin", "/bin"])}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def here():
    return sys.executable


@pytest.fixture
def fresh(readme, tmp_path):
    """An environment with what the README's first line installs and nothing else."""
    wheel = f'"{sys.executable}" -m hatchling build -t wheel -d "{tmp_path}"'
    sh(wheel, ROOT / "anywidget-static", sys.executable)
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env/bin/python"
    pins = [line.split(" ")[0] for line in (ROOT / "requirements.txt").read_text().splitlines() if "==" in line]
    (tmp_path / "pins.txt").write_text("\n".join(pins))
    sh(f"PIP_CONSTRAINT=pins.txt {readme[INSTALL][1]}", tmp_path, python)
    return python


def test_every_block_of_the_readme_is_followed_here(readme):
    assert [language for language, _ in readme] == LANGUAGES


@pytest.mark.slow
@pytest.mark.parametrize("environment", ["here", "fresh"])
def test_ten_minutes_make_a_book_with_a_new_widget(environment, request, readme, tmp_path, open_page, serve_folder):
    python = request.getfixturevalue(environment)
    folder = tmp_path / "book"
    folder.mkdir()
    names = {"counter.py": PYTHON, "counter.mjs": MODULE, "index.md": INDEX, "_toc.yml": TOC, "_config.yml": CONFIG}
    for name, block in names.items():
        (folder / name).write_text(readme[block][1])
    build, serve = readme[BUILD][1].splitlines()
    sh(build, folder, python)
    assert serve == "python -m http.server --directory _build/html"
    address = f"{serve_folder(folder / '_build/html')}/index.html"
    page = open_page(address)
    button = page.locator("[data-widget] button")
    button.click()
    assert button.inner_text() == "count: 4"
    link = page.locator("[data-link]").get_attribute("href")
    assert link == "#counter-clicks?value=4"
    open_page(f"{address}{link}").get_by_text("count: 4").wait_for()


def test_inputs_that_do_not_fit_each_other_are_refused(readme):
    names = {"__name__": "interval"}
    exec(readme[CHECKED][1], names)
    with pytest.raises(InputError, match=r"low is 0\.9, above high, 0\.5"):
        names["Interval"](low=0.9, high=0.5)
    with pytest.raises(InputError, match="low must be from 0 to 1, got 2"):
        names["Interval"](low=2)
    assert names["Interval"](low=0.2).low == 0.2


def test_a_package_of_widgets_is_built_once(readme, tmp_path, monkeypatch, open_page):
    package = tmp_path / "dials"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "dial.py").write_text(readme[DIAL][1])
    (package / "dial.mjs").write_text(readme[DIAL_MODULE][1])
    monkeypatch.setenv("PATH", f"{ROOT / 'node_modules/.bin'}:{Path(sys.executable).parent}:/usr/bin:/bin")
    done = subprocess.run(readme[BUNDLE][1], shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Start again" in (package / "static/widgets.mjs").read_text()
    monkeypatch.syspath_prepend(tmp_path)
    dial = importlib.import_module("dials.dial").Dial(angle=90)
    esbuild.write_pages({"page": [Source("dial", package="dials")]}, tmp_path)
    script = '<script defer src="page.js"></script>'
    (tmp_path / "page.html").write_text(f"<!doctype html><meta charset=utf-8><title>t</title>{dial.to_html()}{script}")
    page = open_page(f"{(tmp_path / 'page.html').as_uri()}#dial?angle=200")
    page.get_by_text("200°").wait_for()
    page.get_by_text("Start again").click()
    assert page.locator("output").inner_text() == "90°"


def test_a_page_of_ones_own_joins_its_tabs(readme, tmp_path, counter, open_page, serve_folder):
    counter(tmp_path)
    (tmp_path / "anywidget-static").symlink_to(script_folder())
    html = readme[OWN][1]
    (tmp_path / "alone.html").write_text(html)
    with_options = html.replace("{ counter });", "{ counter }, options);")
    with_options = with_options.replace("  import * as", '  import options from "./options.mjs";\n  import * as')
    (tmp_path / "joined.html").write_text(with_options)
    (tmp_path / "options.mjs").write_text(readme[OPTIONS][1])
    address = serve_folder(tmp_path)
    page = open_page(f"{address}/alone.html#clicks?value=8")
    page.get_by_text("count: 8").click()
    assert page.locator("button").inner_text() == "count: 9"
    assert page.problems == []
    page = open_page(f"{address}/joined.html")
    page.get_by_text("count: 3").wait_for()
    other = page.context.new_page()
    other.goto(page.url)
    other.get_by_text("count: 3").click()
    page.get_by_text("count: 4").wait_for()
