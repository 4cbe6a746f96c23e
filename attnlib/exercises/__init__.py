"""The exercises of the book: ask, check an answer, get a hint, see what is done."""

import difflib
from collections import deque
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from attnlib.exercises.guesses import after_guess, asked
from attnlib.exercises.harness import Exercise, Mistake, Property
from attnlib.exercises.judging import judged
from attnlib.exercises.progress_file import Done, Keeper, Progress, beside_the_notebook, chapter_of_the_notebook, write
from attnlib.exercises.report import Report
from attnlib.questions import ChoiceQuestion, NumberQuestion, OrderQuestion, Question

__all__ = [
    "CHAPTERS",
    "EXERCISES",
    "PREDICTIONS",
    "Exercise",
    "Mistake",
    "Progress",
    "Property",
    "Report",
    "after_guess",
    "check",
    "hint",
    "load_progress",
    "predict",
    "progress",
    "question",
    "save_progress",
]

_NUMBERS = range(11)  # each chapter has its exercises and its predictions in a module of its own
CHAPTERS: dict[int, tuple[Exercise, ...]] = {
    number: import_module(f"{__name__}.chapter_{number:02d}").EXERCISES for number in _NUMBERS
}
PREDICTIONS: dict[int, dict[str, Question]] = {
    number: import_module(f"{__name__}.predictions_{number:02d}").PREDICTIONS for number in _NUMBERS
}
EXERCISES: dict[str, Exercise] = {exercise.id: exercise for exercises in CHAPTERS.values() for exercise in exercises}

_hints: dict[str, int] = {}
_kept = Keeper(beside_the_notebook())
_recent: deque[str] = deque(maxlen=1)  # the exercise that was last asked for


class Hint(str):
    """A text that a notebook shows without quotation marks."""

    def __repr__(self) -> str:
        return str(self)


def check(id: str, answer: Any) -> Report:
    """Judge an answer.

    Each property of a program is a point, and one that does not hold is answered by a sentence that names
    the likely mistake. An error in the function, or a loop without an end, becomes a sentence too.

    Args:
        id: the exercise's, such as "which-shape".
        answer: for a program the function or value. For a question with options the letter, the text or the number
            (from 0) of one, unless options are numbers themselves; for steps their texts, or their numbers (from 0) as
            the question shows them at first, in your order; for a number that number, or a text such as "1/2".

    Returns:
        The points, and a sentence for each property that does not hold.

    Raises:
        ValueError: for an id that no exercise has, naming those that are near.

    >>> check("which-shape", "7 × 7").correct
    True
    >>> check("write-attention", lambda x: x).points
    1
    """
    exercise = _find(id)
    if exercise.question is None:
        report = judged(exercise, answer)
    else:
        asked = exercise.question
        if isinstance(asked, ChoiceQuestion):
            answer = asked.numbered(answer)
        elif isinstance(asked, OrderQuestion):
            answer = asked.as_shown(answer)
        reply = asked.reply(answer)
        says, note = (None, str(reply)) if reply.correct else (str(reply), "")
        report = Report(exercise, (("the answer", says),), note=note)
    _record(exercise, report.points, report.of)
    return report


def hint(id: str) -> str:
    """The next hint of an exercise.

    Args:
        id: the exercise's, as for `check`.

    Returns:
        The hint and its number; with the last one, and after it, where the solution stands.

    Raises:
        ValueError: as `check`.

    >>> hint("which-shape")
    Hint 1 of 2: The softmax changes numbers, never a shape.
    """
    exercise = _find(id)
    hints = exercise.hints
    shown = min(_hints.get(id, 0), len(hints) - 1)
    _hints[id] = shown + 1
    place = f"below the exercise “{exercise.title}” of chapter {_chapter(id)}, in its notebook and on its page"
    last = f"\nThat is the last. The solution is folded {place}." if shown + 1 == len(hints) else ""
    return Hint(f"Hint {shown + 1} of {len(hints)}: {hints[shown]}{last}")


def question(id: str) -> Any:
    """The question of an exercise.

    Args:
        id: the exercise's, as for `check`.

    Returns:
        A widget, `Choice` or `Number`.

    Raises:
        ValueError: as `check`, and for an exercise that is answered with code.

    >>> [option for option, _ in question("which-shape").options]
    ['3 × 3', '7 × 7', '7 × 3']
    """
    exercise = _find(id)
    if exercise.question is None:
        raise ValueError(f"{id!r} is answered with code: check({id!r}, your_function)")
    asked = _widget(replace(exercise.question, title=exercise.question.title or exercise.title))

    def record(change: dict[str, Any]) -> None:
        if change["new"] is not None:
            _record(exercise, int(change["new"]), 1)

    asked.observe(record, "correct")
    return asked


def predict(chapter: int, name: str) -> Any:
    """A question that a chapter asks before it tells. It counts for no points.

    Args:
        chapter: its number, from 0.
        name: the question's, such as "ten-words".

    Returns:
        A widget, `Choice` or `Number`.

    Raises:
        ValueError: for a chapter or a name that has none, naming those that there are.

    >>> round(predict(0, "ten-words").right, 3)
    2.303
    """
    known = PREDICTIONS.get(chapter, {})
    if name not in known:
        there = f"it asks {sorted(known)}" if known else f"only the chapters {sorted(PREDICTIONS)} ask any"
        raise ValueError(f"chapter {chapter} asks nothing by the name {name!r}; {there}")
    return asked(chapter, name, _widget(known[name]))


def progress(chapter: int | None = None) -> Progress:
    """What is done of the exercises: one chapter's, and how many of each other's.

    In a notebook that a server opened, the file `progress.json` beside it keeps it, for all chapters' notebooks.
    Elsewhere it lasts as long as this Python, and `save_progress` writes it.

    Args:
        chapter: whose exercises are listed; else those of the notebook's chapter.

    Returns:
        What a notebook shows: exercise by exercise, and a line for each other chapter.

    Raises:
        ValueError: for a chapter that has no exercises.

    >>> progress(1).done(1) <= len(CHAPTERS[1])
    True
    """
    if chapter is not None and chapter not in CHAPTERS:
        raise ValueError(f"chapter {chapter!r} has no exercises; the chapters are {min(CHAPTERS)} to {max(CHAPTERS)}")
    return Progress(CHAPTERS, dict(_kept.keep().points), chapter_of_the_notebook() if chapter is None else chapter)


def save_progress(file: str | Path) -> None:
    """Write what is done into a file, for another machine or for the book's page, which brings it in.

    Args:
        file: where to. What is there is written over.

    Raises:
        OSError: where it cannot be written.

    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "mine.json")
    >>> save_progress(file)
    >>> os.path.exists(file)
    True
    """
    write(Path(file), _kept.keep().text())


def load_progress(file: str | Path) -> Progress:
    """Bring in what `save_progress` or the book's page has written: of each exercise the better result stays.

    Args:
        file: where it is.

    Returns:
        What is done, as `progress`.

    Raises:
        OSError: where it cannot be read.
        ValueError: for a file that is no progress of this book; nothing is brought in.

    >>> import os, tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "mine.json")
    >>> save_progress(file)
    >>> load_progress(file).points == progress().points
    True
    """
    try:
        _kept.done.add(Done.parse(Path(file).read_text(encoding="utf8")))
    except ValueError as why:
        raise ValueError(f"{file}: {why}") from None
    return progress()


def _widget(question: Question) -> Any:
    from attnlib.widgets import Choice, Number

    shown: Any = Number if isinstance(question, NumberQuestion) else Choice
    return shown(question)


def _record(exercise: Exercise, points: int, of: int) -> None:
    """Keep the best: what was right once is done."""
    _kept.done.add(Done({exercise.id: (points, of)}))
    _kept.keep()


def _find(id: str) -> Exercise:
    if not isinstance(id, str):
        raise ValueError(
            f"an exercise's id comes first, a text such as {next(iter(EXERCISES))!r}; got a {type(id).__name__}"
        )
    if id not in EXERCISES:
        near = difflib.get_close_matches(id, EXERCISES, n=3, cutoff=0)
        raise ValueError(
            f"no exercise is called {id!r}; did you mean {' or '.join(map(repr, near))}?{_of_this_chapter()}"
        )
    _recent.append(id)
    return EXERCISES[id]


def _chapter(id: str) -> int:
    return next(number for number, exercises in CHAPTERS.items() if id in {one.id for one in exercises})


def _of_this_chapter() -> str:
    """The ids of the chapter that was worked on last."""
    if not _recent:
        return ""
    number = _chapter(_recent[0])
    return f" Chapter {number} has {', '.join(one.id for one in CHAPTERS[number])}."
