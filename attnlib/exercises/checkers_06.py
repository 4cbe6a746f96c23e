"""How the programs of chapter 6 are judged: heads, split and merged."""

from typing import Any

import numpy as np

from attnlib.exercises.harness import Mistake, Property, call, compare, numbers
from attnlib.exercises.slips import Map, Slips, agrees, drawn, whole
from attnlib.multihead import merge_heads, split_heads

# Split and merge -------------------------------------------------------------------------------


def cut(x: np.ndarray, h: int) -> np.ndarray:
    """The reshape that forgets the swap."""
    *batch, n, width = x.shape
    return x.reshape(*batch, h, n, width // h)


def every_hth(x: np.ndarray, h: int) -> np.ndarray:
    *batch, n, width = x.shape
    return np.moveaxis(x.reshape(*batch, n, width // h, h), -1, -3)


def _batch_swapped(x: np.ndarray, h: int) -> np.ndarray:
    *batch, n, width = x.shape
    return np.swapaxes(x.reshape(*batch, n, h, width // h), 0, 1)


SPLIT_MISTAKES: Slips = [
    ("A head holds all columns of some tokens: reshape alone mixes tokens and heads. Reshape to (…, n, h, d_head), then swap the axes of tokens and heads.", cut),
    ("Head a holds every h-th column. It should hold d_head neighbouring columns: the last axis of the reshape is d_head, not h.", every_hth),
    ("The axes are (…, n, h, d_head): the swap of tokens and heads is missing.", lambda x, h: np.swapaxes(split_heads(x, h), -2, -3)),
    ("The axes are (…, h, d_head, n): one transpose too many.", lambda x, h: np.swapaxes(split_heads(x, h), -1, -2)),
    ("The heads are in the reverse order: the first head has the first columns.", lambda x, h: np.flip(split_heads(x, h), axis=-3)),
    ("The axes are (…, n, d_head, h). They should be (…, h, n, d_head).",
        lambda x, h: np.moveaxis(split_heads(x, h), -3, -1)),
    ("The first head alone came. Return all h of them.", lambda x, h: split_heads(x, h)[..., 0, :, :]),
    ("Every head holds the columns of the first.", lambda x, h: split_heads(x, h)[..., [0] * h, :, :]),
    ("Nothing is split: x came back as it was.", lambda x, h: x),
    ("h and the width of a head are exchanged: h is the number of heads.", lambda x, h: split_heads(x, x.shape[-1] // h)),
    ("The axes are (…, d_head, h, n). They should be (…, h, n, d_head).",
        lambda x, h: np.moveaxis(split_heads(x, h), -1, -3)),
    ("Every head holds all columns.", lambda x, h: np.stack([x] * h, axis=-3)),
]  # fmt: skip
MERGE_MISTAKES: Slips = [
    ("A row of your result holds several tokens of one head: reshape alone mixes tokens and heads. Swap their axes first.", lambda x: x.reshape(*x.shape[:-3], x.shape[-2], -1)),
    ("The heads' columns are interleaved: keep those of a head next to each other.", lambda x: np.moveaxis(x, -3, -1).reshape(*x.shape[:-3], x.shape[-2], -1)),
    ("The heads are added up. They should stand side by side.", lambda x: x.sum(axis=-3)),
    ("The heads stand below each other. They should stand side by side, in each token's row.", lambda x: x.reshape(*x.shape[:-3], -1, x.shape[-1])),
    ("The heads are in the reverse order: the first head stands first.", lambda x: merge_heads(np.flip(x, axis=-3))),
    ("The mean of the heads came. They should stand side by side.", lambda x: x.mean(axis=-3)),
    ("The axes are exchanged and not joined yet: the result should have shape (…, n, h · d_head).", lambda x: np.swapaxes(x, -2, -3)),
    ("The first head alone came. All of them should stand side by side.", lambda x: x[..., 0, :, :]),
    ("Your result is transposed: a row for each token.", lambda x: np.swapaxes(merge_heads(x), -1, -2)),
]  # fmt: skip
BATCHED = "With batch axes in front, count the axes from the end: −2 and −3, not 0 and 1."

# Share keys ------------------------------------------------------------------------------------


def _share(key: np.ndarray, h: int) -> np.ndarray:
    return np.repeat(key, h // len(key), axis=0)


SHARE_MISTAKES: Slips = [
    ("Nothing is handed out: the key heads came back as they are.", lambda key, h: key),
    ("The key heads take turns: 0, 1, 0, 1. Neighbours should share: 0, 0, 1, 1. (np.tile takes turns, np.repeat does not.)", lambda key, h: np.tile(key, (h // len(key), 1, 1))),
    ("You repeat the tokens. Repeat the heads, axis 0.", lambda key, h: np.repeat(key, h // len(key), axis=1)),
    ("You repeat the columns. Repeat the heads, axis 0.", lambda key, h: np.repeat(key, h // len(key), axis=2)),
    ("All query heads get the first key head. There are g of them.", lambda key, h: np.repeat(key[:1], h, axis=0)),
    ("All query heads get the mean of the key heads. Each group has one of its own.", lambda key, h: np.repeat(key.mean(axis=0, keepdims=True), h, axis=0)),
    ("The key heads are handed out in reverse order: the first group has the first key head.", lambda key, h: _share(key[::-1], h)),
    ("Each key head is repeated h times. There are h heads in all: repeat each h/g times.", lambda key, h: np.repeat(key, h, axis=0)),
    ("Each key head is repeated g times. There are h heads in all: repeat each h/g times.", lambda key, h: np.repeat(key, len(key), axis=0)),
    ("The groups have an axis of their own. Join it: h heads in a row.", lambda key, h: np.repeat(key[:, None], h // len(key), axis=1)),
    ("All query heads get the last key head. There are g of them.", lambda key, h: np.repeat(key[-1:], h, axis=0)),
    ("All query heads get the sum of the key heads. Each group has one of its own.", lambda key, h: np.repeat(key.sum(axis=0, keepdims=True), h, axis=0)),
    ("Copies of the whole key stand one after the other, with an axis of their own. Repeat each head: h of them in a row.", lambda key, h: np.stack([key] * (h // len(key)))),
    ("The keys are divided by the size of a group. Each query head gets its key head as it is.", lambda key, h: _share(key, h) / (h // len(key))),
    ("The axes of heads and tokens are exchanged: heads come first.", lambda key, h: _share(key, h).swapaxes(0, 1)),
]  # fmt: skip


# What each head adds ---------------------------------------------------------------------------


def _added(heads: np.ndarray, w_o: np.ndarray) -> np.ndarray:
    h, _, d_v = heads.shape
    return np.asarray(heads @ w_o.reshape(h, d_v, -1))


PART_MISTAKES: Slips = [
    ("That is the sum, the whole output. Return each head's part of it: shape (h, n, d).", lambda heads, o: merge_heads(heads) @ o),
    ("Every head goes through the first band of w_o. Head a has rows a·d_v to (a + 1)·d_v − 1.", lambda heads, o: heads @ o[: heads.shape[-1]]),
    ("Head a takes every h-th row of w_o. Its rows are neighbours: a·d_v to (a + 1)·d_v − 1.", lambda heads, o: heads @ o.reshape(heads.shape[-1], len(heads), -1).swapaxes(0, 1)),
    ("The bands of w_o are in the wrong order: the first head has the first rows.", lambda heads, o: heads @ o.reshape(*heads.shape[::2], -1)[::-1]),
    ("Each band of w_o is transposed: a head's blend of width d_v meets its d_v rows.", lambda heads, o: heads @ np.swapaxes(o.reshape(*heads.shape[::2], -1), 1, 2)),
    ("w_o is missing: the heads' blends came back as they are.", lambda heads, o: heads),
    ("Each part is the whole output. Return what each head adds to it.", lambda heads, o: np.stack([merge_heads(heads) @ o] * len(heads))),
    ("Each part is the whole output divided by h. The heads do not add alike.", lambda heads, o: np.stack([merge_heads(heads) @ o] * len(heads)) / len(heads)),
    ("The axes are (n, h, d). They should be (h, n, d).", lambda heads, o: np.swapaxes(_added(heads, o), 0, 1)),
    ("Those are the sums so far, head after head. Return what each head adds by itself.", lambda heads, o: np.cumsum(_added(heads, o), axis=0)),
    ("Those are the outputs without each head. Return what each head adds.", lambda heads, o: merge_heads(heads) @ o - _added(heads, o)),
    ("The first head's part alone came. Each head has one.", lambda heads, o: _added(heads, o)[0]),
    ("Every head goes through the last band of w_o. Head a has rows a·d_v to (a + 1)·d_v − 1.", lambda heads, o: heads @ o[-heads.shape[-1] :]),
    ("Each part is that of the last head.", lambda heads, o: _added(heads, o)[[-1] * len(heads)]),
    ("Those are lengths. Return the vectors that are added: shape (h, n, d).", lambda heads, o: np.linalg.norm(_added(heads, o), axis=-1)),
    ("The parts stand side by side. Give each head's an axis of its own: shape (h, n, d).", lambda heads, o: np.concatenate([*_added(heads, o)], axis=-1)),
    ("Each part is twice what the head adds.", lambda heads, o: 2 * _added(heads, o)),
]  # fmt: skip


def _sums_up(answer: Any) -> None:
    for heads, w_o in (drawn(7, (4, 6, 3), (12, 5)), drawn(8, (3, 4, 2), (6, 2)), whole(9, (2, 1, 3), (6, 1))):
        got = numbers(call(answer, (heads, w_o)))
        if got.shape != (shape := (*heads.shape[:2], w_o.shape[1])):
            raise Mistake(
                f"For heads of shape {heads.shape} and w_o of {w_o.shape} the parts should have shape {shape}, got {got.shape}."
            )
        compare(got.sum(axis=0), merge_heads(heads) @ w_o, what="The sum of the parts", tolerance=1e-5)


def _first_two(x: np.ndarray) -> np.ndarray:
    swapped = np.swapaxes(x, 0, 1)
    return swapped.reshape(*swapped.shape[:-2], -1)


def _first_only(right: Map, to: int) -> Map:
    """The first sentence's result for each sentence, or alone."""

    def wrong(x: np.ndarray, *rest: Any) -> np.ndarray:
        first = right(x[:1], *rest)
        return first[0] if to else np.repeat(first, len(x), axis=0)

    return wrong


ALIKE = "Every sentence of the batch gets the result of the first."
ALONE = "The first sentence of the batch came alone."
BATCHED_SPLIT = [
    (BATCHED, _batch_swapped),
    (
        "The heads stand before the batch axes. They come after them: (…, h, n, d_head).",
        lambda x, h: np.moveaxis(split_heads(x, h), -3, 0),
    ),
    (ALIKE, _first_only(split_heads, 0)),
    (ALONE, _first_only(split_heads, 1)),
    *SPLIT_MISTAKES,
]
BATCHED_MERGE = [
    (BATCHED, _first_two),
    (
        "The batch axes are joined with the tokens. Keep them: (…, n, h · d_head).",
        lambda x: merge_heads(x).reshape(-1, x.shape[-3] * x.shape[-1]),
    ),
    (ALIKE, _first_only(merge_heads, 0)),
    (ALONE, _first_only(merge_heads, 1)),
    *MERGE_MISTAKES,
]

SPLIT_HEADS = (
    agrees("one sentence", split_heads, [(*drawn(1, (5, 12)), 3), (*drawn(2, (2, 15)), 5), (*drawn(5, (5, 12)), 3),
        (*drawn(6, (4, 3)), 3), (*drawn(7, (1, 4)), 2), (*drawn(8, (3, 4)), 1), (*whole(9, (300, 4)), 2),
        (*drawn(10, (2, 160)), 2)], SPLIT_MISTAKES),
    agrees("a batch of sentences", split_heads, [(*drawn(3, (3, 5, 8)), 4), (*drawn(11, (1, 3, 4)), 2),
        (*drawn(12, (3, 1, 2)), 2)], BATCHED_SPLIT),
    agrees("two batch axes", split_heads, [(*drawn(4, (2, 3, 5, 8)), 4), (*drawn(13, (1, 2, 3, 4)), 2)], BATCHED_SPLIT),
)  # fmt: skip
MERGE_HEADS = (
    agrees("one sentence", merge_heads, [drawn(1, (3, 5, 4)), drawn(2, (4, 7, 2)), drawn(5, (3, 5, 4)),
        drawn(6, (3, 4, 1)), drawn(7, (2, 1, 3)), drawn(8, (1, 4, 3)), whole(9, (2, 300, 2)), drawn(10, (3, 2, 60))],
        MERGE_MISTAKES),
    agrees("a batch of sentences", merge_heads, [drawn(3, (2, 3, 5, 4)), drawn(4, (2, 3, 2, 4, 5)),
        drawn(11, (1, 2, 3, 2)), drawn(12, (2, 1, 3, 1, 2))], BATCHED_MERGE),
)  # fmt: skip
SHARE_KEYS = (
    agrees("groups of neighbours", _share, [(*drawn(1, (2, 5, 3)), 6), (*drawn(2, (3, 4, 2)), 12),
        (*drawn(5, (2, 5, 3)), 6), (*drawn(6, (2, 1, 3)), 4), (*drawn(7, (4, 3, 1)), 8), (*whole(8, (2, 300, 2)), 6)],
        SHARE_MISTAKES),
    agrees("one for all", _share, [(*drawn(3, (1, 5, 3)), 4), (*drawn(9, (1, 2, 3)), 1)], SHARE_MISTAKES),
    agrees("one for each", _share, [(*drawn(4, (4, 5, 3)), 4)], SHARE_MISTAKES),
)  # fmt: skip
HEAD_PARTS = (
    agrees("each head's part", _added, [drawn(1, (3, 5, 2), (6, 7)), drawn(2, (2, 4, 3), (6, 5)),
        drawn(3, (3, 5, 2), (6, 7)), drawn(4, (3, 4, 2), (6, 2)), drawn(5, (2, 3, 1), (2, 4)),
        drawn(6, (1, 3, 4), (4, 2)), whole(10, (2, 1, 3), (6, 2)), drawn(11, (2, 300, 2), (4, 1))], PART_MISTAKES),
    Property("the parts add up to the output", _sums_up),
)  # fmt: skip
