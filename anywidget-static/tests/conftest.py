"""Pages with the examples, and with modules that a test writes."""

from dataclasses import replace
from pathlib import Path

import pytest

import counter
import greeting
import intervals
import pages
import samples
from anywidget_static import esbuild, page
from anywidget_static.widget import library
from pages import ROOT

EXAMPLES = Path(__file__).parents[1] / "examples"
STYLE = ":root { color-scheme: light dark } body { font: 16px sans-serif }"


def pytest_configure(config):
    """Bring the browser and its pages, unless the tests of which these are a part have done so."""
    if not config.pluginmanager.has_plugin("pages"):
        config.pluginmanager.register(pages, "pages")


@pytest.fixture(scope="session")
def examples():
    """The examples, each with the state that its author gave it."""
    esbuild.build(EXAMPLES / "intervals", ROOT)
    made = [counter.Counter(title="Clicks", count=7), greeting.Greeting(title="Hello", name="Ada")]
    made += [intervals.Interval(title="Width", low=-1, high=2), samples.Samples(title="Mean", start=2)]
    return {type(widget).__name__: widget for widget in made}


@pytest.fixture
def show(show_html, tmp_path):
    """Write widgets into a page of their own, with the script that they need, and open it."""

    def show_it(*widgets, **options):
        sources = {}
        for widget in widgets:
            models = {widget.model_id: page.saved(widget)}
            if widget._bundle:
                models[widget._library] = page.saved(library(type(widget)))
            source = replace(page.source(models[widget.model_id], models), name=str(widget._module))
            sources[source.name] = source
        esbuild.write_pages({"script": [*sources.values()]}, tmp_path, root=ROOT)
        style = tmp_path / "script.css"
        texts = [file.read_text("utf8") if file.exists() else "" for file in (tmp_path / "script.js", style)]
        html = "".join(widget.to_html() for widget in widgets)
        return show_html(html, texts[0], STYLE + texts[1], **options)

    return show_it
