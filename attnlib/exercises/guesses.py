"""In a notebook, what a cell shows after a prediction is folded until the prediction is answered, or it is asked for."""

from collections.abc import Callable
from typing import Any

SAYS = "What comes out. Guess first: your answer opens this, and so does a click."
# Jupyter's own names: a cell's outputs are children of one area. Other front ends show all of it.
STYLE = (
    ".jp-OutputArea:has(details.attn-guess:not([open])) > .jp-OutputArea-child:not(:has(details.attn-guess))"
    " { display: none }"
)
_asked: dict[tuple[int, str], Any] = {}  # the widget of each prediction, the one that was asked for last at the end
_folds: dict[tuple[int, str], list[Callable[[], None]]] = {}  # what opens the outputs that wait for its answer


def asked(chapter: int, name: str, question: Any) -> Any:
    """Remember the widget of a prediction, and return it."""
    key = (chapter, name)
    _asked.pop(key, None)
    _asked[key] = question
    question.observe(lambda change: [unfold() for unfold in _folds.pop(key, [])], "correct")
    return question


def after_guess(chapter: int | None = None, name: str = "") -> None:
    """Fold what a notebook's cell shows until a prediction is answered, or a click opens it.

    Where that is answered already, or was not asked for, nothing is folded. A front end without Jupyter's own outputs
    shows all of it, and outside IPython nothing is folded.

    Args:
        chapter, name: which prediction, as for `attnlib.exercises.predict`; without them the one asked for last.

    >>> after_guess()
    """
    key: Any = (chapter, name) if name else next(reversed(_asked), None)
    if key not in _asked or _asked[key].correct is not None:
        return
    from IPython import get_ipython
    from IPython.display import HTML, display

    if get_ipython() is None:
        return

    def fold(state: str) -> HTML:
        return HTML(f'<style>{STYLE}</style><details class="attn-guess"{state}><summary>{SAYS}</summary></details>')

    shown = display(fold(""), display_id=True)
    _folds.setdefault(key, []).append(lambda: shown.update(fold(" open")))
