"""Starts the kernel inside Pyodide, for the worker that has loaded it."""

import pickle
import sys
import time
from collections.abc import Callable
from json import dumps, loads
from typing import Any

from pyodide.ffi import to_js  # type: ignore[import-not-found] # there is one in the page alone

from pyodide_cells import ipython
from pyodide_cells.kernel import Kernel, Message, Stream


class PageKernel(Kernel):
    """The kernel, as JavaScript calls it."""

    async def recall(self, cell: str, source: str, needs: str, records: Any, number: int) -> None:
        """Hand on what cell `number` made; `records` are the bytes of what all cells of the page did."""
        await self.hand_on(cell, source, needs, pickle.loads(records.to_py()).get(number))

    def hear(self, comm: str, content: str, buffers: Any) -> None:
        """Give a widget what its view has sent, which is JSON."""
        self.message(comm, loads(content), buffers)


class AtOnce(Stream):
    """For what is printed between two runs, by a task that a cell has left."""

    def write(self, text: str) -> int:
        written = super().write(text)
        self.flush()
        return written


def start(post: Callable[[str, Any], None], missing: Any, later: Any, load: Any) -> Kernel:
    """A kernel that gives its messages to `post`, as JSON, with what is bytes beside it."""

    def send(message: Message) -> None:
        buffers = [bytes(buffer) for buffer in message.pop("buffers", ())]
        post(dumps(message, allow_nan=False), to_js(buffers))

    if not hasattr(time, "thread_time"):  # of a Python with one thread
        time.thread_time = time.process_time
    kernel = PageKernel(send, missing.to_py(), later.to_py(), load)
    ipython.install(kernel)
    kernel.connect_widgets()
    sys.stdout, sys.stderr = kernel.streams = AtOnce(kernel, "stdout"), AtOnce(kernel, "stderr")
    wait = time.sleep

    def sleep(seconds: Any) -> None:
        kernel.flush()
        wait(seconds)

    time.sleep = sleep
    return kernel
