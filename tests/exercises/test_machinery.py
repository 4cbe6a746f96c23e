"""What the checkers say: of each answer only what is true of it."""

import functools
import inspect
import pkgutil
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from attnlib import exercises
from attnlib.exercises import Exercise, Property, check, guard, judging
from attnlib.exercises.guard import endless, stopped
from attnlib.exercises.harness import Mistake, agrees, apart, booleans, call, compare, kind, pair

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


def test_a_mistake_that_numpy_warns_of_warns_no_student():
    mistakes = [("The mean of nothing.", lambda x: np.mean(x[:0]) * x)]
    assert said(lambda x: x, agrees("doubled", lambda x: 2 * x, [(ONE,)], mistakes)).startswith("The result at [0, 0]")


def test_zeros_that_a_mistake_gives_in_its_only_case_are_zeros():
    of_one = agrees("the shares", lambda x: x / x.sum(), [(np.ones(1),)], [("That is the logarithm.", np.log)])
    assert said(lambda x: 0 * x, of_one) == "The result holds zeros only."


# Masks


def test_a_mask_is_whatever_numpy_reads_as_true_and_false():
    for mask in ([[True, False]], ((True, False),), np.array([[True, False]])):
        got = booleans(mask, (1, 2))
        assert got.dtype == bool
        assert got.tolist() == [[True, False]]
    for numbers, of in (([[1, 0]], "numbers"), (np.array([[1.0]]), "numbers"), (np.array([True], object), "objects")):
        with pytest.raises(Mistake, match=f"A mask holds True and False; yours holds {of}"):
            booleans(numbers)
    with pytest.raises(Mistake, match=r"The mask should have shape \(2, 1\), got \(1, 2\)\."):
        booleans([[True, False]], (2, 1))
    with pytest.raises(Mistake, match="The mask is None"):
        booleans(None)


# What counts as numbers


def matrix():
    with pytest.warns(PendingDeprecationWarning):
        return np.matrix([[1, 2]])


def in_torch(*, gradient=False, of="float64"):
    torch = pytest.importorskip("torch")
    return torch.tensor([[1.0, 2.0]], dtype=getattr(torch, of), requires_grad=gradient)


@pytest.mark.parametrize(
    "got",
    [
        lambda: [[1, 2]],
        lambda: ((True, 2.0),),
        lambda: [[Fraction(1), Decimal(2)]],
        lambda: np.array([[Fraction(1), 2]], dtype=object),
        lambda: [np.array([1, 2])],
        lambda: [[np.array(1), np.float32(2)]],
        matrix,
        lambda: np.ma.masked_array([[1.0, 2.0]]),
        lambda: [range(1, 3)],
        lambda: in_torch(),
        lambda: in_torch(gradient=True),
        lambda: in_torch(of="bfloat16"),
        lambda: [in_torch(gradient=True)[0]],
        lambda: [[one for one in in_torch(gradient=True)[0]]],
    ],
)
def test_every_kind_of_number_counts(got):
    compare(got(), np.array([[1.0, 2.0]]))
    with pytest.raises(Mistake, match=r"The result at \[0, 1\] should be 3\.0000, got 2\.0000"):
        compare(got(), np.array([[1.0, 3.0]]))


class Odd:
    """What NumPy asks for its numbers, and it has none."""

    def __array__(self, *_, **__):
        raise ValueError("no")


def itself():
    endless = []
    endless.append(endless)
    return endless


@pytest.mark.parametrize(
    ("got", "sentence"),
    [
        ({"a": 1}, "The result should be numbers, got a dict."),
        ({1.0}, "The result should be numbers, got a set."),
        (len, "The result should be numbers, got a function."),
        (lambda: 1, "The result should be numbers, got a function."),
        ((x for x in (1, 2)), "The result should be numbers, got a generator."),
        ("1.5", "The result should be numbers, got a str."),
        (b"1.5", "The result should be numbers, got bytes."),
        (np.array(["1", "2"]), "The result holds a str at [0], where a number should be."),
        ([1, "2"], "The result holds a str at [1], where a number should be."),
        ([1.0, None], "The result holds None at [1], where a number should be."),
        ([[1, 2], [3, {}]], "The result holds a dict at [1, 1], where a number should be."),
        (np.array([np.ones(2), np.ones(3)], dtype=object), "The result holds an array at [0], where a number should be."),
        (ValueError("no"), "The result should be numbers, got a ValueError: raise it, do not return it."),
        (ValueError, "The result should be numbers, got a class: raise it, do not return it."),
        (10**400, "The result holds a number too large to compare: above 10³⁰⁸."),
        ([1, -(10**400)], "The result holds at [1] a number too large to compare: above 10³⁰⁸."),
        (Decimal("sNaN"), "The result holds a Decimal that is no number."),
        (1j, "The result should be real numbers, got complex ones."),
        ([Fraction(1), 1j], "The result should be real numbers, got complex ones."),
        (np.array(["2020-01-01"], "M8[D]"), "The result should be numbers, got an array of datetime64[D]."),
        (np.ma.masked_array([1.0, 2.0], [0, 1]), "The result is a masked array: its masked cells hold no numbers."),
        ([np.ma.masked_array([1.0, 2.0], [0, 1])], "The result is a masked array: its masked cells hold no numbers."),
        ((np.ones(2), np.ones(3)), "The result is a tuple of 2, of shapes (2,) and (3,): return one of them alone."),
        ([[1], [2], [3, 4]], "The result is a list of 3, of shapes (1,) and (2,): that is no grid of numbers."),
        ((1, [2], [3, 4]), "The result is a tuple of 3, of shapes () and (1,) among others: return one of them alone."),
        ([[1, 2], [3]], "The result is a list of 2, of shapes (2,) and (1,): that is no grid of numbers."),
        ([[1, [2, 3]], [4]], "The result is a list of 2: that is no grid of numbers."),
        (itself(), "The result is a list of 1: that is no grid of numbers."),
        (Odd(), "The result is an Odd: that is no grid of numbers."),
    ],
    ids=lambda given: given if isinstance(given, str) and given.endswith(".") else "",
)  # fmt: skip
def test_what_are_no_numbers_is_said(got, sentence):
    with pytest.raises(Mistake) as caught:
        compare(got, np.ones(2))
    assert str(caught.value) == sentence


def test_a_result_of_single_precision_is_compared_as_such():
    right = np.array([1 / 3, 1000 / 3])
    for made, slack in (("float32", 1e-6), ("float16", 1e-3)):
        compare(right.astype(made), right)
        compare(list(right.astype(made)), right)
        compare((right * (1 + slack)).astype(made), right)
        with pytest.raises(Mistake):
            compare((right * 1.05).astype(made), right)
    compare((right * (1 + 1e-6)).astype("float32"), right)
    with pytest.raises(Mistake):
        compare(right * (1 + 1e-6), right)


def test_rounding_is_not_marked_in_a_grid_of_single_precision():
    right = np.array([[1 / 3, 1.0]])
    report = judged(lambda: np.array([[1 / 3, 2.0]], "float32"), agrees("x", lambda: right, [()]))
    assert repr(report).count("*") == 1


def test_a_result_that_changes_later_is_judged_as_it_came():
    kept = np.zeros(2)

    def answer(x):
        kept[:] = 2 * x
        return kept

    assert said(answer, agrees("doubled", lambda x: 2 * x, [(np.ones(2),), (np.zeros(2) + 3,)])) is None


def test_two_things_come_as_a_tuple_or_a_list():
    for got in ((1, 2), [1, 2], np.array([1, 2])):
        assert pair(got, "the cache", "the output") == (1, 2)
    for got, what in (((1, 2, 3), "a tuple of 3"), ({}, "a dict"), (np.float64(1), "a float64"), (None, "None")):
        with pytest.raises(Mistake, match=f"Return two things, the cache and the output: got {what}."):
            pair(got, "the cache", "the output")
    assert kind(np.ones(1)) == "an array"


# Sentences that are true of what is seen


@pytest.mark.parametrize(
    ("got", "right", "sentence"),
    [
        ([0.0, -np.inf], [1.0, 0.0], "holds −inf at [1]: it should be 0. −∞ is the score of a blocked key;"),
        ([np.nan, -np.inf], [1.0, 0.0], "holds nan at [0]: it should be 1. A NaN comes from"),
        ([-np.inf, np.nan], [1.0, 0.0], "holds −inf at [0]: it should be 1. −∞ is"),
        ([np.inf, np.nan], [1.0, 0.0], "holds inf at [0]: it should be 1. ∞ comes from"),
        ([0.0, 0.0], [1.0, 2.0], "The result holds zeros only."),
        ([2.0, 1.0], [1.0, 2.0], "The result has its 2 parts in exchanged order."),
        ([3.0, 2.0, 1.0], [1.0, 2.0, 3.0], "The result has its 3 parts in reverse order."),
        ([[2.0], [1.0]], [[1.0], [2.0]], "The result has its 2 rows in exchanged order."),
        ([[1.0, 2.0], [1.0, 2.0]], [1.0, 2.0], "should have shape (2,), got (2, 2). Return one of these 2 alone."),
        (1.0, [1.0, 2.0], "should have shape (2,), got one number."),
        ([1.0], 1.0, "should be one number, got an array of shape (1,)."),
        (-1e-6, 0.0, "The result should be 0.000000, got −0.000001."),
        (-1e-12, 0.0, "got −1e−12"),
        (0.98999, 0.99, "should be 0.990000, got 0.989990."),
        (1e30, 1.0, "should be 1.0000, got 1e+30."),
    ],
)
def test_a_result_is_explained_by_what_is_seen_in_it(got, right, sentence):
    with pytest.raises(Mistake) as caught:
        compare(got, right, tolerance=1e-15)
    assert sentence in str(caught.value)


def test_two_numbers_that_differ_are_written_apart():
    assert apart(0.0, -1e-5) == ("0.000000", "−0.000010")
    assert apart(1e300, -1e300)[1] == "−1e+300"


# Errors and their lines


def judged(answer, *properties):
    exercise = Exercise("x", "X", "easy", 1, "", ("Go.",), properties)
    return judging.judged(exercise, answer)


def test_the_line_is_the_students_also_behind_a_function_of_the_checkers():
    def step(cache, query, key, value):
        return no_such_name, cache

    said = repr(check("cached-step", step))
    assert f"at line {step.__code__.co_firstlineno + 1}, `return no_such_name, cache`" in said


def of_a_checker(source, **space):
    """The function that the source defines, as if a chapter's module held it."""
    exec(compile(source, f"{guard.BOOK}/exercises/checkers_01.py", "exec"), space)
    return space["checks"]


def test_a_line_in_a_function_that_a_checker_wrapped_is_told():
    def student(x):
        return x[5]

    wrapped = of_a_checker("def checks(x):\n    return student(x)\n", student=student)
    with pytest.raises(Mistake, match=rf"at line {student.__code__.co_firstlineno + 1}, `return x\[5\]`"):
        call(wrapped, (np.ones(2),))
    own = of_a_checker("def checks(x):\n    return x[5]\n")
    with pytest.raises(Mistake, match="Your function stopped with IndexError: index 5"):
        call(own, (np.ones(2),))


@pytest.mark.parametrize("told", [" at line 3, `return x[5]`", ""])
def test_an_error_from_another_process_brings_its_line(told):
    def far(x):
        error = type("IndexError", (Exception,), {})("list index out of range")
        error.where = told
        raise error

    with pytest.raises(Mistake) as caught:
        call(far, (1,))
    assert str(caught.value) == f"Your function stopped with IndexError{told}: list index out of range."


def test_an_endless_recursion_in_another_process_is_named_too():
    error = type("RecursionError", (Exception,), {"where": ""})("maximum recursion depth exceeded")
    assert stopped(error, len, 1) == "Your function calls itself without an end: it needs a case in which it does not."


@pytest.mark.parametrize(
    ("answer", "arguments", "says"),
    [
        (lambda x: x, (1, 2), "is called with 2 arguments, which it does not take: "),
        (lambda x, y: x, (1,), "is called with 1 argument, which it does not take: "),
        (functools.partial(lambda x: x, 1), (2,), "is called with 2 arguments, which it does not take: "),
        (type("Model", (), {}), (2,), "is called with 1 argument, which it does not take: Model() takes no arguments."),
        (float, ([],), "stopped with TypeError: float() argument must be a string"),
    ],
)
def test_a_count_of_arguments_is_told_where_it_is_wrong(answer, arguments, says):
    with pytest.raises(Mistake, match="Your function ") as caught:
        call(answer, arguments)
    assert f"Your function {says}" in str(caught.value)


READS = "def checks(answer):\n    return np.asarray(call(answer, (1,)), dtype=float)\n"


@pytest.mark.parametrize("got", [{"a": 1}, {1}, len, (np.ones(2), np.ones(3)), ValueError("no")])
def test_a_result_that_a_test_cannot_read_is_no_error_of_the_function(got):
    reads = Property("reads", of_a_checker(READS, np=np, call=call))
    (_, says), = judged(lambda x: got, reads).results  # fmt: skip
    assert says.startswith("What your function returned cannot be read as an answer: ")
    assert "-1" not in says
    assert "argument" not in says or "float() argument" in says


def test_code_that_is_only_slow_is_not_called_endless():
    says = endless(TimeoutError(), len, 1)
    assert (
        says
        == "Your function had not ended after 1 second: it has a loop that never stops, or work that grows too fast."
    )


def test_a_students_function_called_within_is_interrupted_too():
    stopping = []

    def swallow():
        try:
            while True:
                pass
        except:  # noqa: E722
            stopping.append(1)
        while len(stopping) < 2:
            pass

    space = {"swallow": swallow}
    exec(
        "def within(x):\n    while True:\n        try:\n            swallow()\n        except:\n            pass\n",
        space,
    )
    report = judged(space["within"], Property("ends", lambda answer: call(answer, (1,)), seconds=0.1))
    assert "had not ended after 0.1 seconds" in repr(report)


class Unspoken(Exception):
    def __str__(self):
        return None


def test_an_error_that_cannot_say_what_it_is_still_has_a_line():
    def fails(x):
        raise Unspoken

    with pytest.raises(Mistake) as caught:
        call(fails, (1,))
    line = fails.__code__.co_firstlineno + 1
    assert str(caught.value) == f"Your function stopped with Unspoken at line {line}, `raise Unspoken`."


def test_an_argument_that_became_another_kind_was_changed():
    def spoils(x):
        x[0] = None

    for case in ([np.ones(2)], [[1]], ["a"]):
        with pytest.raises(Mistake, match="argument 1 in place"):
            call(spoils, (case,))


# Questions


JUDGES = """
import sys
from attnlib.exercises import check
for id, answer in (("which-shape", "7 × 7"), ("thief", 2), ("write-attention", lambda x: x)):
    print(check(id, answer).correct)
print([name for name in sys.modules if name.startswith(("anywidget", "ipywidgets", "traitlets", "attnlib.widgets"))])
"""


def test_an_answer_is_judged_without_any_widget():
    judged = subprocess.run([sys.executable, "-c", JUDGES], capture_output=True, text=True, check=True)
    assert judged.stdout.split("\n") == ["True", "True", "False", "[]", ""]


def test_no_module_of_the_exercises_is_shadowed_by_a_function():
    for module in pkgutil.iter_modules(exercises.__path__):
        assert inspect.ismodule(getattr(exercises, module.name, exercises)), module.name


def test_a_limit_met_in_another_process_is_told_without_the_graders_word_for_it():
    late = type("TimeLimit", (Exception,), {"where": " at line 2, `while True:`", "limited": True})(
        "it took longer than 10 s"
    )
    assert stopped(late, abs, 1) == "Your function stopped at line 2, `while True:`: it took longer than 10 s."


@pytest.mark.parametrize("given", [{"gradient": True}, {"of": "bfloat16"}])
def test_tensors_are_judged_as_their_numbers(given):
    one = agrees("itself", lambda x: x, [(np.array([[1.0, 2.0]]),)])
    assert said(lambda x: in_torch(**given), one) is None
