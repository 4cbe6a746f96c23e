"""Record what the model of chapter 9 can do with any of its heads silenced, in attnlib/data/silenced.json.

    python -m attnlib.training.silenced [--out FILE]     # one or two minutes

Nothing is trained. Each of the 256 sets of its eight heads is silenced in two ways. With "zero", what a head adds to the
stream is replaced by 0. With "mean", it is replaced by the mean of what the head adds in the whole model, over all
positions of other texts. That is the mean of the head's output before W_O, times its rows of W_O, because W_O is linear.
`attnlib.lab.silenced` reads the file.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray as Array

from attnlib import corpus, trained
from attnlib.corpus import PRONOUN, Streams, repeats, streams
from attnlib.decoder import distance_bias, rms_norm
from attnlib.multihead import split_heads
from attnlib.scaled_dot_product import attention_weights, softmax
from attnlib.trained import Parameters
from attnlib.training.recording import write

SEEDS = (100, 101, 102, 103, 104)
STREAMS, LISTS = 200, 100  # of each seed
MEANS = 99  # the seed of the streams that means are taken over
SENTENCE = "Anna met Tom . he"
HABITS = tuple(corpus.MEN.values())


def additions(model: Parameters, layer: int, stream: Float[Array, "*batch n d"]) -> Float[Array, "h *batch n d"]:
    """What each head of a layer adds to the stream: its output, times its rows of W_O.

    Args:
        model: parameters of `attnlib.decoder`.
        layer: counted from 0.
        stream: what the layer reads.

    >>> additions(trained.parameters(), 0, np.ones((3, 5, 64))).shape
    (4, 3, 5, 64)
    """
    x, bias = rms_norm(stream), model["bias"][layer]
    query, key, value = (split_heads(x @ model[name][layer], len(bias)) for name in ("w_q", "w_k", "w_v"))
    found = attention_weights(query, key, causal=True, bias=distance_bias(bias, x.shape[-2])) @ value
    w_o = model["w_o"][layer].reshape(len(bias), -1, x.shape[-1])  # (h, d_v, d)
    return np.moveaxis(found @ w_o, -3, 0)


def mean_additions(model: Parameters, tokens: Int[Array, "count n"]) -> Float[Array, "layers h d"]:
    """What each head adds in the whole model, on average over all positions of all texts.

    >>> mean_additions(trained.parameters(), repeats(np.random.default_rng(0), 5)).shape
    (2, 4, 64)
    """
    stream, means = model["embedding"][tokens], []
    for layer in range(len(model["bias"])):
        added = additions(model, layer, stream)
        means.append(added.mean(axis=(1, 2)))
        stream = stream + added.sum(axis=0)
    return np.stack(means)


def logits_of_sets(
    model: Parameters, tokens: Int[Array, "*batch n"], instead: Float[Array, "layers h d"]
) -> Iterator[tuple[int, Float[Array, "*batch n v"]]]:
    """Each set of the heads of two layers, and the logits of the next word with `instead` in place of what these heads add.

    Sets are numbered as `attnlib.lab.silenced.row` does.

    >>> tokens = repeats(np.random.default_rng(0), 2)
    >>> sorted(number for number, _ in logits_of_sets(trained.parameters(), tokens, np.zeros((2, 4, 64))))[-1]
    255
    """
    stream = model["embedding"][tokens]
    for first, middle in _replaced(stream, additions(model, 0, stream), instead[0]):
        for second, end in _replaced(middle, additions(model, 1, middle), instead[1]):
            yield first + 16 * second, rms_norm(end) @ model["unembedding"]


def measured(
    model: Parameters, drawn: Streams, lists: Int[Array, "count twice"], instead: Float[Array, "layers h d"]
) -> dict[str, list[float]]:
    """Of each set: how many habits after a pronoun and words of a list's second round are right, and the loss in nats.

    >>> drawn, lists = streams(np.random.default_rng(0), 2), repeats(np.random.default_rng(0), 2)
    >>> {name: len(each) for name, each in measured(trained.parameters(), drawn, lists, np.zeros((2, 4, 64))).items()}
    {'pronoun': 256, 'repeats': 256, 'loss': 256}
    """
    found: dict[str, list[float]] = {name: [0] * 256 for name in ("pronoun", "repeats", "loss")}
    following, half = drawn.tokens[:, 1:], lists.shape[1] // 2
    for number, logits in logits_of_sets(model, drawn.tokens[:, :-1], instead):
        habits = drawn.task == PRONOUN
        found["pronoun"][number] = int((logits[habits].argmax(axis=-1) == following[habits]).sum())
        told = np.take_along_axis(logits, following[..., None], axis=-1)[..., 0]
        largest = logits.max(axis=-1)
        total = largest + np.log(np.exp(logits - largest[..., None]).sum(axis=-1))
        found["loss"][number] = round(float((total - told).mean()), 3)
    for number, logits in logits_of_sets(model, lists[:, :-1], instead):
        found["repeats"][number] = int((logits[:, half:].argmax(axis=-1) == lists[:, half + 1 :]).sum())
    return found


def record() -> dict[str, Any]:
    """All that `attnlib.lab.silenced` reads."""
    model = trained.parameters()
    texts = [
        (streams(np.random.default_rng(seed), STREAMS), repeats(np.random.default_rng(seed), LISTS)) for seed in SEEDS
    ]
    means = mean_additions(model, streams(np.random.default_rng(MEANS), STREAMS).tokens[:, :-1])
    ways = {}
    for way, instead in {"zero": np.zeros_like(means), "mean": means}.items():
        draws = [measured(model, drawn, lists, instead) for drawn, lists in texts]
        ways[way] = {name: list(zip(*(draw[name] for draw in draws), strict=True)) for name in draws[0]}
        rows = [trained.VOCABULARY.index(habit) for habit in HABITS]
        said = dict(logits_of_sets(model, np.array(trained.encode(SENTENCE)), instead))
        ways[way]["said"] = [softmax(said[number][-1])[rows].round(3).tolist() for number in range(256)]
        print(way, flush=True)
    return {
        "command": "python -m attnlib.training.silenced",
        "seeds": SEEDS,
        "streams": STREAMS,
        "lists": LISTS,
        "pronouns": [int((drawn.task == PRONOUN).sum()) for drawn, _ in texts],
        "repeated": [lists[:, lists.shape[1] // 2 + 1 :].size for _, lists in texts],
        "sentence": SENTENCE,
        "habits": HABITS,
        "ways": ways,
    }


def main() -> None:
    write("silenced", record)


def _replaced(
    stream: Float[Array, "*batch n d"], added: Float[Array, "h *batch n d"], instead: Float[Array, "h d"]
) -> Iterator[tuple[int, Float[Array, "*batch n d"]]]:
    """The stream after a layer, for each set of its four heads that add `instead`; head a counts 2^a."""
    for number in range(2 ** len(added)):
        whole = [instead[a] if number >> a & 1 else one for a, one in enumerate(added)]
        yield number, stream + sum(whole)


if __name__ == "__main__":
    main()
