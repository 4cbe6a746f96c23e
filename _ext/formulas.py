"""Formulas are rendered by KaTeX while the book is built: a page needs its style and fonts, and no script.

A mark that touches a formula stays on its line: a browser may otherwise break before and after it, whatever stands there.
"""

import socket
import time
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import sphinxcontrib.katex as katex
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

JOINER = "\N{WORD JOINER}"


def start_server(server: type[katex.KaTeXServer], folder: Path, timeout: float) -> tuple[Popen, socket.socket]:
    """Start KaTeX's server behind a Unix socket, trying until it listens.

    The package's own start takes the socket's file for a sign of that, and fails when it connects too soon;
    its start behind a port has no such gap, but waits 40 ms for every formula.
    """
    path = folder / "katex.sock"
    process = Popen(server.build_command(socket=path), stdin=PIPE, stdout=PIPE, cwd=folder)
    end = time.monotonic() + timeout
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(str(path))
            return process, connection
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            if time.monotonic() > end or process.poll() is not None:
                process.kill()
                process.communicate()
                raise server.timeout_error(timeout) from None
            time.sleep(0.001)


katex.KaTeXServer.start_server_process = classmethod(start_server)
# A formula that KaTeX does not understand fails the build instead of standing there in red.
# A chapter's new term stands out: \new{…} takes the accent (`.new-term`); in a notebook a colour, see tools/notebooks.py.
katex.KATEX_DEFAULT_OPTIONS |= {
    "throwOnError": True,
    "macros": {r"\new": r"\htmlClass{new-term}{#1}"},
    "trust": True,  # for \htmlClass; the book's own text alone is rendered
    "strict": False,
}


class KeepMarks(SphinxPostTransform):
    default_priority = 500
    formats = ("html",)

    def run(self, **options: Any) -> None:
        for formula in list(self.document.findall(nodes.math)):
            place, around = formula.parent.index(formula), formula.parent
            for beside, end in ((place - 1, -1), (place + 1, 0)):
                text = around[beside] if 0 <= beside < len(around) else None
                if isinstance(text, nodes.Text) and not text[end].isspace():
                    around[beside] = nodes.Text(f"{text}{JOINER}" if end else f"{JOINER}{text}")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_post_transform(KeepMarks)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
