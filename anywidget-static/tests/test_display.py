"""What a notebook gets of a widget: two outputs where it is shown, all its forms where these are asked for."""

import pytest
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.formatters import format_display_data as forms
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from traitlets.config import Config

import counter
from anywidget_static import page
from anywidget_static.page import VIEW

BOTH = {VIEW, "text/html", "text/plain"}


@pytest.fixture
def outputs(monkeypatch):
    """What IPython publishes, as a list of the outputs' data."""
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    published = CapturingDisplayPublisher()
    monkeypatch.setattr(shell, "display_pub", published)
    yield lambda: [one["data"] for one in published.outputs]
    InteractiveShell.clear_instance()


def test_a_widget_that_is_shown_is_an_output_of_its_own_and_its_table_another(outputs):
    display(counter.Counter(count=7))
    view, table = outputs()
    assert view.keys() == {VIEW, "text/plain"}
    assert table.keys() == {"text/html", "text/plain"}
    assert "7" in table["text/html"]


def test_who_asks_for_the_forms_gets_all_of_them_and_shows_nothing(outputs):
    data, _ = forms(counter.Counter(count=7))
    assert data.keys() == BOTH
    assert outputs() == []


def test_a_function_of_a_reader_that_is_called_as_ipythons_shows_the_widget(outputs):
    def format_display_data(widget):
        display(widget)

    format_display_data(counter.Counter(count=7))
    assert [data.keys() for data in outputs()] == [{VIEW, "text/plain"}, {"text/html", "text/plain"}]


TABLES = {
    "cells and rows": "<table><thead><tr><td></td><th scope=col>a</th></tr></thead><tbody><tr><th>b</th><td>1 <i>2</i></td></tr></tbody></table>",
    "without a body": "<p>before</p><table><tr><td>1</td></tr><tr><td>2</td></tr></table><p>after</p>",
    "one in another": "<table><tr><td>a<table><tr><td>b</td></tr></table></td></tr></table>",
    "a picture": '<svg viewBox="0 0 9 9"><circle r="5"/><circle r="3"/></svg>',
    "none": "<p>no table</p>",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_kept_table_leaves_out_what_html_can_do_without_and_a_page_has_it_whole(name):
    text = page.kept(TABLES[name], "drag it")
    assert ("</td>" in text) == (name == "one in another")
    assert page.shell_of(text, "m", {"_module": "x"}) == page.shell("x", "x", "m", TABLES[name], "drag it")


def test_a_widget_that_was_closed_is_its_name(outputs, capsys):
    one = counter.Counter()
    one.close()
    display(one)
    assert "comm_id" not in "".join(capsys.readouterr())
    assert [data.keys() for data in outputs()] == [{"text/plain"}]
