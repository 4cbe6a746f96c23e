"""Fixtures for every test."""

import fcntl
import gc
import os
import pickle

os.environ.setdefault("MKL_NUM_THREADS", "1")  # torch's: workers share the processors, and its threads wait in a loop

import jaxtyping
import pytest
from hypothesis import settings

pytest_plugins = ["pages"]  # the browser and its pages: see anywidget-static/tests
settings.register_profile("book", deadline=None)  # no test is about time: the machine may be busy
settings.load_profile("book")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is imported and collected stays to the end: a third of that time went by looking for garbage among it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


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
def launched():
    """How the Chromium of `pages` is started: as for the book's paper."""
    from tools import chromium
    from tools.site import FLAGS

    return {"executable_path": chromium.find(), "args": FLAGS}


@pytest.fixture(scope="session")
def started():
    """A page of the site starts its scripts once it was painted."""
    from tools.site import STARTED

    return STARTED


@pytest.fixture
def unchecked():
    """Turn beartype's shape checks off, so that a bad input reaches the function's own error."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
