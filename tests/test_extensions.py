"""The build's own steps, each on the smallest book that needs it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, "_ext")
import freshness

ROOT = Path.cwd()
HEADER = """\
---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3, language: python}
myst: {html_meta: {description: A page to test with.}}
---

"""


@pytest.fixture
def build(tmp_path):
    """Build a one-page book with this project's configuration; give the outcome and the page."""
    book = tmp_path / "book"
    book.mkdir()
    for name in ("_config.yml", "node_modules"):
        (book / name).symlink_to(ROOT / name)
    for name in ("_ext", "_theme", "attnlib"):
        shutil.copytree(ROOT / name, book / name, ignore=shutil.ignore_patterns("__pycache__"))
    (book / "_toc.yml").write_text("format: jb-book\nroot: index\n")

    def run(text):
        (book / "index.md").write_text(HEADER + text)
        command = [Path(sys.executable).with_name("jupyter-book"), "build", str(book), "-W", "-n", "--keep-going"]
        done = subprocess.run(command, capture_output=True, text=True)
        page = book / "_build/html/index.html"
        return done.returncode, done.stdout + done.stderr, page.read_text() if page.exists() else ""

    run.book = book
    return run


def test_a_formula_is_html_and_mathml_when_the_page_arrives(build):
    code, log, page = build("# T\n\nA formula: $x^2$.\n")
    assert code == 0, log
    assert '<span class="katex-html"' in page
    assert "<math " in page


def test_a_formula_that_cannot_be_read_fails_the_build(build):
    code, log, _ = build("# T\n\n$\\frac{1$\n")
    assert code != 0
    assert "KaTeX" in log


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("See {ref}`nowhere`.", "undefined label: 'nowhere'"),
        ("![gone](gone.png)", "image file not readable: gone.png"),
        ("```{nosuchdirective}\n```", "Unknown directive type"),
        ("[link](nopage.md)", "cross-reference target not found: 'nopage.md'"),
        ("```{code-cell} ipython3\nassert 1 == 2\n```", "Executing notebook failed"),
        ("```{code-cell} ipython3\nimport warnings; warnings.warn('careful')\n```", "stderr was found"),
    ],
)
def test_a_fault_in_a_page_fails_the_build_and_is_named(text, message, build):
    code, log, _ = build(f"# T\n\n{text}\n")
    assert code != 0
    assert message in log


def test_a_widget_brings_its_script_and_nothing_of_jupyters(build):
    cell = "from attnlib.widgets import TokenPlane\nTokenPlane(['a', 'b'], [[1, 0], [0, 1]])"
    code, log, page = build(f"# T\n\n```{{code-cell}} ipython3\n{cell}\n```\n")
    assert code == 0, log
    assert "widgets/widgets.js" in page
    assert "widget-state+json" not in page
    assert "require" not in page
    assert (build.book / "_build/html/_static/widgets/widgets.js").exists()


def test_a_page_without_widgets_loads_no_widget_script(build):
    _, _, page = build("# T\n\nWords.\n")
    assert "widgets/" not in page


def test_a_widget_without_a_page_form_fails_the_build(build):
    code, log, _ = build("# T\n\n```{code-cell} ipython3\nimport ipywidgets\nipywidgets.IntSlider()\n```\n")
    assert code != 0
    assert "a widget has no text/html form" in log


def test_hints_and_solutions_are_native_disclosures(build):
    text = "# T\n\n```{exercise} E\n:label: e\nDo.\n```\n\n```{solution} e\n:class: dropdown\nDone.\n```\n"
    text += "\n```{admonition} Hint\n:class: dropdown\nLook.\n```\n"
    code, log, page = build(text + "\n```{code-cell} ipython3\n:tags: [hide-cell]\n1 + 1\n```\n")
    assert code == 0, log
    assert page.count("<details") == page.count("<summary") == 3
    assert 'aria-label="Toggle' not in page
    assert "<a" not in page.split("<summary")[1].split("</summary>")[0]


def test_a_change_of_the_package_runs_the_chapters_again(build):
    text = "# T\n\n```{code-cell} ipython3\nimport sys; sys.path.insert(0, '.')\nimport attnlib; print(attnlib.__file__)\n```\n"
    assert "Executing notebook" in build(text)[1]
    assert "Executing notebook" not in build(text)[1]
    module = build.book / "attnlib" / "geometry.py"
    module.write_text(module.read_text() + "\n# changed\n")
    assert "Executing notebook" in build(text)[1]


def test_a_change_of_a_template_writes_the_pages_again_and_runs_nothing(build):
    text = "# T\n\n```{code-cell} ipython3\n1 + 1\n```\n"
    build(text)
    layout = build.book / "_theme" / "layout.html"
    layout.write_text(layout.read_text().replace("Skip to the text", "Jump to the text"))
    code, log, page = build(text)
    assert code == 0, log
    assert "Jump to the text" in page
    assert "Executing notebook" not in log


def test_the_digest_sees_every_kind_of_source(tmp_path):
    (tmp_path / "sub").mkdir()
    seen = {freshness.digest(tmp_path)}
    for name in ("a.py", "sub/b.mjs", "c.css", "d.js", "e.json", "f.html"):
        (tmp_path / name).write_text("x")
        seen.add(freshness.digest(tmp_path))
    assert len(seen) == 7
    (tmp_path / "a.py").rename(tmp_path / "z.py")
    assert freshness.digest(tmp_path) not in seen
