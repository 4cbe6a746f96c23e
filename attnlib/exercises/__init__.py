"""The exercises of the book: ask, check an answer, get a hint."""

from typing import Any

from attnlib.exercises import chapter_00, chapter_01, chapter_02, chapter_03, chapter_04
from attnlib.exercises.harness import Exercise, Mistake, Property
from attnlib.exercises.report import Report

__all__ = ["EXERCISES", "Exercise", "Mistake", "Property", "Report", "check", "hint", "question"]

EXERCISES: dict[str, Exercise] = {
    exercise.id: exercise
    for chapter in (
        chapter_00,
        chapter_01,
        chapter_02,
        chapter_03,
        chapter_04,
    )
    for exercise in chapter.EXERCISES
}

_hints: dict[str, int] = {}


def check(id: str, answer: Any) -> Report:
    """Judge an answer: a function or value for a program, the answer's number or text for a question.

    Raises ValueError for an id that no exercise has, naming those that are near.
    """
    exercise = _find(id)
    if exercise.question is not None:
        asked = question(id)
        asked.answer = answer
        return Report(exercise, (("the answer", None if asked.correct else "Not this one."),))
    found: list[tuple[str, str | None]] = []
    for one in exercise.properties:
        try:
            one.test(answer)
            found.append((one.name, None))
        except Mistake as mistake:
            found.append((one.name, str(mistake)))
    return Report(exercise, tuple(found))


def hint(id: str) -> str:
    """The next hint; after the last one, the last again."""
    hints = _find(id).hints
    shown = min(_hints.get(id, 0), len(hints) - 1)
    _hints[id] = shown + 1
    return hints[shown]


def question(id: str) -> Any:
    """The question of an exercise as a widget, `Choice` or `Number`."""
    from attnlib.widgets import Choice, Number

    exercise = _find(id)
    if exercise.question is None:
        raise ValueError(f"{id!r} is answered with code: check({id!r}, your_function)")
    kind = Choice if "options" in exercise.question else Number
    return kind(**{"title": exercise.title, **exercise.question})


def _find(id: str) -> Exercise:
    if id not in EXERCISES:
        raise ValueError(f"no exercise is called {id!r}; there are {', '.join(EXERCISES)}")
    return EXERCISES[id]
