"""From a chapter to a student's notebook: plain Markdown, no solution, and no copy ever lost."""

import dataclasses
import re
from pathlib import Path

import nbformat
import pytest

from attnlib.exercises import EXERCISES
from tools.notebooks import ConversionError, convert, write

CHAPTER = """\
---
kernelspec: {name: python3, display_name: Python 3, language: python}
jupytext: {text_representation: {format_name: myst}}
---

(S0.1)=
(E1)=
# Title

See {ref}`the exercise <ex-a>` and {doc}`01_dot_product`, in `code {ref}` too.

```{code-cell} ipython3
:tags: [remove-input]
x = 1
```

```{reading-time}
You need {ref}`the exercise <ex-a>`.
```

```{code-cell} ipython3
:tags: [remove-cell]
assert x == 1
```

```{admonition} Reveal
:class: dropdown
It is **one**: $x_{1}$.
```

:::{admonition} Two minutes
:class: dropdown

Of **depth**.
:::

```{tip}
Look {ref}`here <E1>`.
```

```python
kept = "as it is"
```

```{exercise} First
:label: ex-a

*Program · easy · 1 minute.* Do it.

~~~python
def f(): ...
~~~

Then check:

~~~python
f()
~~~
```

```{solution-start} ex-a
:class: dropdown
```

SECRET prose

```{code-cell} ipython3
SECRET = "code"
```

```{solution-end}
```

```{solution} ex-a
SECRET again
```

The end.
"""


@pytest.fixture
def chapter(tmp_path):
    file = tmp_path / "01_first.md"
    file.write_text(CHAPTER)
    return file


def sources(notebook, kind):
    return [cell.source for cell in notebook.cells if cell.cell_type == kind]


def test_directives_roles_and_targets_become_plain_markdown():
    notebook = convert(CHAPTER)
    nbformat.validate(notebook)
    text = "\n".join(sources(notebook, "markdown"))
    assert text.startswith("# Title\n\nSee the exercise and 01_dot_product, in `code {ref}` too.")
    assert "<details><summary><b>Reveal</b></summary>\n\nIt is **one**: $x_{1}$.\n\n</details>" in text
    assert "<details><summary><b>Two minutes</b></summary>\n\nOf **depth**.\n\n</details>" in text
    assert "> **Tip**\n>\n> Look here." in text
    assert "### Exercise: First" in text
    assert text.endswith("The end.")
    for raw in ("{admonition}", "{exercise}", ")=", ":class:", ":label:", "~~~", "```{", ":::"):
        assert raw not in text


@pytest.mark.parametrize("file", sorted(Path("chapters").glob("*.md")), ids=lambda file: file.stem)
def test_nothing_of_a_chapter_stays_raw(file):
    text = "\n".join(sources(convert(file.read_text(encoding="utf8"), file.name), "markdown"))
    assert re.findall(r"\{[a-z]+\}`|^```\{|^:[\w-]+:|:::|^\([\w.-]+\)=$", text, re.MULTILINE) == []


def test_a_margin_note_becomes_a_quotation_and_a_new_term_a_colour():
    text = (
        CHAPTER.split("(S0.1)=")[0]
        + "```{sidebar} Aside\nMore.\n```\n\n$$\ny_{\\new a} = \\new{a + \\frac{1}{2}}\n$$\n"
    )
    (cell,) = convert(text).cells
    assert "> **Aside**\n>\n> More." in cell.source
    assert r"y_{\style{color: #2a86c8} a} = \style{color: #2a86c8}{a + \frac{1}{2}}" in cell.source


def test_a_check_is_folded_in_the_notebook_and_what_a_page_counts_is_left_out():
    notebook = convert(CHAPTER)
    folded = [cell.source for cell in notebook.cells if cell.metadata.get("jupyter", {}).get("source_hidden")]
    assert folded == ["assert x == 1"]
    assert "\n\n*You need the exercise.*" in "\n\n".join(sources(notebook, "markdown"))


@pytest.mark.parametrize("chapter", sorted(Path("chapters").glob("*.md")), ids=lambda chapter: chapter.stem)
def test_no_notebook_holds_a_command_that_only_the_site_knows(chapter):
    cells = convert(chapter.read_text(encoding="utf8"), chapter.name).cells
    assert [cell.source for cell in cells if re.search(r"\\new(?![A-Za-z])", cell.source)] == []


def test_an_exercises_stub_and_check_become_cells_and_no_solution_shows():
    notebook = convert(CHAPTER)
    assert sources(notebook, "code") == ["x = 1", "assert x == 1", "def f(): ...", "f()"]
    assert "SECRET" not in nbformat.writes(notebook)
    assert not any(cell.get("outputs") for cell in notebook.cells)


QUESTION = """
```{exercise-start} Which shape?
:label: ex-which-shape
```

```{code-cell} ipython3
:tags: [remove-input]
question("which-shape")
```

```{exercise-end}
```

```{solution} ex-which-shape
SECRET
```
"""


def test_a_question_stays_a_live_cell_under_its_title_its_line_and_the_way_to_its_hints():
    notebook = convert(CHAPTER + QUESTION)
    assert sources(notebook, "code")[-1] == 'question("which-shape")'
    assert sources(notebook, "markdown")[-1].endswith(
        '### Exercise: Which shape?\n\n*Concept · easy · 2 minutes.* Stuck? `hint("which-shape")` gives one of 2 hints.'
    )
    assert "SECRET" not in nbformat.writes(notebook)


def test_a_single_hint_is_announced_as_one(monkeypatch):
    exercise = dataclasses.replace(EXERCISES["which-shape"], hints=("Look.",))
    monkeypatch.setitem(EXERCISES, "which-shape", exercise)
    assert "gives a hint." in sources(convert(CHAPTER + QUESTION), "markdown")[-1]


@pytest.mark.parametrize("text", ["```{mystery}\n```", "A {mystery}`role`."])
def test_what_a_notebook_cannot_show_stops_the_run(text):
    with pytest.raises(ConversionError, match=r"chapter: no plain form is known for the (directive|role) \{mystery\}"):
        convert(CHAPTER + "\n" + text)


def test_the_same_chapter_gives_the_same_file(chapter, tmp_path):
    write([chapter], tmp_path / "a")
    write([chapter], tmp_path / "b")
    assert (tmp_path / "a/01_first.ipynb").read_bytes() == (tmp_path / "b/01_first.ipynb").read_bytes()


def test_an_unchanged_copy_follows_the_book(chapter, tmp_path):
    folder = tmp_path / "out"
    write([chapter], folder)
    chapter.write_text(CHAPTER + "\nNews.\n")
    assert write([chapter], folder) == ["01_first.ipynb"]
    assert "News." in (folder / "01_first.ipynb").read_text()


def test_a_changed_copy_is_kept_byte_for_byte_and_the_news_come_beside_it(chapter, tmp_path):
    folder = tmp_path / "out"
    write([chapter], folder)
    mine = folder / "01_first.ipynb"
    mine.write_text(mine.read_text().replace("x = 1", "x = 42"))
    before = mine.read_bytes()

    assert write([chapter], folder) == ["01_first.ipynb (yours, kept)"]
    assert sorted(f.name for f in folder.glob("*.ipynb")) == ["01_first.ipynb"]

    chapter.write_text(CHAPTER + "\nNews.\n")
    assert write([chapter], folder) == ["01_first-2.ipynb (new; your changed 01_first.ipynb is kept)"]
    assert mine.read_bytes() == before
    assert "News." in (folder / "01_first-2.ipynb").read_text()

    (folder / "01_first-2.ipynb").write_text("mine too")
    chapter.write_text(CHAPTER + "\nMore news.\n")
    write([chapter], folder)
    assert (folder / "01_first-2.ipynb").read_text() == "mine too"
    assert "More news." in (folder / "01_first-3.ipynb").read_text()


def test_a_lost_record_loses_no_work(chapter, tmp_path):
    folder = tmp_path / "out"
    write([chapter], folder)
    mine = folder / "01_first.ipynb"
    mine.write_text("mine")
    (folder / ".generated.json").unlink()
    write([chapter], folder)
    assert mine.read_text() == "mine"
    assert (folder / "01_first-2.ipynb").exists()
