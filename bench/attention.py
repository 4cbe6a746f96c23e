"""How fast and how small: `attnlib` against torch's fused kernel and against the NumPy form that blogs show, in one run.

    python bench/attention.py [--seconds 1.5] [--threads 1,2]

Every cell of a table is measured in turn with its peers, so that a busy moment of the machine hits all alike, and what is
reported is the ratio of medians: below 1 the first is the faster. Each number of threads has a process of its own, since
OpenBLAS reads it at the start. Prints the tables beside their targets and writes `_build/bench/attention.json`.
"""

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from attnlib import KeyValueCache, attention, causal_mask, streaming, streaming_attention  # noqa: E402

D = 64
SHAPES = [(1, 128), (8, 128), (8, 512), (12, 1024), (8, 2048)]  # heads, n
CACHED = {256: 80, 1024: 250, 4096: 700}  # n: the gain over recomputing that is aimed at
LENGTHS = [2048, 8192, 32768]
THREADS = int(os.environ.get("OMP_NUM_THREADS", 1))
AVX512 = streaming.LOG != 1
TARGETS = {  # of ours / torch's, full and causal, for n ≥ 512
    ("float32", 1): (1.05, 0.95) if AVX512 else (1.25, 1.10),
    ("float64", 1): (0.85, 0.75),
    ("float32", 2): (1.30, 1.30),
    ("float64", 2): (1.30, 1.30),
}
SMALL = {("float32", 1, 1, 128): (1.1, math.inf)}


def blog(query, key, value, causal):
    """Attention as most posts write it. √d is a float64 scalar, so that float32 inputs become float64."""
    n, d = query.shape[-2:]
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(d)
    if causal:
        scores = np.where(np.tril(np.ones((n, n))), scores, -1e9)
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return weights / np.sum(weights, axis=-1, keepdims=True) @ value


def medians(runs: dict[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """The median seconds of each, in turns, forwards and backwards.

    A turn is a pause and a few calls, the first of them not counted: the idle threads of one library spin for a while
    and would slow the other's.
    """
    for run in runs.values():
        run()
    taken: dict[str, list[float]] = {name: [] for name in runs}
    end, turn = time.perf_counter() + seconds, 0
    while time.perf_counter() < end or turn < 5:
        for name in list(runs)[:: 1 if turn % 2 else -1]:
            time.sleep(0.05 if THREADS > 1 else 0)
            times = [seconds_of(runs[name])]
            while sum(times) < 0.02:
                times.append(seconds_of(runs[name]))
            taken[name] += times[1:] or times
        turn += 1
    return {name: statistics.median(times) for name, times in taken.items()}


def seconds_of(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def drawn(*shape: int, dtype: str = "float32") -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=(*shape, D)).astype(dtype) for _ in range(3)]


def speed(seconds: float) -> list[dict]:
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    cells = []
    for dtype in ("float32", "float64"):
        for heads, n in SHAPES:
            given = drawn(heads, n, dtype=dtype)
            tensors = [torch.from_numpy(array)[None] for array in given]
            for causal in (False, True):
                mask = causal_mask(n) if causal else None
                runs = {
                    "streaming": lambda given=given, causal=causal: streaming_attention(*given, causal=causal),
                    "torch": lambda given=tensors, causal=causal: scaled_dot_product_attention(
                        *given, is_causal=causal
                    ),
                }
                plain = {
                    "attention": lambda given=given, mask=mask: attention(*given, mask),
                    "blog": lambda given=given, causal=causal: blog(*given, causal),
                }
                taken = medians(runs, seconds)  # the slow ones apart: they would leave few rounds for these
                taken |= medians(plain | {"torch": runs["torch"]}, seconds / 2) | {"torch": taken["torch"]}
                cells.append({"dtype": dtype, "heads": heads, "n": n, "causal": causal, "seconds": taken})
    return cells


def decoding(seconds: float) -> list[dict]:
    """One more token of four heads after n − 1, float32: with the cache, in torch, and by computing all again."""
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    cells = []
    for n in CACHED:
        query, key, value = drawn(4, n)
        token = [array[:, -1:] for array in (query, key, value)]
        theirs = [torch.from_numpy(array)[None].clone() for array in (key, value)]
        their_token = [torch.from_numpy(array)[None].clone() for array in token]
        mask = causal_mask(n)
        cache = KeyValueCache((4,), D, D, np.float32)
        cache.attend(query[:, :-1], key[:, :-1], value[:, :-1])

        def step(cache=cache, token=token, n=n):
            cache.truncate(n - 1)
            cache.attend(*token)

        def their_step(theirs=theirs, token=their_token, n=n):
            for held, new in zip(theirs, token[1:], strict=True):
                held[:, :, n - 1 : n] = new
            scaled_dot_product_attention(token[0], *theirs)

        taken = medians({"step": step, "torch": their_step}, seconds)
        whole = {
            "attention": lambda given=(query, key, value, mask): attention(*given),
            "streaming": lambda given=(query, key, value): streaming_attention(*given, causal=True),
        }
        cells.append({"n": n, "seconds": taken | medians(whole, seconds)})
    return cells


def memory() -> list[dict]:
    """The most bytes beyond the inputs, the output included, float32, one head."""
    cells = []
    for n in LENGTHS:
        given = drawn(1, n)
        for causal in (False, True):
            tracemalloc.start()
            streaming_attention(*given, causal=causal)
            cells.append({"n": n, "causal": causal, "bytes": tracemalloc.get_traced_memory()[1]})
            tracemalloc.stop()
    return cells


def measure(threads: int, seconds: float) -> dict:
    import torch

    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    result = {"threads": threads, "speed": speed(seconds)}
    return result | ({"decoding": decoding(seconds), "memory": memory()} if threads == 1 else {})


def ratio(cell: dict, ours: str, theirs: str) -> float:
    return cell["seconds"][ours] / cell["seconds"][theirs]


def judged(value: float, target: float, most: bool = True) -> str:
    return "" if (value <= target) == most or value == target else f"  short of {target}"


def report(result: dict) -> None:
    threads = result["threads"]
    print(f"\n{threads} thread{'s' * (threads > 1)}: ratio to torch's fused kernel, full / causal")
    print(f"{'dtype':8} {'heads, n':>9}   {'streaming':>11}   {'attention':>11}   {'as in blogs':>13}")
    for full, causal in zip(result["speed"][::2], result["speed"][1::2], strict=True):
        pairs = [
            f"{ratio(full, name, 'torch'):.2f}/{ratio(causal, name, 'torch'):.2f}"
            for name in ("streaming", "attention", "blog")
        ]
        key = (full["dtype"], threads)
        targets = TARGETS.get(key) if full["n"] >= 512 else SMALL.get((*key, full["heads"], full["n"]))
        verdict = "".join(
            judged(ratio(cell, "streaming", "torch"), target)
            for cell, target in zip((full, causal), targets or (math.inf,) * 2, strict=True)
        )
        print(
            f"{full['dtype']:8} {full['heads']:>3}, {full['n']:<5} {pairs[0]:>12}  {pairs[1]:>12}  {pairs[2]:>14}{verdict}"
        )
    single = [ratio(cell, "streaming", "torch") for cell in result["speed"] if cell["dtype"] == "float32"]
    mean = statistics.geometric_mean(single)
    print(f"float32, all cells: geometric mean {mean:.2f}{judged(mean, 1.0) if threads == 1 else ''}")
    if "decoding" in result:
        print("\none token more, 4 heads × 64, float32")
        for cell in result["decoding"]:
            gain = 1 / ratio(cell, "step", "attention")
            print(
                f"after {cell['n'] - 1:5}: {gain:6.0f} times cheaper than attention again{judged(gain, CACHED[cell['n']], False)}, "
                f"{1 / ratio(cell, 'step', 'streaming'):4.0f} times than streaming again; "
                f"{ratio(cell, 'step', 'torch'):.2f} of torch's step{judged(ratio(cell, 'step', 'torch'), 1.0)}"
            )
    if "memory" in result:
        print("\nmost memory beyond the inputs, 1 head, float32, MiB full / causal")
        cells = result["memory"]
        for full, causal in zip(cells[::2], cells[1::2], strict=True):
            verdict = judged(max(full["bytes"], causal["bytes"]) / 2**20, 15) if full["n"] == LENGTHS[-1] else ""
            print(f"n = {full['n']:5}: {full['bytes'] / 2**20:5.1f} / {causal['bytes'] / 2**20:5.1f}{verdict}")
        exponent = math.log(cells[-2]["bytes"] / cells[-4]["bytes"], LENGTHS[-1] / LENGTHS[-2])
        print(f"grows as n^{exponent:.2f}{judged(exponent, 1.0)}")


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=float, default=1.5, help="for each cell")
    options.add_argument("--threads", default="1,2")
    options.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    options = options.parse_args()
    if options.measure:
        json.dump(measure(options.measure, options.seconds), sys.stdout)
        return 0
    results = []
    for threads in options.threads.split(","):
        limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), threads)
        command = [sys.executable, __file__, "--measure", threads, "--seconds", str(options.seconds)]
        done = subprocess.run(command, env=os.environ | limits, stdout=subprocess.PIPE, text=True, check=True)
        results.append(json.loads(done.stdout))
        report(results[-1])
    home = ROOT / "_build/bench/attention.json"
    home.parent.mkdir(parents=True, exist_ok=True)
    home.write_text(json.dumps({"machine": platform.machine(), "numpy": np.__version__, "runs": results}, indent=1))
    print(f"\nAll seconds: {home.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
