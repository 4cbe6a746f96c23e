"""Who grades: the processes of this machine, or the Dask cluster that `SCHEDULER=tcp://…` names.

A cluster gets submissions as bytes, and gives bytes back: it needs this project and its packages, and no folder of the course.
What contains students' code there must be what contains it here.
"""

import contextlib
import logging
import os
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from classroom import remote, worker
from classroom.course import CourseError
from classroom.limits import Refused
from classroom.walls import chosen as walls

PATIENCE = 10  # seconds in which a scheduler answers
START = 120  # seconds in which a worker has read and tried what it needs
AHEAD = 2  # submissions that lie ready for each thread of the cluster


@contextlib.contextmanager
def chosen() -> Iterator[worker.Runner]:
    """What has submissions graded. Raises CourseError, in one sentence, where a cluster cannot."""
    address = os.environ.get("SCHEDULER", "").strip()
    if not address:
        worker.processes()  # a word that is no number is refused before anything else
        yield worker.each
        return
    try:
        from distributed import Client
    except ImportError:
        raise CourseError("SCHEDULER needs Dask's package `distributed` here: pip install distributed.") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what goes wrong is said below
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except Exception as error:  # whatever an address that is none makes it say
        raise CourseError(f"No Dask scheduler answers at {address} ({type(error).__name__}).") from None
    with client:
        needs = remote.Needs(walls().name, remote.code(), remote.settings())
        threads = _same(client, address, needs)
        yield partial(_each, client, address, needs, AHEAD * threads)


def _same(client: Any, address: str, needs: remote.Needs) -> int:
    """Have every worker say that it grades as this machine does; how many threads they have together."""
    workers = client.nthreads()
    if not workers:
        raise CourseError(f"The Dask scheduler at {address} has no worker.")
    tried = [client.submit(remote.ready, needs, workers=[one], pure=False) for one in workers]
    for one, future in zip(workers, tried, strict=True):
        try:
            future.result(timeout=START)
        except remote.Other as other:
            raise CourseError(f"The worker at {one} {other}.") from None
        except Refused as refused:
            raise CourseError(f"The worker at {one} refuses: {refused}") from None
        except Exception as error:
            said = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            raise CourseError(
                f"The worker at {one} cannot grade: start it in this project's folder, with its packages ({said})."
            ) from None
    return sum(workers.values())


def _each(
    client: Any, address: str, needs: remote.Needs, most: int, jobs: Iterable[worker.Job], seconds: float
) -> worker.Results:
    """As `worker.each`, on the cluster. The scheduler itself begins again what a worker that died had begun."""
    from distributed import KilledWorker, as_completed

    waiting, names = iter(jobs), dict[Any, str]()
    done = as_completed(loop=client.loop)

    def fill() -> None:
        while len(names) < most and (job := next(waiting, None)):
            future = client.submit(remote.run, needs, seconds, job.work, job.arguments, pure=False)
            names[future] = job.name
            done.add(future)

    try:
        fill()
        while names:
            future = next(done)
            try:
                result = future.result(timeout=PATIENCE)
            except KilledWorker:
                result = worker.Stopped("the workers of the cluster that graded it ended by themselves")
            except remote.Other as other:
                raise CourseError(f"A worker of {address} {other}. What was graded is kept.") from None
            except Exception as error:
                lost = f"{address} did not grade to the end ({type(error).__name__})"
                raise CourseError(f"{lost}. What was graded is kept; run the command again.") from None
            name = names.pop(future)
            fill()
            yield name, result
    finally:
        client.cancel(list(names))
