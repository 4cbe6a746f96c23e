"""Fixtures for every test."""

import jaxtyping
import pytest
from hypothesis import settings

settings.register_profile("book", deadline=None)  # no test is about time: the machine may be busy
settings.load_profile("book")


@pytest.fixture
def unchecked():
    """Turn beartype's shape checks off, so that a bad input reaches the function's own error."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
