"""What every widget must stand, in one table: broken state, broken addresses, and hostile texts.

A widget whose state makes no sense says why in a sentence, in place of its figure, and the others in the page live on.
"""

import json
import math
import re

import numpy as np
import pytest

from anywidget_static import base85, page
from attnlib import houston, widgets
from attnlib.lab import random_decoder
from attnlib.models.recording import Recording
from attnlib.widgets.cost_calculator import MODELS

INF, NAN = math.inf, math.nan
RNG = np.random.default_rng(0)
EYE = np.eye(2).tolist()
WIDTHS = ", ".join(str(2**power) for power in range(13))
NAMES = [name for name in widgets.__all__ if name != "InputError"]


def with_state(widget, **fields):
    """The widget as a page holds it, with a state that Python would refuse. JSON has no NaN: it comes as null."""
    saved = page.saved(widget)
    state = json.loads(page.serialized(saved)) | ({"_buffers": []} if "readings" in fields else {}) | fields
    state = json.dumps(state).replace("Infinity", "1e999").replace("NaN", "null")
    escaped = state.replace("<", "\\u003c")
    return re.sub(
        r"(application/json\">).*?(</script>)",
        lambda found: found[1] + escaped + found[2],
        widget.to_html(),
        flags=re.DOTALL,
    )


def as_json(widget):
    return json.loads(json.dumps(widget.state()))


def each(rows, entry):
    """The same rows, the first entry replaced, however deep."""
    return [each(rows[0], entry), *rows[1:]] if isinstance(rows, list) else entry


def a_browser(words, sentence, **options):
    model = random_decoder(np.random.default_rng(0), vocabulary=len(words), d=6, num_layers=2, num_heads=3, reach=5)
    return widgets.HeadBrowser(sentence, words, model, **options)


def small_browser():
    return a_browser(["red", "green"], "red green")


def bias(shape, levels, step=0.0):
    """Parameters with another bias: bytes of its levels in base 85, and one step for all rows."""
    steps = base85.encode(np.full(shape[:-1], step, "<f4").tobytes())
    given = {"shape": shape, "levels": levels, "steps": steps}
    return {"parameters": small_browser().state()["parameters"] | {"bias": given}}


def a_view(tokens=("a", "b"), **options):
    grids = np.tril(np.ones((2, 3, len(tokens), len(tokens)))) / np.arange(1, len(tokens) + 1)[:, None]
    vectors = {"queries": np.ones((2, 3, len(tokens), 2)), "keys": np.ones((2, 3, len(tokens), 2))}
    effects = {
        "what": tokens[0],
        "labels": tokens,
        "before": np.ones(len(tokens)),
        "after": np.ones((2, 3, len(tokens))),
    }
    recording = Recording.from_grids(grids, tokens, effects=effects, name=tokens[0], **vectors)
    return widgets.ModelView(recording, recording, **options)


def reading(**fields):
    """A recording as a page holds it: its bytes stand apart, and are not there."""
    return {
        "readings": [
            {k: v for k, v in a_view().readings[0].items() if not isinstance(v, bytes)}
            | {"vectors": None, "scores": {}}
            | fields
        ]
    }


def many_heads(heads, n):
    return widgets.HeadMixer(["t"] * n, weights=np.tile(np.eye(n), (heads, 1, 1)))


def heads_of(rows):
    return {"query": rows, "key": rows, "value": rows}


def sized(fields, *sentences):
    """Nothing at all, one token (or row, or option), and far too many."""
    return [(fields(n), sentence) for n, sentence in zip((0, 1, 512), sentences, strict=True)]


# For each widget one that works, and changes of its state with the sentence for each; "" means that it is drawn.
CASES = {
    "AttentionGrid": (
        lambda: widgets.AttentionGrid("ab", EYE),
        [
            ({"query": each(EYE, NAN)}, "query[0, 0] is null"),
            ({"query": each(EYE, INF)}, "query[0, 0] is Infinity"),
            ({"key": each(EYE, -INF)}, "key[0, 0] is -Infinity"),
            ({"key": []}, "2 tokens for 0 keys"),
            ({"query_tokens": ["a"]}, "1 tokens for 2 queries"),
            ({"key": [[1, 0, 0], [0, 1, 0]]}, "query has width 2, key has width 3"),
            ({"masked": True, "mask": [[True]]}, "mask has 1 × 1 cells, the scores 2 × 2"),
            ({"temperature": NAN}, "temperature must be a number, got null"),
            ({"temperature": 0}, "score 0 is NaN"),
            ({"selected": [9, 0]}, "cell 9, 0 is outside the 2 × 2 grid"),
            *sized(lambda n: {"query": EYE[:1] * n, "key": EYE[:1] * n, "query_tokens": ["t"] * n, "key_tokens": ["t"] * n}, "query is empty", "", "512 tokens are more than the 64 that can be shown"),
        ],
    ),
    "TokenPlane": (
        lambda: widgets.TokenPlane("ab", EYE),
        [
            ({"points": each(EYE, NAN)}, "value[0, 0] is null"),
            ({"points": each(EYE, INF)}, "value[0, 0] is Infinity"),
            ({"points": [[1], [2]]}, "points have width 1, a plane has 2"),
            ({"points": [[1, 0]]}, "2 tokens for 1 points"),
            ({"selected": 9}, "selected token 9 is outside 0 … 1"),
            ({"steps": NAN}, "steps must be an integer, got null"),
            ({"steps": 1e9}, "steps must be from 1 to 12, got 1000000000"),
            *sized(lambda n: {"tokens": ["t"] * n, "points": EYE[:1] * n}, "tokens must have from 1 to 64 entries, got 0", "", "tokens must have from 1 to 64 entries, got 512"),
        ],
    ),
    "AxesPuzzle": (
        widgets.AxesPuzzle,
        [
            ({"tokens": ["a"] * 3}, "tokens must have from 4 to 4 entries, got 3"),
            ({"points": [[1, 1]] * 3}, "points must be 4 × 2"),
            ({"points": [[1]] * 4}, "points must be 4 × 2"),
            ({"points": None}, "points must be 4 × 2"),
            ({"points": [[1, NAN]] * 4}, "points[0, 1] is null, outside −12 to 12"),
            ({"points": [[1, 13]] * 4}, "points[0, 1] is 13, outside −12 to 12"),
            ({"points": [["1", 1]] * 4}, "points[0, 0] is 1, outside −12 to 12"),
            ({"unit": INF}, "unit must be a number, got Infinity"),
            ({"unit": 0}, "unit must be from 0.25 to 3, got 0"),
            ({"factors": each(EYE, 4)}, "factors[0, 0] is 4, outside 0 to 3"),
            ({"factors": [1, 1]}, "factors must be 2 × 2"),
            ({"handed": True, "factors": [[0, 0], [0, 0]]}, ""),
            ({"standardise": True, "points": [[0, 0]] * 4}, ""),
            *sized(lambda n: {"tokens": ["t"] * n}, *(f"tokens must have from 4 to 4 entries, got {n}" for n in (0, 1, 512))),
        ],
    ),
    "CheatPuzzle": (
        widgets.CheatPuzzle,
        [
            ({"factor": NAN}, "factor must be a number, got null"),
            ({"factor": 0}, "factor must be from 0.1 to 2, got 0"),
            ({"factor": 1e300}, "factor must be from 0.1 to 2, got 1e+300"),
            ({"factor": "1"}, "factor must be a number, got 1"),
            ({"handed": True, "masked": True, "erase_weight": True}, ""),
            ({"masked": True, "factor": 0.1}, ""),
        ],
    ),
    "LayersPuzzle": (
        widgets.LayersPuzzle,
        [
            ({"texts": ["a"] * 2}, "texts must have from 3 to 3 entries, got 2"),
            ({"silenced": NAN}, "silenced must be an integer, got null"),
            ({"silenced": -2}, "silenced must be from -1 to 127, got -2"),
            ({"silenced": 72}, "silenced 72 is outside 0 … 71"),
            ({"silenced": 71, "off": 63}, ""),
            ({"off": 64}, "off 64 is outside 0 … 63"),
            ({"off": 63, "handed": True}, ""),
            ({"tried": [1, 72]}, "tried[1] 72 is outside 0 … 71"),
            ({"tried": [NAN]}, "tried[0] null is outside 0 … 71"),
            ({"tried": list(range(72))}, ""),
            ({"layers": "no JSON"}, "layers must be a list, got no JSON"),
            ({"layers": [[0.2, 0.1]] * 63}, "6 layers have 64 sets, layers has 63 rows"),
            ({"layers": [[0.2, NAN]] * 64}, "layers[0, 1] is null, outside −1 to 1"),
            ({"layers": [[0.2, 2]] * 64}, "layers[0, 1] is 2, outside −1 to 1"),
            ({"layers": [[0.1, 0.2]] * 64}, "layers[0] is 0.1 and 0.2: the goal is reached before anything is silenced"),
            ({"heads": [[[0.2, 0.1]] * 17] * 6}, "heads has 17 heads in a layer, more than 16"),
            ({"heads": [[[0.2, -2]] * 12] * 6}, "heads[0][0, 1] is −2, outside −1 to 1"),
            ({"heads": [[[0.2, 0.1]]] * 9}, "heads must have from 1 to 8 entries, got 9"),
        ],
    ),
    "SilencePuzzle": (
        widgets.SilencePuzzle,
        [
            ({"tokens": ["a"] * 4}, "tokens must have from 5 to 5 entries, got 4"),
            ({"habits": ["a"] * 7}, "habits must have from 6 to 6 entries, got 7"),
            ({"silenced": NAN}, "silenced must be an integer, got null"),
            ({"silenced": 256}, "silenced must be from 0 to 255, got 256"),
            ({"silenced": 1.5}, "silenced must be an integer, got 1.5"),
            ({"silenced": 255}, ""),
            ({"silenced": 255, "handed": True}, ""),
            ({"tried": [1, 256]}, "tried[1] is 256, outside 0 to 255"),
            ({"tried": [NAN]}, "tried[0] is null, outside 0 to 255"),
            ({"tried": list(range(256)), "handed": True}, ""),
            ({"shares": "no JSON"}, "shares must be a list, got no JSON"),
            ({"shares": [0.5] * 255}, "shares must be 256 numbers from 0 to 1"),
            ({"shares": [NAN] * 256}, "shares must be 256 numbers from 0 to 1"),
            ({"shares": [1.5] * 256}, "shares must be 256 numbers from 0 to 1"),
            ({"said": [[0.1] * 5] * 256}, "said must be 256 × 6 numbers from 0 to 1"),
            ({"said": [None] * 256}, "said must be 256 × 6 numbers from 0 to 1"),
            ({"grids": [EYE] * 8}, "grids must be 8 × 5 × 5 numbers from 0 to 1"),
            ({"grids": [[[INF] * 5] * 5] * 8}, "grids must be 8 × 5 × 5 numbers from 0 to 1"),
            *sized(lambda n: {"tokens": ["t"] * n}, *(f"tokens must have from 5 to 5 entries, got {n}" for n in (0, 1, 512))),
        ],
    ),
    "CyclePuzzle": (
        widgets.CyclePuzzle,
        [
            ({"tokens": ["a"] * 4}, "tokens must have from 3 to 3 entries, got 4"),
            ({"points": [[1, 1]] * 4}, "points must be 3 × 2"),
            ({"points": [[1]] * 3}, "points must be 3 × 2"),
            ({"points": None}, "points must be 3 × 2"),
            ({"points": [[1, 1], [1, NAN], [1, 1]]}, "points[1, 1] is null, outside −3 to 3"),
            ({"points": [[1, 1], [1, -4], [1, 1]]}, "points[1, 1] is −4, outside −3 to 3"),
            ({"points": [["1", 1]] * 3}, "points[0, 0] is 1, outside −3 to 3"),
            ({"own": NAN}, "own must be a number, got null"),
            ({"own": 1}, "own must be from -10 to 0, got 1"),
            ({"handed": True, "own": -11}, "own must be from -10 to 0, got -11"),
            ({"handed": True, "own": -10, "points": [[0, 0]] * 3}, ""),
            ({"points": [[-3, 3]] * 3}, ""),
            *sized(lambda n: {"tokens": ["t"] * n}, *(f"tokens must have from 3 to 3 entries, got {n}" for n in (0, 1, 512))),
        ],
    ),
    "RolesPuzzle": (
        widgets.RolesPuzzle,
        [
            ({"tokens": ["a"] * 3}, "3 tokens for 4 targets"),
            ({"targets": [1, 0, 3]}, "4 tokens for 3 targets"),
            ({"targets": [1, 0, 3, 4]}, "targets[3] is 4, none of the other words, 0 … 3"),
            ({"targets": [1, -1, 3, 1]}, "targets[1] is −1, none of the other words, 0 … 3"),
            ({"targets": [1, 0, 2, 1]}, "targets[2] is 2, none of the other words, 0 … 3"),
            ({"targets": [1, 0, NAN, 1]}, "targets[2] is null, none of the other words, 0 … 3"),
            ({"points": [[1, 1]] * 3}, "points must be 4 × 2"),
            ({"points": [[1]] * 4}, "points must be 4 × 2"),
            ({"points": None}, "points must be 4 × 2"),
            ({"points": [[1, 1], [1, NAN], [1, 1], [1, 1]]}, "points[1, 1] is null, outside −3 to 3"),
            ({"points": [["1", 1]] * 4}, "points[0, 0] is 1, outside −3 to 3"),
            ({"asked": [[1, 1]] * 5}, "asked must be 4 × 2"),
            ({"asked": [[1, -4]] * 4, "handed": True}, "asked[0, 1] is −4, outside −3 to 3"),
            ({"points": [[0, 0]] * 4, "asked": [[3, -3]] * 4, "handed": True}, ""),
            *sized(lambda n: {"tokens": ["t"] * n}, *(f"tokens must have from 3 to 8 entries, got {n}" for n in (0, 1, 512))),
        ],
    ),
    "BudgetPuzzle": (
        widgets.BudgetPuzzle,
        [
            ({"model": "13B"}, "model must be one of small, 7B, got 13B"),
            ({"model": "constructor"}, "model must be one of small, 7B, got constructor"),
            ({"tokens": NAN}, "tokens must be an integer, got null"),
            ({"tokens": 999}, "tokens must be from 1000 to 100000, got 999"),
            ({"tokens": 100_001}, "tokens must be from 1000 to 100000, got 100001"),
            ({"itemsize": 8}, "itemsize must be one of 4, 2, 1, got 8"),
            ({"itemsize": 0}, "itemsize must be one of 4, 2, 1, got 0"),
            ({"linearised": True, "tiles": True}, "linearised goes without tiles"),
            ({"linearised": True, "window": True, "model": "7B"}, "linearised goes without window"),
            ({"shared": True, "linearised": True, "handed": True, "tokens": 1234}, ""),  # counts nothing
            ({"shared": True, "window": True, "tiles": True, "model": "7B", "tokens": 4095}, ""),
        ],
    ),
    "HeadsPuzzle": (
        widgets.HeadsPuzzle,
        [
            ({"first": NAN}, "first must be a number, got null"),
            ({"first": INF}, "first must be a number, got Infinity"),
            ({"first": "0.5"}, "first must be a number, got 0.5"),
            ({"first": 1.05}, "first must be from 0 to 1, got 1.05"),
            ({"second": -0.05, "handed": True}, "second must be from 0 to 1, got -0.05"),
            ({"noise": 1}, "noise must be from 0 to 0.3, got 1"),
            ({"noise": 0, "handed": True}, ""),
            ({"noise": 0, "first": 1, "second": 0, "handed": True}, ""),
            ({"noise": 1e-200, "first": 0.5, "second": 0.55, "handed": True}, ""),
        ],
    ),
    "TrainU": (
        widgets.TrainU,
        [
            ({"points": [[0, 0]] * 3, "kinds": [0, 1, 0]}, "3 points are fewer than the 4 that are needed"),
            ({"points": [[0, 0]] * 4}, "12 kinds for 4 points"),
            ({"points": [[0]] * 12}, "points must be 12 × 2"),
            ({"points": [[0, NAN]] * 12}, "points[0, 1] is null, outside −3 to 3"),
            ({"points": [["1", 1]] * 12}, "points[0, 0] is 1, outside −3 to 3"),
            ({"points": None}, "points must be a list, got null"),
            ({"kinds": [0, 1] * 5 + [0, 2]}, "kinds[11] is 2, not 0 or 1"),
            ({"kinds": [0] * 11 + [1]}, "kinds has 1 of the kind 1: two or more are needed"),
            ({"u": each(EYE, -4)}, "u[0, 0] is −4, outside −3 to 3"),
            ({"u": each(EYE, INF)}, "u[0, 0] is Infinity, outside −3 to 3"),
            ({"u": [1, 1]}, "u must be 2 × 2"),
            ({"turn": 200}, "turn must be from -180 to 180, got 200"),
            ({"rate": 0}, "rate must be from 0.001 to 5, got 0"),
            ({"moves": 0.5}, "moves must be an integer, got 0.5"),
            ({"losses": [0.5, NAN]}, "losses[1] is null, not a number of 0 or more"),
            ({"losses": [0.5] * 401}, "losses must have from 0 to 400 entries, got 401"),
            ({"handed": True, "u": [[0, 0], [0, 0]], "points": [[0, 0]] * 12}, ""),
            *sized(lambda n: {"points": [[0, 0]] * n, "kinds": [0] * n}, "kinds must have from 1 to 24 entries, got 0", "1 points are fewer than the 4 that are needed", "kinds must have from 1 to 24 entries, got 512"),
        ],
    ),
    "QueryPuzzle": (
        lambda: widgets.QueryPuzzle("ab", EYE),
        [
            ({"query": [NAN, 1]}, "query[0, 0] is null"),
            ({"query": [1, INF]}, "query[0, 1] is Infinity"),
            ({"query": [1, 1], "measure": "angle"}, "measure must be one of dot product, distance, got angle"),
            ({"query": [1]}, "query has width 1, key has width 2"),
            ({"points": each(EYE, NAN)}, "key[0, 0] is null"),
            ({"points": [[1, 0]]}, "2 tokens for 1 keys"),
            ({"won": [1]}, "2 tokens for 1 marks of what was won"),
            ({"measure": "distance", "query": [1]}, "query has width 1, key has width 2"),
            *sized(lambda n: {"tokens": ["t"] * n, "points": EYE[:1] * n, "won": [0] * n}, *(f"tokens must have from 2 to 16 entries, got {n}" for n in (0, 1, 512))),
        ],
    ),
    "MetricEllipse": (
        lambda: widgets.MetricEllipse("abc", [[1, 2], [3, 4], [5, 6]]),
        [
            ({"points": [[NAN, 2], [3, 4], [5, 6]]}, "x[0, 0] is null"),
            ({"points": [[INF, 2], [3, 4], [5, 6]]}, "x[0, 0] is Infinity"),
            ({"points": [[1], [3], [5]]}, "x has width 1, w has 2 rows"),
            ({"tokens": ["a", "b"]}, "2 tokens for 3 points"),
            ({"across": NAN}, "across must be a number, got null"),
            ({"along": 99}, "along must be from 0 to 2, got 99"),
            ({"angle": INF}, "angle must be a number, got Infinity"),
            *sized(lambda n: {"tokens": ["t"] * n, "points": [[1, 2]] * n}, *(f"tokens must have from 2 to 16 entries, got {n}" for n in (0, 1, 512))),
        ],
    ),
    "ThreeSpaces": (
        lambda: widgets.ThreeSpaces("abc", [[1, 2], [3, 4], [5, 6]]),
        [
            ({"points": [[NAN, 2], [3, 4], [5, 6]]}, "x[0, 0] is null"),
            ({"points": [[-INF, 2], [3, 4], [5, 6]]}, "x[0, 0] is -Infinity"),
            ({"points": [[1], [3], [5]]}, "x has width 1, w has 2 rows"),
            ({"points": [[], [], []]}, "x is empty"),
            ({"w_q": each(EYE, NAN)}, "w[0, 0] is null"),
            ({"w_q": [[7, 0]]}, "W_Q must be 2 × 2"),
            ({"w_k": [1, 2]}, "W_K must be 2 × 2"),
            ({"w_v": []}, "W_V must be 2 × 2"),
            ({"tokens": ["a", "b"]}, "2 tokens for 3 points"),
            ({"selected": 9}, "selected token 9 is outside 0 … 2"),
            ({"selected": 0.5}, "selected must be an integer, got 0.5"),
            *sized(lambda n: {"tokens": ["t"] * n, "points": [[1, 2]] * n}, *(f"tokens must have from 2 to 12 entries, got {n}" for n in (0, 1, 512))),
        ],
    ),
    "TensorCounter": (
        widgets.TensorCounter,
        [
            ({"n": NAN}, "n must be an integer, got null"),
            ({"n": INF}, "n must be an integer, got Infinity"),
            ({"d_v": 1.5}, "d_v must be an integer, got 1.5"),
            ({"d": 9999999}, "d must be from 1 to 1048576, got 9999999"),
            ({"d_k": []}, "d_k must be an integer, got "),
            *sized(lambda n: {"n": n}, "n must be from 1 to 1048576, got 0", "", ""),
        ],
    ),
    "CostCalculator": (
        widgets.CostCalculator,
        [
            ({"n": NAN}, "n must be an integer, got null"),
            ({"n": 2000000}, "n must be from 1 to 1048576, got 2000000"),
            ({"d": INF}, "d must be an integer, got Infinity"),
            ({"num_heads": 7, "num_kv_heads": 1}, "d = 768, num_heads = 7 and num_kv_heads = 1 do not divide each other"),
            ({"expansion": NAN}, "expansion must be a number, got null"),
            ({"itemsize": 3}, "itemsize must be one of 8, 4, 2, 1, got 3"),
            ({"models": 7}, "there is no list of models"),
            *sized(lambda n: {"n": n}, "n must be from 1 to 1048576, got 0", "", ""),
        ],
    ),
    "RotaryDial": (
        widgets.RotaryDial,
        [
            ({"query": [NAN] * 8}, "x[0, 0] is null"),
            ({"key": [INF] * 8}, "x[0, 0] is Infinity"),
            ({"query": []}, "query must have from 1 to 16 entries, got 0"),
            ({"query": [1] * 7}, "the width must be even and positive, since columns go in pairs: got 7"),
            ({"query": [1] * 10}, "query has width 10, key has width 6"),
            ({"query": [[1, 2]] * 2}, "x[0, 0] is 1,2"),
            ({"key_position": NAN}, "key_position must be an integer, got null"),
            ({"key_position": 0.5}, "key_position must be an integer, got 0.5"),
            ({"key_position": 99}, "key_position must be from 0 to 32, got 99"),
            ({"key_layout": "whole"}, "key_layout must be one of half, interleaved, got whole"),
            ({"base": NAN}, "base must be a number, got null"),
            *sized(lambda d: {"query": [1] * d, "key": [1] * d}, "key must have from 1 to 16 entries, got 0", "the width must be even and positive, since columns go in pairs: got 1", "key must have from 1 to 16 entries, got 512"),
        ],
    ),
    "LookupPuzzle": (
        widgets.LookupPuzzle,
        [
            ({"rows": []}, "rows must have from 1 to 64 entries, got 0"),
            ({"fixed": [1, 1]}, "2 weights for 8 envelopes"),
            ({"rows": ["A0000"]}, "rows[0] has 1 envelopes, not 8"),
            ({"rows": ["Z0000 " * 8]}, "rows[0]: 'Z0000' is not a letter from A to P and four digits from 0 to f"),
            ({"rows": ["A000 " * 8]}, "rows[0]: 'A000' is not a letter from A to P and four digits from 0 to f"),
            ({"question": 256}, "question 256 is outside 0 … 255"),
            ({"question": 0.5}, "question must be an integer, got 0.5"),
            ({"fixed": [0] * 8}, "every weight is 0: nothing is mixed"),
            ({"fixed": [2] * 8}, "fixed[0] is 2, outside 0 to 1"),
            ({"fixed": [NAN] * 8}, "fixed[0] is null, outside 0 to 1"),
            ({"strength": INF}, "strength must be a number, got Infinity"),
        ],
    ),
    "SoftmaxSliders": (
        lambda: widgets.SoftmaxSliders("ab", [0, 1]),
        [
            ({"scores": [NAN, 1]}, "score 0 is null, beyond the slider's ±5"),
            ({"scores": [0, INF]}, "score 1 is Infinity, beyond the slider's ±5"),
            ({"scores": [0, 99]}, "score 1 is 99, beyond the slider's ±5"),
            ({"tokens": ["a"]}, "1 tokens for 2 scores"),
            ({"temperature": 0}, "temperature must be from 0.2 to 5, got 0"),
            ({"constant": NAN}, "constant must be a number, got null"),
            ({"phi": "toString"}, "phi must be one of exp, softplus, sigmoid, relu, square, got toString"),
            ({"hidden": [2]}, "hidden token 2 is outside 0 … 1"),
            ({"hidden": [0, 1]}, "every token is hidden: there is nothing to share"),
            ({"values": [[1]], "value_axes": ["x"]}, "2 tokens for 1 rows of values"),
            ({"values": [[1], [2]]}, "0 value_axes for values of width 1"),
            ({"others": [[1]]}, "others has width 1, for 2 tokens"),
            ({"phi": "square", "scores": [-1, -1]}, ""),
            ({"phi": "square", "scores": [0, 0]}, "φ gives 0 for every score, so there is nothing to divide by"),
            *sized(lambda n: {"tokens": ["t"] * n, "scores": [0] * n}, "tokens must have from 1 to 16 entries, got 0", "", "tokens must have from 1 to 16 entries, got 512"),
        ],
    ),
    "ScalingLab": (
        widgets.ScalingLab,
        [
            ({"d_k": 3}, f"d_k must be one of {WIDTHS}, got 3"),
            ({"d_k": NAN}, f"d_k must be one of {WIDTHS}, got null"),
            ({"d_k": INF}, f"d_k must be one of {WIDTHS}, got Infinity"),
            ({"broken": "constructor"}, "broken must be one of none, variance, mean, copies, sign, unit, got constructor"),
            ({"seed": -1}, "seed must be from 0 to 2147483647, got -1"),
            ({"seed": 0.5}, "seed must be an integer, got 0.5"),
            *sized(lambda n: {"n_k": n}, "n_k must be from 1 to 1024, got 0", "", "10240 scores are more than the 1024 that can be shown"),
        ],
    ),
    "ScalingPuzzle": (
        widgets.ScalingPuzzle,
        [
            ({"divisor": NAN}, "divisor must be a number, got null"),
            ({"divisor": 0}, "divisor must be from 1 to 64, got 0"),
            ({"divisor": 65}, "divisor must be from 1 to 64, got 65"),
            ({"divisors": [0, 0, 0, 0]}, ""),  # they count nothing
            ({"handed": True, "divisors": [2, 4, 8]}, "divisors must be 4 numbers"),
            ({"handed": True, "divisors": None}, "divisors must be 4 numbers"),
            ({"handed": True, "divisors": [2, 4, NAN, 16]}, "divisors[2] is null, outside 1 to 64"),
            ({"handed": True, "divisors": [2, -4, 8, 16]}, "divisors[1] is −4, outside 1 to 64"),
            ({"handed": True, "divisors": ["2", 4, 8, 16]}, "divisors[0] is 2, outside 1 to 64"),
            ({"seed": 0.5}, "seed must be an integer, got 0.5"),
            *sized(lambda n: {"dots": n}, "dots must be from 1 to 400, got 0", "", "dots must be from 1 to 400, got 512"),
        ],
    ),
    "RatesPuzzle": (
        widgets.RatesPuzzle,
        [
            ({"way": "constructor"}, "way must be one of without the root, with the root, small start, got constructor"),
            ({"rate": 16}, "rate must be from 0 to 15, got 16"),
            ({"rate": NAN}, "rate must be an integer, got null"),
            ({"tried": [1, 96]}, "tried[1] is 96, outside 0 to 95"),
            ({"tried": [0.5]}, "tried[0] is 0.5, outside 0 to 95"),
            ({"tried": list(range(96)), "shared": True}, ""),
            ({"shares": [[[0.5] * 16] * 3] * 5}, "shares must be 6 × 3 × 16 numbers from 0 to 1"),
            ({"shares": [[[0.5] * 15] * 3] * 6}, "shares must be 6 × 3 × 16 numbers from 0 to 1"),
            ({"shares": [[[NAN] * 16] * 3] * 6}, "shares must be 6 × 3 × 16 numbers from 0 to 1"),
            ({"shares": [[[1.5] * 16] * 3] * 6}, "shares must be 6 × 3 × 16 numbers from 0 to 1"),
        ],
    ),
    "SpeedsPuzzle": (
        widgets.SpeedsPuzzle,
        [
            ({"fast": NAN}, "fast must be a number, got null"),
            ({"fast": 0.1}, "fast must be from 0.2 to 2, got 0.1"),
            ({"slow": INF}, "slow must be a number, got Infinity"),
            ({"slow": 0.3}, "slow must be from 0.005 to 0.2, got 0.3"),
            ({"slow": 0.0333}, ""),
        ],
    ),
    "MarksPuzzle": (
        widgets.MarksPuzzle,
        [
            ({"rows": [[0, 0]] * 3}, "rows must be 4 × 2"),
            ({"rows": [[0, 0, 0]] * 4}, "rows must be 4 × 2"),
            ({"rows": [[0, 0], [NAN, 0], [0, 0], [0, 0]]}, "rows[1, 0] is null, outside −1.5 to 1.5"),
            ({"rows": [[0, 0], [0, 2], [0, 0], [0, 0]]}, "rows[1, 1] is 2, outside −1.5 to 1.5"),
            ({"rows": [[0, 0]] * 4}, ""),
            ({"query": [0, 0]}, ""),
            ({"query": [NAN, 0]}, "query[0, 0] is null"),
            ({"query": [1]}, "query has width 1, key has width 2"),
            ({"seen": 65536}, "seen must be from 0 to 65535, got 65536"),
            ({"seen": 65535, "handed": True}, ""),
        ],
    ),
    "ContextPuzzle": (
        widgets.ContextPuzzle,
        [
            ({"absent": [4]}, "absent[0] is 4, outside 0 to 3: the last word stays"),
            ({"absent": [0, -1]}, "absent[1] is -1, outside 0 to 3: the last word stays"),
            ({"absent": [0.5]}, "absent[0] is 0.5, outside 0 to 3: the last word stays"),
            ({"absent": [NAN]}, "absent[0] is null, outside 0 to 3: the last word stays"),
            ({"absent": [0, 1, 2, 3, 3]}, ""),
            ({"x": []}, "5 tokens for 0 rows of x"),
            ({"tokens": ["a"] * 4}, "4 tokens for 5 rows of x"),
            ({"x": each(as_json(widgets.ContextPuzzle())["x"], NAN)}, "x[0, 0] is null"),
            ({"w_v": [[1, 2]] * 7}, "x has width 8, w has 7 rows"),
            ({"value_axes": ["a"]}, "1 value_axes for values of width 3"),
        ],
    ),
    "KinPuzzle": (
        widgets.KinPuzzle,
        [
            ({"useless": 13}, "useless must be from 0 to 12, got 13"),
            ({"useless": NAN}, "useless must be an integer, got null"),
            ({"useless": 1.5}, "useless must be an integer, got 1.5"),
            ({"remedy": "toString"}, "remedy must be one of as they are, of length 1, standardised, got toString"),
            ({"useless": 0, "remedy": "of length 1"}, ""),
            ({"seed": -1}, "seed must be from 0 to 1048576, got -1"),
        ],
    ),
    "RooflineLab": (
        widgets.RooflineLab,
        [
            ({"queries": 0}, "queries must be from 1 to 1024, got 0"),
            ({"queries": 1025}, "queries must be from 1 to 1024, got 1025"),
            ({"queries": NAN}, "queries must be an integer, got null"),
            ({"queries": 1.5}, "queries must be an integer, got 1.5"),
            ({"queries": 777}, ""),
        ],
    ),
    "OrderPuzzle": (
        widgets.OrderPuzzle,
        [
            ({"dog": NAN}, "dog must be a number, got null"),
            ({"man": 6}, "man must be from -5 to 5, got 6"),
            ({"itself": INF}, "itself must be a number, got Infinity"),
            ({"before": -5.5}, "before must be from -5 to 5, got -5.5"),
            ({"handed": True, "after": NAN}, "after must be a number, got null"),
        ],
    ),
    "QueryStepper": (
        widgets.QueryStepper,
        [
            ({"w_q": each(as_json(widgets.QueryStepper())["w_q"], NAN)}, "w[0, 0] is null"),
            ({"x": each(as_json(widgets.QueryStepper())["x"], INF)}, "x[0, 0] is Infinity"),
            ({"x": []}, "x is empty"),
            ({"tokens": ["a"] * 4}, "4 tokens for 5 rows of x"),
            ({"axes": ["a"] * 7}, "7 axes for 8 components"),
            ({"selected": 7}, "selected token 7 is outside 0 … 4"),
            ({"step": 9}, "step must be from 0 to 8, got 9"),
            ({"step": 0.5}, "step must be an integer, got 0.5"),
            *sized(lambda n: {"tokens": ["t"] * n, "x": [[1] * 8] * n, "selected": 0}, "tokens must have from 1 to 24 entries, got 0", "", "tokens must have from 1 to 24 entries, got 512"),
        ],
    ),
    "MaskPainter": (
        lambda: widgets.MaskPainter("abc", np.eye(3)),
        [
            ({"x": [[NAN, 0, 0], [0, 1, 0], [0, 0, 1]]}, "x[0, 0] is null"),
            ({"x": [[0, 0, INF], [0, 1, 0], [0, 0, 1]]}, "x[0, 2] is Infinity"),
            ({"x": [[0, 1, 0], [0, 0, 1]]}, "3 tokens for 2 rows of x"),
            ({"w_k": []}, "w is empty"),
            ({"other": [0, 0]}, "row 2 of x has 2 entries, row 0 has 3"),
            ({"size": 99}, "size 99 is outside 1 … 3"),
            ({"size": 1.5}, "size must be an integer, got 1.5"),
            ({"preset": "odd"}, "preset must be one of none, causal, padding, window, prefix, painted, got odd"),
            ({"preset": "constructor"}, "preset must be one of none, causal, padding, window, prefix, painted, got constructor"),
            ({"preset": "painted", "mask": [[True]]}, "mask has 1 × 1 cells, the scores 3 × 3"),
            ({"preset": "painted", "mask": 7}, "mask has 0 × 0 cells, the scores 3 × 3"),
            ({"preset": "painted", "leaky": True, "mask": [[0] * 3] * 3}, "query 0 may attend to no key: its whole row is masked"),
            ({"replaced": [9]}, "replaced token 9 is outside 0 … 2"),
            ({"replaced": ["x"]}, "replaced token x is outside 0 … 2"),
            ({"api": "odd"}, "api must be one of scaled_dot_product_attention, MultiheadAttention, got odd"),
            *sized(lambda n: {"tokens": ["t"] * n, "x": [[1, 0, 0]] * n, "size": 1, "replaced": []}, "tokens must have from 1 to 16 entries, got 0", "", "tokens must have from 1 to 16 entries, got 512"),
        ],
    ),
    "LightCones": (
        widgets.LightCones,
        [
            ({"tokens": ["a"] * 4}, "selected token 4 is outside 0 … 3"),
            ({"preset": "constructor"}, "preset must be one of none, causal, off by one, window, prefix, got constructor"),
            ({"preset": "padding"}, "preset must be one of none, causal, off by one, window, prefix, got padding"),
            ({"layers": 0}, "layers must be from 1 to 4, got 0"),
            ({"layers": 9}, "layers must be from 1 to 4, got 9"),
            ({"layers": NAN}, "layers must be an integer, got null"),
            ({"layers": 2}, "layer 3 is outside 0 … 2"),
            ({"layer": 0.5}, "layer must be an integer, got 0.5"),
            ({"layer": -1}, "layer must be 0 or more, got -1"),
            ({"selected": 8}, "selected token 8 is outside 0 … 7"),
            ({"selected": INF}, "selected must be an integer, got Infinity"),
            ({"size": 0}, "size must be 1 or more, got 0"),
            ({"size": 9}, "size 9 is outside 1 … 8"),
            ({"layer": 0, "selected": 7}, ""),
            *sized(lambda n: {"tokens": ["t"] * n, "size": 1, "selected": 0}, "tokens must have from 1 to 10 entries, got 0", "", "tokens must have from 1 to 10 entries, got 512"),
        ],
    ),
    "HeadTiles": (
        lambda: widgets.HeadTiles(at=3, tile=31),
        [
            ({"tokens": ["a"] * 3}, "tile 31 is outside 0 … 17"),
            ({"d": 6}, ""),
            ({"d": 5}, "num_heads must divide d = 5, got 2"),
            ({"d": 9}, "d must be from 2 to 8, got 9"),
            ({"num_heads": 3}, "num_heads must divide d = 4, got 3"),
            ({"num_heads": 0}, "num_heads must be from 2 to 4, got 0"),
            ({"num_heads": NAN}, "num_heads must be an integer, got null"),
            ({"num_heads": 4}, ""),
            ({"forgotten": "constructor"}, "forgotten must be one of nowhere, split, merge, both, got constructor"),
            ({"stage": 2}, "the tile is of stage 3, and stages are shown up to 2"),
            ({"stage": 7}, "stage must be from 0 to 6, got 7"),
            ({"at": -2}, "at must be from -1 to 6, got -2"),
            ({"at": -1}, "tile 31 is outside 0 … 15"),
            ({"at": 1.5}, "at must be an integer, got 1.5"),
            ({"tile": 32}, "tile 32 is outside 0 … 31"),
            ({"tile": INF}, "tile must be an integer, got Infinity"),
            *sized(lambda n: {"tokens": ["t"] * n}, *(f"tokens must have from 2 to 6 entries, got {n}" for n in (0, 1, 512))),
        ],
    ),
    "HeadMixer": (
        lambda: widgets.HeadMixer("ab", [EYE], [EYE], [EYE], EYE, mixed=True),
        [
            ({"query": each([EYE], NAN)}, "query[0, 0] is null"),
            ({"value": each([EYE], INF)}, "value[0, 0] is Infinity"),
            ({"query": []}, "query does not have 2 rows for each of 1 heads"),
            ({"value": [EYE[:1]]}, "value does not have 2 rows for each of 1 heads"),
            ({"w_o": EYE[:1]}, "x has width 2, w has 1 rows"),
            ({"mask": [[True]]}, "mask has 1 × 1 cells, the scores 2 × 2"),
            ({"selected": 7}, "head 7 is outside 0 … 0"),
            ({"selected": 0.5}, "head 0.5 is outside 0 … 0"),
            ({"zeroed": [0, 9]}, "head 9 is outside 0 … 0"),
            ({"num_kv_heads": 0}, "num_kv_heads must be 1 or more, got 0"),
            ({"num_kv_heads": 3}, "1 heads do not divide into 3 groups"),
            ({"num_kv_heads": -1}, "num_kv_heads must be 1 or more, got -1"),
            *sized(lambda n: {"tokens": ["t"] * n, **heads_of([EYE[:1] * n])}, "there are 1 heads and 0 tokens", "", "512 tokens are more than the 64 that can be shown"),
            (many_heads(2, 3).state() | {"heads": ["1.1"]}, "12 weights for 1 heads of 3 tokens"),
            (many_heads(2, 3).state() | {"packed": "<"}, "packed is not in base 85"),
            (many_heads(257, 1).state(), "257 heads are more than the 256 that can be shown"),
            ({"heads": ["h"] * 33, **heads_of([EYE] * 33)}, "33 heads are more than the 32 that can be shown"),
        ],
    ),
    "ModelView": (
        a_view,
        [
            ({"readings": []}, "there is no reading"),
            ({"readings": [None]}, "reading 0 is no recording"),
            ({"readings": 7}, "there is no reading"),
            (reading(num_layers=NAN), "the recording has null × 3 heads of 2 × 2 tokens"),
            (reading(num_heads=0), "the recording has 2 × 0 heads of 2 × 2 tokens"),
            (reading(tokens=[]), "the recording has 2 × 3 heads of 0 × 0 tokens"),
            (reading(heads=["x"]), "1 heads of their own for 6 heads of 2 × 2 tokens"),
            (reading(scores={"itself": None}), "the score itself has 0 bytes for 2 × 3 heads"),
            (reading(heads=None), "the recording has 2 × 3 heads of 2 × 2 tokens"),
            (reading(tokens=["t"] * 10**5), "6 heads of 100000 × 100000 weights are too many"),
            (reading(), ""),
            ({"shown": 2}, "there is no reading 2"),
            ({"beside": 9}, "there is no reading 9"),
            ({"layer": 2}, "head 2, 0 is outside 2 × 3"),
            ({"head": 0.5}, "head must be an integer, got 0.5"),
            ({"query": 99, "key": 99}, ""),
            ({"sort": "constructor"}, "sort must be one of layer, previous token, next token, itself, first token, separator, same token, induction, entropy, got constructor"),
            ({"form": "constructor"}, "form must be one of grid, arcs, numbers, got constructor"),
            ({"least": NAN}, "least must be a number, got null"),
            ({"effects_now": [{"shown": 0}], "silenced": True}, ""),
            ({"kept": 7}, "kept must be a list, got 7"),
            ({"kept": [[0, 0]] * 12}, "kept must have from 0 to 11 entries, got 12"),
            ({"kept": [[9, 9], [0, 1]], "form": "arcs", "silenced": True}, ""),
            ({"form": "numbers", "beside": 0}, ""),
            ({"form": "arcs", "sort": "next token"}, ""),
            (reading(tokens=["t"], special=[False]), ""),
        ],
    ),
    "HeadBrowser": (
        small_browser,
        [
            (bias([2, 3, 5], "é%"), "bias is not in base 85"),
            (bias([2, 3, 5], "00000"), "bias has 4 numbers for the shape 2 × 3 × 5"),
            (bias([2, 3, 5], base85.encode(bytes(30)), np.nan), "score 0 is NaN"),
            (bias([2, 4, 1], base85.encode(bytes(8))), "a width of 6 does not divide into 4 heads"),
            ({"parameters": {"other": {"shape": [1], "levels": base85.encode(bytes(1)), "steps": base85.encode(bytes(4))}}}, "the decoder lacks embedding"),
            ({"vocabulary": ["red"]}, "1 words for 2 rows of the embedding"),
            ({"layer": 9}, "there is no head 0 in layer 9"),
            ({"head": 0.5}, "head must be an integer, got 0.5"),
            *sized(lambda n: {"sentence": "red " * n}, "", "", ""),
        ],
    ),
    "ConventionSwitch": (
        widgets.ConventionSwitch,
        [
            ({"numbers": [NAN]}, "numbers[0, 0] is null"),
            ({"numbers": [1, INF]}, "numbers[0, 1] is Infinity"),
            ({"numbers": []}, "numbers is empty"),
            ({"numbers": [1e200]}, "x times w[0, 0] is Infinity"),
            ({"d_k": 400}, "d_k must be from 1 to 8, got 400"),
            ({"n": NAN}, "n must be an integer, got null"),
            ({"n": 2.5}, "n must be an integer, got 2.5"),
            ({"formula": "magic"}, "formula must be one of projection, scores, weights, output, several heads, bias, got magic"),
            ({"formula": "constructor"}, "formula must be one of projection, scores, weights, output, several heads, bias, got constructor"),
            ({"convention": "constructor"}, "convention must be one of rows, columns, got constructor"),
            ({"convention": "diagonals"}, "convention must be one of rows, columns, got diagonals"),
            *sized(lambda n: {"n": n}, "n must be from 1 to 8, got 0", "", "n must be from 1 to 8, got 512"),
        ],
    ),
    "StreamingSoftmax": (
        lambda: widgets.StreamingSoftmax([1, 2], [3, 4]),
        [
            ({"scores": [1]}, "1 scores for 2 values"),
            ({"scores": [1, NAN]}, "scores[1] is null, outside −1000 to 1000"),
            ({"scores": [1, INF]}, "scores[1] is Infinity, outside −1000 to 1000"),
            ({"values": ["1", 2]}, "values[0] is 1, outside −1000 to 1000"),
            ({"values": [1, -1001]}, "values[1] is −1001, outside −1000 to 1000"),
            ({"values": None}, "values must be a list, got null"),
            ({"seen": 0.5}, "seen must be an integer, got 0.5"),
            ({"seen": 3}, "seen is 3, of 2 keys"),
            ({"scores": [1000, -1000], "values": [-1000, 1000], "seen": 2}, ""),
            *sized(lambda n: {"scores": [1] * n, "values": [1] * n}, "scores must have from 1 to 12 entries, got 0", "", "scores must have from 1 to 12 entries, got 512"),
        ],
    ),
    "FillTable": (
        lambda: widgets.FillTable(["r"], ["c"], [["a", "b"]], [[1]], ["so"]),
        [
            ({"columns": ["c", "d"]}, "options has 1 entries, for 2 columns"),
            ({"options": None}, "options has 0 entries, for 1 columns"),
            ({"options": [[]]}, "column 'c' has 0 options: 2 to 12 are needed"),
            ({"options": [None]}, "column 'c' has 0 options: 2 to 12 are needed"),
            ({"right": [[2]]}, "right of row 'r', column 'c': 2 is outside 0 … 1"),
            ({"right": [[]]}, "row 'r' of right has 0 entries, for 1 columns"),
            ({"chosen": [[NAN]]}, "chosen of row 'r', column 'c': null is outside -1 … 1"),
            ({"chosen": [[0.5]]}, "chosen of row 'r', column 'c': 0.5 is outside -1 … 1"),
            ({"checked": []}, "checked has 0 entries, for 1 rows"),
            ({"why": []}, "why has 0 entries, for 1 rows"),
            ({"given": [[1, 0]]}, "given[0] is 1,0, no row and column of the table"),
            ({"given": [None]}, "given[0] is null, no row and column of the table"),
            ({"shown": True}, ""),
            *sized(lambda n: {"rows": ["r"] * n, "right": [[1]] * n, "chosen": [[-1]] * n, "checked": [[0]] * n, "why": ["so"] * n}, "rows must have from 1 to 16 entries, got 0", "", "rows must have from 1 to 16 entries, got 512"),
        ],
    ),
    "Choice": (
        lambda: widgets.Choice("?", [("one", "1"), ("two", "2"), ("three", "3")], right=1),
        [
            ({"mode": "constructor"}, "mode must be one of choice, order, got constructor"),
            ({"right": NAN}, "right must be an integer, got null"),
            ({"right": 7}, "7 is no choice of 3 options"),
            ({"answer": 7}, "7 is no choice of 3 options"),
            ({"answer": 0.5}, "0.5 is no choice of 3 options"),
            ({"mode": "order", "order": [1, 0, 0]}, "1,0,0 is no order of 3 options"),
            ({"mode": "order", "order": [1, 0, 2], "answer": 1}, "1 is no order of 3 options"),
            ({"mode": "order", "order": ["1", "0", "2"]}, "1,0,2 is no order of 3 options"),
            ({"mode": "order", "order": [1, 0, 2], "answer": "0,1,2"}, "0,1,2 is no order of 3 options"),
            *sized(lambda n: {"options": [["o", "r"]] * n, "right": 0}, "2 to 12 options are needed, got 0", "2 to 12 options are needed, got 1", "2 to 12 options are needed, got 512"),
        ],
    ),
    "Number": (
        lambda: widgets.Number("?", 8, [(64, 0.5, "no")]),
        [
            ({"right": NAN}, "right must be a number, got null"),
            ({"right": INF}, "right must be a number, got Infinity"),
            ({"tolerance": "x"}, "tolerance must be a number, got x"),
            ({"wrong": [[NAN, 0.5, "no"]]}, "wrong[0] must hold finite numbers"),
            ({"wrong": [[1, INF, "no"]]}, "wrong[0] must hold finite numbers"),
            *sized(lambda n: {"wrong": [[64, 0.5, "no"]] * n}, "", "", ""),
        ],
    ),
}  # fmt: skip

SEEN = """() => {
  return [...document.querySelectorAll("[data-widget]")].map((root) => {
    const figure = root.querySelector("figure"), problem = root.querySelector(".attn-problem");
    return [problem?.textContent, figure.checkVisibility()];
  });
}"""


def test_every_widget_has_its_cases():
    assert sorted(CASES) == sorted(NAMES)


@pytest.mark.parametrize("name", CASES)
def test_a_state_that_makes_no_sense_gives_a_sentence_and_the_others_live_on(name, show_alive):
    make, cases = CASES[name]
    page = show_alive(*(with_state(make(), **fields) for fields, _ in cases), make())
    expected = [f"This picture cannot be drawn: {sentence}." if sentence else "" for _, sentence in [*cases, ({}, "")]]
    assert page.evaluate(SEEN) == [[sentence, not sentence] for sentence in expected]
    assert page.problems == []


@pytest.mark.parametrize("query", ["temperature", "%E0%A4%A", "?", "=&=", "temperature=%22hot%22&temperature=2"])
def test_an_address_that_cannot_be_read_breaks_nothing(query, show):
    page = show(widgets.AttentionGrid("ab", EYE, title="q"), address=f"#attention-grid-q?{query}")
    page.locator("[role=gridcell]").first.wait_for()
    assert page.problems == []


NAMED = ["<img src=x onerror=alert(1)>", "x" * 500, "שלום עולם", "a" + "\u0301" * 40,
    "&lt;b&gt;</script><script>alert(2)</script>"]  # fmt: skip


def hostile():
    """Every widget with texts of the worst kind wherever a text may stand."""
    about = {"title": NAMED[0], "provenance": NAMED[1]}
    points, heads = RNG.normal(size=(5, 2)), RNG.normal(size=(5, 5, 2))
    words = [name.replace(" ", "-") for name in NAMED]
    pairs = [(name, name) for name in NAMED]
    return [
        widgets.AttentionGrid(NAMED, np.eye(5), axes=NAMED, selected=[0, 0], **about),
        widgets.TokenPlane(NAMED, points, **about),
        widgets.TrainU(**about),
        widgets.AxesPuzzle(NAMED[:4], **about),
        widgets.CheatPuzzle(**about),
        widgets.CyclePuzzle(NAMED[:3], **about),
        widgets.SilencePuzzle(NAMED, habits=[*NAMED, "f"], handed=True, **about),
        widgets.LayersPuzzle(NAMED[:3], handed=True, **about),
        widgets.RolesPuzzle(NAMED[:4], **about),
        widgets.RolesPuzzle(NAMED[:4], handed=True, **about),
        widgets.BudgetPuzzle(handed=True, **about),
        widgets.BudgetPuzzle(model="7B", **about),
        widgets.HeadsPuzzle(handed=True, **about),
        widgets.QueryPuzzle(NAMED, points, **about),
        widgets.MetricEllipse(NAMED, points, NAMED[:2], **about),
        widgets.ThreeSpaces(NAMED, points, **about),
        widgets.TensorCounter(**about),
        widgets.CostCalculator(models=[{**MODELS[0], "name": name, "source": name} for name in NAMED], chosen="",
            **about),
        widgets.RotaryDial(query_token=NAMED[0], key_token=NAMED[1], **about),
        widgets.SoftmaxSliders(NAMED, range(5), values=np.eye(5), value_axes=NAMED, **about),
        widgets.LookupPuzzle(**about),
        widgets.ScalingLab(**about),
        widgets.ScalingPuzzle(**about),
        widgets.ScalingPuzzle(handed=True, **about),
        widgets.RatesPuzzle(shared=True, **about),
        widgets.SpeedsPuzzle(**about),
        widgets.MarksPuzzle(handed=True, **about),
        widgets.ContextPuzzle(NAMED, np.eye(5), w_q=np.eye(5), w_k=np.eye(5), w_v=np.eye(5), value_axes=NAMED, **about),
        widgets.KinPuzzle(**about),
        widgets.RooflineLab(**about),
        widgets.OrderPuzzle(handed=True, **about),
        widgets.QueryStepper(NAMED, houston.EMBEDDINGS, axes=[*NAMED, "f", "g", "h"], **about),
        widgets.MaskPainter(NAMED, np.eye(5), other_token=NAMED[0], other=np.ones(5), **about),
        widgets.LightCones(NAMED, **about),
        widgets.LightCones(NAMED * 2, layers=4, preset="off by one", layer=0, **about),
        widgets.HeadTiles(NAMED, forgotten="split", at=6, **about),
        widgets.HeadMixer(NAMED, heads, heads, heads, np.ones((10, 5)), heads=NAMED, axes=NAMED, mixed=True,
            zeroed=[0, 3], **about),
        a_browser(words, " ".join(words), **about),
        *(a_view(NAMED, form=form, beside=1, silenced=True, **about) for form in ("grid", "arcs", "numbers")),
        a_view(NAMED * 8, form="arcs", **about),
        a_view(NAMED * 8, query=3, **about),
        widgets.ConventionSwitch(**about),
        widgets.StreamingSoftmax(**about),
        widgets.FillTable(NAMED, NAMED, [NAMED] * 5, [list(range(5))] * 5, NAMED, **about),
        widgets.FillTable(NAMED, NAMED[:1], [NAMED], [[0]] * 5, NAMED, [(1, 0)], shown=True, **about),
        widgets.Choice(NAMED[0], pairs, 1, reveal=NAMED[1], **about),
        widgets.Choice(NAMED[0], pairs, mode="order", order=[1, 0, 2, 3, 4], reveal=NAMED[1], **about),
        widgets.Number(NAMED[0], 1, [(2, 0.1, NAMED[1])], unit=NAMED[3], explanation=NAMED[2], **about),
    ]  # fmt: skip


USE = """() => {
  const use = (selector, act) => {
    for (const node of document.querySelectorAll(`figure ${selector}`)) if (node.isConnected) act(node);
  };
  const say = (node, kind) => node.dispatchEvent(new Event(kind, { bubbles: true }));
  use("select", (menu) => [...menu.options].forEach((option, i) => {
    menu.selectedIndex = i;
    option.disabled || say(menu, "change");
  }));
  use("[type=text]", (input) => { input.value = "<img src=y> 2"; say(input, "input"); input.form?.requestSubmit(); });
  use("button, [type=checkbox], [role=gridcell], summary", (node) => node.click());
  use("[role=slider], [role=gridcell]", (node) => node.focus());
  return [...document.querySelectorAll(".attn-problem")].map((problem) => problem.textContent).filter(Boolean);
}"""


@pytest.mark.parametrize("script", [True, False])
def test_texts_of_any_kind_are_text_and_fit_a_phone(script, show, show_alive):
    made = hostile()
    page = (show_alive if script else show)(*made, java_script_enabled=script, viewport={"width": 340, "height": 740})
    if script:
        assert page.evaluate(USE) == []
        assert page.locator("[data-widget-mounted]").count() == len(made)
    assert page.locator("img").count() == 0
    over = "all => all.filter((root) => root.scrollWidth > 340).map((root) => root.id)"
    assert page.locator("[data-widget]").evaluate_all(over) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 340
    for root, widget in zip(page.locator("[data-widget]").all(), made, strict=True):
        assert NAMED[0] in root.text_content() or NAMED[0].replace(" ", "-") in root.text_content(), widget
    assert page.problems == []
