"""The exercises of the book: ask, check an answer, get a hint, see what is done."""

import difflib
import functools
from contextlib import redirect_stdout
from dataclasses import replace
from importlib import import_module
from typing import Any

from attnlib.exercises.guard import Printed, TimeUp, endless, stopped, unread, where, within
from attnlib.exercises.harness import Exercise, Mistake, Property
from attnlib.exercises.report import Grids, Progress, Report
from attnlib.questions import NumberQuestion, Question

__all__ = [
    "CHAPTERS",
    "EXERCISES",
    "PREDICTIONS",
    "Exercise",
    "Mistake",
    "Progress",
    "Property",
    "Report",
    "check",
    "hint",
    "predict",
    "progress",
    "question",
]

_NUMBERS = range(10)  # each chapter has its exercises and its predictions in a module of its own
CHAPTERS: dict[int, tuple[Exercise, ...]] = {
    number: import_module(f"{__name__}.chapter_{number:02d}").EXERCISES for number in _NUMBERS
}
PREDICTIONS: dict[int, dict[str, Question]] = {
    number: import_module(f"{__name__}.predictions_{number:02d}").PREDICTIONS for number in _NUMBERS
}
EXERCISES: dict[str, Exercise] = {exercise.id: exercise for exercises in CHAPTERS.values() for exercise in exercises}

_hints: dict[str, int] = {}
_points: dict[str, tuple[int, int]] = {}


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
            (from 0) of one; for a number that number, or a text such as "1/2".

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
        report = _judge_program(exercise, answer)
    else:
        reply = exercise.question.reply(answer)
        says, note = (None, str(reply)) if reply.correct else (str(reply), "")
        report = Report(exercise, (("the answer", says),), note=note)
    _record(exercise, report.points, report.of)
    return report


def hint(id: str) -> str:
    """The next hint of an exercise.

    Args:
        id: the exercise's, as for `check`.

    Returns:
        The hint and its number; after the last one, the last again.

    Raises:
        ValueError: as `check`.

    >>> hint("which-shape")
    Hint 1 of 2: The softmax changes numbers, never a shape.
    """
    hints = _find(id).hints
    shown = min(_hints.get(id, 0), len(hints) - 1)
    _hints[id] = shown + 1
    return Hint(f"Hint {shown + 1} of {len(hints)}: {hints[shown]}")


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

    def judged(change: dict[str, Any]) -> None:
        if change["new"] is not None:
            _record(exercise, int(change["new"]), 1)

    asked.observe(judged, "correct")
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
    return _widget(known[name])


def progress() -> Progress:
    """What is done of each chapter's exercises since this Python was started.

    >>> progress().done(1) <= 7
    True
    """
    return Progress(CHAPTERS, dict(_points))


def _widget(question: Question) -> Any:
    from attnlib.widgets import Choice, Number

    shown: Any = Number if isinstance(question, NumberQuestion) else Choice
    return shown(question)


def _judge_program(exercise: Exercise, answer: Any) -> Report:
    results: list[tuple[str, str | None]] = []
    beside: dict[str, Grids] = {}
    ended = True
    for one in exercise.properties:
        says = None
        if ended:
            try:
                _test(one, answer)
            except Mistake as mistake:
                says = str(mistake)
                if mistake.beside:
                    beside[one.name] = mistake.beside
            except TimeUp as error:
                says, ended = endless(error, answer, one.seconds), False
            except (
                Exception,
                SystemExit,
            ) as error:  # of a test that calls the function, or reads its result, by itself
                says = stopped(error, answer, 1) if where(error, answer) else unread(error)
        else:
            says = "Not tried: the function has to end first."
        results.append((one.name, says))
    return Report(exercise, tuple(results), beside=beside)


def _test(one: Property, answer: Any) -> None:
    printed = Printed()
    try:
        with redirect_stdout(printed):
            within(one.seconds, functools.partial(one.test, answer))
    finally:
        printed.show()


def _record(exercise: Exercise, points: int, of: int) -> None:
    """Keep the best: what was right once is done."""
    _points[exercise.id] = max(_points.get(exercise.id, (0, of)), (points, of))


def _find(id: str) -> Exercise:
    if not isinstance(id, str):
        raise ValueError(
            f"an exercise's id comes first, a text such as {next(iter(EXERCISES))!r}; got a {type(id).__name__}"
        )
    if id not in EXERCISES:
        near = difflib.get_close_matches(id, EXERCISES, cutoff=0.4) or list(EXERCISES)
        raise ValueError(f"no exercise is called {id!r}; did you mean {' or '.join(map(repr, near))}?")
    return EXERCISES[id]
