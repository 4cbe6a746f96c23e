"""attnlib.threads: every task is done once, errors arrive, and products take as many threads afterwards as before."""

import os
import sys
import threading

import numpy as np
import pytest

from attnlib import attention, threads


@pytest.fixture
def two(monkeypatch):
    """OpenBLAS that takes two threads, whatever the machine has; what it was told, in turn."""
    told = [2]
    monkeypatch.setattr(threads, "SWITCHES", (lambda: told[-1], told.append))
    return told


def test_every_task_is_done_once_and_products_are_given_their_threads_back(two):
    done = []
    threads.share_out(done.append, range(100))
    assert sorted(done) == list(range(100))
    assert two == [2, 1, 2]


def test_two_threads_are_at_work_at_a_time(two):
    both = threading.Barrier(2, timeout=60)
    threads.share_out(lambda _: both.wait(), range(2))
    assert not both.broken


@pytest.mark.parametrize("tasks", [[], [3]])
def test_one_task_is_done_by_the_caller(tasks, two, monkeypatch):
    monkeypatch.setattr(threads, "_pool", None)
    done = []
    threads.share_out(done.append, tasks)
    assert done == tasks
    assert two == [2, 1, 2]


def test_an_error_in_any_thread_arrives_and_the_rest_is_left(two):
    done = []

    def work(task):
        if task == 3:
            raise MemoryError("no room")
        done.append(task)

    with pytest.raises(MemoryError, match="no room"):
        threads.share_out(work, range(10_000))
    assert 3 not in done
    assert two == [2, 1, 2]


def test_after_a_helpers_error_the_others_leave_the_rest(two):
    done, raised = [], threading.Event()

    def work(task):
        if threading.current_thread() is not threading.main_thread():
            raised.set()
            raise MemoryError("no room")
        raised.wait(60)
        done.append(task)

    with pytest.raises(MemoryError, match="no room"):
        threads.share_out(work, range(10_000))
    assert len(done) < 10


def test_without_a_thread_to_be_had_one_does_it_all(two, monkeypatch):
    class Shut:
        def submit(self, work):
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads, "_pool", lambda threads: Shut())
    done = []
    threads.share_out(done.append, range(9))
    assert done == list(range(9))


def test_while_another_call_is_at_it_one_thread_does_it_all(two):
    done = []
    with threads._single_products() as most:
        assert most == 2
        threads.share_out(done.append, range(9))
    assert done == list(range(9))
    assert two == [2, 1, 2]


def test_with_another_library_than_openblas_one_thread_does_it_all(monkeypatch):
    monkeypatch.setattr(threads, "SWITCHES", None)
    done = []
    threads.share_out(done.append, range(9))
    assert done == list(range(9))


def test_what_is_not_openblas_is_left_alone(monkeypatch):
    monkeypatch.setattr(threads, "NAMES", ("no_such_{}",))
    assert threads._switches() is None

    def refuse(path):
        raise OSError(path)

    monkeypatch.setattr(threads.ctypes, "CDLL", refuse)
    assert threads._switches() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_computes_the_same(two):
    x = np.random.default_rng(0).normal(size=(4, 300, 8))
    before = attention(x, x, x)
    child = os.fork() if sys.version_info < (3, 12) else _quiet_fork()
    if not child:
        os._exit(0 if (attention(x, x, x) == before).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _quiet_fork():
    with pytest.warns(DeprecationWarning, match="multi-threaded"):
        return os.fork()


def test_the_number_of_threads_changes_no_digit(two, monkeypatch):
    x = np.random.default_rng(0).normal(size=(4, 300, 8))
    shared = attention(x, x, x, causal=True)
    monkeypatch.setattr(threads, "SWITCHES", None)
    assert (attention(x, x, x, causal=True) == shared).all()
