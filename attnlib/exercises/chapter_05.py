"""Exercises and predictions of chapter 5: masking."""

from collections.abc import Callable
from typing import Any

import numpy as np

from attnlib.attention import attention, softmax
from attnlib.exercises.harness import Exercise, Mistake, Property, agrees, call, compare
from attnlib.masks import causal_mask, mask_to_bias, padding_mask, to_torch

Map = Callable[..., Any]


def _drawn(seed: int, *shapes: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=shape) for shape in shapes)


# A causal mask with an offset ------------------------------------------------------------------


def _ages(n_q: int, n_k: int, offset: int) -> np.ndarray:
    return offset + np.arange(n_q)[:, None] - np.arange(n_k)


CAUSAL_MISTAKES: list[tuple[str, Map]] = [
    ("A query must read its own key, too: j ≤ i + offset, not <.", lambda n, m, o: _ages(n, m, o) > 0),
    ("Each query sees one key too many: it reads the token that it should predict.", lambda n, m, o: _ages(n, m, o) >= -1),
    ("The mask is inverted: True means may attend.", lambda n, m, o: _ages(n, m, o) < 0),
    ("The offset is missing: the first query has `offset` keys before its own.", lambda n, m, o: _ages(n, m, 0) >= 0),
    ("The offset has the wrong sign: it lets each query read further, not less.", lambda n, m, o: _ages(n, m, -o) >= 0),
    ("Queries and keys are exchanged: rows are queries, and these read keys up to their own.", lambda n, m, o: _ages(n, m, o) <= 0),
]  # fmt: skip


def _booleans(answer: Any) -> None:
    got = np.asarray(call(answer, (3, 5, 2)))
    if got.dtype != bool:
        raise Mistake(f"A mask holds True and False; yours holds {got.dtype}. Leave the comparison as it is.")


# The mask before the softmax -------------------------------------------------------------------


def _masked(scores: np.ndarray, mask: np.ndarray, axis: int = -1) -> np.ndarray:
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


def _one_giant(*, allowed: bool = False) -> tuple[np.ndarray, np.ndarray]:
    scores, mask = _scores_and_mask(4, 3, 5)
    mask[1, 4], scores[1, 4] = allowed, 2000.0
    mask[1, 0] = mask[1, 2] = True
    return scores, mask


SOFTMAX_MISTAKES: list[tuple[str, Map]] = [
    ("You put the zeros in after the softmax: the rows no longer sum to 1, and what is blocked still counts in each row's sum.", lambda s, m: softmax(s) * m),
    ("You set blocked *scores* to 0. That is a score like any other, and e⁰ = 1: the key still gets a weight. It takes −∞.", lambda s, m: softmax(s * m)),
    ("The mask is inverted: it is True where a query may attend.", lambda s, m: _masked(s, ~m)),
    ("The mask has no effect on your weights.", lambda s, m: softmax(s)),
    ("The softmax runs over the queries. Each *row* must sum to 1: axis=-1.", lambda s, m: _masked(s, m, axis=-2)),
    ("Add −∞ where the mask is False. Adding the mask itself adds 1 to the scores that stay.", lambda s, m: softmax(s + m)),
]  # fmt: skip


def _no_key(answer: Any) -> None:
    if not callable(answer):
        raise Mistake(f"Hand over the function itself, without calling it: a {type(answer).__name__} came.")
    scores, mask = _scores_and_mask(5, 3, 4)
    mask[1] = False
    try:
        with np.errstate(all="ignore"):
            got = np.asarray(answer(scores.copy(), mask.copy()), dtype=float)
    except ValueError:
        return
    except Exception as error:
        raise Mistake(f"For a query without a key raise a ValueError; yours was a {type(error).__name__}.") from error
    row = got[1] if got.shape == scores.shape else got
    if np.isnan(row).any():
        raise Mistake("Query 1 has no key to read, and its row is NaN: 0 divided by 0. Raise a ValueError instead.")
    if np.ptp(row) < 1e-6 and row.max() > 0:
        raise Mistake(
            "Query 1 has no key to read, and yet it reads all of them alike: your −∞ is a finite number. Raise a ValueError instead."
        )
    raise Mistake("Query 1 has no key to read, and there are no weights that sum to 1. Raise a ValueError.")


# A batch with causal and padding mask ----------------------------------------------------------


def _batch_mask(lengths: np.ndarray, n: int) -> np.ndarray:
    return np.asarray(causal_mask(n) & padding_mask(lengths, n))


def _at_most(lengths: np.ndarray, n: int) -> np.ndarray:
    return np.asarray(causal_mask(n) & (np.arange(n) <= lengths[:, None])[:, None, :])


BATCH_MISTAKES: list[tuple[str, Map]] = [
    ("One of the two is enough to let a key through: you joined them with |. Both must allow it: &.", lambda s, n: causal_mask(n) | padding_mask(s, n)),
    ("The causal mask is missing.", lambda s, n: padding_mask(s, n)),
    ("The padding mask is missing: keys from the length on are filler.", lambda s, n: np.repeat(causal_mask(n)[None], len(s), axis=0)),
    ("You block the filler as a query, so that its rows have no key left, and their softmax is 0/0. It is as a *key* that filler must not be read.", lambda s, n: _batch_mask(s, n) & padding_mask(s, n).swapaxes(1, 2)),
    ("The mask is inverted: True means may attend.", lambda s, n: ~_batch_mask(s, n)),
    ("Every sequence got the length of the first one.", lambda s, n: _batch_mask(np.full_like(s, s[0]), n)),
    ("One key of filler is still read: j < length, not ≤.", _at_most),
    ("A query must read its own key, too: j ≤ i, not <.", lambda s, n: np.tri(n, k=-1, dtype=bool) & padding_mask(s, n)),
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


def _translation(to: str) -> Property:
    def test(answer: Any) -> None:
        for seed, shape in enumerate([(4, 6), (5, 5), (2, 3, 4)]):
            mask = (
                _scores_and_mask(seed, *shape)[1]
                if len(shape) == 2
                else np.random.default_rng(seed).random(shape) < 0.5
            )
            got = call(answer, (mask, to))
            if to == "bias":
                _bias(got, mask)
                continue
            compare(
                got,
                _translated(mask, to),
                [(f"For {to} it is the other way round: its mask is {WANTED[to]}.", ~_translated(mask, to))],
            )
            if np.asarray(got).dtype != bool:
                raise Mistake(f"{to} needs True and False here, got {np.asarray(got).dtype}.")

    return Property(f"for {to}" if to != "bias" else "as a bias", test)


def _bias(got: Any, mask: np.ndarray) -> None:
    try:
        found = np.asarray(got, dtype=float)
    except (TypeError, ValueError):
        raise Mistake(f"A bias should be numbers, got a {type(got).__name__}.") from None
    if found.shape != mask.shape:
        raise Mistake(f"The bias should have shape {mask.shape}, got {found.shape}.")
    if np.array_equal(found, mask) or np.array_equal(found, ~mask):
        raise Mistake("These are zeros and ones. Added to a score, 1 blocks nothing: a bias blocks with −∞.")
    if np.array_equal(found, mask_to_bias(~mask)):
        raise Mistake("This bias blocks what the mask allows: −∞ belongs where the mask is False.")
    if np.isnan(found).any():
        raise Mistake("The bias holds NaN: 0 · ∞ has no value. Choose with np.where, do not multiply.")
    if np.isfinite(found).all() and (found[~mask] < -1e3).all() and not found[mask].any():
        raise Mistake("A large finite number is no −∞: a row that it fills becomes uniform in place of an error.")
    if not np.array_equal(found, mask_to_bias(mask)):
        raise Mistake("The bias should be 0 where the mask is True, and −∞ where it is False.")


# One step with a cache -------------------------------------------------------------------------


def _tokens(seed: int, n: int, d_k: int, d_v: int) -> tuple[np.ndarray, ...]:
    return _drawn(seed, (n, d_k), (n, d_k), (n, d_v))


def _steps(answer: Any, query: np.ndarray, key: np.ndarray, value: np.ndarray) -> list[Any]:
    """The outputs of the student's step, token after token."""
    cache, outs = None, []
    for token in zip(query, key, value, strict=True):
        before = [np.array(row) for row in token]
        made = (
            call(lambda *given, held=cache: answer(held, *given), tuple(before))
            if callable(answer)
            else call(answer, ())
        )
        if not (isinstance(made, tuple) and len(made) == 2):
            raise Mistake("Return two things: the cache and the output.")
        cache, out = made
        outs.append(out)
    return outs


def _unscaled(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.asarray(attention(query, key, value, causal_mask(len(key)), scale=1))


def _averages(_query: np.ndarray, _key: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.asarray(np.cumsum(value, axis=0) / np.arange(1, len(value) + 1)[:, None])


def _without_own(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    late = attention(query[1:], key[:-1], value[:-1], causal_mask(len(key) - 1)) if len(key) > 1 else value[:0]
    return np.concatenate([value[:1], late])


def _only_two(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    mask = causal_mask(len(key)) & ~np.tri(len(key), k=-2, dtype=bool)
    return np.asarray(attention(query, key, value, mask))


STEP_MISTAKES: list[tuple[str, Map]] = [
    ("Each token reads itself alone: what came before is not in the cache that you return.", lambda q, k, v: v),
    ("The scores are not divided by √d_k.", _unscaled),
    ("You average all values alike. The query must decide.", _averages),
    ("The newest token is not read by its own query: put its key and value into the cache first.", _without_own),
    ("Only the token before is remembered: add to the cache, do not replace it.", _only_two),
]  # fmt: skip


def _judge_steps(outs: list[Any], tokens: tuple[np.ndarray, ...]) -> None:
    query, key, value = tokens
    expected = attention(query, key, value, causal_mask(len(outs)))
    for t, out in enumerate(outs):
        mistakes = [(says, wrong(*tokens)[t]) for says, wrong in STEP_MISTAKES]
        compare(_row(out, value.shape[1]), expected[t], mistakes, what=f"The output of token {t}")


def _row(out: Any, width: int) -> Any:
    """An output of shape (1, d_v) counts as one of shape (d_v,)."""
    return np.reshape(out, -1) if np.shape(out) == (1, width) else out


def _long_run(answer: Any) -> None:
    for sizes in [(1, 7, 3, 4), (2, 5, 6, 2)]:
        tokens = _tokens(*sizes)
        _judge_steps(_steps(answer, *tokens), tokens)


def _first_token(answer: Any) -> None:
    query, key, value = _tokens(3, 1, 4, 5)
    (out,) = _steps(answer, query, key, value)
    compare(_row(out, 5), value[0], what="The output of the very first token")


def _two_texts(answer: Any) -> None:
    for tokens in (_tokens(4, 3, 4, 2), _tokens(5, 4, 4, 2)):
        outs = _steps(answer, *tokens)
        try:
            _judge_steps(outs, tokens)
        except Mistake as mistake:
            if tokens[0].shape[0] == 4:
                raise Mistake(
                    "A second text still reads the first: begin with an empty cache where `cache` is None."
                ) from mistake
            raise


EXERCISES = (
    Exercise(
        id="who-predicts",
        title="Who predicts what?",
        kind="concept",
        difficulty="easy",
        minutes=3,
        misconception="Output i predicts token i.",
        hints=(
            "Under the causal mask output i may read keys 0 to i. Is token i among them?",
            "A prediction must be of something that is not in the input.",
        ),
        question={
            "prompt": "A model with the causal mask reads tokens 0 to 6 and learns to predict. What does output 3 read, and with which "
            "token is it compared?",
            "options": [
                ("It reads 0 to 3, and is compared with 3", "Token 3 is in its input. Copying would be enough."),
                ("It reads 0 to 2, and is compared with 3", "The causal mask lets a token read itself: j ≤ i."),
                (
                    "It reads 0 to 3, and is compared with 4",
                    "The first token that it cannot see is the one to predict.",
                ),
                ("It reads 0 to 6, and is compared with 4", "The mask blocks 4, 5 and 6 for query 3."),
            ],
            "right": 2,
        },
    ),
    Exercise(
        id="causal-offset",
        title="A causal mask with an offset",
        kind="program",
        difficulty="easy",
        minutes=8,
        misconception="A causal mask is a square triangle.",
        hints=(
            "The first query has `offset` keys before its own. So at which place among the keys does query i stand?",
            "Compare a column of query places with a row of key places: NumPy makes the grid.",
            "A query reads its own key as well.",
        ),
        properties=(
            agrees("squares", lambda *s: _ages(*s) >= 0, [(4, 4, 0), (1, 1, 0)], CAUSAL_MISTAKES),
            agrees(
                "some keys are older than all queries",
                lambda *s: _ages(*s) >= 0,
                [(3, 7, 4), (2, 6, 3)],
                CAUSAL_MISTAKES,
            ),
            agrees("more room than keys in use", lambda *s: _ages(*s) >= 0, [(3, 9, 2)], CAUSAL_MISTAKES),
            Property("True and False", _booleans),
        ),
    ),
    Exercise(
        id="mask-first",
        title="The mask before the softmax",
        kind="program",
        difficulty="medium",
        minutes=12,
        misconception="Zeroing weights after the softmax is the same as blocking scores before it.",
        hints=(
            "Which score gives e to that score = 0?",
            "np.where(mask, scores, …) leaves the scores that may stay. Use axis=-1 and keepdims=True, so that leading axes stay.",
            "mask.any(axis=-1) says for each query whether it has a key at all.",
        ),
        properties=(
            agrees("the weights", _masked, [_scores_and_mask(1, 4, 6), _scores_and_mask(2, 5, 5)], SOFTMAX_MISTAKES),
            agrees("one mask for a batch", _masked, [_scores_and_mask(3, 2, 3, 4, 6)], SOFTMAX_MISTAKES),
            agrees(
                "a score of 2000, blocked and not",
                _masked,
                [_one_giant(), _one_giant(allowed=True)],
                [
                    (
                        "A blocked score of 2000 takes the whole row in the softmax, and 0/0 is left for the others: block it *before*.",
                        _renormalised,
                    ),
                    *SOFTMAX_MISTAKES,
                ],
            ),
            Property("a query without a key is an error", _no_key),
        ),
    ),
    Exercise(
        id="padded-batch",
        title="Causal and padded",
        kind="program",
        difficulty="medium",
        minutes=10,
        misconception="Filler must be blocked as a query, too.",
        hints=(
            "One mask for each sequence: the result has shape (b, n, n) for b lengths. Give the padding part shape (b, 1, n): with (b, n) NumPy would set lengths against queries.",
            "np.tri(n, dtype=bool) is one of the two. For the other compare the places of the keys with each length: lengths[:, None, None].",
            "A key is read when both masks allow it.",
        ),
        properties=(
            agrees("two lengths", _batch_mask, [(np.array([3, 5]), 5)], BATCH_MISTAKES),
            agrees("four lengths", _batch_mask, [(np.array([2, 6, 1, 4]), 6)], BATCH_MISTAKES),
            agrees("one sequence", _batch_mask, [(np.array([2]), 4)], BATCH_MISTAKES),
        ),
    ),
    Exercise(
        id="polarity",
        title="Three ways to say no",
        kind="program",
        difficulty="easy",
        minutes=6,
        misconception="True means the same in every library.",
        hints=(
            "The section on what True means has a list. Which of the three is our own convention?",
            "~mask turns every True into False. For a bias choose with np.where between 0 and −∞.",
        ),
        properties=tuple(_translation(to) for to in WANTED),
    ),
    Exercise(
        id="cached-step",
        title="One step with a cache",
        kind="program",
        difficulty="medium",
        minutes=15,
        misconception="With a cache the mask must still be applied when generating.",
        hints=(
            "What must be remembered of each token so that later queries can read it? Not its query.",
            "Put the new key and value in first, then let the query read everything that is there.",
            "np.vstack([held, new]) adds a row. Nothing in the cache is in the future, so no mask is needed.",
        ),
        properties=(
            Property("the first token", _first_token),
            Property("token after token", _long_run),
            Property("a second text begins afresh", _two_texts),
        ),
    ),
    Exercise(
        id="blind-last",
        title="One honest output",
        kind="derive",
        difficulty="medium",
        minutes=5,
        misconception="Without a mask the loss is 0 everywhere.",
        hints=(
            "Which of the eight outputs can see the bit that they are to predict?",
            "The others can reach a loss of 0. What is the best for the one that is left, and what does an average over eight make of it?",
        ),
        question={
            "prompt": "A model without any mask reads 8 random bits. Output i predicts bit i + 1, also the last one, whose answer is bit 8: "
            "that one is *not* in the input. What is the lowest average loss over the 8 outputs, with the natural logarithm? Three decimals.",
            "right": float(np.log(2) / 8),
            "tolerance": 0.001,
            "wrong": [
                (0.0, 0.001, "Seven outputs can see their answer. The last cannot."),
                (
                    float(np.log(2)),
                    0.005,
                    "That is the loss of an output that sees nothing. Seven of the eight see their answer.",
                ),
                (
                    float(np.log(2) / 7),
                    0.001,
                    "There are eight outputs to average over, the one that cannot cheat among them.",
                ),
                (float(7 * np.log(2) / 8), 0.005, "The other way round: seven reach 0 and one stays at ln 2."),
                (0.125, 0.001, "The loss of the honest one is −ln ½, with the natural logarithm. That is not 1."),
            ],
            "explanation": "Seven losses of 0 and one of ln 2: ln 2 / 8 ≈ 0.087.",
        },
    ),
    Exercise(
        id="escapes",
        title="The mask that escapes",
        kind="concept",
        difficulty="medium",
        minutes=4,
        misconception="A leak test finds every wrong mask.",
        hints=(
            "The test asks one thing: can an output see the bit that it predicts?",
            "Go through the options. Which of them blocks too much, rather than too little?",
        ),
        question={
            "prompt": "Four masks, all of them wrong. Which one passes the leak test with random bits?",
            "options": [
                (
                    "j ≤ i + 1: each query also reads the next key",
                    "The next key holds the answer. The test convicts it at once.",
                ),
                (
                    "j ≤ i, but put in as zeros after the softmax",
                    "What is blocked still counts in the row's sum. The loss falls below ln 2.",
                ),
                (
                    "j = i or j = i − 1: each query reads two keys at most",
                    "It blocks too much, and honest ignorance costs nothing on random bits. Only a task with something to find shows it.",
                ),
                ("j > i: the mask inverted", "It reads the future and nothing else."),
            ],
            "right": 2,
        },
    ),
)
