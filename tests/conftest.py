"""Fixtures for every test."""

import jaxtyping
import pytest
from hypothesis import settings

settings.register_profile("book", deadline=None)  # no test is about time: the machine may be busy
settings.load_profile("book")


@pytest.fixture(scope="session")
def browser():
    """The Chromium of all tests of a worker: Playwright, which other tests never import, starts once in a process."""
    from playwright.sync_api import sync_playwright

    from tools import chromium
    from tools.site import FLAGS

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def unchecked():
    """Turn beartype's shape checks off, so that a bad input reaches the function's own error."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
