"""Runs pytest in one folder after another, each in a fork of a process that has loaded the heavy libraries once.

    python tests/unit/mutants.py, then lines of a folder, a tab and a test file; each is answered by pytest's exit code.

What pytest says is left in the folder's file `said`.
"""

import os
import sys

import hypothesis.extra.numpy
import jaxtyping
import pytest
import pytest_timeout
import torch

QUIET = ["-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"]
LOADED = (hypothesis, jaxtyping, pytest_timeout, torch)  # these, but not attnlib, which changes


def run(folder: str, test: str) -> None:
    os.chdir(folder)
    sys.path.insert(0, folder)
    said = os.open("said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(said, 1)
    os.dup2(said, 2)
    code = pytest.main(
        ["-x", "-q", "--no-header", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist", test, *QUIET]
    )
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    for line in sys.stdin:
        child = os.fork()
        if not child:
            run(*line.rstrip("\n").split("\t"))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
