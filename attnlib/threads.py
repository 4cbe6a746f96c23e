"""Work shared out over threads. NumPy lets others run while it computes, and its matrix products alone use several."""

import ctypes
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any, TypeVar

Task = TypeVar("Task")
_ALONE = Lock()  # of whoever has set the number of threads
NAMES = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads")


def share_out(work: Callable[[Task], object], tasks: Iterable[Task], *, alone: bool = False) -> None:
    """Do every task, in any order: on as many threads as NumPy's products take (OMP_NUM_THREADS says how many).

    These take one each meanwhile. Where they cannot be told so (another library than OpenBLAS, a browser), or somebody
    else is at it, or no thread is to be had, one thread does it all.

    Args:
        work: what is done with a task, by itself.
        tasks: one for each call.
        alone: whether they are too small for another thread.
    """
    tasks = list(tasks)
    left = iter(tasks)

    def take() -> None:
        try:
            for task in left:
                work(task)
        finally:
            deque(left, maxlen=0)  # after an error nobody goes on

    with _single_products() as threads:
        if alone or len(tasks) < 2 or threads < 2:
            return take()
        helpers: list[Future[None]] = []
        try:
            with suppress(RuntimeError):  # no thread is to be had
                for _ in range(min(threads, len(tasks)) - 1):
                    helpers.append(_pool(threads).submit(take))
            take()
        finally:
            wait(helpers)
        for helper in helpers:
            helper.result()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Made when it is first needed; a fork makes its own, since threads do not go along."""
    return ThreadPoolExecutor(threads - 1, "attnlib")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)


@contextmanager
def _single_products() -> Iterator[int]:
    """Each matrix product on one thread; yields how many it took before, and 1 where that cannot be set."""
    if SWITCHES is None or not _ALONE.acquire(blocking=False):
        yield 1
        return
    read, write = SWITCHES
    try:
        threads = read()
        write(1)
        try:
            yield threads
        finally:
            write(threads)
    finally:
        _ALONE.release()


def _switches() -> tuple[Any, Any] | None:
    """OpenBLAS's functions that read and set its number of threads, if NumPy is linked with it."""
    try:
        library = ctypes.CDLL(import_module("numpy._core._multiarray_umath").__file__)
    except (ImportError, OSError):
        return None
    for name in NAMES:
        with suppress(AttributeError):
            return library[name.format("get")], library[name.format("set")]
    return None


SWITCHES = _switches()
