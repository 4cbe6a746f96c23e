"""What a browser's own trace says: how long a thread worked, when frames were drawn, what an input led to."""

import json
from collections.abc import Iterator
from typing import Any

WORK = ["toplevel", "blink.user_timing", "__metadata"]  # what `work` and `marks` read
CATEGORIES = [*WORK, "devtools.timeline", "devtools.timeline.frame", "disabled-by-default-devtools.timeline.frame"]
TASK = "ThreadControllerImpl::RunTask"

Event = dict[str, Any]


class Trace:
    """Its times are microseconds."""

    def __init__(self, text: bytes) -> None:
        self.events: list[Event] = json.loads(text)["traceEvents"]

    def marks(self) -> dict[str, Event]:
        """The marks that a page set, by name."""
        return {one["name"]: one for one in self.events if one["cat"] == "blink.user_timing" and one["ph"] in "RI"}

    def opened(self, address: str) -> Event:
        """The start of the navigation to an address."""
        starts = [one for one in self.events if one["name"] == "navigationStart"]
        return next(one for one in starts if one["args"]["data"]["documentLoaderURL"] == address)

    def frames(self, process: int) -> list[float]:
        """When each frame of a process was drawn."""
        return sorted(one["ts"] for one in self.events if one["name"] == "DrawFrame" and one["pid"] == process)

    def work(self, mark: Event, until: float) -> float:
        """Milliseconds that the thread of a mark worked from there on, without what the machine did else."""
        return sum(self.tasks(mark, until), start=0.0)

    def longest(self, mark: Event, until: float) -> float:
        """Milliseconds of the longest task of the thread of a mark, counted in the same way."""
        return max(self.tasks(mark, until), default=0.0)

    def tasks(self, mark: Event, until: float) -> Iterator[float]:
        """What each task of the thread of a mark worked between the two times, in milliseconds."""
        thread = (mark["pid"], mark["tid"])
        for one in self.events:
            if (one["pid"], one["tid"]) == thread and one["name"] == TASK and one["ph"] == "X":
                inside = min(one["ts"] + one["dur"], until) - max(one["ts"], mark["ts"])
                if inside > 0:
                    yield inside * one.get("tdur", one["dur"]) / max(1, one["dur"]) / 1000

    def answers(self, kind: str) -> list[tuple[float, float]]:
        """For each event of a kind that changed the picture: milliseconds to the last frame before the next, and of work."""
        dispatched = [
            one
            for one in sorted(self.events, key=lambda one: one["ts"])
            if one["name"] == "EventDispatch" and one["args"]["data"]["type"] == kind
        ]
        ends = [one["ts"] for one in dispatched[1:]] + [float("inf")]
        found = []
        for one, end in zip(dispatched, ends, strict=True):
            frames = [frame for frame in self.frames(one["pid"]) if one["ts"] < frame < end]
            if frames:
                found.append(((frames[-1] - one["ts"]) / 1000, self.work(one, frames[-1])))
        return found
