"""What a cell prints is one text, wherever the kernel happened to cut it into messages.

A kernel sends what is printed as it comes, now and then in the middle of a line. MyST-NB's own way of putting the pieces
together ends a line after each.
"""

import myst_nb.core.render
from nbformat import NotebookNode
from sphinx.application import Sphinx


def joined(outputs: list[NotebookNode] | None) -> list[NotebookNode]:
    """The outputs, each stream as one text at the place of its first piece."""
    kept: list[NotebookNode] = []
    streams: dict[str, NotebookNode] = {}
    for output in outputs or []:
        if output["output_type"] != "stream":
            kept.append(output)
        elif output["name"] in streams:
            streams[output["name"]]["text"] += output["text"]
        else:
            streams[output["name"]] = NotebookNode(output)
            kept.append(streams[output["name"]])
    for stream in streams.values():
        stream["text"] = stream["text"].rstrip() + "\n"
    return kept


def setup(app: Sphinx) -> dict[str, bool]:
    myst_nb.core.render.coalesce_streams = joined
    return {"parallel_read_safe": True, "parallel_write_safe": True}
