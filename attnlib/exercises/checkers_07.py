"""How the programs of chapter 7 are judged: windows, and parts of the keys."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib.exercises.harness import Property, booleans, call
from attnlib.exercises.slips import LIMITS, Map, Slips, agrees, drawn
from attnlib.masks import sliding_window_mask
from attnlib.scaled_dot_product import softmax

# Two halves of the keys ------------------------------------------------------------------------

Part = tuple[np.ndarray, np.ndarray, np.ndarray]


def _part(scores: np.ndarray, value: np.ndarray) -> Part:
    """What one machine remembers of its keys: largest score, total and blend for each query."""
    largest = scores.max(axis=1, keepdims=True)
    raised = np.exp(scores - largest)
    return largest, raised.sum(axis=1, keepdims=True), raised @ value


def _halves(cut: int, scores: np.ndarray, value: np.ndarray) -> tuple[Part, Part]:
    return _part(scores[:, :cut], value[:cut]), _part(scores[:, cut:], value[cut:])


def _joined(left: Part, right: Part) -> np.ndarray:
    larger = np.maximum(left[0], right[0])
    shrinks = [np.exp(part[0] - larger) for part in (left, right)]
    total = sum(part[1] * shrink for part, shrink in zip((left, right), shrinks, strict=True))
    blend = sum(part[2] * shrink for part, shrink in zip((left, right), shrinks, strict=True))
    return np.asarray(blend / total)


def _upside_down(left: Part, right: Part) -> np.ndarray:
    larger = np.maximum(left[0], right[0])
    a, b = np.exp(larger - left[0]), np.exp(larger - right[0])
    return np.asarray((left[2] * a + right[2] * b) / (left[1] * a + right[1] * b))


def _totals_as_they_are(left: Part, right: Part) -> np.ndarray:
    larger = np.maximum(left[0], right[0])
    a, b = np.exp(left[0] - larger), np.exp(right[0] - larger)
    return np.asarray((left[2] * a + right[2] * b) / (left[1] + right[1]))


def _blends_as_they_are(left: Part, right: Part) -> np.ndarray:
    larger = np.maximum(left[0], right[0])
    a, b = np.exp(left[0] - larger), np.exp(right[0] - larger)
    return np.asarray((left[2] + right[2]) / (left[1] * a + right[1] * b))


def _not_divided(left: Part, right: Part) -> np.ndarray:
    larger = np.maximum(left[0], right[0])
    return np.asarray(left[2] * np.exp(left[0] - larger) + right[2] * np.exp(right[0] - larger))


def _brought_to(level: Callable[[np.ndarray, np.ndarray], Any]) -> Map:
    """Both parts brought to another number than the larger of their largest scores."""

    def wrong(left: Part, right: Part) -> np.ndarray:
        shrinks = [np.exp(part[0] - level(left[0], right[0])) for part in (left, right)]
        blend, total = (left[i] * shrinks[0] + right[i] * shrinks[1] for i in (2, 1))
        return np.asarray(blend / total)

    return wrong


def _by_largest(left: Part, right: Part) -> np.ndarray:
    """Two answers, weighed by a softmax of their largest scores."""
    share = softmax(np.concatenate([left[0], right[0]], axis=1))
    return np.asarray(share[:, :1] * left[2] / left[1] + share[:, 1:] * right[2] / right[1])


def _higher(left: Part, right: Part) -> np.ndarray:
    return np.where(left[0] > right[0], left[2] / left[1], right[2] / right[1])


JOIN_MISTAKES: Slips = [
    ("Each part has subtracted a largest score of its own. Bring both to the larger of the two before you add.", lambda a, b: (a[2] + b[2]) / (a[1] + b[1])),
    ("That is the mean of two answers. A part with higher scores must count more.", lambda a, b: (a[2] / a[1] + b[2] / b[1]) / 2),
    ("You correct the wrong way round: the part with the *smaller* largest score must shrink, by e^(old − new).", _upside_down),
    ("The blends are corrected and the totals are not. Both were summed under the old largest score.", _totals_as_they_are),
    ("The totals are corrected and the blends are not. Both were summed under the old largest score.", _blends_as_they_are),
    ("The division by the total is missing.", _not_divided),
    ("That is the answer of the left part alone.", lambda a, b: a[2] / a[1]),
    ("That is the answer of the right part alone.", lambda a, b: b[2] / b[1]),
    ("That is the answer of the part with the higher largest score. The other one counts too, if less.", _higher),
    ("You weigh the two answers by their largest scores alone. How much each part has added up, its total, counts too.", _by_largest),
    ("The two answers are added, each divided by its own total. Together they need one total.", lambda a, b: a[2] / a[1] + b[2] / b[1]),
    ("The answers are not weighed: multiply blend *and* total by e^(old − new), then divide once.", lambda a, b: (a[2] * a[1] + b[2] * b[1]) / (a[1] + b[1])),
    ("You divide by the larger of the two totals. Divide by their sum, once both are corrected.", lambda a, b: _not_divided(a, b) / np.maximum(a[1], b[1])),
    ("Your result is transposed: a row for each query.", lambda a, b: _joined(a, b).T),
    ("The first query's row alone came. Each query has one.", lambda a, b: _joined(a, b)[0]),
]  # fmt: skip


def _cut_off(limit: float) -> Map:
    return lambda a, b: _joined((np.clip(a[0], -limit, limit), *a[1:]), (np.clip(b[0], -limit, limit), *b[1:]))


FAR_MISTAKES: Slips = [
    ("`exp` of a largest score met a number too large for it, or rounded all to 0. Take it of differences to the larger of the two: they are 0 at most.", _brought_to(lambda a, b: 0)),
    ("You bring the left part to the right one's largest score: where that is the smaller, `exp` grows too large. Bring both to the larger.", _brought_to(lambda a, b: b)),
    ("You bring the right part to the left one's largest score: where that is the smaller, `exp` grows too large. Bring both to the larger.", _brought_to(lambda a, b: a)),
    ("You bring both to the smaller of the two: then `exp` grows too large. Bring them to the larger.", _brought_to(np.minimum)),
    ("You bring both to their mean: half a distance of thousands is too large for `exp`. Bring them to the larger.", _brought_to(lambda a, b: (a + b) / 2)),
    ("You bring both to the larger only where it is above 0. Largest scores can all be far below.", _brought_to(lambda a, b: np.maximum(np.maximum(a, b), 0))),
    ("You bring all queries to one largest score, and rows far below it become 0/0. Each query has its own.", _brought_to(lambda a, b: max(a.max(), b.max()))),
    *(("Large numbers are cut off, so that those beyond the limit count alike. Only differences of largest scores matter: take them first.", _cut_off(limit)) for limit in LIMITS),
    ("You bring both to the larger *size*. Largest scores can be far below 0: compare them with their signs.", _brought_to(lambda a, b: np.maximum(np.abs(a), np.abs(b)))),
]  # fmt: skip


def _levels(seed: int, cut: int, *levels: tuple[float, float]) -> tuple[Part, Part]:
    """Scores around two levels for each query, one for each part; they are eighths, which any precision holds."""
    scores, value = drawn(seed, (len(levels), 9), (9, 3))
    ends = np.array(levels)
    return _halves(cut, np.round(scores * 8) / 8 + np.where(np.arange(9) < cut, ends[:, :1], ends[:, 1:]), value)


FAR = [
    _levels(3, 5, *4 * [(0.0, -2000.0)]),
    _levels(3, 5, *4 * [(0.0, 2000.0)]),
    _levels(8, 5, (0.0, -1000.0), (0.0, 1000.0)),
    _levels(5, 4, (5000.0, 5001.0), (5001.0, 5000.0), (4000.0, -4000.0)),
    _levels(6, 4, (-5000.0, -5001.0), (-5001.0, -5000.0), (-4000.0, -9000.0)),
]
UNEVEN = [
    _levels(4, 3, (1000.0, 1000.0), (0.0, 0.0), (-1000.0, -1000.0)),
    _levels(7, 3, (0.0, 3.0), (-900.0, -899.0), (5.0, -900.0), (-900.0, 5.0)),
]


# A window --------------------------------------------------------------------------------------


def _window(n: int, w: int) -> np.ndarray:
    return np.asarray(sliding_window_mask(n, window=w))


def _ages(n: int) -> np.ndarray:
    """How many places key j lies before query i."""
    return np.arange(n)[:, None] - np.arange(n)


WINDOW_MISTAKES: Slips = [
    ("Your window holds w + 1 keys: the query's own is one of the w. Block j = i − w.", lambda n, w: (_ages(n) >= 0) & (_ages(n) <= w)),
    ("A query does not read itself: its own key is the last of the window.", lambda n, w: (_ages(n) > 0) & (_ages(n) <= w)),
    ("A query does not read itself: its own key is the last of the window.", lambda n, w: (_ages(n) > 0) & (_ages(n) < w)),
    ("The window is inverted: True means that a query *may* attend.", lambda n, w: ~_window(n, w)),
    ("Your window looks ahead too. It should end at the query's own key.", lambda n, w: abs(_ages(n)) < w),
    ("Nothing limits the future: block j > i.", lambda n, w: _ages(n) < w),
    ("Nothing limits the past: that is the causal mask. Block keys further back than w − 1.", lambda n, w: _ages(n) >= 0),
    ("Rows and columns are exchanged, so that queries look ahead: the query is the row.", lambda n, w: _window(n, w).T),
    ("Your window holds w − 1 keys: the query's own is one of the w. Keep j = i − w + 1.", lambda n, w: (_ages(n) >= 0) & (_ages(n) < w - 1)),
    ("Your window begins at the query and looks ahead. It should end there.", lambda n, w: (_ages(n) <= 0) & (_ages(n) > -w)),
    ("Your window looks ahead as far as back, w keys each way. It should end at the query's own key.", lambda n, w: abs(_ages(n)) <= w),
    ("Each query reads its own key alone.", lambda n, w: _ages(n) == 0),
    ("Every query reads the first w keys. The window moves along with the query.", lambda n, w: np.broadcast_to(np.arange(n) < w, (n, n))),
    ("Every query reads the last w keys. The window moves along with the query.", lambda n, w: np.broadcast_to(np.arange(n) >= n - w, (n, n))),
    ("Those are the keys *outside* the window that lie before it. True means that a query may attend.", lambda n, w: _ages(n) >= w),
    ("Only the key at the far end of the window is True. All from there to the query's own are.", lambda n, w: _ages(n) == w - 1),
    ("The window goes round: the first queries read the end of the text.", lambda n, w: _ages(n) % n < w),
    ("Every query may read every key.", lambda n, w: np.full((n, n), True)),
    ("Those are blocks of w tokens. The window moves along with the query.", lambda n, w: (_ages(n) >= 0) & (np.arange(n)[:, None] // w == np.arange(n) // w)),
]  # fmt: skip


def _is_boolean(answer: Any) -> None:
    booleans(call(answer, (5, 2)))


WINDOW_MASK = (
    agrees("the window ends at the query", _window, [(7, 3), (6, 2), (300, 40), (12, 9)], WINDOW_MISTAKES),
    agrees("a window of one, and one wider than the text", _window, [(5, 1), (4, 9), (1, 1), (3, 3)], WINDOW_MISTAKES),
    Property("the mask is boolean", _is_boolean),
)
JOIN_PARTS = (
    agrees("two halves", _joined, [_halves(3, *drawn(1, (5, 8), (8, 3))), _halves(6, *drawn(2, (4, 7), (7, 2))),
        _halves(3, *drawn(8, (5, 8), (8, 3))), _halves(1, *drawn(9, (3, 6), (6, 1))),
        _halves(4, *drawn(10, (1, 5), (5, 2))), _halves(2, *drawn(11, (300, 4), (4, 2)))], JOIN_MISTAKES),
    agrees("scores far apart", _joined, FAR, JOIN_MISTAKES, FAR_MISTAKES),
    agrees("each query has its own largest score", _joined, UNEVEN, JOIN_MISTAKES, FAR_MISTAKES),
)  # fmt: skip
