"""From a chapter to a student's notebook: plain Markdown, solutions folded, and no copy ever lost."""

import re
from pathlib import Path

import nbformat
import pytest

from attnlib.exercises import EXERCISES
from tools.notebooks import CHECKS, HOW, ConversionError, convert, numbers, write

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
    assert text.startswith(f"# Title\n\n{HOW}\nSee the exercise and 01_dot_product, in `code {{ref}}` too.")
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
    assert r"y_{\textcolor{#2a86c8} a} = \textcolor{#2a86c8}{a + \frac{1}{2}}" in cell.source


def folds(notebook):
    """Each code cell, and what of it is folded."""
    return [
        (cell.source, {key.removesuffix("_hidden") for key, value in cell.metadata.get("jupyter", {}).items() if value})
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_what_the_site_folds_is_folded_and_what_a_page_counts_is_left_out():
    notebook = convert(CHAPTER)
    assert folds(notebook)[:2] == [("x = 1", {"source"}), (f"{CHECKS}\nassert x == 1", {"source"})]
    assert "\n\n*You need the exercise.*" in "\n\n".join(sources(notebook, "markdown"))


HEAD = CHAPTER.split("(S0.1)=")[0]
TAGGED = """
```{code-cell} ipython3
---
tags: [TAG]
mystnb:
  code_prompt_show: How it is done
---
print(1)
```
"""


@pytest.mark.parametrize(
    ("tag", "hidden"),
    [("hide-cell", {"source", "outputs"}), ("hide-input", {"source"}), ("hide-output", {"outputs"}), ("sheet", set())],
)
def test_a_tag_of_the_site_folds_and_its_prompt_is_the_line_that_stays_in_sight(tag, hidden):
    assert folds(convert(HEAD + TAGGED.replace("TAG", tag))) == [("# How it is done\nprint(1)", hidden)]


PREDICTION = """
```{code-cell} ipython3
:tags: [remove-input]
predict(1, "NAME")
```
"""
CELL = """
```{code-cell} ipython3
:tags: [TAGS]
print(CODE)
```
"""


def test_what_is_shown_between_a_prediction_and_the_next_heading_waits_for_a_guess():
    def cell(code, tags=""):
        return CELL.replace("print(CODE)", code).replace("TAGS", tags)

    chapter = [
        cell("1"),
        PREDICTION,
        cell("2"),
        cell("assert 3", "remove-cell"),
        cell("four = 4"),
        "Text.\n",
        PREDICTION.replace("NAME", "OTHER"),
    ]
    chapter += [cell("five = 5\nprint(five)"), "\n```python\n# no heading\n```\n", cell("6"), "\n## Next\n", cell("7")]
    waiting = [source for source in sources(convert(HEAD + "".join(chapter)), "code") if "after_guess(" in source]
    asked = {"2": "NAME", "five = 5\nprint(five)": "OTHER", "6": "OTHER"}
    assert waiting == [f'after_guess(1, "{name}")\n{shown}' for shown, name in asked.items()]


@pytest.mark.parametrize("file", sorted(Path("chapters").glob("*.md")), ids=lambda file: file.stem)
def test_a_chapter_imports_what_folds_before_it_is_used(file):
    code = sources(convert(file.read_text(encoding="utf8"), file.name), "code")
    used = next((number for number, source in enumerate(code) if "after_guess(" in source), len(code))
    assert any("import after_guess, predict" in source for source in code[:used])


def test_python_is_coloured_before_a_kernel_runs():
    assert convert(CHAPTER).metadata.language_info.name == "python"


@pytest.mark.parametrize("chapter", sorted(Path("chapters").glob("*.md")), ids=lambda chapter: chapter.stem)
def test_no_notebook_holds_a_command_that_only_the_site_knows(chapter):
    cells = convert(chapter.read_text(encoding="utf8"), chapter.name).cells
    assert [cell.source for cell in cells if re.search(r"\\new(?![A-Za-z])", cell.source)] == []


FOLD = "<details><summary><b>Solution</b></summary>\n\n"


def test_an_exercises_stub_and_check_become_cells_and_its_solution_is_folded():
    notebook = convert(CHAPTER)
    assert sources(notebook, "code") == ["x = 1", f"{CHECKS}\nassert x == 1", "def f(): ...", "f()"]
    first, second = [source for source in sources(notebook, "markdown") if "SECRET" in source]
    assert first == f'{FOLD}SECRET prose\n\n```python\nSECRET = "code"\n```\n\n</details>'
    assert second == f"{FOLD}SECRET again\n\n</details>"
    assert not any(cell.get("outputs") for cell in notebook.cells)


@pytest.mark.parametrize("chapter", sorted(Path("chapters").glob("*.md")), ids=lambda chapter: chapter.stem)
def test_every_exercise_of_a_chapter_has_its_solution_below(chapter):
    cells = convert(chapter.read_text(encoding="utf8"), chapter.name).cells
    kinds = [
        "solution" if cell.source.startswith(FOLD) else "exercise" if "### Exercise" in cell.source else ""
        for cell in cells
    ]
    kinds = [kind for kind in kinds if kind]
    assert kinds == ["exercise", "solution"] * (len(kinds) // 2)


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


def test_a_question_stays_a_live_cell_under_its_title_its_line_and_over_the_way_to_its_hints():
    notebook = convert(CHAPTER + QUESTION)
    asked, stuck, done = sources(notebook, "code")[-3:]
    assert (asked, done) == ('question("which-shape")', "progress()")
    assert stuck.splitlines()[-1] == '# hint("which-shape")'
    compile(stuck, "cell", "exec")  # and `Run all` asks for no hint
    assert sources(notebook, "markdown")[-1] == f"{FOLD}SECRET\n\n</details>"
    assert sources(notebook, "markdown")[-2].endswith(
        f"### Exercise {numbers()['ex-which-shape']}: Which shape?\n\n*Concept · easy · 2 minutes.*"
    )


def test_every_exercise_of_the_book_has_a_number_and_no_other():
    assert {f"ex-{id}" for id in EXERCISES} == {*numbers()}
    assert sorted(numbers().values()) == [*range(1, len(EXERCISES) + 1)]


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


def test_what_was_done_is_said_even_where_the_next_chapter_fails(chapter, tmp_path):
    said, lost = [], tmp_path / "lost.md"
    with pytest.raises(FileNotFoundError):
        write([chapter, lost], tmp_path / "out", said.append)
    assert said == ["01_first.ipynb"]


def test_a_changed_copy_takes_the_news_in(chapter, tmp_path):
    folder = tmp_path / "out"
    write([chapter], folder)
    mine = folder / "01_first.ipynb"
    mine.write_text(mine.read_text().replace("x = 1", "x = 42"))
    before = mine.read_bytes()

    assert write([chapter], folder) == ["01_first.ipynb (yours, kept: 1 changed by you)"]
    assert mine.read_bytes() == before
    chapter.write_text(CHAPTER.replace("The end.", "News."))
    (told,) = write([chapter], folder)
    assert told == "01_first.ipynb (merged: 1 changed by you, 1 updated; as it was: 01_first.before.ipynb)"
    assert "x = 42" in mine.read_text()
    assert "News." in mine.read_text()
