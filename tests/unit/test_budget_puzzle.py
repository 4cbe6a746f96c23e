"""BudgetPuzzle and its counts: no text is read whole with whole grids, and each remedy saves what its definition says."""

import itertools
from dataclasses import asdict

import numpy as np
import pytest

from attnlib import cost
from attnlib.lab.budget import CARD, MEMORY, reading_cost
from attnlib.widgets import BudgetPuzzle, InputError
from attnlib.widgets.budget_puzzle import OFFERED, READERS, REMEDIES, TEXT, WINDOW, count

TOKENS = np.unique(np.geomspace(1000, TEXT, 200).round().astype(int)).tolist()
SETS = [
    taken
    for size in range(5)
    for taken in itertools.combinations(REMEDIES, size)
    if "linearised" not in taken or not {"tiles", "window"} & set(taken)
]
PARTS = ("parameters", "keys_and_values", "stream", "grids")


def options(taken):
    return dict.fromkeys(taken, True)


def gigabytes(number):
    return round(number / 1e9, 1)


def test_by_hand_the_small_model_never_reads_the_whole_text():
    for tokens, itemsize in itertools.product(TOKENS, (4, 2, 1)):
        assert not BudgetPuzzle(tokens=tokens, itemsize=itemsize).reached
    least = BudgetPuzzle(itemsize=1).reading
    assert least.grids == 2 * 12 * TEXT**2
    assert gigabytes(least.held) == 242
    assert BudgetPuzzle(tokens=25_000, itemsize=1).reading.held < MEMORY  # what fits is a quarter of it


def test_with_tiles_the_small_model_reads_it_at_any_size_of_a_number():
    held = [BudgetPuzzle(handed=True, tiles=True, itemsize=size).reading.held for size in (4, 2, 1)]
    assert [gigabytes(one) for one in held] == [8, 4, 2]
    assert all(BudgetPuzzle(handed=True, tiles=True, itemsize=size).reached for size in (4, 2, 1))
    assert not BudgetPuzzle(handed=True, tiles=True, tokens=99_999).reached


def test_what_is_not_offered_counts_nothing():
    assert BudgetPuzzle(tiles=True).reading == BudgetPuzzle().reading
    assert BudgetPuzzle(tiles=True).remedies == ()
    assert BudgetPuzzle(handed=True, shared=True, window=True).reading == BudgetPuzzle().reading
    assert BudgetPuzzle(handed=True, tiles=True, shared=True).remedies == ("tiles",)
    assert BudgetPuzzle(model="7B", tiles=True, shared=True).remedies == ("tiles", "shared")


def test_the_large_model_needs_tiles_and_shared_keys_and_two_bytes_or_one():
    won = {
        (size, taken)
        for size, taken in itertools.product((4, 2, 1), SETS)
        if BudgetPuzzle(model="7B", itemsize=size, **options(taken)).reached
    }
    assert won == {(2, ("tiles", "shared")), (1, ("tiles", "shared"))}
    for size, taken in itertools.product((4, 2, 1), SETS):
        assert not any(
            BudgetPuzzle(model="7B", itemsize=size, tokens=tokens, **options(taken)).reached for tokens in TOKENS[::40]
        )


@pytest.mark.parametrize(
    ("taken", "held", "seconds"),
    [
        ((), 1346.2, 89.2),
        (("tiles",), 66.2, 39.6),
        (("shared",), 1298.4, 88.0),
        (("tiles", "shared"), 18.4, 38.4),
        (("window",), 69.9, 11.3),
        (("tiles", "window"), 17.5, 9.1),
        (("linearised",), 15.4, 7.9),
    ],
)
def test_what_the_large_model_takes_at_two_bytes(taken, held, seconds):
    reading = BudgetPuzzle(model="7B", itemsize=2, **options(taken)).reading
    assert (gigabytes(reading.held), round(reading.seconds, 1)) == (held, seconds)


def test_the_models_have_the_published_sizes():
    """Of the blocks: GPT-2 small has 85 million parameters there, Llama 2 7B 6.5 billion."""
    assert READERS["small"] == {"d": 768, "num_layers": 12, "num_heads": 12, "expansion": 4}
    assert READERS["7B"] == {"d": 4096, "num_layers": 32, "num_heads": 32, "expansion": 4.03125}
    assert count("small", TEXT, 1, ()).parameters == 12 * 12 * 768**2
    assert count("7B", TEXT, 2, ()).parameters == 2 * 32 * (4 * 4096**2 + 3 * 4096 * 11008)


@pytest.mark.parametrize("taken", SETS)
@pytest.mark.parametrize("n", [1000, 5000, TEXT])
def test_the_counts_are_those_of_the_parts(taken, n):
    """Against the functions for each part, of the large model."""
    d, layers, heads, expansion = (READERS["7B"][name] for name in ("d", "num_layers", "num_heads", "expansion"))
    size, groups = 2, 4 if "shared" in taken else 32
    reading = count("7B", n, size, taken)
    shape = {"expansion": expansion, "num_heads": heads, "num_kv_heads": groups}
    matrices = cost.block_parameters(d, **shape)
    assert reading.parameters == layers * matrices * size
    assert reading.stream == n * d * size
    assert reading.held == sum(asdict(reading)[part] for part in PARTS)
    seen, d_head = min(n, WINDOW) if "window" in taken else n, d // heads
    one_layer, kept = (cost.cache_bytes(tokens, groups, d_head, itemsize=size) for tokens in (n, seen))
    if "linearised" in taken:
        state = groups * d_head * (d_head + 1) * size
        assert (reading.grids, reading.keys_and_values) == (state, one_layer + (layers - 1) * state)
        assert reading.looked_up == 128
        if groups == heads:
            attention = cost.linear_cost(n, n, d_head, d_head, num_heads=heads).multiply_adds
            assert reading.multiply_adds == layers * (n * matrices + attention)
        return
    assert reading.keys_and_values == one_layer + (layers - 1) * kept
    assert reading.looked_up == seen
    assert reading.grids == (256 * 512 if "tiles" in taken else 2 * heads * n * seen) * size
    attention = cost.window_cost(n, seen, d_head, d_head, num_heads=heads).multiply_adds
    assert reading.multiply_adds == layers * (n * matrices + attention)
    if "window" not in taken:
        assert reading.keys_and_values == cost.cache_bytes(n, groups, d_head, num_layers=layers, itemsize=size)
        assert reading.multiply_adds == layers * cost.block_multiply_adds(n, d, **shape)


@pytest.mark.parametrize("model", READERS)
@pytest.mark.parametrize("size", [4, 2, 1])
def test_no_time_is_less_than_that_of_the_products_or_of_the_bytes_held(model, size):
    for taken in SETS if model == "7B" else [(), ("tiles",)]:
        reading = count(model, TEXT, size, taken)
        assert reading.seconds >= reading.multiply_adds * size / (4 * CARD.peak) * (1 - 1e-12)
        assert reading.seconds >= (reading.parameters + reading.grids) / CARD.bandwidth


def test_tiles_change_no_product_and_save_four_fifths_of_the_time():
    for size in (4, 2, 1):
        whole, tiled = (count("small", TEXT, size, taken) for taken in ((), ("tiles",)))
        assert whole.multiply_adds == tiled.multiply_adds
        assert whole.seconds / tiled.seconds == pytest.approx(4.94, abs=0.01)
        assert tiled.seconds == pytest.approx(tiled.multiply_adds * size / (4 * CARD.peak))
        assert whole.seconds > 12 * 4 * 12 * TEXT**2 * size / CARD.bandwidth  # four passes over grids in a layer


def test_more_tokens_and_more_bytes_take_more():
    for model, taken in (("small", ()), ("7B", ("tiles",)), ("7B", ("window",)), ("7B", ("linearised",))):
        rows = [[*asdict(count(model, n, size, taken)).values()] for n in TOKENS for size in (1, 2, 4)]
        readings = np.array(rows).reshape(len(TOKENS), 3, -1)
        assert (np.diff(readings, axis=0) >= 0).all()
        assert (np.diff(readings, axis=1) >= 0).all()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"n": 0}, "n must be 1 or more, got 0"),
        ({"num_heads": 5}, "num_heads"),
        ({"num_kv_heads": 3}, "num_kv_heads"),
        ({"window": 0}, "window must be 1 or more, got 0"),
        ({"linearised": True, "window": 3}, "linearised attention has no grid: it takes neither tiles nor a window"),
        ({"linearised": True, "tiles": True}, "linearised attention has no grid"),
    ],
)
def test_wrong_sizes_are_named(options, says):
    with pytest.raises(ValueError, match=says):
        reading_cost(**{"n": 10, "d": 8, "num_heads": 4, **options})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"model": "13B"}, "model must be one of small, 7B, got '13B'"),
        ({"tokens": 999}, "tokens must be from 1000 to 100000, got 999"),
        ({"tokens": 100_001}, "tokens must be from 1000 to 100000, got 100001"),
        ({"itemsize": 8}, "itemsize must be one of 4, 2, 1, got 8"),
        ({"linearised": True, "tiles": True}, "linearised goes without tiles"),
        ({"linearised": True, "window": True}, "linearised goes without window"),
    ],
)
def test_bad_input_is_named(options, says):
    with pytest.raises(InputError, match=says):
        BudgetPuzzle(**options)


def test_without_a_script_the_ways_stand_in_print(page_of):
    cells = page_of(BudgetPuzzle()).cells
    assert cells[1:6] == ["held at once", "multiply–adds", "time at best", "kept for the last token", "function"]
    assert [cells[at : at + 6] for at in range(6, len(cells), 6)] == [
        ["whole grids, 4 bytes a number", "968 GB", "193 trillion", "23.1 s", "100,000", "the same"],
        ["whole grids, 1 byte a number", "242 GB", "193 trillion", "5.77 s", "100,000", "rounded to 256 values"],
        ["tiles, 4 bytes a number", "8.02 GB", "193 trillion", "4.67 s", "100,000", "the same"],
    ]
    cells = page_of(BudgetPuzzle(model="7B", window=True, tokens=2000)).cells
    rows = {cells[at]: cells[at + 1 : at + 6] for at in range(6, len(cells), 6)}
    assert len(rows) == 6
    assert rows["window, 4 bytes a number"][3:] == ["2,000", "another"]
    assert rows["linearised, 2 bytes a number"][3:] == ["128", "another"]
    assert rows["tiles, shared keys, 2 bytes a number"][0] == "11.2 GB"


def test_what_is_offered_are_inputs():
    for name in (*OFFERED["small"], *OFFERED["7B"]):
        assert BudgetPuzzle().traits()[name].metadata["link"]
