"""Fixtures for every test."""

import fcntl
import os
import pickle

os.environ.setdefault("MKL_NUM_THREADS", "1")  # torch's: workers share the processors, and its threads wait in a loop

import jaxtyping  # noqa: E402
import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

settings.register_profile("book", deadline=None)  # no test is about time: the machine may be busy
settings.load_profile("book")


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """What is costly, made once for all workers: the first that asks for the name gets a folder to make it in."""
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root

    def made(name, make):
        kept = root / f"{name}.pickle"
        with (root / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                kept.write_bytes(pickle.dumps(make(tmp_path_factory.mktemp(name))))
        return pickle.loads(kept.read_bytes())

    return made


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
