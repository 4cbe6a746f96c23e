"""What a notebook shows when it has run: behind a prediction nothing until the guess, without a kernel each widget's table."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from attnlib.exercises import after_guess, guesses
from tools import notebooks

ASK = 'from attnlib.exercises import after_guess, predict\nasked = predict(1, "reads-most")'
SHOW = 'after_guess()\nprint("it shows")'


@pytest.fixture
def run():
    """Run cells; return what they show."""

    def run_them(*sources):
        notebook = notebooks.notebook_of([nbformat.v4.new_code_cell(source) for source in sources])
        NotebookClient(notebook, resources={"metadata": {"path": Path.cwd()}}).execute()
        return notebook

    return run_them


def fold(cell):
    return cell.outputs[0].get("data", {}).get("text/html", "")


def test_what_a_cell_shows_is_folded_until_the_answer_comes_and_not_after_it(run):
    folded = run(ASK, SHOW).cells[1]
    assert '<details class="attn-guess">' in fold(folded)
    assert folded.outputs[1].text == "it shows\n"
    opened, _, later = run(ASK, SHOW, "asked.answer = 0", SHOW).cells[1:]
    assert '<details class="attn-guess" open>' in fold(opened)
    assert [output.output_type for output in later.outputs] == ["stream"]


def test_each_output_waits_for_the_prediction_above_it_and_for_no_later_one(run):
    show = 'after_guess(1, "reads-most")\nprint("it shows")'
    again = 'asked = predict(1, "reads-most")'
    cells = run(ASK, show, 'predict(1, "no-such-grid")', again, "asked.answer = 0", show).cells
    assert '<details class="attn-guess" open>' in fold(cells[1])  # also for a widget that was made anew
    assert [output.output_type for output in cells[-1].outputs] == ["stream"]
    waiting = run(ASK, 'other = predict(1, "no-such-grid")', "other.answer = 0", show).cells[-1]
    assert '<details class="attn-guess">' in fold(waiting)


def test_without_a_prediction_nothing_is_folded(monkeypatch, capsys):
    monkeypatch.setattr(guesses, "_asked", {})
    after_guess()
    after_guess(1, "reads-most")
    assert capsys.readouterr().out == ""


def test_where_no_widget_lives_an_export_has_each_ones_table_and_no_link_to_it(run):
    notebook = run("from attnlib.widgets import SoftmaxSliders, Choice\nSoftmaxSliders()", "Choice()")
    del notebook.metadata["widgets"]  # as where they were not saved
    html, _ = HTMLExporter().from_notebook_node(notebook)
    shown = re.findall(r'<div class="anywidget-saved"><style>[^<]*</style>(.*?)<figcaption>', html)
    assert shown == ['<figure class="attn">', '<figure class="attn attn-question">']
    assert "</table>" in html
