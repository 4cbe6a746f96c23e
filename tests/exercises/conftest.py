"""Fixtures for the tests of exercises. The answers themselves stand in `chapter_NN.py`."""

from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

from attnlib import exercises
from attnlib.exercises import judging
from attnlib.exercises.guard import within


@pytest.fixture
def patient(monkeypatch):
    """A machine that is busy with something else fails no right answer; the limit itself is tested with the machinery."""
    monkeypatch.setattr(judging, "within", lambda seconds, work: within(20 * seconds, work))


@pytest.fixture(scope="session")
def answers():
    """All published answers to programs by the exercise's id: `right` ones, and `wrong` ones with words of the reply."""
    modules = [import_module(f"tests.exercises.chapter_{number:02d}") for number in exercises.CHAPTERS]
    right = {name: of_one for module in modules for name, of_one in module.RIGHT.items()}
    return SimpleNamespace(right=right, wrong={name: pairs for one in modules for name, pairs in one.WRONG.items()})


@pytest.fixture(scope="session")
def _judged():
    return {}


@pytest.fixture
def judge_wrong(answers, _judged):
    """For an exercise's id, of each wrong answer: words of the reply, its report, and what a checker saw of it."""

    def of_exercise(name):
        if name not in _judged:
            _judged[name] = [(says, *watched(name, answer)) for says, answer in answers.wrong[name]]
        return _judged[name]

    return of_exercise


def watched(name, answer):
    """The report on an answer, and what a checker saw of it: each call's result or error, and the arguments after it."""
    seen = []

    def watch(*given):
        try:
            got = answer(*given)
        except Exception as error:
            seen.append(f"{type(error).__name__}: {error}")
            raise
        seen.append(fingerprint((got, given)))
        return got

    report = exercises.check(name, answer)  # first, since some answers remember
    exercises.check(name, watch)
    return report, tuple(seen)


def fingerprint(value):
    """What a value holds, to six digits."""
    if isinstance(value, tuple | list):
        return type(value).__name__, tuple(map(fingerprint, value))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        value = value.round(6) + 0.0
    return (value.shape, value.dtype.str, value.tobytes()) if isinstance(value, np.ndarray) else repr(value)
