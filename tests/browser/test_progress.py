"""How far a reader is, as a file: the page saves it and brings it in, in the format of the notebooks."""

import json
import shutil

import pytest
from playwright.sync_api import expect

from attnlib.exercises.progress_file import FORMAT, Done
from tools.site import ROOT, served

THEME = ROOT / "_ext/theme"
PAGE = "chapters/one"
HERE = {"read": 1, "of": 2, "at": "part", "heading": "Part"}


@pytest.fixture
def opened(tmp_path, open_page):
    """A page with the exercises `one` and `two`, in the book's look, with nothing kept yet."""
    shutil.copytree(THEME / "static", tmp_path / "_static")
    (tmp_path / "_static/page.css").write_text((THEME / "page.css").read_text(encoding="utf8"))
    (tmp_path / "chapters").mkdir()
    (tmp_path / f"{PAGE}.html").write_text(
        f'<!doctype html><html lang="en" data-page="{PAGE}"><meta charset="utf-8"><title>One</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        '<script src="../_static/early.js"></script><link rel="stylesheet" href="../_static/page.css">'
        '<script defer src="../_static/progress.js"></script><script defer src="../_static/site.js"></script>'
        '<body class="page"><header class="bar"><span id="place"></span>'
        '<button class="bar-button" id="colours"></button></header>'
        '<div class="frame"><nav class="contents" id="contents" aria-label="Contents"><ol>'
        '<li><a href="#main" aria-current="page">One</a><ul><li><a href="#part">Part</a></li><li><a href="#end">End</a>'
        '</li></ul></li></ol></nav><main id="main"><h1>One</h1><section id="part"><h2>Part</h2>'
        '<div data-exercise="one"></div><div data-exercise="two"></div></section><section id="end">'
        '<h2 style="margin-top: 3000px">End</h2></section></main></div></body></html>'
    )
    with served(tmp_path) as address:
        yield open_page(f"{address}/{PAGE}.html")


def bring(page, content):
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Bring in progress").click()
    chooser.value.set_files({"name": "mine.json", "mimeType": "application/json", "buffer": content.encode()})


def stored(page, name):
    return page.evaluate("(name) => store.get(name)", name)


def saved(page, folder):
    with page.expect_download() as download:
        page.get_by_role("button", name="Save progress").click()
    assert download.value.suggested_filename == "progress.json"
    download.value.save_as(folder / "progress.json")
    return Done.parse((folder / "progress.json").read_text(encoding="utf8"))


def test_what_the_page_saves_a_notebook_reads(opened, tmp_path, until):
    until(opened, "() => store.get('progress')")
    opened.evaluate("([page, mine]) => store.set('exercises', { [page]: mine })", [PAGE, {"points": {"one": [2, 3]}}])
    assert saved(opened, tmp_path) == Done({"one": (2, 3)}, {PAGE: HERE})


def test_what_a_notebook_saved_comes_in_where_it_is_better(opened, tmp_path, until):
    mine = {"done": 1, "of": 2, "points": {"one": [3, 3], "two": [0, 2]}}
    opened.evaluate("([page, mine]) => store.set('exercises', { [page]: mine })", [PAGE, mine])
    other = {**HERE, "read": 2, "heading": "End", "at": "end"}
    theirs = Done({"one": (1, 3), "two": (2, 2), "elsewhere": (1, 4)}, {PAGE: other, "chapters/two": other})
    with opened.expect_navigation():
        bring(opened, theirs.text())
    expect(opened.locator(".progress")).to_have_text("read, 2 of 2 programs")
    assert stored(opened, "exercises") == {PAGE: {"done": 2, "of": 2, "points": {"one": [3, 3], "two": [2, 2]}}}
    until(opened, "() => store.get('last')")  # what is read here does not take back what was read there
    found = saved(opened, tmp_path)
    assert found.points == {"one": (3, 3), "two": (2, 2), "elsewhere": (1, 4)}
    assert {name: page["read"] for name, page in found.pages.items()} == {PAGE: 2, "chapters/two": 2}


def test_where_the_browser_keeps_nothing_nothing_comes_in_and_that_is_said(opened):
    opened.context.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('off', 'SecurityError'); } })"
    )
    opened.reload()
    bring(opened, Done({"one": (3, 3)}).text())
    says = "This browser keeps nothing, or has no room left: nothing was brought in."
    expect(opened.locator(".contents-keep [role=status]")).to_have_text(says)


def test_an_exercise_that_the_page_has_no_more_counts_no_more(opened):
    mine = {"done": 1, "of": 1, "points": {"gone": [3, 3], "one": [1, 3], "two": [0, 2]}}
    opened.evaluate("([page, mine]) => store.set('exercises', { [page]: mine })", [PAGE, mine])
    with opened.expect_navigation():
        bring(opened, Done({"two": (2, 2)}).text())
    expect(opened.locator(".progress")).to_contain_text("1 of 2 programs")


@pytest.mark.parametrize(
    "content",
    [
        "{broken",
        "null",
        json.dumps({"format": "other", "points": {}, "pages": {}}),
        json.dumps({"format": FORMAT, "points": {"one": [4, 3]}, "pages": {}}),
        json.dumps({"format": FORMAT, "points": {"one": [3, 3]}, "pages": {"chapters/one": {"read": "all"}}}),
    ],
)
def test_what_is_no_progress_is_said_and_changes_nothing(opened, content):
    before = stored(opened, "exercises")
    bring(opened, content)
    says = "mine.json is no progress of this book; nothing was changed."
    expect(opened.locator(".contents-keep [role=status]")).to_have_text(says)
    assert stored(opened, "exercises") == before
    assert stored(opened, "points") is None
