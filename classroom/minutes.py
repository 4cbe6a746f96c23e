"""How long a student worked on a notebook, as far as it says so: the times at which its cells were last run.

JupyterLab writes them into a notebook where *Record timing* is switched on; Colab always does. A student can change
them, so nothing but the page about the class uses them.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from typing import Any

from classroom.notebooks import MOST, loaded
from classroom.texts import decoded

PAUSE = 20 * 60  # seconds between two cells, beyond which somebody did something else
YEARS = range(2015, 2100)  # of a time that can be one


def worked(content: bytes) -> int | None:
    """Minutes from the first to the last cell that was run, without pauses; None where fewer than three cells tell.

    `content` is a notebook as it was handed in; what cannot be read tells nothing.
    """
    try:
        found = loaded(decoded(content)[0])
        cells = found["cells"][:MOST]
        times = sorted(time for cell in cells for time in _times(cell.get("metadata")))
    except Exception:  # whatever a broken file makes the readers say
        return None
    if len(set(times)) < 3:
        return None
    gaps = (after - before for before, after in pairwise(times))
    return round(sum(gap for gap in gaps if gap <= PAUSE) / 60)


def _times(metadata: dict[str, Any]) -> Iterator[float]:
    """When a cell was run, in seconds: `execution` is JupyterLab's, `executionInfo` Colab's."""
    execution = metadata.get("execution", {})
    said = [execution.get(f"iopub.{one}") for one in ("execute_input", "status.idle")]
    moments = [datetime.fromisoformat(one) for one in said if isinstance(one, str)]
    colab = metadata.get("executionInfo", {}).get("timestamp")
    if isinstance(colab, int):
        moments.append(datetime.fromtimestamp(colab / 1000))
    yield from (one.timestamp() for one in moments if one.year in YEARS)
