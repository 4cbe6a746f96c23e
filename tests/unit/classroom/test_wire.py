"""Values cross between the grader and a student's process as data alone."""

import json

import numpy as np
import pytest

from classroom.inside import wire


@pytest.mark.parametrize(
    "value",
    [None, True, 3, 2.5, "text", [1, (2, "a")], {"a": [1.0]}, np.arange(6.0).reshape(2, 3), np.float32(2),
        np.array(True)],
    ids=repr,
)  # fmt: skip
def test_values_cross_the_wire(value):
    again = wire.unpack(json.loads(json.dumps(wire.pack(value))))
    assert type(again) is type(value)
    assert np.array_equal(again, value) if isinstance(value, np.ndarray) else again == value


def test_numbers_of_other_kinds_cross_as_floats():
    import decimal
    import fractions

    import torch

    assert wire.unpack(wire.pack([fractions.Fraction(1, 4), decimal.Decimal("0.5"), 10**30])) == [0.25, 0.5, 1e30]
    assert wire.unpack(wire.pack(torch.ones(2, dtype=torch.bfloat16))).tolist() == [1, 1]
    assert type(wire.unpack(wire.pack(10**5000))).__name__ == "int"


def test_what_is_no_value_crosses_as_its_name_and_nonsense_is_refused():
    assert type(wire.unpack(wire.pack(open))).__name__ == "builtin_function_or_method"
    assert isinstance(wire.unpack(wire.pack(np.array([object()]))), wire.Unknown)
    for nonsense in ({"array": ["<f8", [10**12], ""]}, {"array": ["O", [1], ""]}, 7, {}, {"list": 3}, {"plain": {}}):
        with pytest.raises(ValueError):  # noqa: PT011
            wire.unpack(nonsense)
