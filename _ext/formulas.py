"""Formulas are rendered by KaTeX while the book is built: a page needs its style and fonts, and no script.

A mark that touches a formula can stay on its line: a browser would break before and after a formula, whatever stands there.
"""

import re
import socket
import time
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import sphinxcontrib.katex as katex
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform


def start_server(server: type[katex.KaTeXServer], folder: Path, timeout: float) -> tuple[Popen[bytes], socket.socket]:
    """Start KaTeX's server and try until it listens: sphinxcontrib-katex 0.9.11 takes the socket's file for a sign of that."""
    path = folder / "katex.sock"
    process = Popen(server.build_command(socket=path), stdin=PIPE, stdout=PIPE, cwd=folder)
    end = time.monotonic() + timeout
    while process.poll() is None and time.monotonic() < end:
        connection = socket.socket(socket.AF_UNIX)
        with suppress(FileNotFoundError, ConnectionRefusedError):
            connection.connect(str(path))
            return process, connection
        connection.close()
        time.sleep(0.001)
    process.kill()
    process.communicate()
    raise server.timeout_error(timeout)


def configure() -> None:
    """A formula that KaTeX does not understand fails the build instead of standing there in red."""
    katex.KaTeXServer.start_server_process = classmethod(start_server)
    katex.KATEX_DEFAULT_OPTIONS |= {
        "throwOnError": True,
        "macros": {r"\new": r"\htmlClass{new-term}{#1}"},  # a chapter's new term; in a notebook see tools/notebooks.py
        "trust": True,  # for \htmlClass; the book's own text alone is rendered
        "strict": False,
    }


class KeepMarks(SphinxPostTransform):
    """Wrap a formula and what touches it in a `.formula`."""

    default_priority = 500
    formats = ("html",)

    def run(self, **options: Any) -> None:
        for formula in list(self.document.findall(nodes.math)):
            around, place = formula.parent, formula.parent.index(formula)
            touching = [around[at] if 0 <= at < len(around) else None for at in (place - 1, place + 1)]
            before, after = (str(node) if isinstance(node, nodes.Text) else "" for node in touching)
            left, right = re.split(r"\s", before)[-1], re.split(r"\s", after, maxsplit=1)[0]
            if right:
                around[place + 1] = nodes.Text(after[len(right) :])
            if left or right:
                around[place] = nodes.inline("", "", nodes.Text(left), formula, nodes.Text(right), classes=["formula"])
            if left:
                around[place - 1] = nodes.Text(before[: -len(left)])
