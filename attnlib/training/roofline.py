"""Record the roofline of a GPU, or where there is none of the CPU, in attnlib/data/roofline.json.

    python -m attnlib.training.roofline [--out FILE]     # some seconds

The same three pieces of work as `attnlib.lab.roofline.measure`, in PyTorch: attention with its whole grid, PyTorch's own
function, which works tile by tile, and one query that meets a cache. Numbers have 2 bytes on a GPU and 4 on a CPU.
"""

import platform
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention

from attnlib import cost
from attnlib.lab.roofline import WAYS, Roofline, fastest, point
from attnlib.training.recording import write

HEAD, HEADS, RUNS = 128, 32, 7


def measure(device: torch.device, n: int, size: int, many: int) -> Roofline:
    """The roofline of a device.

    Args:
        device: a GPU or a CPU, as PyTorch names it.
        n: tokens of the text.
        size: rows and columns of the large product.
        many: numbers of the copy.

    Returns:
        What was measured, with the device's name.
    """
    gpu = device.type == "cuda"
    kind = torch.float16 if gpu else torch.float32
    draw = torch.Generator(device).manual_seed(0)

    def numbers(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, device=device, dtype=kind, generator=draw)

    def seconds(work: Callable[[], object]) -> float:
        def finished() -> None:
            work()
            if gpu:
                torch.cuda.synchronize(device)

        finished()
        return fastest(finished, RUNS)

    square, other, full = numbers(size, size), numbers(size, size), numbers(many)
    empty = torch.empty_like(full)
    query, key, value = numbers(3, 1, HEADS if gpu else 1, n, HEAD)
    asks, cache = numbers(1, HEADS, 1, HEAD), numbers(2, 1, HEADS, n, HEAD)

    def at_once() -> object:
        return (query @ key.mT / HEAD**0.5).softmax(dim=-1) @ value

    heads, bytes_each = query.shape[1], full.element_size()
    grid = cost.attention_cost(n, n, HEAD, HEAD, num_heads=heads, itemsize=bytes_each)
    tiles = cost.streaming_cost(n, n, HEAD, HEAD, num_heads=heads, itemsize=bytes_each)
    writing = cost.attention_cost(1, n, HEAD, HEAD, num_heads=HEADS, itemsize=bytes_each)
    taken = (at_once, grid), (lambda: scaled_dot_product_attention(query, key, value), tiles), (
        lambda: scaled_dot_product_attention(asks, *cache), writing)  # fmt: skip
    name = torch.cuda.get_device_name(device) if gpu else f"{platform.machine()}, {torch.get_num_threads()} threads"
    with torch.inference_mode():
        return Roofline(
            f"PyTorch on {name}, numbers of {bytes_each} bytes",
            peak=size**3 / seconds(lambda: square @ other),
            bandwidth=2 * full.nbytes / seconds(lambda: empty.copy_(full)),
            points={way: point(counted, seconds(work)) for way, (work, counted) in zip(WAYS, taken, strict=True)},
        )


def record() -> dict[str, Any]:
    """What the file holds: the command, and the roofline of a GPU, or where there is none of the CPU."""
    gpu = torch.cuda.is_available()
    found = measure(torch.device("cuda" if gpu else "cpu"), 4096, *((8192, 1 << 30) if gpu else (2048, 1 << 25)))
    points = {way: one._asdict() for way, one in found.points.items()}
    return {"command": "python -m attnlib.training.roofline"} | found._asdict() | {"points": points}


def main() -> None:
    write("roofline", record)


if __name__ == "__main__":
    main()
