"""How fast and how small: `attnlib` against torch's fused kernel and against the NumPy form that blogs show, in one run.

    python bench/attention.py [--seconds 1.5] [--threads 1,2]

Every cell of a table is measured in turn with its peers, so that a busy moment of the machine hits all alike, and what is
reported is the ratio of medians: below 1 the first is the faster. A turn in which other processes worked is not counted,
as far as the system tells. Each number of threads has a process of its own, since
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
from attnlib import KeyValueCache, attention, streaming_attention  # noqa: E402

D = 64
SHAPES = [(1, 128), (8, 128), (8, 512), (12, 1024), (8, 2048)]  # heads, n
CACHED = {256: 80, 1024: 250, 4096: 700}  # n: the gain over recomputing that is aimed at
LENGTHS = [2048, 8192, 32768]
THREADS = int(os.environ.get("OMP_NUM_THREADS", 1))
FORMS = ("attention", "streaming")
TARGETS = {
    ("float32", 1): 1.25,
    ("float64", 1): 0.9,
    ("float32", 2): 1.15,
    ("float64", 2): 0.9,
}  # of ours / torch's, on average


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
    and would slow the other's. Turns are those in which no other process worked, unless there are too few of them.
    """
    for run in runs.values():
        run()
    calm: dict[str, list[float]] = {name: [] for name in runs}
    every: dict[str, list[float]] = {name: [] for name in runs}
    end, turn = time.perf_counter() + seconds, 0
    while time.perf_counter() < end or turn < 5:
        for name in list(runs)[:: 1 if turn % 2 else -1]:
            time.sleep(0.05 if THREADS > 1 else 0)
            before, times = foreign_seconds(), [seconds_of(runs[name])]
            while sum(times) < 0.05:
                times.append(seconds_of(runs[name]))
            every[name].append(statistics.median(times[1:] or times))
            if foreign_seconds() - before < 0.02:
                calm[name].append(every[name][-1])
        turn += 1
    return {name: statistics.median(calm[name] if len(calm[name]) > 2 else every[name]) for name in runs}


def foreign_seconds() -> float:
    """How long processors worked for other processes since the system started; 0 where it does not tell."""
    try:
        busy = [int(ticks) for ticks in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]]
    except OSError:
        return 0.0
    own = os.times()
    return (sum(busy) - busy[3] - busy[4]) / os.sysconf("SC_CLK_TCK") - own.user - own.system


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
                runs = {
                    "attention": lambda given=given, causal=causal: attention(*given, causal=causal),
                    "streaming": lambda given=given, causal=causal: streaming_attention(*given, causal=causal),
                    "torch": lambda given=tensors, causal=causal: scaled_dot_product_attention(
                        *given, is_causal=causal
                    ),
                }
                plain = {"blog": lambda given=given, causal=causal: blog(*given, causal)}
                taken = medians(runs, seconds) | medians(
                    plain, seconds / 4
                )  # apart: it would leave few turns for these
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
            "attention": lambda given=(query, key, value): attention(*given, causal=True),
            "blog": lambda given=(query, key, value): blog(*given, True),
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
            attention(*given, causal=causal)
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
    print(f"{'dtype':8} {'heads, n':>9} " + "".join(f"{name:>13}" for name in (*FORMS, "as in blogs")))
    for full, causal in zip(result["speed"][::2], result["speed"][1::2], strict=True):
        pairs = [f"{ratio(full, name, 'torch'):.2f}/{ratio(causal, name, 'torch'):.2f}" for name in (*FORMS, "blog")]
        print(f"{full['dtype']:8} {full['heads']:>3}, {full['n']:<5}" + "".join(f"{pair:>13}" for pair in pairs))
    for dtype in ("float32", "float64"):
        for name in FORMS:
            ratios = [ratio(cell, name, "torch") for cell in result["speed"] if cell["dtype"] == dtype]
            mean = statistics.geometric_mean(ratios)
            verdict = judged(mean, TARGETS.get((dtype, threads), math.inf))
            print(f"{name}, {dtype}, all cells: geometric mean {mean:.2f}{verdict}")
    if "decoding" in result:
        print("\none token more, 4 heads × 64, float32")
        for cell in result["decoding"]:
            gain = 1 / ratio(cell, "step", "blog")
            print(
                f"after {cell['n'] - 1:5}: {gain:6.0f} times cheaper than as in blogs{judged(gain, CACHED[cell['n']], False)}, "
                f"{1 / ratio(cell, 'step', 'attention'):4.0f} times than attention again; "
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
