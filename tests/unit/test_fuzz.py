"""Thousands of calls of every function of the reference: a result that plain loops give too, or an error that names a parameter.

Not of those that draw (`plots`), ask (`exercises`), train or read a model (`training`, `models.read`), or time the machine.
"""

import importlib
import inspect
import linecache
import math
import re
from pathlib import Path

import numpy as np
import pytest

from attnlib import cost, trained
from attnlib.arguments import AXES
from attnlib.corpus import Streams, repeats, streams

LISTED = re.findall(r"^\.\. autofunction:: attnlib\.([\w.]+)", Path("chapters/appendices/api.md").read_text("utf8"),
    re.MULTILINE)  # fmt: skip
FUNCTIONS = {}  # by the name in the reference, after the package's
for listed in LISTED:
    if not re.match(r"(plots|exercises|training)\.|models\.read$|lab\.roofline\.(measure|fastest)$", listed):
        home, _, short = f"attnlib.{listed}".rpartition(".")
        FUNCTIONS[listed] = getattr(importlib.import_module(home), short)
ARRAYS = [
    None, "abc", b"abc", {}, {1}, object(), 3, 2.5, True, math.nan, 1 + 2j, [], [[]], [[1, 2], [3]], [1, "a"], [None],
    (1, 2), range(3),
    np.array(2.0), np.zeros(0), np.zeros((0, 3)), np.zeros((2, 0)), np.zeros((2, 3), complex), np.zeros((2, 3), bool),
    np.zeros((2, 3), "U1"), np.zeros((2, 3), object), np.zeros((2, 3), "M8[s]"), np.zeros((2, 3), np.longdouble),
    np.zeros((2, 3), [("a", int)]), np.full((2, 3), np.nan), np.full((2, 3), np.inf), np.full((2, 3), -np.inf),
    np.full((3, 3), 1e308), np.full((2, 3), 1e200), np.full((2, 3), 3e38, np.float32), np.full((2, 3), 6e4, np.float16),
    np.ones((7, 2, 3)), np.ones((1, 1, 1, 1)), np.array([[2**63]], np.uint64), -np.ones((2, 3), int), len,
    [[-1, 9], [2, 0]],
]  # fmt: skip
SCALARS = [
    "abc", [1.0], {}, object(), True, np.True_, 0, -1, 1, 2, 3, 10**400, -0.5, 0.0, 0.5, 2.5, 1e-320, 1e308, math.nan,
    math.inf,
    -math.inf, 1j, np.float16(3), np.int8(3), np.array(2), np.array([1, 2]), abs, np.exp, "half", "MultiheadAttention",
    np.float32, "relu",
]  # fmt: skip
BATCHES = [(), (3,), (2, 1), (2, 3)]


def drawn(rng, *shape):
    array = (rng.normal(size=shape) * rng.choice([1, 1, 30])).astype(
        rng.choice([np.float16, np.float32, np.float64, np.int64])
    )
    return array.tolist() if rng.random() < 0.1 else array


def fitting(rng):
    """A value that fits for each parameter of each function, by name; batch axes broadcast."""
    n, n_k, d, heads = (int(size) for size in rng.integers(1, 5, 4))
    some = [BATCHES[i] for i in rng.integers(len(BATCHES), size=6)]
    own = np.random.default_rng(n_k)
    mask = rng.random((*some[3], n, n_k)) < 0.7
    mask[..., 0] = True
    weights = np.abs(rng.normal(size=(3, 3))) + 0.1
    return {
        "query": drawn(rng, *some[0], n, d), "key": drawn(rng, *some[1], n_k, d),
        "value": drawn(rng, *some[2], n_k, d + 1), "mask": mask,
        "bias": drawn(rng, *some[4], n, n_k), "causal": bool(rng.random() < 0.5), "offset": 0, "scale": 0.7,
        "softcap": 5.0,
        "zero_blocked": bool(rng.random() < 0.5), "x": drawn(rng, *some[5], 2, n, 2 * heads), "axis": -1,
        "temperature": 0.5,
        "w_q": drawn(rng, 2 * heads, 3 * heads), "w_k": drawn(rng, 2 * heads, 3 * heads),
        "w_v": drawn(rng, 2 * heads, heads),
        "w_o": drawn(rng, heads, 4), "num_heads": heads, "num_kv_heads": heads, "context": drawn(rng, n_k, 2 * heads),
        "b_q": None,
        "b_k": None, "b_v": None, "b_o": drawn(rng, 4), "dropout": 0.0, "rng": rng, "n_q": n, "n_k": n_k, "window": 2,
        "lengths": rng.integers(1, n_k + 1, 3), "w": drawn(rng, 2 * heads, 4), "b": drawn(rng, 4), "n": n,
        "d": 2 * heads, "base": 100.0,
        "weights": weights / weights.sum(axis=1, keepdims=True), "layout": "half", "positions": np.arange(n),
        "feature": np.exp,
        "epsilon": 1e-6, "api": "MultiheadAttention", "dtype": np.float32, "points": drawn(rng, 5, 2),
        "cycle": [0, 1, 2], "d_k": d,
        "d_v": d, "broken": "none", "seed": 1, "start": 0, "count": 3, "matrix": drawn(rng, 3, 3), "name": "relu",
        "scores": drawn(rng, n, n_k),
        "positive": "softplus", "vocabulary": 5, "num_layers": 1, "reach": 4, "layer": 0, "head": 0, "along": 2.0,
        "across": 0.5, "degrees": 30.0,
        "back": 1, "sinks": bool(rng.random() < 0.5), "constant": 1.0, "raised": 2.0, "probability": 0.5,
        "num_rows": 3, "num_items": 2, "num_letters": 4, "names": own.choice([-1, 1], size=(3, n_k, 4)),
        "letters": own.integers(5, size=(3, n_k)),
        "fixed": np.abs(own.normal(size=n_k)), "strength": 0.5, "partners": [1, 2, 0], "kinds": [0, 0, 1],
        "u": drawn(rng, 2, 3), "y": -0.5,
        "preset": "prefix", "size": 1, "layers": 3,
        "shares": own.random(n), "noise": 0.1,
        "stage": "weights", "forgotten": "both", "values": own.normal(size=n_k),
        "expansion": 2.5, "itemsize": 2, "tiles": n > 2, "linearised": False,
        "factor": 4.0, "table": drawn(rng, heads, 3), "length": 3, "way": "mean", "trained": 9, "d_head": d,
        "taken": cost.attention_cost(n, n_k, d, d), "seconds": 0.1, "n_z": n_k,
    }  # fmt: skip


DRAWN = streams(np.random.default_rng(0), 3)


def own(name, rng, fits):
    """What fits for the parameters of one function alone."""
    n = int(rng.integers(3, 6))
    words, marks = rng.choice(trained.VOCABULARY, n).tolist(), [True] + [False] * (n - 1)
    heads, twice = trained.parameters(), repeats(np.random.default_rng(n), 2, 3)
    texts = {"tokens": words, "special": marks, "mask": np.tri(n, dtype=bool), "key_tokens": None, "key_special": None}
    if rng.random() < 0.3:
        texts |= {"key_tokens": words[::-1], "key_special": marks}
    given = {
        "window_attention": lambda: {"key": fits["query"], "value": fits["query"]},
        "lab.reading_loss": lambda: {"x": drawn(rng, 3, 2)},
        "lab.reading_gradient": lambda: {"x": drawn(rng, 3, 2)},
        "lab.cycle_loss": lambda: {"scores": drawn(rng, n, n)},
        "lab.cycle_means": lambda: {"scores": drawn(rng, n, n)},
        "lab.streamed_softmax": lambda: {"scores": drawn(rng, n), "values": drawn(rng, n)},
        "lab.mask_reach": lambda: {"mask": rng.random((*BATCHES[rng.integers(4)], n, n)) < 0.5},
        "lab.cycle_bound": lambda: {"x": float(rng.normal()) * 10.0 ** int(rng.integers(-3, 300))},
        "merge_heads": lambda: {"x": drawn(rng, 2, *np.shape(fits["x"]))},
        "lab.pool_heads": lambda: {"x": drawn(rng, 2, *np.shape(fits["x"]))},
        "scaled_dot_product.single_query_attention": lambda: {
            "query": drawn(rng, 3), "key": drawn(rng, n, 3), "value": drawn(rng, n, 2), "mask": np.arange(n) < 2
        },
        "variants.tied_attention": lambda: {"x": drawn(rng, n, 2), "mask": np.tri(n, dtype=bool)},
        "positions.scaled_base": lambda: {"d": 2 * n},
        "decoder.decoder_weights": lambda: {"parameters": heads, "tokens": [[0, 1], [2, 3]]},
        "decoder.decoder_logits": lambda: {"parameters": heads, "tokens": range(n)},
        "trained.encode": lambda: {"text": " ".join(words)},
        "trained.decode": lambda: {"tokens": list(range(n))},
        "trained.next_words": lambda: {"text": " ".join(words), "using": heads},
        "trained.ablate": lambda: {"parameters": heads, "layer": 1, "head": 3},
        "trained.previous_token_scores": lambda: {"parameters": heads, "sequences": twice},
        "trained.induction_scores": lambda: {"parameters": heads, "sequences": twice},
        "trained.pronoun_scores": lambda: {"parameters": heads, "drawn": DRAWN},
        "trained.accuracies": lambda: {"parameters": heads, "drawn": DRAWN, "sequences": twice},
        "trained.measure": lambda: {"parameters": heads, "count": 4},
        "vocabulary.read_words": lambda: {"text": " ".join(words), "vocabulary": list(trained.VOCABULARY)},
        "lab.rates.recorded": lambda: {"name": "SGD"},
        "lab.silenced.row": lambda: {"heads": ["1.2", "2.2"][: n - 3]},
        "lab.minilm.recording": lambda: {"text": "Houston we have a problem"},
        "lab.minilm.last_rows": lambda: {"text": "The dog bites the man."},
        "lab.minilm.silenced_layers": lambda: {"layers": [0, 5]},
        "models.scores.head_scores": lambda: {"grids": np.full((2, n, n), 1 / n), **texts},
        "models.scores.score_cases": lambda: texts,
    }  # fmt: skip
    return given[name]() if name in given else {}


def damaged(value, rng):
    """Something else than a value that fits, or something else in it."""
    if isinstance(value, dict) and rng.random() < 0.6:
        chosen = str(rng.choice(sorted(value)))
        kept = {key: one for key, one in value.items() if key != chosen}
        return kept if rng.random() < 0.2 else kept | {chosen: ARRAYS[rng.integers(len(ARRAYS))]}
    if isinstance(value, Streams) and rng.random() < 0.8:
        return value._replace(**{str(rng.choice(value._fields)): ARRAYS[rng.integers(len(ARRAYS))]})
    pool = ARRAYS if isinstance(value, np.ndarray | list) else SCALARS
    return pool[rng.integers(len(pool))]


def call(name, rng):
    """The arguments of one call: some that fit, and up to two that may not."""
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    fits = fitting(rng)
    fits |= own(name, rng, fits)
    chosen = {key for key, one in parameters.items() if one.default is inspect.Parameter.empty or rng.random() < 0.4}
    given = {key: fits[key] for key in chosen}
    for key in rng.permutation(sorted(given))[: rng.choice([0, 0, 1, 1, 1, 2])]:
        given[str(key)] = damaged(fits[key], rng)
    return given


def attended(query, key, value=None, mask=None, causal=False, offset=0, bias=None, scale=None, softcap=None, **_):
    """Attention, or its weights, one query and one key at a time."""
    query, key = np.asarray(query, float), np.asarray(key, float)
    grid = query.shape[-2], key.shape[-2]
    mask, bias = (
        np.ones(grid, bool) if mask is None else mask,
        np.zeros(grid) if bias is None else np.asarray(bias, float),
    )
    value = np.eye(grid[1]) if value is None else np.asarray(value, float)
    batch = np.broadcast_shapes(*(x.shape[:-2] for x in (query, key, value, mask, bias)))
    query, key, value, mask, bias = (np.broadcast_to(x, batch + x.shape[-2:]) for x in (query, key, value, mask, bias))
    out, largest = np.zeros((*batch, grid[0], value.shape[-1])), 0.0
    for index in np.ndindex(*batch, grid[0]):
        lead, i = index[:-1], index[-1]
        scores = [
            math.fsum(query[index] * row) * (query.shape[-1] ** -0.5 if scale is None else float(scale))
            for row in key[lead]
        ]
        largest = max(largest, *map(abs, scores))
        scores = [s if softcap is None else float(softcap) * math.tanh(s / float(softcap)) for s in scores] + bias[
            index
        ]
        seen = [j for j in range(grid[1]) if mask[index][j] and (not causal or j <= i + offset)]
        top = max((scores[j] for j in seen), default=0.0)
        raised = {j: math.exp(scores[j] - top) for j in seen if scores[j] > -math.inf}
        for j, one in raised.items():
            out[index] += one / math.fsum(raised.values()) * value[lead][j]
    return out, largest


def summed(x, w, b=None):
    x, w = np.asarray(x, float), np.asarray(w, float)
    out = np.empty((*x.shape[:-1], w.shape[1]))
    for at in np.ndindex(x.shape[:-1]):
        out[at] = [math.fsum(x[at] * column) for column in w.T]
    size = np.abs(x).max(initial=0) * np.abs(w).max(initial=0)
    return out + (0 if b is None else np.asarray(b, float)), size


def powered(x, axis=-1, temperature=1.0):
    moved = np.moveaxis(np.asarray(x, float), axis, -1)
    rows = [
        [math.exp((s - max(row)) / float(temperature)) for s in row]
        for row in moved.reshape(-1, moved.shape[-1]).tolist()
    ]
    weights = np.reshape([[r / math.fsum(row) for r in row] for row in rows], moved.shape)
    return np.moveaxis(weights, -1, axis), float(np.abs(moved[np.isfinite(moved)]).max(initial=0)) / min(
        1.0, float(temperature)
    )


def normed(x, epsilon=1e-6):
    x = np.asarray(x, float)
    lengths = [
        math.hypot(math.hypot(*row) / math.sqrt(len(row)), math.sqrt(epsilon)) for row in x.reshape(-1, x.shape[-1])
    ]
    return x / np.reshape(lengths, (*x.shape[:-1], 1)), 1.0


def spread(weights):
    weights = np.asarray(weights, float)
    rows = weights.reshape(-1, weights.shape[-1])
    return np.reshape([-math.fsum(a * math.log(a) for a in row if a) for row in rows], weights.shape[:-1]), 1.0


def causal(n_q, n_k=None, offset=0):
    starts = np.asarray(offset)
    keys = range(n_q if n_k is None else n_k)
    return np.reshape(
        [[[j <= i + start for j in keys] for i in range(n_q)] for start in starts.ravel()],
        (*starts.shape, n_q, len(keys)),
    ), 1


SLOW = {"trained.measure"}  # a call of it silences each head over hundreds of texts: a tenth of the calls
MOVING = {"split_heads", "merge_heads"}  # what is not finite stays so
BLOCKING = {"masks.mask_to_bias", "decoder.distance_bias"}  # give −∞ where a cell is blocked
LOOPS = {  # what the function gives, and how large the numbers are that it is made of
    "attention": attended, "streaming_attention": attended, "attention_weights": attended, "project": summed,
    "softmax": powered,
    "rms_norm": normed,
    "causal_mask": causal, "entropy": spread,
}  # fmt: skip


def numbers(result):
    """The arrays of what a function gave, whatever it stands in."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, tuple | list):
        return [array for part in result for array in numbers(part)]
    return [] if isinstance(result, str) else [np.asarray(result)]


def fault(name, given):
    """What is wrong with how the function took this call, or None."""
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    several = {key for key, one in parameters.items() if one.kind is one.VAR_POSITIONAL}
    try:
        result = FUNCTIONS[name](
            *(one for key in several for one in (given[key] if isinstance(given[key], list) else [given[key]])),
            **{key: one for key, one in given.items() if key not in several},
        )
    except (ValueError, TypeError) as error:
        trace = error.__traceback__
        while trace.tb_next:
            trace = trace.tb_next
        own = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip().startswith("raise ")
        entries = [entry for one in given.values() if isinstance(one, dict) for entry in one]
        named = any(re.search(rf"\b{key}\b", str(error)) for key in (*parameters, *entries, *AXES))
        return (
            None
            if own and named and "attnlib" in trace.tb_frame.f_code.co_filename
            else f"{error!r} is not ours, or names nothing"
        )
    except Exception as error:
        return repr(error)
    for part in numbers(result):
        if part.dtype.kind != "f" or name in MOVING:
            continue
        if not (np.isfinite(part) | ((name in BLOCKING) & (part == -np.inf))).all():
            return f"gives {result}"
    if name in LOOPS:
        expected, size = LOOPS[name](**given)
        epsilon = float(np.finfo(result.dtype).eps) if result.dtype.kind == "f" else 0
        if np.shape(expected) != result.shape:
            return f"gives the shape {result.shape}, and loops {np.shape(expected)}"
        if result.size and np.abs(result - np.asarray(expected, float)).max() > 4500 * epsilon * max(
            1, size, np.abs(expected).max()
        ):
            return f"gives {result}, and loops {expected}"
    return None


def test_there_is_a_value_that_fits_for_every_parameter():
    rng = np.random.default_rng(0)
    fits = fitting(rng)
    for name, function in FUNCTIONS.items():
        assert inspect.signature(function).parameters.keys() <= fits.keys() | own(name, rng, fits).keys()


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("calls", [80, pytest.param(600, marks=pytest.mark.slow)])
def test_a_call_is_right_or_says_what_is_wrong_with_it(name, calls, unchecked):
    rng = np.random.default_rng(calls)
    calls = calls // 10 if name in SLOW else calls
    for _ in range(calls if inspect.signature(FUNCTIONS[name]).parameters else 1):
        given = call(name, rng)
        wrong = fault(name, given)
        assert wrong is None, f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())}) {wrong}"
