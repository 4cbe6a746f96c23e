"""Record what a head that reads the word before does with longer texts, in attnlib/data/lengths.json.

    python -m attnlib.training.lengths [--out FILE]     # a few minutes on one thread

The task is chapter 8's. A text is a row of letters of ten kinds, repeats allowed, and each token names the letter before it.
One causal head learns it from short texts, without places and with them in three ways. Then the texts grow.
`attnlib.lab.lengths` reads the file.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attnlib.positions import sinusoidal_encoding
from attnlib.training.recording import write

LETTERS, SIZE = 10, 16  # kinds of letters, and the width d of everything else
TRAINED = (9, 16)  # the lengths of the texts of training
LENGTHS = (3, 6, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48, 56, 64)  # of the texts at the end
LONGEST = LENGTHS[-1]
SEEDS = (0, 1, 2, 3, 4)
STEPS, BATCH, RATE = 2000, 32, 0.02  # steps of Adam, texts of each, and the first learning rate, which falls to 0
TEXTS, AT_ONCE = 1000, 100  # new texts at the end, and how many are read together


class Run(NamedTuple):
    """How a head knows places, and what is changed to learn why it fails, or does not.

    Attributes:
        way: "none"; "sinusoidal", rows added to the embeddings; "rotary"; or "bias", a learned number for each distance,
            and for those beyond training the last of them.
        anywhere: in training a text begins at any place, so that every row of the sinusoidal table is seen.
        window: at the end a token reads no farther back than it could in training.
        as_last: at the end rotary turns what is farther away by the greatest angle of training.
        lower: what is taken from the last number of the bias at the end.
    """

    way: str
    anywhere: bool = False
    window: bool = False
    as_last: bool = False
    lower: float = 0.0


RUNS = {
    "none": Run("none"),
    "sinusoidal": Run("sinusoidal"),
    "sinusoidal, window": Run("sinusoidal", window=True),
    "sinusoidal, all rows seen": Run("sinusoidal", anywhere=True),
    "sinusoidal, all rows seen, window": Run("sinusoidal", anywhere=True, window=True),
    "rotary": Run("rotary"),
    "rotary, window": Run("rotary", window=True),
    "rotary, far as the last": Run("rotary", as_last=True),
    "bias": Run("bias"),
    "bias, window": Run("bias", window=True),
    "bias, last number lower": Run("bias", lower=3.0),
}
WAVES = torch.tensor(sinusoidal_encoding(LONGEST, SIZE))
Head = tuple[Tensor, ...]  # embeddings, W_Q, W_K, W_V, W_O, and the bias for each distance; seeds on the first axis


def begin(draw: torch.Generator, trained: int) -> Head:
    """A head for each of `SEEDS` before the first step.

    >>> [tuple(part.shape) for part in begin(torch.Generator(), 9)]
    [(5, 10, 16), (5, 16, 16), (5, 16, 16), (5, 16, 16), (5, 16, 10), (5, 9)]
    """
    shapes = [(LETTERS, SIZE), (SIZE, SIZE), (SIZE, SIZE), (SIZE, SIZE), (SIZE, LETTERS), (trained,)]
    return tuple(
        torch.randn(len(SEEDS), *shape, generator=draw, dtype=torch.double) / shape[0] ** 0.5 for shape in shapes
    )


def turn(x: Float[Tensor, "seeds many n d"], rows: Float[Tensor, "n d"]) -> Float[Tensor, "seeds many n d"]:
    """Rotary in the half-split layout, by the angles whose sines and cosines the rows hold."""
    (a, b), sin, cos = x.chunk(2, dim=-1), rows[:, 0::2], rows[:, 1::2]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def read(
    head: Head, texts: Int[Tensor, "seeds many n"], run: Run, first: Tensor | None = None
) -> tuple[Float[Tensor, "seeds many n letters"], Float[Tensor, "seeds many n n"]]:
    """What each token scores for the letter before it, and the weights.

    Args:
        head: `begin`'s, or a trained one.
        texts: letters as numbers from 0.
        run: the way, and what is changed.
        first: the place where each text begins, (seeds, many); None is 0.
    """
    words, w_q, w_k, w_v, w_o, table = head
    n, trained = texts.shape[-1], table.shape[-1]
    x = words[torch.arange(len(words))[:, None, None], texts]
    if run.way == "sinusoidal":
        x = x + (WAVES[:n] if first is None else WAVES[first[..., None] + torch.arange(n)])
    query, key, value = (x @ w[:, None] for w in (w_q, w_k, w_v))
    back = torch.arange(n)[:, None] - torch.arange(n)
    far = back >= trained  # beyond training
    if run.way == "rotary":
        scores = turn(query, WAVES[:n]) @ turn(key, WAVES[:n]).mT
        if run.as_last:
            scores = torch.where(far, turn(query, WAVES[trained - 1 : trained].expand(n, -1)) @ key.mT, scores)
    else:
        scores = query @ key.mT
    scores = scores / SIZE**0.5
    if run.way == "bias":
        scores = scores + table[:, back.clamp(0, trained - 1)][:, None] - run.lower * (back >= trained - 1)
    hidden = (back < 0) | (far & run.window)
    weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
    return weights @ value @ w_o[:, None], weights


@cache
def train(way: str, trained: int, anywhere: bool = False, steps: int = STEPS) -> Head:
    """The heads after `steps` steps with texts of `trained` letters, for each of `SEEDS`."""
    draw = torch.Generator().manual_seed(trained)
    head = tuple(part.requires_grad_() for part in begin(draw, trained))
    stepper = torch.optim.Adam(head, lr=RATE)
    size = len(SEEDS), BATCH
    for step in range(steps):
        stepper.param_groups[0]["lr"] = RATE * (1 - step / steps)
        texts = torch.randint(LETTERS, (*size, trained), generator=draw)
        first = torch.randint(LONGEST - trained + 1, size, generator=draw) if anywhere else None
        said, _ = read(head, texts, Run(way), first)
        said, asked = said[:, :, 1:], texts[:, :, :-1]
        loss = torch.nn.functional.cross_entropy(said.flatten(0, 2), asked.flatten(), reduction="sum")
        stepper.zero_grad()
        (loss / (BATCH * (trained - 1))).backward()
        stepper.step()
    return tuple(part.detach() for part in head)


def new_texts() -> Iterator[Int[Tensor, "seeds many n"]]:
    """`TEXTS` texts for each seed, of the greatest length, `AT_ONCE` at a time. Their beginnings are the shorter ones."""
    draw = torch.Generator().manual_seed(0)
    for _ in range(TEXTS // AT_ONCE):
        yield torch.randint(LETTERS, (len(SEEDS), AT_ONCE, LONGEST), generator=draw)


def measure(head: Head, run: Run) -> dict[str, list[list[float]]]:
    """Of the last token of texts of each of `LENGTHS`, for each seed: how many are right, and the mean weights.

    A token reads no later one, so that the last token of a short text is one in the middle of a longer.

    Returns:
        "right", how many of `TEXTS` name the letter before; "before", the mean weight on the token before; "far", the mean
        weight on all that is farther away than anything was in training. Each has a row for each seed.
    """
    found = {name: torch.zeros(len(SEEDS), len(LENGTHS)) for name in ("right", "before", "far")}
    last, trained = torch.tensor(LENGTHS) - 1, head[-1].shape[-1]
    back = torch.arange(LONGEST)[:, None] - torch.arange(LONGEST)
    for texts in new_texts():
        said, weights = read(head, texts, run)
        found["right"] += (said[:, :, last].argmax(dim=-1) == texts[:, :, last - 1]).sum(dim=1)
        for name, which in (("before", back == 1), ("far", back >= trained)):
            found[name] += (weights * which).sum(dim=-1).sum(dim=1)[:, last] / TEXTS
    return {
        "right": found["right"].int().tolist(),
        **{name: [[round(weight, 3) for weight in row] for row in found[name].tolist()] for name in ("before", "far")},
    }


def record() -> dict[str, Any]:
    """All runs at both lengths of training."""
    made: dict[str, Any] = {}
    for trained in TRAINED:
        made[str(trained)] = {}
        for name, run in RUNS.items():
            made[str(trained)][name] = measure(train(run.way, trained, run.anywhere), run)
            print(f"{trained}, {name}", flush=True)
    return {
        "command": "python -m attnlib.training.lengths",
        "seeds": SEEDS,
        "steps": STEPS,
        "texts": TEXTS,
        "lengths": LENGTHS,
        "trained": made,
    }


def main() -> None:
    torch.set_num_threads(1)
    write("lengths", record)


if __name__ == "__main__":
    main()
