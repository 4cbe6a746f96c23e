"""A book that breaks every promise of the build is not built, and each fault is named with its page."""

import pytest

from attnlib.exercises import CHAPTERS

CELL = "```{code-cell} ipython3\n1 + 1\n```"
PAGES = {
    "index": """# A book

[page](nopage.md) [place](chapters/01_first.md#nowhere-md) [here](#nowhere-here)
{ref}`nowhere-ref` {ref}`words <nowhere-named>` {numref}`nowhere-num` {doc}`nowhere-doc` {term}`nowhere-term`
{eq}`nowhere-eq` {cite}`nobody` {download}`gone.txt` ![](gone.png)

<a href="#nowhere-raw">raw</a> <a href='chapters/01_first.html#nowhere-there'>raw</a> <a href="gone.html?a=1">raw</a>
<img src="gone.svg" alt=""> <a href="../index.html">raw</a>

<a href="chapters/01_first.html#first">right</a> <a href="chapters/01_first.html?a=1">right</a>
<a href="#a-book">right</a>
<a href="https://example.org/#nowhere">right</a> <a href="mailto:a@b.c">right</a>

```{code-cell} ipython3
from IPython.display import HTML
HTML('<a id="made"></a><a href="#made">right</a> <a href="#nowhere-made">wrong</a>')
```

```{nosuchdirective}
```

```{code-cell} ipython3
import warnings; warnings.warn("careful")
```

```{code-cell} ipython3
import ipywidgets
ipywidgets.IntSlider()
```

```{code-cell} ipython3
:tags: [sheet]
1 + 1
```
""",
    "chapters/01_first": f"""# First

A token is read. A **token** is a word.

(S0.1)=
(S9.9)=
(E1)=
(E2-again)=
(E3)=
(E6)=
(E9)=
## Taught

{CELL}

(S0.2)=
## Said

```{{exercise}} Nobody knows me
Do.
```

```{{exercise}} Nor me
:label: nor-me
```

```{{exercise}} Which shape?
:label: ex-of-what
```

```{{exercise}} Which shape?
:label: ex-which-shape
```
""",
    "chapters/02_second": """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3, language: python}
---

# Second

```{exercise} Code it yourself
:label: ex-write-attention
```

```{code-cell} ipython3
from attnlib import attention
from attnlib.exercises import check
check("write-attention", lambda x: attention(x, x, x, scale=2)).or_raise()
```
""",
    "chapters/appendices/downloads": "# Downloads\n\n```{downloads}\n```\n",
    "chapters/appendices/coverage": "# Coverage\n\n```{coverage}\nS0.1 One\nS0.2 Two\nS0.3 Three\n```\n",
    "chapters/appendices/errata": f"""# Errata

```{{errata}} 1-4
```

```{{errata}} 6
```

```{{errata}} all
```

(erratum-1)=
## E1 · Right

{CELL}

(erratum-2)=
## E2 · Said

(erratum-4)=
## E4 · Untaught

{CELL}

(erratum-6)=
## E5 · Miscounted

(erratum-8)=
## E8 · Unlisted
""",
    "chapters/appendices/glossary": "# Glossary\n\n```{glossary}\ntoken\n  A word.\n\nlogit\n```\n",
}
FAULTS = {
    "index": [
        "cross-reference target not found: 'nopage.md'",
        "local id not found in doc 'chapters/01_first': 'nowhere-md'",
        "cross-reference target not found: 'nowhere-here'",
        "undefined label: 'nowhere-ref'",
        "undefined label: 'nowhere-named'",
        "undefined label: 'nowhere-num'",
        "unknown document: 'nowhere-doc'",
        "term not in glossary: 'nowhere-term'",
        "equation not found: nowhere-eq",
        'could not find bibtex key "nobody"',
        "Unknown directive type: 'nosuchdirective'",
        "stderr was found",
        "a widget without a module of its own cannot live in a page",
        "a cell with the tag 'sheet' draws no figure",
        "download file not readable",
        "image file not readable: gone.png",
        "the link '#nowhere-raw' leads to no place: index.html has no id 'nowhere-raw'",
        "the link 'chapters/01_first.html#nowhere-there' leads to no place",
        "the link 'gone.html?a=1' leads to no file of the site",
        "the link 'gone.svg' leads to no file of the site",
        "the link '../index.html' leads to no file of the site",
        "the link '#nowhere-made' leads to no place",
        # what Sphinx has named above, once more where the page has it
        "the link '#nopage.md' leads to no place",
        "the link 'chapters/01_first.html#nowhere-md' leads to no place",
        "the link '#nowhere-here' leads to no place",
        "the link 'gone.png' leads to no file of the site",
    ],
    "chapters/01_first": [
        "'token' is used before it is defined, in 'First': …A token is read",
        "the section 'Taught' has the label S9.9, which no list names",
        "the section 'Said' has the label S0.2, but no cell that was run",
        "the section 'Taught' has the label E9, which no list names",
        "the exercise 'Nobody knows me' has no label that begins with ex-",
        "the exercise 'Nor me' has no label that begins with ex-",
        "attnlib.exercises has no exercise for the label ex-of-what",
        *(
            f"the exercise {exercise.id!r} of attnlib.exercises has no place in this chapter"
            for exercise in CHAPTERS[1]
            if exercise.id != "which-shape"
        ),
    ],
    "chapters/02_second": [
        "the page has no description",
        "Executing notebook failed: CellExecutionError",
        "Notebook exception traceback saved in",
        "Lexing literal_block",  # of the traceback
        "ex-write-attention is called 'Code it yourself' here and 'Write it yourself' in attnlib.exercises",
        *(
            f"the exercise {exercise.id!r} of attnlib.exercises has no place in this chapter"
            for exercise in CHAPTERS[2]
        ),
    ],
    "chapters/appendices/coverage": ["S0.3 is taught nowhere: no section has the label (S0.3)="],
    "chapters/appendices/errata": [
        "'all' are no numbers of errata, such as 11-18, 53",
        "the lists of errata name e1, e2, e3, e4, e6: not each once, from e1 on",
        "the section 'E2 · Said' has the label ERRATUM-2, but no cell that was run",
        "undefined label: 'erratum-3'",
        "E4 is taught nowhere: no section has the label (E4)=",
        "the section 'E5 · Miscounted' has the label ERRATUM-6, but no title that begins with E6",
        "the section 'E8 · Unlisted' has the label ERRATUM-8, which no list names",
    ],
    "chapters/appendices/glossary": [
        "the glossary's term 'logit' has no meaning",
        "the glossary's term 'logit' is set in bold in no chapter",
    ],
}


@pytest.fixture(scope="session")
def faulty(built_once):
    """How the build of these pages ended."""
    return built_once("faults", PAGES)[1]


def test_the_build_fails_and_says_what_a_cell_said(faulty):
    assert faulty.code == 1
    assert "Not yet: 1 of 3 points." in faulty.log


@pytest.mark.parametrize(("page", "fault"), [(page, fault) for page, faults in FAULTS.items() for fault in faults])
def test_the_fault_is_named_with_its_page(page, fault, faulty):
    assert [where for where, message in faulty.warnings if fault in message] == [page]


def test_nothing_else_is_a_fault(faulty):
    expected = [fault for faults in FAULTS.values() for fault in faults]
    assert [message for _, message in faulty.warnings if not any(fault in message for fault in expected)] == []
