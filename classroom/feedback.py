"""The page that a student gets back: points, the student's own work, and a sentence for each test.

It is one file that runs no script and loads nothing. What a student wrote stands in a frame that says so and that it
cannot leave; a hidden test is nowhere, nor is a model answer. `page` makes it from the graded notebook.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from markdown_it.token import Token
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from classroom import cells
from classroom.formulas import Formula, typeset
from classroom.pieces import Piece, pieces_of, said
from classroom.prose import formulas, lines, parsed, rendered, spoken, visible

WAITS = "waits for your teacher"
Points = Mapping[str, tuple[float | None, float]]

HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{plain}</title>
<style>{style}</style>
</head>
"""
PAGE = (
    HEAD
    + """<body>
<header>
<h1>{title}</h1>
<p class="score">{score}</p>
{late}
{table}
</header>
<main>
<h2>Your notebook</h2>
{work}
</main>
</body>
</html>
"""
)


POLICY = "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True)
class Told:
    """What is known beside the notebook."""

    points: Points
    comments: Mapping[str, str]
    formulas: Mapping[Formula, str]


def page(
    notebook: NotebookNode,
    points: Points,
    comments: Mapping[str, str],
    state: str,
    released: NotebookNode | None = None,
    late: str = "",
) -> str:
    """The page, as HTML, of a graded notebook.

    `points` has what was given (None: not yet) and the most for each graded cell, and `comments` a person's words.
    A student reads "waits for your teacher" for any `state` but "graded" and "1 to mark". Text that stands just so in
    `released` is the teacher's. `late` is what there is to say of when it was handed in.
    """
    pieces = list(pieces_of(notebook, {cell.source for cell in released.cells} if released else set()))
    heading = _title(pieces)
    words = {name: parsed(text) for name, text in comments.items()}
    read = [formula for tokens in [*words.values(), *(one.tokens for one in pieces)] for formula in formulas(tokens)]
    known = typeset(read)
    told = Told(points, {name: rendered(tokens, known) for name, tokens in words.items()}, known)
    title = heading.content if heading else "Feedback"
    style, known_by = styled("feedback.css")
    html = PAGE.format(
        policy=POLICY.format(known_by),
        style=style,
        plain=f"{escape(title)}: feedback",
        title=rendered([heading], known) if heading else title,
        score=_score(points, state),
        late=f"<p>{escape(late)}</p>" if late else "",
        table=_table(pieces, told),
        work="\n".join(_block(piece, told) for piece in pieces),
    )
    return visible(html)


@cache
def styled(*files: str) -> tuple[str, str]:
    """A page's style from these files beside this one, and the digest by which a browser knows it from any other."""
    text = "".join((Path(__file__).parent / file).read_text(encoding="utf8") for file in files)
    return text, base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _title(pieces: list[Piece]) -> Token | None:
    """The heading that the handed-out notebook begins with; it becomes the page's, and is not said twice."""
    first = pieces[0] if pieces else None
    if first is None or not first.given or [token.tag for token in first.tokens[:1]] != ["h1"]:
        return None
    heading, first.tokens = first.tokens[1], first.tokens[3:]
    return heading


def _score(points: Points, state: str) -> str:
    given = sum(got for got, _ in points.values() if got is not None)
    waiting = sum(most for got, most in points.values() if got is None)
    whole = sum(most for _, most in points.values())
    if waiting == whole and not given:
        return f"<strong>This {WAITS}</strong>"
    score = f"{number(given)} of {number(whole)}"
    if state != "graded" and not state.endswith("to mark"):
        return f"<strong>{score}</strong> so far; this {WAITS}"
    wait = f"; {number(waiting)} more {'waits' if waiting == 1 else 'wait'} for your teacher" if waiting else ""
    return f"<strong>{score}</strong>{wait}"


def _table(pieces: list[Piece], told: Told) -> str:
    """Every task with its points, under the headings of the handed-out text, each a link to its place."""
    groups, heading, placed = [""], "", set()
    for piece in pieces:
        if piece.given:
            titles = [piece.tokens[i + 1] for i, token in enumerate(piece.tokens) if token.type == "heading_open"]
            heading = rendered(titles[-1:], told.formulas) if titles else heading
        elif piece.name in told.points:
            if heading:
                groups.append(f'<tr><th colspan="2" scope="rowgroup">{heading}</th></tr>')
                heading = ""
            placed.add(piece.name)
            groups[-1] += _row(piece.name, f'<a href="#{escape(piece.name)}">{_words(piece.name)}</a>', told)
    groups.append("".join(_row(name, _words(name), told) for name in told.points if name not in placed))
    head = '<thead><tr><th scope="col">Task</th><th scope="col">Points</th></tr></thead>'
    return f"<table>{head}{''.join(f'<tbody>{group}</tbody>' for group in groups if group)}</table>"


def _row(name: str, task: str, told: Told) -> str:
    return f'<tr><th scope="row">{task}</th><td>{_of(name, told)}</td></tr>'


def _block(piece: Piece, told: Told) -> str:
    if piece.kind == "text" and piece.given:
        return rendered(piece.tokens, told.formulas, outline=True)
    if piece.kind == "text":
        return _framed("Your text", rendered(piece.tokens, told.formulas)) if piece.source.strip() else ""
    if piece.kind == "setup":
        return f"<details><summary>Set-up</summary>{coloured(piece.source)}</details>{_came(piece)}"
    if piece.kind == "test":
        return _test(piece, told)
    if piece.kind == "explain":
        return _answer(piece, told)
    if not piece.source.strip():
        return ""
    return _framed("Your code", coloured(piece.source, piece.line) + _came(piece))


def _test(piece: Piece, told: Told) -> str:
    shown, hidden = cells.parts(piece.source)
    got, most = told.points.get(piece.name, (None, 0))
    contradicts = got is not None and (got == most) != (piece.error is None)
    says = "Your teacher gave these points." if contradicts else piece.says
    if got is None and not piece.error:
        says = "What is shown here passes."
    tried = "are still to be tried" if got is None else "were tried"
    more = f"<p>More cases {tried}; they are not shown.</p>" if hidden.strip() else ""
    code = (
        f"<details{' open' if piece.error else ''}><summary>The test</summary>{coloured(shown.strip())}{more}</details>"
    )
    return _graded(piece, told, f'<p class="says">{spoken(says)}</p>{code}')


def _answer(piece: Piece, told: Told) -> str:
    return _graded(piece, told, _framed("Your answer", rendered(piece.tokens, told.formulas)))


def _graded(piece: Piece, told: Told, inner: str) -> str:
    got, most = told.points.get(piece.name, (None, 0))
    kind = "waiting" if got is None else "right" if got == most else "partly" if got else "wrong"
    mark = {"right": "✓", "wrong": "✗", "partly": "◐", "waiting": "…"}[kind]
    points = WAITS if got is None else _of(piece.name, told)
    head = f'<h3><span aria-hidden="true">{mark}</span> {_words(piece.name)} <span class="points">{points}</span></h3>'
    comment = told.comments.get(piece.name, "")
    comment = f'<div class="comment"><p class="label">Your teacher</p>{comment}</div>' if comment else ""
    return f'<section class="{kind}" id="{escape(piece.name)}">{head}{inner}{comment}</section>'


def _framed(label: str, inner: str) -> str:
    """A region that is the student's, says so, and cannot be left by what is in it."""
    return f'<div class="theirs" role="group" aria-label="{label}"><p class="label">{label}</p><div>{inner}</div></div>'


def coloured(source: str, line: int = 0) -> str:
    marked = [
        f'<span class="line{" stopped" if number == line else ""}">{one or " "}</span>'
        for number, one in enumerate(lines(source), 1)
    ]
    return '<pre class="code" tabindex="0"><code>' + "\n".join(marked) + "</code></pre>"


def _came(piece: Piece) -> str:
    """What a cell printed, and the error that ended it, with the line."""
    found = ""
    if piece.printed:
        found += f'<p class="label">It printed</p><pre tabindex="0"><samp>{escape(piece.printed)}</samp></pre>'
    if piece.error:
        name, message, where = piece.error
        found += f'<p class="error"><strong>{escape(name)}</strong>{escape(where)}: {spoken(message)}</p>'
        if quoted := piece.source.split("\n")[piece.line - 1 : piece.line] if piece.line else []:
            found += f"<pre><code>{lines(quoted[0])[0].strip()}</code></pre>"
    return found


def _of(name: str, told: Told) -> str:
    got, most = told.points[name]
    if not most and got:  # given or taken beside the tasks
        return number(got) if got < 0 else f"+{number(got)}"
    return f"{'–' if got is None else number(got)} of {number(most)}"


def number(points: float) -> str:
    return f"{points:.10g}".replace("-", "−")


def _words(name: str) -> str:
    """A cell's name as words: of `test-tempered-at-one`, "Tempered at one"."""
    words = re.sub(r"^(test|explain|answer)-", "", name).replace("-", " ").replace("_", " ").strip()
    return escape(words[:1].upper() + words[1:])


class HideHidden(NbGraderPreprocessor):
    """In each test: what students were given, and one sentence that says nothing of a hidden case."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: dict[str, Any], index: int
    ) -> tuple[NotebookNode, dict[str, Any]]:
        if cells.kind(cell) == "test":
            cell.source = cells.parts(cell.source)[0]
            cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=said(cell))]
        return cell, resources
