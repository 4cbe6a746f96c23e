"""Fixtures for every test."""

import jaxtyping
import pytest


@pytest.fixture
def unchecked():
    """Turn beartype's shape checks off, so that a bad input reaches the function's own error."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
