"""In a notebook, what a cell shows after a prediction is folded until the prediction is answered, or it is asked for."""

from typing import Any

SAYS = "What comes out. Guess first: your answer opens this, and so does a click."
# Jupyter's own names: a cell's outputs are children of one area. Other front ends show all of it.
STYLE = (
    ".jp-OutputArea:has(details.attn-guess:not([open])) > .jp-OutputArea-child:not(:has(details.attn-guess))"
    " { display: none }"
)
_last: list[Any] = []


def asked(question: Any) -> Any:
    """Remember the widget of the prediction that was asked for last, and return it."""
    _last[:] = [question]
    return question


def after_guess() -> None:
    """Fold what a notebook's cell shows until the prediction asked for last is answered, or a click opens it.

    Where that is answered already, or none was asked for, nothing is folded. A front end without Jupyter's own outputs
    shows all of it, and outside IPython nothing is folded.

    >>> after_guess()
    """
    if not _last or _last[0].correct is not None:
        return
    from IPython import get_ipython
    from IPython.display import HTML, display

    if get_ipython() is None:
        return

    def fold(state: str) -> HTML:
        return HTML(f'<style>{STYLE}</style><details class="attn-guess"{state}><summary>{SAYS}</summary></details>')

    shown = display(fold(""), display_id=True)
    _last[0].observe(lambda change: shown.update(fold(" open")), "correct")
