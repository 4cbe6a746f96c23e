"""The build's own steps, on one small book that needs them all."""

import os
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from attnlib.exercises import CHAPTERS

BUTTON = '<button class="cell-run script-only" type="button">Check</button>'
ONE_FENCE = {"cosine-weights": "~~~python\nonly = 1\n~~~\n"}
EXERCISES = "".join(
    f"```{{exercise}} {exercise.title}\n:label: ex-{exercise.id}\n\nDo.\n\n{ONE_FENCE.get(exercise.id, '')}```\n\n"
    f"```{{solution}} ex-{exercise.id}\n:class: dropdown\nDone.\n```\n\n"
    for exercise in CHAPTERS[1]
    if exercise.id not in {"which-shape", "write-attention"}
)
INDEX = """# T

A formula ($x^2$, $y$-th) or *$z$* and $v$ $w$. A new term: $a + \\new b$.

```{code-cell} ipython3
import sys

for piece in ("right:", " 1", " 2\\n", "wrong: 3"):
    sys.stdout.write(piece)
    sys.stdout.flush()
```

```{code-cell} ipython3
from attnlib.widgets import TokenPlane

TokenPlane(["a", "b"], [[1, 0], [0, 1]])
```

```{code-cell} ipython3
---
tags: [sheet]
mystnb: {image: {alt: A figure.}}
---
import numpy as np
from attnlib import plots

plots.heatmap(["a", "b"], np.eye(2), title="T")
```
"""
CHAPTER = (
    """# Exercises

```{exercise-start} Which shape?
:label: ex-which-shape
```

```{code-cell} ipython3
:tags: [remove-input]
from attnlib.exercises import check, question
question("which-shape")
```

```{exercise-end}
```

```{exercise} Write it yourself
:label: ex-write-attention
Do it.

~~~python
def f(x):
    return x > 1
~~~

~~~python
check("write-attention", f)
~~~
```

```{solution-start} ex-write-attention
:class: dropdown
```

```{code-cell} ipython3
from attnlib import attention
check("write-attention", lambda x: attention(x, x, x, scale=1)).or_raise()
```

```{solution-end}
```

"""
    + EXERCISES
)
PLAIN = """# Plain

```{admonition} Hint
:class: dropdown
Look.
```

```{code-cell} ipython3
:tags: [hide-cell]
1 + 1
```
"""
WAITS = """# Questions

## A

Before.

```{code-cell} ipython3
from attnlib.exercises import predict
predict(1, "symmetric-prints")
```

The answer.

```python
print("its code")
```

**Predict.** The next.

```{code-cell} ipython3
predict(1, "no-such-grid")
```

```{sidebar} Aside
An aside alone.
```

## B

Free.

```{code-cell} ipython3
from attnlib.exercises import predict
predict(1, "reorder")
```

Its end.

## Exercises

```{code-cell} ipython3
predict(1, "which-wins")
```

Free too.
"""
DOWNLOADS = "# Downloads\n\n```{downloads}\n```\n"
PAGES = {
    "index": INDEX,
    "chapters/01_first": CHAPTER,
    "plain": PLAIN,
    "waits": WAITS,
    "chapters/appendices/downloads": DOWNLOADS,
}


@pytest.fixture(scope="session")
def built(built_once):
    """The small book, whole."""
    book, done = built_once("whole", PAGES)
    assert done.code == 0, done.log
    return book


def test_a_formula_is_html_and_mathml_when_the_page_arrives(built):
    page = built.page()
    assert '<span class="katex-html"' in page
    assert "<math " in page
    assert re.search(r'class="[^"]*new-term', page)


def test_a_mark_that_touches_a_formula_stays_on_its_line(built):
    page = built.page()
    paragraph = page[page.index("<p>A formula") : page.index("</p>", page.index("<p>A formula"))]
    assert paragraph.startswith('<p>A formula <span class="formula">(<span class="math')
    assert re.findall(r"</span>([^<]+)</span>", paragraph) == [",", "-th)", ".", "."]
    assert paragraph.count('class="formula"') == 4


def test_a_line_that_the_kernel_sent_in_pieces_stays_one_line(built):
    assert "right: 1 2\nwrong: 3\n" in re.sub("<[^>]+>", "", built.page())


def test_a_widget_brings_its_script_and_nothing_of_jupyters(built):
    page = built.page()
    (script,) = re.findall(r'src="_static/(widgets-\w+\.js)', page)
    assert (built.site / "_static" / script).stat().st_size > 1000
    assert "widget-state+json" not in page
    assert "require" not in page


def test_a_page_without_widgets_loads_no_widget_script(built):
    assert "_static/site.js" in built.page("plain")
    assert not re.search(r"widgets-\w+\.js", built.page("plain"))


def test_a_page_loads_one_style_and_that_of_its_widgets_and_holds_nothing_up_but_its_colours(built):
    page = built.page()
    links, without = (
        re.findall(r'<link rel="stylesheet"[^>]*href="([^"?]+)', text) for text in (page, built.page("plain"))
    )
    assert without == ["_static/book.css"]
    assert links == [*without, *(f"_static/{name}.css" for name in re.findall(r"_static/(widgets-\w+)\.js", page))]
    style = (built.site / links[1]).read_text()
    assert ".attn-plane" in style
    assert ".attn-models" not in style
    scripts = re.findall(r"<script[^>]*src=[^>]*>", page)
    assert [tag for tag in scripts if "defer" not in tag] == ['<script src="_static/early.js">']
    assert len(scripts) > 4
    for tag in [*links, *re.findall(r'src="([^"?]+)', "".join(scripts))]:
        assert (built.site / tag).exists(), tag


def test_a_sheet_has_a_link_that_opens_its_file_and_room_is_kept_for_it(built):
    ((image, opened),) = re.findall(r'(<img [^>]*>)\n<p class="sheet"><a href="([^"]+)">', built.page())
    assert f'alt="A figure." src="{opened}"' in image  # not lazy: above the first section
    assert (built.site / opened).stat().st_size > 0
    assert re.search(r'width="\d+" height="\d+"', image)
    drawn = (built.site / opened).read_text(encoding="utf8")
    assert re.search(r' d="[^"]*\.\d', drawn)
    assert not re.search(r' d="[^"]*\d\d\.\d{4}', drawn)  # places to five digits
    assert "<metadata" not in drawn


def test_hints_solutions_and_hidden_cells_are_native_disclosures(built):
    page = built.page("plain")
    assert page.count("<details") == page.count("<summary") == 2
    assert 'aria-label="Toggle' not in page
    assert "<a" not in page.split("<summary")[1].split("</summary>")[0]


def test_what_follows_a_question_waits_up_to_the_next_one_or_part(built):
    page = BeautifulSoup(built.page("waits"), "html.parser")
    for door in page.select(".withheld-door"):
        assert door.decompose() is None
    waits = {box["data-question"]: box.get_text(" ", strip=True) for box in page.select(".withheld")}
    questions = [widget["id"] for widget in page.select("[data-widget]")]
    assert len(questions) == 4
    assert [*waits] == [questions[0], questions[2]]  # an aside alone does not wait, nor what follows an exercise
    assert waits[questions[0]].startswith("The answer.")
    assert "its code" in waits[questions[0]]
    assert "The next." not in waits[questions[0]]  # it leads to the question after it
    assert waits[questions[2]] == "Its end."
    assert all(box.select_one("[hidden=until-found]") for box in page.select(".withheld"))


def test_an_exercise_has_its_line_its_hints_and_a_live_question(built):
    first, second = built.page("chapters/01_first").split('id="ex-write-attention"')
    assert '<p class="exercise-meta">Concept · easy · 2 minutes</p>' in first
    assert '<p class="exercise-meta">Program · easy · 8 minutes</p>' in second
    order = ["exercise-meta", 'data-widget="choice"', "Hint 1", "Hint 2"]
    places = [first.index(words) for words in order]
    assert places == sorted(places)
    assert first.count("<details") == 3  # two hints, and the answers for where no script runs
    assert "<em>row</em>" in second
    assert '<code class="docutils literal notranslate">' in second
    assert second.index("Hint 2") < second.index("Solution") < second.index("Right:")
    assert '<div class="check check-yes">' in second


def test_an_exercise_has_a_link_to_itself_and_no_id_twice(built):
    page = built.page("chapters/01_first")
    for exercise in CHAPTERS[1]:
        assert f'href="#ex-{exercise.id}"' in page
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert sorted(ids) == sorted(set(ids))


@pytest.fixture
def page_with_python(built):
    if not [*Path(os.environ.get("PYTHON_WHEELS") or "nowhere").glob("numpy-*_wasm32.whl")]:
        pytest.skip("PYTHON_WHEELS names no folder with NumPy for WebAssembly")
    return built.page("chapters/01_first")


def test_a_program_exercise_is_marked_with_its_stub_and_its_check(page_with_python):
    started = r'<div data-exercise="([\w-]+)" class="exercise admonition" id="ex-([\w-]+)">'
    assert re.findall(started, page_with_python) == [("write-attention", "write-attention")]
    fence = r'<div class="highlight-python notranslate" data-%s>(.*?)</div>'
    (stub,) = re.findall(fence % "stub", page_with_python, re.DOTALL)
    assert stub.startswith(f'{BUTTON}<div class="highlight"><pre>')
    (check,) = re.findall(fence % "check", page_with_python, re.DOTALL)
    assert "check(" in check
    assert page_with_python.count(BUTTON) == 1


def test_an_exercise_without_both_fences_is_as_ever(page_with_python):
    assert '<div class="exercise admonition" id="ex-cosine-weights">' in page_with_python


def test_the_page_says_where_its_python_lies(page_with_python):
    assert re.search(r'<html [^>]*data-python="../_static/python/">', page_with_python)
    assert 'data-cell="0"' in page_with_python


def test_without_an_address_no_page_claims_one(built):
    assert "canonical" not in built.page()
    assert "og:url" not in built.page()
    assert 'href="./index.html"' in built.page("404")


def test_the_page_that_is_not_there_names_the_edition_too(built):
    said = re.search(r"Version [\w.]+ of [\d-]+", built.page())[0]
    assert said in built.page("404")


def test_without_an_address_pages_are_listed_where_make_serve_shows_them(built):
    assert "<loc>http://localhost:8000/plain.html</loc>" in (built.site / "sitemap.xml").read_text()


@pytest.mark.slow
def test_the_sites_own_address_is_written_where_links_must_be_whole(book):
    address = "https://example.org/books/attention"
    done = book.build({"index": PLAIN}, BASE_URL=address)
    assert done.code == 0, done.log
    assert f"<loc>{address}/index.html</loc>" in (book.site / "sitemap.xml").read_text()
    assert f"Sitemap: {address}/sitemap.xml" in (book.site / "robots.txt").read_text()
    assert f'<link rel="canonical" href="{address}/index.html"' in book.page()
    assert f'content="{address}/_static/preview.png"' in book.page()
    assert f'href="{address}/index.html"' in book.page("404")


@pytest.mark.slow
def test_a_build_repeats_what_has_a_reason_and_nothing_else(book):
    first = book.build(PAGES)
    assert first.code == 0, first.log
    assert "Executing notebook" in first.log
    made = [*book.site.glob("_static/widgets-*.js"), *book.site.glob("downloads/*")]
    made += [book.site / "plain.html", book.folder / "_build/styles/book.css"]
    assert len(made) > 5
    before = {file.name: file.stat().st_mtime_ns for file in made}
    (book.site / "downloads/.ipynb_checkpoints").mkdir()  # somebody opened a notebook there
    (book.site / "downloads/progress.json").write_text("{}")

    again = book.build(PAGES | {"index": INDEX.replace("A new term", "A second new term")})  # one sentence
    assert again.code == 0, again.log
    assert "A second new term" in book.page()
    assert {file.name: file.stat().st_mtime_ns for file in made} == before
    assert (book.site / "downloads/.ipynb_checkpoints").exists()
    assert (book.site / "downloads/progress.json").exists()

    layout = book.folder / "_ext/theme/layout.html"
    layout.write_text(layout.read_text().replace("Skip to the text", "Jump to the text"))
    other_look = book.build(PAGES)
    assert other_look.code == 0, other_look.log
    assert "Jump to the text" in book.page("plain")
    assert "Executing notebook" not in other_look.log

    module = book.folder / "attnlib/masks.py"
    module.write_text(module.read_text() + "\n# changed\n")
    assert "Executing notebook" in book.build(PAGES).log
