"""How the programs of chapter 5 are judged: masks, and a step with a cache."""

from typing import Any

import numpy as np

from attnlib.exercises.harness import Mistake, Property, booleans, call, numbers
from attnlib.exercises.slips import Slips, agrees
from attnlib.masks import as_torch_reads, causal_mask, mask_to_bias, padding_mask

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
    ("That is a bias of 0 and −∞. Return a mask of True and False.", lambda n, m, o: mask_to_bias(_causal(n, m, o))),
    ("Rows and columns are exchanged: a row for each query, a column for each key.", lambda n, m, o: _causal(n, m, o).T),
]  # fmt: skip
TRUE_AND_FALSE = "True and False"


def _true_and_false(*case: Any) -> Property:
    def test(answer: Any) -> None:
        booleans(call(answer, case))

    return Property(TRUE_AND_FALSE, test)


# A batch with causal and padding mask ----------------------------------------------------------


def _batch_mask(lengths: np.ndarray, n: int) -> np.ndarray:
    return np.asarray(causal_mask(n) & padding_mask(lengths, n))


def _at_most(lengths: np.ndarray, n: int) -> np.ndarray:
    return np.asarray(causal_mask(n) & (np.arange(n) <= lengths[:, None])[:, None, :])


BATCH_MISTAKES: Slips = [
    ("One of the two is enough to let a key through: you joined them with |. Both must allow it: &.", lambda s, n: causal_mask(n) | padding_mask(s, n)),
    ("The causal mask is missing.", lambda s, n: padding_mask(s, n)),
    ("The padding mask is missing: keys from the length on are padding.", lambda s, n: np.repeat(causal_mask(n)[None], len(s), axis=0)),
    ("You block the padding as a query, so that its rows have no key left, and their softmax is 0/0. It is as a *key* that padding must not be read.", lambda s, n: _batch_mask(s, n) & padding_mask(s, n).swapaxes(1, 2)),
    ("The mask is inverted: True means may attend.", lambda s, n: ~_batch_mask(s, n)),
    ("Every sequence got the length of the first one.", lambda s, n: _batch_mask(np.full_like(s, s[0]), n)),
    ("One key of padding is still read: j < length, not ≤.", _at_most),
    ("A query must read its own key, too: j ≤ i, not <.", lambda s, n: np.tri(n, k=-1, dtype=bool) & padding_mask(s, n)),
    ("The last token of each sentence counts as padding: j < length, not length − 1.", lambda s, n: causal_mask(n) & (np.arange(n) < s[:, None] - 1)[:, None]),
    ("Each query reads the key after its own as well: j ≤ i.", lambda s, n: np.tri(n, k=1, dtype=bool) & padding_mask(s, n)),
    ("Queries read keys from their own on: the future, not the past.", lambda s, n: causal_mask(n).T & padding_mask(s, n)),
    ("You take the start of each sentence for padding. It is filled up at its end.", lambda s, n: causal_mask(n) & (np.arange(n) >= n - s[:, None])[:, None]),
    ("Rows and columns are exchanged: a row for each query.", lambda s, n: _batch_mask(s, n).swapaxes(1, 2)),
    ("Every sequence got the length of the last one.", lambda s, n: _batch_mask(np.full_like(s, s[-1]), n)),
    ("Every sequence got the length of the longest.", lambda s, n: _batch_mask(np.full_like(s, s.max()), n)),
    ("Every sequence got the length of the shortest.", lambda s, n: _batch_mask(np.full_like(s, s.min()), n)),
    ("You sorted the sequences by length. Their order is given.", lambda s, n: _batch_mask(np.sort(s), n)),
    ("That is a bias of 0 and −∞. Return a mask of True and False.", lambda s, n: mask_to_bias(_batch_mask(s, n))),
    ("The padding mask is inverted: keys *before* the length may be read.", lambda s, n: causal_mask(n) & ~padding_mask(s, n)),
    ("Padding reads every key, padding among them. A key of padding is not read by anybody.", lambda s, n: _batch_mask(s, n) | ~padding_mask(s, n).swapaxes(1, 2)),
    ("A second axis of the mask is missing: (b, 1, n) should be (b, n, n).", lambda s, n: padding_mask(s, n)[:, :1]),
    ("The mask of the first sequence alone came. Each has one: shape (len(lengths), n, n).", lambda s, n: _batch_mask(s, n)[0]),
]  # fmt: skip

# Two meanings of True --------------------------------------------------------------------------


def _translated(mask: np.ndarray, to: str) -> np.ndarray:
    if to == "bias":
        return np.asarray(mask_to_bias(mask))
    return np.asarray(as_torch_reads(mask, to))  # type: ignore[arg-type]


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
    ("−1 blocks nothing: it only lowers a score by 1. A bias blocks with −∞.", lambda m, to: np.where(m, 0, -1)),
    ("This bias adds 1 to the scores that stay. It should leave them: 0 where the mask is True.", lambda m, to: np.where(m, 1, -np.inf)),
    ("The bias holds NaN: 0 · ∞ has no value. Choose with np.where, do not multiply.", lambda m, to: ~m * -np.inf),
    ("The bias holds NaN: 0 · ∞ has no value. Choose with np.where, do not multiply.", lambda m, to: m * -np.inf),
    ("Rows and columns are exchanged: the bias has the mask's shape.", lambda m, to: mask_to_bias(m).swapaxes(-1, -2)),
    ("The bias holds NaN: 0 · ∞ has no value. Choose with np.where, do not multiply.", lambda m, to: (1 - m) * -np.inf + m),
]  # fmt: skip


def _some_masks() -> list[np.ndarray]:
    shapes = [(4, 6), (4, 6), (2, 3, 4), (1, 5), (3, 1), (1, 1), (2, 300)]
    drawn = [np.random.default_rng(seed).random(shape) < 0.5 for seed, shape in enumerate(shapes)]
    return [causal_mask(4, 6, offset=1), causal_mask(5), *drawn]


def _translation(to: str) -> Property:
    if to == "bias":
        return Property("as a bias", _biases)
    mistakes: Slips = [
        (f"For {to} it is the other way round: its mask is {WANTED[to]}.", lambda m, to: ~_translated(m, to)),
        (f"That is a bias, and {to} is to get a mask of True and False.", lambda m, to: mask_to_bias(m)),
        (f"That is a bias, and {to} is to get a mask of True and False.", lambda m, to: mask_to_bias(~m)),
        (
            "Rows and columns are exchanged: the result has the mask's shape.",
            lambda m, to: _translated(m, to).swapaxes(-1, -2),
        ),
    ]
    agreed = agrees(f"for {to}", _translated, [(mask, to) for mask in _some_masks()], [], mistakes)

    def test(answer: Any) -> None:
        agreed.test(answer)
        booleans(call(answer, (_some_masks()[0], to)))

    return Property(agreed.name, test)


def _biases(answer: Any) -> None:
    for mask in _some_masks():
        array = numbers(call(answer, (mask, "bias")), "The bias")
        if array.shape == mask.shape and (array[~mask] < -1).all() and np.isfinite(array[~mask]).any():
            raise Mistake("A finite number is no −∞: a row that it fills becomes uniform in place of an error.")
    agrees("as a bias", _translated, [(mask, "bias") for mask in _some_masks()], [], BIAS_MISTAKES).test(answer)


CAUSAL_OFFSET = (
    agrees("squares", _causal, [(4, 4, 0), (1, 1, 0), (300, 300, 0)], CAUSAL_MISTAKES),
    agrees("some keys are older than all queries", _causal, [(3, 7, 4), (2, 6, 3), (1, 5, 4), (4, 4, 2), (40, 300, 260)], CAUSAL_MISTAKES),
    agrees("more room than keys in use", _causal, [(3, 9, 2), (1, 6, 2), (2, 300, 7)], CAUSAL_MISTAKES),
    _true_and_false(3, 5, 2),
)  # fmt: skip
PADDED_BATCH = (
    agrees("two lengths", _batch_mask, [(np.array([3, 5]), 5), (np.array([2, 2]), 3), (np.array([300, 140]), 300)],
        BATCH_MISTAKES),
    agrees("four lengths", _batch_mask, [(np.array([2, 6, 1, 4]), 6), (np.array([3, 1, 4, 2]), 4)], BATCH_MISTAKES),
    agrees("one sequence", _batch_mask, [(np.array([2]), 4), (np.array([4]), 4), (np.array([1]), 1)], BATCH_MISTAKES),
    _true_and_false(np.array([3, 5, 1]), 5),
)  # fmt: skip
POLARITY = tuple(_translation(to) for to in WANTED)
