"""What a check found: rich in Jupyter and on the page, plain in a terminal."""

import html
from dataclasses import dataclass

from attnlib.exercises.harness import Exercise


@dataclass(frozen=True)
class Report:
    """The properties of an answer, each with None where it holds, or the sentence that says what is wrong."""

    exercise: Exercise
    found: tuple[tuple[str, str | None], ...]

    @property
    def correct(self) -> bool:
        """Whether every property holds."""
        return all(says is None for _, says in self.found)

    def or_raise(self) -> "Report":
        """Itself when the answer is right; raises AssertionError with the sentences when it is not."""
        if not self.correct:
            raise AssertionError(repr(self))
        return self

    def __repr__(self) -> str:
        lines = [f"{'✗' if says else '✓'} {name}{f': {says}' if says else ''}" for name, says in self.found]
        return "\n".join([*lines, "Right." if self.correct else "Not yet."])

    def _repr_html_(self) -> str:
        items = "".join(
            f'<li class="{"no" if says else "yes"}">{html.escape(name)}{f"<p>{html.escape(says)}</p>" if says else ""}</li>'
            for name, says in self.found
        )
        return f'<div class="check"><ul>{items}</ul><p>{"Right." if self.correct else "Not yet."}</p></div>'
