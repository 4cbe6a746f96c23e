"""ModelView in a file of its own: small, alive offline and from a folder, light and dark."""

import re

import numpy as np
import pytest

from anywidget_static import esbuild
from attnlib.models.recording import Recording
from attnlib.widgets.model_view import ModelView

BESIDE = 40_000  # bytes of the file beside the widget's state


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The file of 12 × 12 heads of 32 tokens, written where no esbuild is."""
    rng = np.random.default_rng(0)
    grids = np.exp(2 * rng.normal(size=(12, 12, 32, 32))) * np.tri(32)
    grids /= grids.sum(axis=-1, keepdims=True)
    view = ModelView(Recording.from_grids(grids, [f"word{i}" for i in range(32)]), title="All heads")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(esbuild, "program", lambda root: None)
        return view.save(tmp_path_factory.mktemp("saved") / "heads.html")


def test_the_file_is_small(saved):
    text = saved.read_text("utf8")
    state = re.search(r'<script type="application/json">([^<]*)</script>', text)[1]
    assert len(state) <= 110_000
    assert len(text.encode()) - len(state) <= BESIDE


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_file_is_alive_from_its_folder(scheme, saved, open_again, until, violations):
    page = open_again(saved.as_uri(), color_scheme=scheme)
    until(page, "document.querySelector('canvas.attn-all-heads')?.width > 300")
    assert violations(page) == []
    assert page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)") == []
    assert page.problems == []
