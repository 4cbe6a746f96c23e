"""CostCalculator's Python side: its numbers against attnlib.cost and published totals, its errors, its tables."""

import json

import numpy as np
import pytest

from attnlib import cost
from attnlib.formatting import BYTES, large, text
from attnlib.widgets import CostCalculator, InputError
from attnlib.widgets.cost_calculator import MODELS

SIZES = {"n": 300, "d": 48, "num_heads": 6, "num_kv_heads": 2, "num_layers": 5, "expansion": 5.25}


def of(name):
    (model,) = [model for model in MODELS if model["name"] == name]
    sizes = {key: size for key, size in model.items() if key not in {"name", "source"} and size is not None}
    return CostCalculator(**sizes, itemsize=2)


def test_the_work_is_that_of_attnlib_and_its_parts_are_the_whole():
    calculator = CostCalculator(**SIZES)
    heads = {"num_heads": 6, "num_kv_heads": 2}
    assert calculator.work["grid"] == 5 * 2 * 300**2 * 48
    assert calculator.work["projections"] == 5 * 300 * (2 + 2 / 3) * 48**2
    assert sum(calculator.work.values()) == 5 * cost.block_multiply_adds(300, 48, expansion=5.25, **heads)
    assert calculator.crossover == cost.crossover(48, expansion=5.25, **heads)


def test_the_memory_is_that_of_attnlib():
    memory = CostCalculator(**SIZES, itemsize=8).memory
    shape = {"num_heads": 6, "itemsize": 8}
    assert memory["all at once"] == cost.attention_cost(300, 300, 8, 8, **shape).peak_bytes
    assert memory["tile by tile"] == cost.streaming_cost(300, 300, 8, 8, **shape).peak_bytes
    assert memory["cache"] == cost.cache_bytes(300, 2, 8, num_layers=5, itemsize=8)
    assert memory["parameters"] == 8 * 5 * (2 + 2 / 3 + 2 * 5.25) * 48**2


@pytest.mark.parametrize(
    ("name", "published", "embeddings"),
    [
        ("BERT base", 110e6, (30522 + 512 + 2) * 768),
        ("GPT-2 small", 124e6, (50257 + 1024) * 768),
        ("GPT-2 XL", 1558e6, (50257 + 1024) * 1600),
        ("GPT-3 175B", 174.6e9, (50257 + 2048) * 12288),
        ("Llama 2 7B", 6.74e9, 2 * 32000 * 4096),
        ("Llama 2 70B", 68.98e9, 2 * 32000 * 8192),
    ],
)
def test_a_models_parameters_and_embeddings_are_as_many_as_published(name, published, embeddings):
    assert of(name).memory["parameters"] / 2 + embeddings == pytest.approx(published, rel=0.02)


def test_below_the_crossover_the_grid_is_the_smaller_part_of_the_work_but_memory_is_full_of_it():
    calculator = CostCalculator(n=4096)
    assert calculator.n < calculator.crossover == 6 * calculator.d
    assert calculator.work["grid"] < sum(calculator.work.values()) / 2
    assert calculator.memory["all at once"] > 2 * (calculator.memory["parameters"] + calculator.memory["cache"])


def test_grouped_keys_shrink_the_cache_and_hardly_the_work():
    full, grouped = CostCalculator(num_kv_heads=12), CostCalculator(num_kv_heads=1)
    assert grouped.memory["cache"] == full.memory["cache"] / 12
    assert sum(grouped.work.values()) > 0.85 * sum(full.work.values())


BAD = {
    "no token": ({"n": 0}, "n must be from 1 to 1048576, got 0"),
    "too many tokens": ({"n": 2**20 + 1}, "n must be from 1 to 1048576, got 1048577"),
    "beyond any integer of NumPy": ({"n": 10**20}, "n must be from 1 to 1048576, got 1" + 20 * "0"),
    "layers": ({"num_layers": -1}, "num_layers must be from 1"),
    "NaN": ({"expansion": np.nan}, "expansion must be from 1 to 1048576, got nan"),
    "heads": ({"num_heads": 7}, "d = 768, num_heads = 7 and num_kv_heads = 12 do not divide each other"),
    "groups": ({"num_kv_heads": 5}, "num_heads = 12 and num_kv_heads = 5 do not divide"),
    "model": ({"models": [{"name": "a"}]}, "model 0 has no 'd'"),
    "model's heads": ({"models": [{**MODELS[0], "num_heads": 7}]}, "d = 512, num_heads = 7"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(name):
    options, message = BAD[name]
    with pytest.raises(InputError, match=message):
        CostCalculator(**options)


def test_the_tables_tell_the_same_numbers(page_of, hostile):
    calculator = CostCalculator(**SIZES, title=hostile, models=[{**MODELS[0], "name": hostile}])
    page = page_of(calculator)
    assert "img" not in page.tags
    total = sum(calculator.work.values())
    for part in calculator.work.values():
        assert {large(part), f"{text(100 * part / total, 1)} %"} <= set(page.cells)
    assert {large(part, BYTES) for part in calculator.memory.values()} <= set(page.cells)
    memory = calculator.memory
    assert page.cells[-2:] == [
        large(memory[way] + memory["cache"] + memory["parameters"], BYTES) for way in ("all at once", "tile by tile")
    ]
    assert json.loads(page.state) == calculator.state()


@pytest.mark.parametrize(
    ("number", "written"),
    [(1, "1"), (999, "999"), (0.3333, "0.333"), (1000, "1.00 thousand"), (9.996e6, "10.0 million"),
        (999_600, "1.00 million"),
     (1125, "1.13 thousand"), (10**24, "1,000 sextillion"), (2.5, "2.50")],
)  # fmt: skip
def test_large_numbers_have_three_digits_and_a_unit(number, written):
    assert large(number) == written


def test_a_half_is_rounded_up_as_in_the_page():
    assert [text(0.125), text(-0.125), text(6.25, 1), text(-0.001)] == ["0.13", "−0.13", "6.3", "0.00"]
