"""TensorCounter's Python side: both counts, the errors, the table."""

import json

import numpy as np
import pytest

from attnlib.widgets import InputError, TensorCounter


def test_the_counts_are_the_sizes_of_the_arrays():
    counter = TensorCounter(n=3, d=5, d_k=2, d_v=7)
    assert counter.ideal == np.zeros((3, 5, 3, 7)).size
    assert counter.attention == np.zeros((5, 2)).size + np.zeros((5, 2)).size + np.zeros((5, 7)).size


def test_attentions_count_does_not_depend_on_n_and_the_tensors_grows_with_its_square():
    one, two = TensorCounter(n=500), TensorCounter(n=1000)
    assert one.attention == two.attention
    assert two.ideal == 4 * one.ideal


def test_at_one_token_attention_has_more_to_learn():
    assert TensorCounter(n=1).attention > TensorCounter(n=1).ideal


@pytest.mark.parametrize("name", ["n", "d", "d_k", "d_v"])
@pytest.mark.parametrize("size", [0, 2**20 + 1])
def test_a_size_out_of_range_is_named(name, size):
    with pytest.raises(InputError, match=f"{name} must be from 1 to 1048576, got {size}"):
        TensorCounter(**{name: size})
    counter = TensorCounter()
    with pytest.raises(InputError):
        setattr(counter, name, size)
    assert counter.attention == 3 * 768**2


def test_the_table_tells_both_counts_in_numbers_and_bytes(page_of, hostile):
    page = page_of(TensorCounter(title=hostile))
    assert page.cells[1:4] == ["numbers", "at 4 bytes", "for 2n tokens"]
    assert page.cells[4:] == ["ideal tensor", "618 billion", "2.47 TB", "× 4", "attention", "1.77 million", "7.08 MB",
        "× 1"]  # fmt: skip
    assert "img" not in page.tags
    assert json.loads(page.state) == TensorCounter(title=hostile).state()
