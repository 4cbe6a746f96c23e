"""What the checkers say: of each answer only what is true of it."""

import numpy as np
import pytest

from attnlib.exercises.harness import Mistake, agrees, booleans, compare

ONE, FOUR = np.ones((2, 2)), 4 * np.ones((2, 3))


def said(answer, one):
    """The sentence of a property for the answer; nothing where it holds."""
    try:
        one.test(answer)
    except Mistake as mistake:
        return str(mistake)
    return None


def squared(*cases):
    """Squares, and three ways to miss them; in the first case of ones doubling and adding 1 are the same."""
    mistakes = [
        ("It is doubled.", lambda x: 2 * x),
        ("It has 1 more.", lambda x: x + 1),
        ("It is a product of matrices.", lambda x: x @ x),
    ]
    return agrees("squared", lambda x: x * x, [(case,) for case in cases], mistakes)


# A mistake is named where the answer makes it in every case


def test_a_mistake_that_coincides_in_one_case_is_not_named():
    assert said(lambda x: x + 1, squared(ONE)) == "It is doubled."
    assert said(lambda x: x + 1, squared(ONE, FOUR)) == "It has 1 more."
    assert said(lambda x: x + 1, squared(FOUR, ONE)) == "It has 1 more."
    assert said(lambda x: x + x**0.5, squared(ONE, FOUR)).startswith(
        "The result at [0, 0] should be 1.0000, got 2.0000"
    )


def test_a_mistake_that_is_no_mistake_in_the_first_case_is_named_at_the_next():
    assert said(lambda x: 2 * x, squared(2 * ONE, ONE)) == "It is doubled."


def test_a_mistake_that_the_sizes_of_a_case_forbid_is_named_where_the_answer_stops_there_too():
    assert said(lambda x: x @ x, squared(ONE, FOUR)) == "It is a product of matrices."

    def other(x):
        if x.shape[1] == 3:
            raise KeyError("no")
        return x @ x

    assert "should be 1.0000, got 2.0000" in said(other, squared(ONE, FOUR))
    assert "should be 1.0000, got 2.0000" in said(lambda x: x @ x if x.shape == (2, 2) else x * x, squared(ONE, FOUR))


def test_the_first_case_that_differs_is_shown_and_each_is_called_once():
    called = []

    def answer(x):
        called.append(x.shape)
        return x + x**0.5 if len(x.T) == 3 else x * x

    with pytest.raises(Mistake) as caught:
        squared(ONE, FOUR, ONE).test(answer)
    assert "for arguments of shape (2, 3)" in str(caught.value)
    assert caught.value.beside[0].shape == (2, 3)
    assert called == [(2, 2), (2, 3), (2, 2)]


def test_one_case_alone_names_by_that_case():
    with pytest.raises(Mistake, match="It is doubled"):
        compare(2, 1, [("It is doubled.", 2), ("It has 1 more.", 2)])


# Masks


def test_a_mask_is_whatever_numpy_reads_as_true_and_false():
    for mask in ([[True, False]], ((True, False),), np.array([[True, False]])):
        got = booleans(mask, (1, 2))
        assert got.dtype == bool
        assert got.tolist() == [[True, False]]
    for numbers in ([[1, 0]], np.array([[1.0, 0.0]])):
        with pytest.raises(Mistake, match="A mask holds True and False; yours holds numbers"):
            booleans(numbers)
    with pytest.raises(Mistake, match=r"The mask should have shape \(2, 1\), got \(1, 2\)\."):
        booleans([[True, False]], (2, 1))
    with pytest.raises(Mistake, match="The mask is None"):
        booleans(None)
