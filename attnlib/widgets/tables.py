"""What is read where no script runs: tables as HTML, every text in them escaped."""

import html
from collections.abc import Iterable
from unicodedata import bidirectional

import numpy as np

from attnlib.formatting import text
from attnlib.scaled_dot_product import entropy

Row = tuple[str, Iterable[str | float]]
MOST_CELLS = 1000  # a larger grid is summed up, where no script draws it
MOST_ROWS = 64


def weights_table(
    caption: str, queries: list[str], keys: list[str], weights: np.ndarray, cells: list[list[str]]
) -> str:
    """The weights cell by cell with each row's sum; of more than 1,000 cells, the key that each query reads most."""
    if weights.size <= MOST_CELLS:
        with_sum = [[*row, text(total)] for row, total in zip(cells, weights.sum(axis=1), strict=True)]
        return table(caption, [*keys, "sum"], list(zip(queries, with_sum, strict=True)), weights)
    strongest, spread = weights.argmax(axis=1), entropy(weights)
    rows = [(queries[i], [keys[j], text(weights[i, j]), text(spread[i])]) for i, j in enumerate(strongest[:MOST_ROWS])]
    left = f" The first {MOST_ROWS} of {len(queries)} queries." if len(queries) > MOST_ROWS else ""
    return table(caption + left, ["reads most from", "weight", "entropy in nats"], rows)


def table(caption: str, columns: Iterable[str], rows: Iterable[Row], shades: np.ndarray | None = None) -> str:
    """An HTML table of names with cells, texts or numbers; `shades` colours its first cells by weight, row by row."""
    head = "".join(_header("col", name) if name else "<td></td>" for name in columns)
    body = ""
    for i, (name, cells) in enumerate(rows):
        shade = (
            [f' style="--w:{weight:.2f}"'.replace(":0.", ":.") for weight in shades[i]] if shades is not None else []
        )
        written = [html.escape(cell) if isinstance(cell, str) else text(cell) for cell in cells]
        shade += [""] * (len(written) - len(shade))
        texts = "".join(f"<td{s}>{cell}</td>" for s, cell in zip(shade, written, strict=True))
        body += f"<tr>{_header('row', name)}{texts}</tr>"
    return (
        f'<figure class="attn"><figcaption>{html.escape(caption)}</figcaption>'
        f'<div class="attn-scroll" tabindex="0" role="group" aria-label="the table">'
        f'<table class="attn-table"><thead><tr><td class="attn-corner"></td>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div></figure>"
    )


def _header(scope: str, name: str) -> str:
    """A cell that names its row or its column, in the direction in which its script is written."""
    direction = ' dir="auto"' if any(bidirectional(letter) in {"R", "AL"} for letter in name) else ""
    return f'<th scope="{scope}"{direction}>{html.escape(name)}</th>'


def vector(entries: Iterable[float]) -> str:
    """Numbers in brackets: "(1.00, 0.50)"."""
    return f"({', '.join(map(text, entries))})"
