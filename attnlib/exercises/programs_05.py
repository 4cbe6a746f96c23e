"""How the programs of chapter 5 are judged: masks, and a step with a cache."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib.attention import softmax
from attnlib.exercises.harness import Mistake, Property, agrees, booleans, call, kind, numbers
from attnlib.exercises.slips import ANY, LIMITS, Map, Slips, slips, squeezed
from attnlib.masks import causal_mask, mask_to_bias, padding_mask, to_torch


def drawn(seed: int, *shapes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=shape) for shape in shapes)


# A causal mask with an offset ------------------------------------------------------------------


def _ages(n_q: int, n_k: int, offset: int) -> np.ndarray:
    return offset + np.arange(n_q)[:, None] - np.arange(n_k)


def _causal(n_q: int, n_k: int, offset: int) -> np.ndarray:
    return _ages(n_q, n_k, offset) >= 0


CAUSAL_MISTAKES: Slips = [
    ("A query must read its own key, too: j ≤ i + offset, not <.", lambda n, m, o: _ages(n, m, o) > 0),
    ("Each query sees one key too many: it reads the token that it should predict.", lambda n, m, o: _ages(n, m, o) >= -1),
    ("The mask is inverted: True means may attend.", lambda n, m, o: _ages(n, m, o) < 0),
    ("The offset is missing: the first query has `offset` keys before its own.", lambda n, m, o: _causal(n, m, 0)),
    ("You take n_k − n_q for the offset. There may be more room than keys in use: take the `offset` that is given.", lambda n, m, o: _causal(n, m, m - n)),
    ("The offset has the wrong sign: it lets each query read further, not less.", lambda n, m, o: _causal(n, m, -o)),
    ("Every query reads as far as the first one: query i stands i places after it.", lambda n, m, o: _causal(n, m, o)[:1].repeat(n, axis=0)),
    ("Each query reads keys from its own on. It should read those up to its own.", lambda n, m, o: _ages(n, m, o) <= 0),
    ("Each query reads its own key alone. It should read those before it, too.", lambda n, m, o: _ages(n, m, o) == 0),
    ("Each query reads `offset` keys before its own and no more: nothing limits how far back it may read.", lambda n, m, o: _causal(n, m, o) & (_ages(n, m, o) <= o)),
    ("Every query may read every key.", lambda n, m, o: np.full((n, m), True)),
    squeezed(_causal),
    ("Rows and columns are exchanged: a row for each query, a column for each key.", lambda n, m, o: _causal(n, m, o).T),
]  # fmt: skip
TRUE_AND_FALSE = "True and False"


def _true_and_false(*case: Any) -> Property:
    def test(answer: Any) -> None:
        booleans(call(answer, case))

    return Property(TRUE_AND_FALSE, test)


# The mask before the softmax -------------------------------------------------------------------


def masked(scores: np.ndarray, mask: np.ndarray, axis: int = -1) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        kept = np.where(mask, scores, -np.inf)
        raised = np.exp(kept - kept.max(axis=axis, keepdims=True))
        return np.asarray(raised / raised.sum(axis=axis, keepdims=True))


def _renormalised(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    kept = softmax(scores) * mask
    with np.errstate(invalid="ignore"):
        return np.asarray(kept / kept.sum(axis=-1, keepdims=True))


def _scores_and_mask(seed: int, *shape: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    mask = rng.random(shape[-2:]) < 0.5
    mask[np.arange(shape[-2]), rng.integers(shape[-1], size=shape[-2])] = True
    mask[np.arange(shape[-2]), np.arange(shape[-2]) % shape[-1]] = True
    return 2 * rng.normal(size=shape), mask


def _whole_scores(seed: int, *shape: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers, as of tokens in one-hot form: many scores are 0, some of them blocked."""
    scores, mask = _scores_and_mask(seed, *shape)
    scores = np.round(scores / 2)
    scores[..., 0, :] = 0
    return scores, mask


def _far_below() -> tuple[np.ndarray, np.ndarray]:
    """All scores are negative, and nobody reads the last key: it is filler."""
    scores, mask = _scores_and_mask(6, 3, 5)
    mask[:, 0], mask[:, 4] = True, False
    return -3 - np.abs(scores), mask


def _one_giant(*, allowed: bool = False) -> tuple[np.ndarray, np.ndarray]:
    scores, mask = _scores_and_mask(4, 3, 5)
    mask[1, 4], scores[1, 4] = allowed, 2000.0
    mask[1, 0] = mask[1, 2] = True
    return scores, mask


def _giants() -> tuple[np.ndarray, np.ndarray]:
    """Whole rows near −2000 and near 5000, one that goes far up from 0, and one that goes far down."""
    scores, mask = _scores_and_mask(7, 4, 6)
    mask[:, :3] = True
    return np.floor(scores) + np.array([[-2000], [5000], [0], [3]]) + np.outer([0, 0, 1000, -1000], np.arange(6)), mask


def _over_the_grid(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    raised = np.where(mask, np.exp(scores), 0)
    return np.asarray(raised / raised.sum(axis=(-2, -1), keepdims=True))


SOFTMAX_MISTAKES: Slips = [
    ("You put the zeros in after the softmax: the rows no longer sum to 1, and what is blocked still counts in each row's sum.", lambda s, m: softmax(s) * m),
    ("You set blocked *scores* to 0. That is a score like any other, and e⁰ = 1: the key still gets a weight. It takes −∞.", lambda s, m: softmax(s * m)),
    ("The mask is inverted: it is True where a query may attend.", lambda s, m: masked(s, ~m)),
    ("The mask is inverted: it is True where a query may attend.", lambda s, m: softmax(np.where(m, -1e300, s))),
    ("The mask has no effect on your weights.", lambda s, m: softmax(s)),
    ("The softmax runs over the queries. Each *row* must sum to 1: axis=-1.", lambda s, m: masked(s, m, axis=-2)),
    ("Add −∞ where the mask is False. Adding the mask itself adds 1 to the scores that stay.", lambda s, m: softmax(s + m)),
    ("You divide by the sum of the whole grid. Each row has a sum of its own.", _over_the_grid),
    ("Blocked scores stay in the sum that you divide by. Block them before it is taken.", lambda s, m: np.where(m, softmax(s), 0)),
    ("The weights are transposed: a row for each query.", lambda s, m: masked(s, m).swapaxes(-1, -2)),
    ("The first of the leading axes alone came: keep them all.", lambda s, m: masked(s, m)[0]),
    *slips(lambda weigh: lambda s, m: weigh(np.where(m, s, -np.inf)), ANY),
    squeezed(masked),
]  # fmt: skip


def _no_key(answer: Any) -> None:
    """A ValueError comes where a query has no key, and not where each has one."""
    scores, mask = _scores_and_mask(5, 3, 4)
    numbers(call(answer, (scores, mask)))
    mask[1] = False
    for case in ((scores, mask), (np.stack([scores, scores]), mask)):
        try:
            with np.errstate(all="ignore"):
                got = answer(case[0].copy(), mask.copy())
        except ValueError:
            continue
        except Exception as error:
            raise Mistake(f"For a query without a key raise a ValueError; yours was {kind(error)}.") from error
        found = numbers(got)
        _told(found[..., 1, :] if found.shape == case[0].shape else found)


def _told(row: np.ndarray) -> None:
    """What the weights of a query look like that has no key."""
    if np.isnan(row).any():
        raise Mistake("Query 1 has no key to read, and its row is NaN: 0 divided by 0. Raise a ValueError instead.")
    if np.allclose(row.sum(axis=-1), 1):
        raise Mistake(
            "Query 1 has no key to read, and yet its weights sum to 1, as they do when −∞ is a finite number. Raise a ValueError instead."
        )
    raise Mistake("Query 1 has no key to read, and there are no weights that sum to 1. Raise a ValueError.")


def _shifted(by: Callable[[np.ndarray, np.ndarray], Any]) -> Map:
    """A softmax that subtracts another number than each row's largest allowed score."""

    def wrong(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
        raised = np.exp(np.where(mask, scores - by(scores, mask), -np.inf))
        return np.asarray(raised / raised.sum(axis=-1, keepdims=True))

    return wrong


def _cut_off(limit: float) -> Map:
    return lambda s, m: masked(np.clip(s, -limit, limit), m)


GIANT_MISTAKES: Slips = [
    ("A blocked score of 2000 takes the whole row in the softmax, and 0/0 is left for the others: block it *before* the largest score and the sum are taken.", _renormalised),
    ("`exp` met a number too large for it: subtract each row's largest allowed score first.", _shifted(lambda s, m: 0)),
    ("You subtract the largest score of the whole grid, and 0/0 is left for rows far below it. Each row has its own.", _shifted(lambda s, m: s.max())),
    ("You subtract the largest score of the whole grid, and 0/0 is left for rows far below it. Each row has its own.", _shifted(lambda s, m: np.where(m, s, -np.inf).max())),
    ("The largest score is subtracted only where it is above 0: 0/0 is left for a row near −2000.", _shifted(lambda s, m: np.where(m, s, -np.inf).max(axis=-1, keepdims=True).clip(0))),
    ("You subtract the largest *size* of a score. In a row near −2000 that leaves 0/0: subtract the largest score, with its sign.", _shifted(lambda s, m: np.abs(np.where(m, s, 0)).max(axis=-1, keepdims=True))),
    *(("Large scores are cut off, so that those beyond the limit count alike. Subtract each row's largest score instead.", _cut_off(limit)) for limit in LIMITS),
    ("Blocked scores count as 0 when you take the largest: 0/0 is left for a row near −2000.", _shifted(lambda s, m: (s * m).max(axis=-1, keepdims=True))),
]  # fmt: skip


# A batch with causal and padding mask ----------------------------------------------------------


def _batch_mask(lengths: np.ndarray, n: int) -> np.ndarray:
    return np.asarray(causal_mask(n) & padding_mask(lengths, n))


def _at_most(lengths: np.ndarray, n: int) -> np.ndarray:
    return np.asarray(causal_mask(n) & (np.arange(n) <= lengths[:, None])[:, None, :])


BATCH_MISTAKES: Slips = [
    ("One of the two is enough to let a key through: you joined them with |. Both must allow it: &.", lambda s, n: causal_mask(n) | padding_mask(s, n)),
    ("The causal mask is missing.", lambda s, n: padding_mask(s, n)),
    ("The padding mask is missing: keys from the length on are filler.", lambda s, n: np.repeat(causal_mask(n)[None], len(s), axis=0)),
    ("You block the filler as a query, so that its rows have no key left, and their softmax is 0/0. It is as a *key* that filler must not be read.", lambda s, n: _batch_mask(s, n) & padding_mask(s, n).swapaxes(1, 2)),
    ("The mask is inverted: True means may attend.", lambda s, n: ~_batch_mask(s, n)),
    ("Every sequence got the length of the first one.", lambda s, n: _batch_mask(np.full_like(s, s[0]), n)),
    ("One key of filler is still read: j < length, not ≤.", _at_most),
    ("A query must read its own key, too: j ≤ i, not <.", lambda s, n: np.tri(n, k=-1, dtype=bool) & padding_mask(s, n)),
    ("The last token of each sentence counts as filler: j < length, not length − 1.", lambda s, n: causal_mask(n) & (np.arange(n) < s[:, None] - 1)[:, None]),
    ("Each query reads the key after its own as well: j ≤ i.", lambda s, n: np.tri(n, k=1, dtype=bool) & padding_mask(s, n)),
    ("Queries read keys from their own on: the future, not the past.", lambda s, n: causal_mask(n).T & padding_mask(s, n)),
    ("You take the start of each sentence for filler. It is filled up at its end.", lambda s, n: causal_mask(n) & (np.arange(n) >= n - s[:, None])[:, None]),
    ("Rows and columns are exchanged: a row for each query.", lambda s, n: _batch_mask(s, n).swapaxes(1, 2)),
    ("Every sequence got the length of the last one.", lambda s, n: _batch_mask(np.full_like(s, s[-1]), n)),
    ("Every sequence got the length of the longest.", lambda s, n: _batch_mask(np.full_like(s, s.max()), n)),
    ("Every sequence got the length of the shortest.", lambda s, n: _batch_mask(np.full_like(s, s.min()), n)),
    ("You sorted the sequences by length. Their order is given.", lambda s, n: _batch_mask(np.sort(s), n)),
    squeezed(_batch_mask),
    ("The mask of the first sequence alone came. Each has one: shape (len(lengths), n, n).", lambda s, n: _batch_mask(s, n)[0]),
]  # fmt: skip

# Two meanings of True --------------------------------------------------------------------------


def _translated(mask: np.ndarray, to: str) -> np.ndarray:
    if to == "bias":
        return np.asarray(mask_to_bias(mask))
    return np.asarray(to_torch(mask, to))  # type: ignore[arg-type]


WANTED = {
    "scaled_dot_product_attention": "true where a query may attend",
    "MultiheadAttention": "true where it is blocked",
    "bias": "0 where a query may attend, −∞ where not",
}


BIAS_MISTAKES: Slips = [
    ("These are zeros and ones. Added to a score, 1 blocks nothing: a bias blocks with −∞.", lambda m, to: m),
    ("These are zeros and ones. Added to a score, 1 blocks nothing: a bias blocks with −∞.", lambda m, to: ~m),
    ("This bias blocks what the mask allows: −∞ belongs where the mask is False.", lambda m, to: mask_to_bias(~m)),
    ("This bias holds +∞, which takes a whole row in place of blocking. It should be −∞.", lambda m, to: -mask_to_bias(m)),
    squeezed(_translated),
    ("−1 blocks nothing: it only lowers a score by 1. A bias blocks with −∞.", lambda m, to: np.where(m, 0, -1)),
    ("This bias adds 1 to the scores that stay. It should leave them: 0 where the mask is True.", lambda m, to: np.where(m, 1, -np.inf)),
    ("The bias holds NaN: 0 · ∞ has no value. Choose with np.where, do not multiply.", lambda m, to: ~m * -np.inf),
    ("The bias holds NaN: 0 · ∞ has no value. Choose with np.where, do not multiply.", lambda m, to: (1 - m) * -np.inf + m),
]  # fmt: skip


def _some_masks() -> list[np.ndarray]:
    shapes = [(2, 3, 4), (1, 5), (3, 1), (1, 1), (2, 300)]
    drawn = [np.random.default_rng(seed).random(shape) < 0.5 for seed, shape in enumerate(shapes)]
    return [_scores_and_mask(0, 4, 6)[1], _scores_and_mask(1, 4, 6)[1], causal_mask(5), *drawn]


def _translation(to: str) -> Property:
    if to == "bias":
        return Property("as a bias", _biases)
    mistakes: Slips = [
        (f"For {to} it is the other way round: its mask is {WANTED[to]}.", lambda m, to: ~_translated(m, to)),
        (f"That is a bias, and {to} is to get a mask of True and False.", lambda m, to: mask_to_bias(m)),
        squeezed(_translated),
    ]
    agreed = agrees(f"for {to}", _translated, [(mask, to) for mask in _some_masks()], mistakes)

    def test(answer: Any) -> None:
        agreed.test(answer)
        booleans(call(answer, (_some_masks()[0], to)))

    return Property(agreed.name, test)


def _biases(answer: Any) -> None:
    for mask in _some_masks():
        found = numbers(call(answer, (mask, "bias")), "The bias")
        if found.shape == mask.shape and (found[~mask] < -1e3).all() and np.isfinite(found[~mask]).any():
            raise Mistake("A large finite number is no −∞: a row that it fills becomes uniform in place of an error.")
    agrees("as a bias", _translated, [(mask, "bias") for mask in _some_masks()], BIAS_MISTAKES).test(answer)


CAUSAL_OFFSET = (
    agrees("squares", _causal, [(4, 4, 0), (1, 1, 0), (300, 300, 0)], CAUSAL_MISTAKES),
    agrees("some keys are older than all queries", _causal, [(3, 7, 4), (2, 6, 3), (1, 5, 4), (40, 300, 260)], CAUSAL_MISTAKES),
    agrees("more room than keys in use", _causal, [(3, 9, 2), (1, 6, 2), (4, 4, 2), (3, 1, 0)], CAUSAL_MISTAKES),
    _true_and_false(3, 5, 2),
)  # fmt: skip
MASK_FIRST = (
    agrees("the weights", masked, [_scores_and_mask(1, 4, 6), _scores_and_mask(2, 4, 6), _whole_scores(8, 5, 5), _far_below(), _scores_and_mask(9, 1, 5), _scores_and_mask(10, 3, 300)], SOFTMAX_MISTAKES),
    agrees("one mask for a batch", masked, [_scores_and_mask(3, 2, 3, 4, 6), _scores_and_mask(11, 5, 2, 5), _scores_and_mask(12, 2, 1, 3, 1), _scores_and_mask(13, 1, 1, 1)], SOFTMAX_MISTAKES),
    agrees("a score of 2000, blocked and not", masked, [_one_giant(), _one_giant(allowed=True), _giants()], [*GIANT_MISTAKES, *SOFTMAX_MISTAKES]),
    Property("a query without a key is an error", _no_key),
)  # fmt: skip
PADDED_BATCH = (
    agrees("two lengths", _batch_mask, [(np.array([3, 5]), 5), (np.array([2, 2]), 3), (np.array([300, 140]), 300)], BATCH_MISTAKES),
    agrees("four lengths", _batch_mask, [(np.array([2, 6, 1, 4]), 6), (np.array([3, 1, 4, 2]), 4)], BATCH_MISTAKES),
    agrees("one sequence", _batch_mask, [(np.array([2]), 4), (np.array([4]), 4), (np.array([1]), 1)], BATCH_MISTAKES),
    _true_and_false(np.array([3, 5, 1]), 5),
)  # fmt: skip
POLARITY = tuple(_translation(to) for to in WANTED)
