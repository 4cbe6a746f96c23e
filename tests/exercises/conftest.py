"""Fixtures for the tests of exercises."""

import pytest

from attnlib import exercises
from attnlib.exercises.guard import within


@pytest.fixture
def patient(monkeypatch):
    """A machine that is busy with something else fails no right answer; the limit itself is tested with the machinery."""
    monkeypatch.setattr(exercises, "within", lambda seconds, work: within(20 * seconds, work))
