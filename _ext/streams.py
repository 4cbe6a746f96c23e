"""What a cell prints stays as it was printed, in however many pieces the kernel sent it.

The kernel may cut in the middle of a line. MyST-NB ends each piece with a line break when it merges them
(`nb_merge_streams`), so here neighbouring pieces are joined before it does.
"""

from myst_nb.core import render
from nbformat import NotebookNode
from sphinx.application import Sphinx

coalesce = render.coalesce_streams


def joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """The outputs, each run of pieces of one stream made one piece."""
    whole: list[NotebookNode] = []
    for output in outputs:
        last = whole[-1] if whole else {}
        if output["output_type"] == "stream" == last.get("output_type") and output["name"] == last["name"]:
            whole[-1] = NotebookNode(output | {"text": last["text"] + output["text"]})
        else:
            whole.append(output)
    return whole


def setup(app: Sphinx) -> dict[str, bool]:
    render.coalesce_streams = lambda outputs: coalesce(joined(outputs))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
