"""Right answers of chapters 0 to 4, each gone wrong in one way: the checkers refuse them all.

A slip that changes nothing on what an exercise may be given stands in `HARMLESS`, with the reason; such an answer passes.
"""

import numpy as np
import pytest

from attnlib.exercises import CHAPTERS, check
from tests.helpers.tiers import some_of

pytestmark = pytest.mark.usefixtures("patient", "unchecked")  # as students run it

PROGRAMS = [exercise.id for number in range(5) for exercise in CHAPTERS[number] if exercise.kind == "program"]
FIXED = (8, 64, 128)  # where a size is fixed in the code


def arrays(given, change):
    """The arguments, with the arrays among them changed."""
    return [change(a) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else a for a in given]


def floats(got):
    return np.array(got, dtype=float)


def only_the_first(n, axis):
    return lambda right: (
        lambda *given: right(*arrays(given, lambda a: a[(slice(None),) * axis + (slice(n),)] if a.ndim > axis else a))
    )


def remembers(right):
    """Keeps the first result in a default argument, for each shape."""

    def wrong(*given, kept={}):  # noqa: B006
        return kept.setdefault(str([np.shape(a) for a in given]), right(*given))

    return wrong


def in_place(right):
    def wrong(*given):
        got = right(*given)
        for a in given:
            if isinstance(a, np.ndarray):
                a += 1
        return got

    return wrong


def zeros_if_large(right):
    def wrong(*given):
        got = floats(right(*given))
        return got if all(np.size(a) <= 64 for a in given) else np.zeros_like(got)

    return wrong


def after(change):
    return lambda right: lambda *given: change(floats(right(*given)))


def before(change):
    return lambda right: lambda *given: right(*arrays(given, change))


SLIPS = {
    "squeezed": after(np.squeeze),
    "transposed": after(np.transpose),
    "flattened": after(np.ravel),
    "rows in reverse": after(lambda y: y[::-1]),
    "columns in reverse": after(lambda y: y[..., ::-1]),
    "rows moved by one": after(lambda y: np.roll(y, 1, axis=0)),
    "columns moved by one": after(lambda y: np.roll(y, 1, axis=-1)),
    "sorted": after(lambda y: np.sort(y, axis=-1)),
    "cumulated": after(lambda y: np.cumsum(y, axis=-1)),
    "the first row alone": after(lambda y: y[0]),
    "without the last row": after(lambda y: y[:-1]),
    "the last row is 0": after(lambda y: y * (np.arange(len(y)) < len(y) - 1).reshape(-1, *[1] * (y.ndim - 1))),
    "summed": after(lambda y: y.sum(axis=-1)),
    "averaged over rows": after(lambda y: np.broadcast_to(y.mean(axis=0), y.shape)),
    "an axis too many": after(lambda y: y[None]),
    "a column too many": after(lambda y: y[..., None]),
    "doubled": after(lambda y: 2 * y),
    "halved": after(lambda y: y / 2),
    "plus one": after(lambda y: y + 1),
    "negative": after(np.negative),
    "absolute": after(np.abs),
    "squared": after(np.square),
    "whole numbers": after(np.trunc),
    "rounded to two digits": after(lambda y: y.round(2)),
    "rounded to four digits": after(lambda y: y.round(4)),
    "bounded by 0 and 1": after(lambda y: np.clip(y, 0, 1)),
    "divided by its sum": after(lambda y: y / y.sum()),
    "zeros": after(np.zeros_like),
    "given twice": lambda right: lambda *given: (right(*given), right(*given)),
    "printed": lambda right: lambda *given: print(right(*given)),
    "text": lambda right: lambda *given: str(right(*given)),
    "complex": after(lambda y: y + 0j),
    "changes its arguments": in_place,
    "remembers by shape": remembers,
    "small inputs alone": zeros_if_large,
    "arguments doubled": before(lambda a: 2 * a),
    "arguments negative": before(np.negative),
    "arguments absolute": before(np.abs),
    "arguments of whole numbers": before(np.trunc),
    "arguments in half precision": before(lambda a: a.astype(np.float16).astype(float)),
    "arguments cut off at 0": before(lambda a: np.maximum(a, 0)),
    "arguments cut off at 1": before(lambda a: np.clip(a, -1, 1)),
    "zeros of the arguments replaced": before(lambda a: np.where(a == 0, 0.5, a)),
    "arguments less their mean": before(lambda a: a - a.mean()),
    "arguments less their columns' means": before(lambda a: a - a.mean(axis=0)),
    "arguments divided by their largest": before(lambda a: a / np.abs(a).max()),
    "arguments divided by their lengths": before(lambda a: a / np.linalg.norm(a, axis=-1, keepdims=True)),
    "arguments transposed": before(np.transpose),
    "arguments squeezed": before(np.squeeze),
    "arguments in reverse": before(lambda a: a[::-1]),
    "arguments' columns in reverse": before(lambda a: a[..., ::-1]),
    "arguments sorted": before(lambda a: np.sort(a, axis=-1)),
    "the first argument alone in reverse": lambda right: lambda first, *rest: right(first[::-1], *rest),
    **{f"the first {n} rows": only_the_first(n, 0) for n in FIXED},
    **{f"the first {n} columns": only_the_first(n, 1) for n in FIXED},
}
NO_ARGUMENTS = "it takes no arguments"
POSITIVE = "all is between 0 and 1 already"
ONE_NUMBER = "it returns one number, or one vector"
ORDER = "the order of entries within a row has no part in it"
SIGNS = "the signs cancel"
HARMLESS = {
    "softmax-axis": {POSITIVE: ["absolute", "bounded by 0 and 1"]},
    "cross-entropy": {
        ONE_NUMBER: ["squeezed", "transposed", "summed"],
        "costs are above 0": ["absolute"],
        "only differences of scores count": ["arguments less their mean"],
    },
    "softmax-jacobian": {
        "it is symmetric": ["transposed"],
        "weights are above 0 and below 1": [
            "arguments absolute",
            "arguments cut off at 0",
            "arguments cut off at 1",
            "zeros of the arguments replaced",
        ],
        "weights are one vector": ["arguments transposed", *(f"the first {n} columns" for n in FIXED)],
    },
    "cosine-weights": {
        POSITIVE: ["absolute", "bounded by 0 and 1"],
        "lengths have no part in it": [
            "arguments doubled",
            "arguments divided by their largest",
            "arguments divided by their lengths",
        ],
        SIGNS: ["arguments negative"],
        ORDER: ["arguments' columns in reverse"],
    },
    "distance-weights": {
        POSITIVE: ["absolute", "bounded by 0 and 1"],
        "only distances have a part in it": ["arguments negative"],
        ORDER: ["arguments' columns in reverse"],
    },
    "soft-look-up": {ONE_NUMBER: ["transposed", "flattened"]},
    "write-u-attention": {SIGNS: ["arguments negative"]},
    "axes-kept": {
        ONE_NUMBER: ["transposed", "flattened"],
        "lengths are above 0": ["absolute"],
        SIGNS: ["arguments negative", "arguments absolute"],
        ORDER: ["arguments' columns in reverse", "arguments sorted"],
    },
    "both-ways-round": {
        ONE_NUMBER: ["squeezed", "transposed", "flattened"],
        POSITIVE: ["absolute", "bounded by 0 and 1", "arguments absolute", "arguments cut off at 0", "arguments cut off at 1"],
        "a cycle has three tokens, a grid no axis of length 1": ["arguments squeezed"],
    },
    "read-one": {ONE_NUMBER: ["transposed", "flattened"], SIGNS: ["arguments negative"]},
    "scaled-weights": {POSITIVE: ["absolute", "bounded by 0 and 1"], SIGNS: ["arguments negative"]},
    "swapped-roles": {"no entry is exactly 0": ["zeros of the arguments replaced"]},
    "turn-the-keys": {
        "a turn has no axis of length 1": ["squeezed"],
        "longer keys are read as well": ["doubled"],
        "the larger entry of each row of the turn stands on the right": ["sorted"],
        "a weight above 0.99 is reached by this too": ["rounded to two digits", "rounded to four digits"],
        NO_ARGUMENTS: ["changes its arguments", "remembers by shape", "small inputs alone"],
    },
    "predict-variance": {
        ONE_NUMBER: ["squeezed", "transposed", "summed"],
        "variances are above 0": ["absolute"],
        SIGNS: ["arguments negative"],
        "covariances are symmetric": ["arguments transposed"],
    },
    "row-slopes": {
        ONE_NUMBER: ["transposed", "flattened"],
        POSITIVE: ["absolute", "bounded by 0 and 1"],
        "only differences of scores count": ["arguments less their mean"],
        ORDER: ["arguments' columns in reverse", "arguments sorted"],
    },
}  # fmt: skip


def applies(name, slip):
    """A slip of arguments needs some, a slip of numbers needs numbers."""
    of_arguments = slip.startswith(("arguments", "zeros", "the first ")) and slip != "the first row alone"
    return of_arguments if name == "swapped-roles" else not of_arguments or name != "turn-the-keys"


TRIED = [(name, slip) for name in PROGRAMS for slip in SLIPS if applies(name, slip)]


@pytest.mark.parametrize(("name", "slip"), some_of(TRIED))
def test_a_right_answer_gone_wrong_is_refused_unless_nothing_changes(name, slip, answers):
    harmless = any(slip in slips for slips in HARMLESS.get(name, {}).values())
    report = check(name, SLIPS[slip](answers.right[name][0]))
    assert report.correct == harmless, report
    assert all(says for _, says in report.results if says is not None)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_of_every_published_right_answer(name, answers):
    harmless = {slip for slips in HARMLESS.get(name, {}).values() for slip in slips}
    passed = {
        slip
        for slip in SLIPS
        if applies(name, slip) and all(check(name, SLIPS[slip](answer)).correct for answer in answers.right[name])
    }
    assert passed <= harmless


def test_there_are_answers_enough_to_tell(answers):
    assert sum(len(answers.right[name]) for name in PROGRAMS) >= 110
    assert len(TRIED) >= 450
