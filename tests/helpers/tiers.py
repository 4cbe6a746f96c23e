"""Which cases of a product `make test` tries; the others are marked slow, and `make test-all` tries them too."""

import pytest


def some_of(cases, every=4):
    """Cases, which are tuples, as parameters: one in so many is fast, with each value of each place in one at least."""
    cases = list(cases)
    known = [[] for _ in cases[0]]
    for case in cases:
        for values, value in zip(known, case, strict=True):
            if value not in values:
                values.append(value)
    fast = [case for case in cases if sum(map(list.index, known, case)) % every == 0]
    assert all(value in kept for values, kept in zip(known, zip(*fast, strict=True), strict=True) for value in values)
    return [case if case in fast else pytest.param(*case, marks=pytest.mark.slow) for case in cases]
