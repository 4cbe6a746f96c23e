"""Chapter 1 in the site's own JupyterLite: Python runs in the browser, and nothing comes from elsewhere."""

import pytest

from tools import lite, site


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A JupyterLite, built of what is there."""
    folder = tmp_path_factory.mktemp("lite") / "lite"
    try:
        lite.build(folder)
    except lite.Unavailable as reason:
        pytest.skip(str(reason))
    return folder


@pytest.fixture
def lab(folder, open_page, monkeypatch):
    """Chapter 1 open in it, under the policy that it asks a host for."""
    monkeypatch.setattr(site, "POLICY", lite.POLICY)
    with site.served(folder) as address:
        page = open_page(f"{address}/lab/index.html?path=01_dot_product.ipynb")
        page.set_default_timeout(240_000)
        page.get_by_text("Python (Pyodide) | Idle").first.wait_for(timeout=180_000)
        yield page


def run_all(lab):
    """Run the notebook, until it is at its end, or at a cell that needs what is not there."""
    lab.get_by_role("menuitem", name="Run", exact=True).click()
    lab.get_by_text("Run All Cells", exact=True).click()
    lab.locator(".jp-OutputArea-output .attn:has([role=grid])").first.wait_for(state="attached")
    for fold in lab.locator("details.attn-guess summary").all():  # what answers a prediction
        fold.click()
    lab.get_by_text("Python (Pyodide) | Idle").first.wait_for()


def execute(lab, code):
    """Run code in a new cell below the one that is active and return what it prints."""
    lab.locator("[data-command='notebook:insert-cell-below']").first.click()
    lab.locator(".jp-Cell.jp-mod-active .cm-content").click()
    lab.keyboard.insert_text(f"{code}\nprint('done')")
    lab.keyboard.press("Control+Enter")
    output = lab.locator(".jp-Cell.jp-mod-active .jp-OutputArea-output", has_text="done")
    return output.text_content().replace("done\n", "").strip()


@pytest.mark.slow
def test_the_chapter_runs_and_its_widget_and_python_see_the_same(lab):
    run_all(lab)
    grid = lab.locator(".jp-OutputArea-output .attn:has([role=grid])").first
    cell = grid.locator("[data-cell='0,4']")
    grid.get_by_label("temperature").fill("5")
    grid.locator("output", has_text="5.0").wait_for()
    shown = cell.text_content()
    assert shown != "0.21"
    assert execute(lab, "print(grid.temperature, f'{grid.weights[0, 4]:.2f}')") == f"5.0 {shown}"
    execute(lab, "grid.selected = None\ngrid.temperature = 1.0")
    grid.locator("output", has_text="1.0").wait_for()
    assert cell.text_content() == "0.21"
    asked = "from attnlib import attention\nprint(np.allclose(attention(X, X, X, causal=True)[0], X[0]))"
    assert execute(lab, f"import numpy as np\n{asked}") == "True"
    asked = "import piplite\ntry:\n    await piplite.install('flask')\nexcept ValueError as error:\n    print(error)"
    assert "PyPI fallback is disabled" in execute(lab, asked)
    assert lab.third_party == []
    assert [said for said in lab.problems if "Security" in said or "version" in said] == []
