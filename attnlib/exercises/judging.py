"""A program, judged property by property."""

import functools
from contextlib import redirect_stdout
from typing import Any

import numpy as np

from attnlib.exercises.guard import Printed, TimeUp, endless, interrupts, stopped, unread, where, within
from attnlib.exercises.harness import Exercise, Mistake, Property
from attnlib.exercises.report import Report
from attnlib.exercises.results import Grids


def judged(exercise: Exercise, answer: Any) -> Report:
    """The points of a program, and a sentence for each property that does not hold; none is tried after an endless one."""
    results: list[tuple[str, str | None]] = []
    beside: dict[str, Grids] = {}
    notes: dict[str, str] = {}
    ended = True
    for one in exercise.properties:
        says = None
        if ended:
            try:
                notes[one.name] = _test(one, answer) or ""
            except Mistake as mistake:
                says = str(mistake)
                if mistake.beside:
                    beside[one.name] = mistake.beside
            except TimeUp as error:
                says, ended = endless(error, answer, one.seconds), False
            except BaseException as error:  # of a test that calls the function, or reads its result, by itself
                if interrupts(error):
                    raise
                says = stopped(error, answer, 1) if where(error, answer) else unread(error)
        else:
            says = "Not tried: the function has to end first."
        results.append((one.name, says))
    return Report(exercise, tuple(results), beside=beside, notes=notes)


def _test(one: Property, answer: Any) -> str | None:
    printed = Printed()
    try:
        with redirect_stdout(printed), np.errstate(all="ignore"):  # whatever a student told NumPy to raise
            said: str | None = within(one.seconds, functools.partial(one.test, answer))
            return said
    finally:
        printed.show()
