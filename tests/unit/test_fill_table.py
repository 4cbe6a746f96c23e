"""FillTable's Python side: what it accepts, what it counts, and what is read without a script."""

import json

import pytest

from attnlib.widgets import FillTable, InputError

ROWS, COLUMNS = ["Earth", "Mars"], ["moons", "colour"]
OPTIONS = [["0", "1", "2"], ["blue", "red"]]
RIGHT, WHY = [[1, 0], [2, 1]], ["It has the *Moon*.", "Its dust is rust."]


def a_table(**changes):
    body = {"rows": ROWS, "columns": COLUMNS, "options": OPTIONS, "right": RIGHT, "why": WHY}
    return FillTable(**body | changes)


def test_nothing_is_chosen_at_first_and_the_right_ones_are_counted():
    planets = a_table()
    assert planets.chosen == planets.checked == [[-1, -1], [-1, -1]]
    assert (planets.shown, planets.counts) == (False, (0, 4, 4))
    planets.chosen = [[1, 1], [-1, 1]]
    assert planets.counts == (2, 1, 4)


def test_cells_that_are_given_do_not_count():
    planets = a_table(given=[(0, 0), (1, 1)], chosen=[[1, 0], [0, -1]])
    assert planets.given == [[0, 0], [1, 1]]
    assert planets.counts == (1, 0, 2)


def test_every_change_can_be_observed():
    planets, seen = a_table(), []
    planets.observe(lambda change: seen.append((change.name, change.new)), ["chosen", "checked", "shown"])
    planets.chosen, planets.checked, planets.shown = RIGHT, RIGHT, True
    assert seen == [("chosen", RIGHT), ("checked", RIGHT), ("shown", True)]


BAD = {
    "no rows": ({"rows": []}, "rows must have from 1 to 16 entries, got 0"),
    "columns": ({"columns": ["c"] * 9}, "columns must have from 1 to 8 entries, got 9"),
    "row without a name": ({"rows": ["Earth", " "]}, "row 1 has no name"),
    "column without a name": ({"columns": ["", "colour"]}, "column 0 has no name"),
    "options": ({"options": OPTIONS[:1]}, "options has 1 entries, for 2 columns"),
    "one option": ({"options": [["0"], OPTIONS[1]]}, "column 'moons' has 1 options: 2 to 12 are needed"),
    "13 options": ({"options": [OPTIONS[0], list("abcdefghijklm")]}, "column 'colour' has 13 options"),
    "empty option": ({"options": [OPTIONS[0], ["", "red"]]}, "option 0 of column 'colour' has no text"),
    "right": ({"right": RIGHT[:1]}, "right has 1 entries, for 2 rows"),
    "a row of right": ({"right": [[1, 0], [2]]}, "row 'Mars' of right has 1 entries, for 2 columns"),
    "an index": ({"right": [[1, 0], [2, 2]]}, "right of row 'Mars', column 'colour' is 2, outside 0 … 1"),
    "open": ({"right": [[1, 0], [-1, 0]]}, "right of row 'Mars', column 'moons' is -1, outside 0 … 2"),
    "chosen": ({"chosen": [[3, 0], [0, 0]]}, "chosen of row 'Earth', column 'moons' is 3, outside −1 … 2"),
    "checked": ({"checked": [[0, 0]]}, "checked has 1 entries, for 2 rows"),
    "why": ({"why": WHY[:1]}, "why has 1 entries, for 2 rows"),
    "empty why": ({"why": ["", "b"]}, r"why\[0\] is empty"),
    "given": ({"given": [(0, 0), (2, 0)]}, r"given\[1\] is \[2, 0\], no row and column of 2 × 2 cells"),
    "half given": ({"given": [(0,)]}, r"given\[0\] is \[0\], no row and column"),
    "all given": ({"given": [(i, j) for i in (0, 1) for j in (0, 1)]}, "every cell is given"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    changes, message = BAD[name]
    with pytest.raises(InputError, match=message):
        a_table(**changes)


def test_the_old_value_stays_after_a_bad_one():
    planets = a_table()
    with pytest.raises(InputError):
        planets.chosen = [[5, 0], [0, 0]]
    assert planets.chosen == [[-1, -1], [-1, -1]]


def test_the_page_form_tells_the_options_and_folds_the_answers_away(page_of):
    planets = a_table(title="Planets", provenance="astronomy")
    page = page_of(planets)
    asked, answers = planets.fallback().split("<details>")
    assert "Numbers: astronomy." in asked
    assert "<li>moons: 0 / 1 / 2</li>" in asked
    assert "<li>Earth: It has the <em>Moon</em>.</li>" in answers
    assert page.cells == ["", "moons", "colour", "Earth", "1", "blue", "Mars", "2", "red"]
    assert json.loads(page.state) == planets.state()


def test_texts_are_never_html(page_of, hostile):
    texts = [hostile, hostile]
    page = page_of(FillTable(texts, texts, [texts] * 2, [[0, 1]] * 2, texts, title=hostile))
    assert "img" not in page.tags
    assert "</script" not in page.state
