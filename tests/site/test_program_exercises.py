"""Program exercises are marked for the script of the page's Python, where the page has it, and else as ever."""

import os
import re
from pathlib import Path

import pytest

from attnlib.exercises import EXERCISES

BUTTON = '<button class="cell-run script-only" type="button">Check</button>'
FENCES = '~~~python\ndef f(x):\n    return x > 1\n~~~\n\n~~~python\ncheck("write-attention", f)\n~~~\n'
PAGE = "# Exercises\n\n```{code-cell}\n1 + 1\n```\n\n" + "".join(
    f"```{{exercise}} {EXERCISES[name].title}\n:label: ex-{name}\n\nDo.\n\n{fences}```\n\n"
    for name, fences in (("write-attention", FENCES), ("cosine-weights", "~~~python\nonly = 1\n~~~\n"))
)


@pytest.fixture(scope="module")
def page(built_once):
    if not [*Path(os.environ.get("PYTHON_WHEELS") or "nowhere").glob("numpy-*_wasm32.whl")]:
        pytest.skip("PYTHON_WHEELS names no folder with NumPy for WebAssembly")
    book, built = built_once("programs", {"index": PAGE})
    assert built.code == 0, built.log
    return book.page()


def test_a_program_exercise_is_marked_with_its_stub_and_its_check(page):
    started = r'<div data-exercise="([\w-]+)" class="exercise admonition" id="ex-([\w-]+)">'
    assert re.findall(started, page) == [("write-attention", "write-attention")]
    (stub,) = re.findall(r'<div class="highlight-python notranslate" data-stub>(.*?)</div>', page, re.DOTALL)
    assert stub.startswith(f'{BUTTON}<div class="highlight"><pre>')
    (check,) = re.findall(r'<div class="highlight-python notranslate" data-check>(.*?)</div>', page, re.DOTALL)
    assert "check(" in check
    assert page.count(BUTTON) == 1


def test_an_exercise_without_both_fences_is_as_ever(page):
    assert '<div class="exercise admonition" id="ex-cosine-weights">' in page


def test_the_page_says_where_its_python_lies(page):
    assert re.search(r'<html [^>]*data-python="_static/python/">', page)
    assert 'data-cell="0"' in page
