"""How the cached step of chapter 5 is judged: the student's function is called for one token after the other."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from attnlib.exercises.harness import Mistake, Property, call, compare, kind, numbers, precision
from attnlib.exercises.slips import ANY, Map, Slips, Weigh, drawn, slips
from attnlib.masks import causal_mask
from attnlib.scaled_dot_product import attention

Tokens = tuple[np.ndarray, np.ndarray, np.ndarray]


def _tokens(seed: int, n: int, d_k: int, d_v: int) -> Tokens:
    query, key, value = drawn(seed, (n, d_k), (n, d_k), (n, d_v))
    return query, key, value


def _whole(seed: int, n: int, d: int) -> Tokens:
    """Whole numbers: many scores are 0."""
    query, key, value = np.random.default_rng(seed).integers(-1, 3, size=(3, n, d)).astype(float)
    return query, key, value


def _steps(answer: Any, tokens: Tokens) -> list[np.ndarray]:
    """The outputs of the student's step, token after token."""
    cache, outs, width = None, [], tokens[2].shape[1]
    for t, token in enumerate(zip(*tokens, strict=True)):
        made = call(partial(answer, cache) if callable(answer) else answer, token)
        if not (isinstance(made, tuple | list) and len(made) == 2):
            raise Mistake(f"Return two things, the cache and the output; {kind(made)} came.")
        cache, out = made
        if _like_output(cache, width) and not _like_output(out, width):
            raise Mistake("The cache comes first, and the output second: yours are exchanged.")
        array = numbers(out, f"The output of token {t}")
        outs.append(array.reshape(-1) if array.shape == (1, width) else array)
    return outs


def _like_output(thing: Any, width: int) -> bool:
    """An output of shape (1, d_v) counts as one of shape (d_v,)."""
    try:
        return np.shape(thing) in {(width,), (1, width)}
    except (TypeError, ValueError, RuntimeError):  # parts of several lengths have no shape, nor what NumPy cannot read
        return False


def _scaled(scale: Callable[[np.ndarray, np.ndarray], float]) -> Map:
    return lambda q, k, v: attention(q, k, v, causal_mask(len(k)), scale=scale(k, v))


def _weighed(weigh: Weigh) -> Map:
    """Steps whose scores become weights in another way."""

    def steps(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
        scores = query @ key.T / np.sqrt(key.shape[1])
        return np.stack([weigh(scores[t, : t + 1]) @ value[: t + 1] for t in range(len(scores))])

    return steps


def _under(mask: Callable[[int], np.ndarray]) -> Map:
    return lambda q, k, v: attention(q, k, v, mask(len(k)))


def _averages(_query: np.ndarray, _key: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.asarray(np.cumsum(value, axis=0) / np.arange(1, len(value) + 1)[:, None])


def _without_own(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    late = attention(query[1:], key[:-1], value[:-1], causal_mask(len(key) - 1)) if len(key) > 1 else value[:0]
    return np.concatenate([value[:1], late])


def _by_count(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    roots = np.sqrt(np.arange(1, len(key) + 1))[:, None]
    return np.asarray(attention(query / roots, key, value, causal_mask(len(key)), scale=1))


def _first_twice(*tokens: np.ndarray) -> np.ndarray:
    query, key, value = (np.concatenate([rows[:1], rows]) for rows in tokens)
    return np.asarray(attention(query[1:], key, value, causal_mask(len(query) - 1, len(query), offset=1)))


STEP_MISTAKES: Slips = [
    ("Each token reads itself alone. It should read what came before, too: keep it in the cache that you return, and read the cache.", lambda q, k, v: v),
    ("The scores are not divided by √d_k.", _scaled(lambda k, v: 1)),
    ("You divide by d_k. Divide by its root.", _scaled(lambda k, v: 1 / k.shape[1])),
    ("You divide by √d_v. A score has d_k products: divide by √d_k.", _scaled(lambda k, v: v.shape[1] ** -0.5)),
    ("You multiply by √d_k. Divide.", _scaled(lambda k, v: k.shape[1] ** 0.5)),
    ("You average all values alike. The query must decide.", _averages),
    ("You add up the values alike. The query must weigh them.", lambda q, k, v: np.cumsum(v, axis=0)),
    ("The newest token is not read by its own query: put its key and value into the cache first.", _without_own),
    ("Only the token before is remembered: add to the cache, do not replace it.", _under(lambda n: causal_mask(n) & ~np.tri(n, k=-2, dtype=bool))),
    ("Every output is the first token's value. Add each new token to the cache, and let its query read all.", lambda q, k, v: v[:1].repeat(len(v), axis=0)),
    ("You divide by √n, the number of keys. A score has d_k products: divide by √d_k.", _by_count),
    ("You divide the weights by √d_k, after the softmax: they no longer sum to 1. Divide the scores.", lambda q, k, v: _scaled(lambda k, v: 1)(q, k, v) / np.sqrt(k.shape[1])),
    ("The very first token is put into the cache twice.", _first_twice),
    *slips(_weighed, ANY),
    ("The new key asks, and the queries are remembered: exchange q and k.", lambda q, k, v: attention(k, q, v, causal_mask(len(k)))),
]  # fmt: skip
AGAIN = "A second text still reads the first: begin with an empty cache where `cache` is None."


Outcome = list[np.ndarray] | Mistake


def _outcome(answer: Any, tokens: Tokens) -> Outcome:
    try:
        return _steps(answer, tokens)
    except Mistake as mistake:
        return mistake


def _made(wrong: Map, tokens: Tokens) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(wrong(*tokens))


def _makes(wrong: Map, tokens: Tokens, outs: Outcome) -> bool:
    """Whether these are the outputs that a known mistake gives for the text."""
    if isinstance(outs, Mistake):
        return False
    pairs = zip(outs, _made(wrong, tokens), strict=True)
    return all(out.shape == row.shape and np.allclose(out, row, equal_nan=True) for out, row in pairs)


def _judge(answer: Any, texts: Sequence[Tokens]) -> str | None:
    """Each text, step by step. A mistake is named where the answer makes it in every text."""
    results: list[tuple[Any, Any]] = []
    seen = [(tokens, _outcome(answer, tokens)) for tokens in texts]
    for tokens, outs in seen:
        if isinstance(outs, Mistake):
            raise outs
        expected = attention(*tokens, causal_mask(len(outs)))
        known = ((says, wrong) for says, wrong in STEP_MISTAKES if all(_makes(wrong, *one) for one in seen))
        for t, out in enumerate(outs):
            likely = ((says, _made(wrong, tokens)[t]) for says, wrong in known)
            compare(out, expected[t], likely, what=f"The output of token {t}", tolerance=1e-5)
        results += zip(expected, outs, strict=True)
    return precision(results)


def _long_run(answer: Any) -> str | None:
    sizes = ((1, 7, 3, 4), (2, 5, 6, 2), (4, 4, 1, 1), (5, 260, 2, 3), (11, 3, 140, 140))
    return _judge(answer, [*(_tokens(*size) for size in sizes), _whole(3, 8, 2)])


def _first_token(answer: Any) -> None:
    """Three texts of one token each, of which the second has the sizes of the first."""
    before, *texts = _tokens(6, 1, 4, 5), _tokens(7, 1, 4, 5), _tokens(8, 1, 1, 1)
    _steps(answer, before)
    for text in texts:
        (out,) = _steps(answer, text)
        both = (
            [np.concatenate(rows) for rows in zip(before, text, strict=True)]
            if text[0].shape == before[0].shape
            else text
        )
        compare(
            out, text[2][0], [(AGAIN, attention(*both)[-1])], what="The output of the very first token", tolerance=1e-5
        )


def _two_texts(answer: Any) -> str | None:
    """The same text twice, which must give the same; then another one."""
    texts = [_tokens(9, 4, 4, 2), _tokens(10, 3, 4, 2)]
    _judge(answer, texts[:1])
    try:
        _judge(answer, texts[:1])
    except Mistake as mistake:
        raise Mistake(AGAIN) from mistake
    return _judge(answer, texts)


CACHED_STEP = (
    Property("the first token", _first_token),
    Property("token after token", _long_run),
    Property("a second text begins afresh", _two_texts),
)
