"""The harness: whatever a student's function does, the answer is a sentence."""

import functools
import re
import signal
import sys
import threading
import time
import tracemalloc
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from attnlib import exercises
from attnlib.exercises import EXERCISES, Exercise, Mistake, Progress, Property, Report, check, hint, progress, question
from attnlib.exercises.guard import TimeUp, stopped, where, within
from attnlib.exercises.harness import agrees, call, call_traced, compare, kind
from attnlib.questions import ChoiceQuestion, NumberQuestion, OrderQuestion, shuffled
from classroom.inside.child import TimeLimit
from classroom.worker import Terminated
from pyodide_cells.kernel import Wanted


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Nothing is done yet, and no hint was given."""
    monkeypatch.setattr(exercises, "_kept", exercises.Keeper(None))
    monkeypatch.setattr(exercises, "_hints", {})


def an_exercise(*properties, **settings):
    given = {
        "id": "x",
        "title": "X",
        "difficulty": "easy",
        "minutes": 1,
        "misconception": "",
        "hints": ("Go.",),
    }
    return Exercise(**given | {"properties": properties} | settings)


@pytest.fixture
def ask(monkeypatch):
    """Check an answer against properties of an exercise of one's own."""

    def asked(answer, *properties, **settings):
        monkeypatch.setitem(EXERCISES, "x", an_exercise(*properties, **settings))
        return check("x", answer)

    return asked


GRID = np.arange(6.0).reshape(2, 3)


def test_what_numpy_was_told_to_raise_is_raised_in_no_checker(ask):
    with np.errstate(all="raise"):
        assert ask(lambda x: np.log(x), agrees("logs", np.log, [(np.zeros(2),)])).correct


@pytest.mark.parametrize(
    ("id", "answer"),
    [("pencil-blend", "10 %"), ("pencil-blend", "10%"), ("pencil-cache", "3.7 GB"), ("grouped-cache", "24.6 kB")],
)
def test_an_answer_may_carry_the_unit_that_is_asked_for(id, answer, unchecked):
    assert check(id, answer).correct


def test_a_number_beyond_all_floats_is_a_wrong_answer(unchecked):
    assert not check("empty-tile", 10**20).correct


def doubled(seconds=0.2, case=GRID):
    return agrees("doubled", lambda x: 2 * np.asarray(x), [(case,)], seconds=seconds)


def says(report):
    return report.results[0][1]


# What a function may do


def endless(x):
    while True:
        x = x + 0


def sleeps(x):
    time.sleep(60)


def swallows(x):
    while True:
        try:
            while True:
                try:  # noqa: SIM105
                    time.sleep(0.001)
                except:  # noqa: E722
                    pass
        except:  # noqa: E722
            continue


def in_a_thread(work):
    result = []
    thread = threading.Thread(target=lambda: result.append(work()))
    thread.start()
    thread.join()
    return result[0]


@pytest.mark.parametrize("function", [endless, sleeps, swallows])
def test_a_function_that_does_not_end_is_interrupted_and_its_line_is_named(function, ask):
    before = signal.getsignal(signal.SIGALRM), sys.gettrace()
    report = ask(function, doubled(), doubled())
    assert says(report).startswith("Your function had not ended after 0.2 seconds at line ")
    assert says(report).endswith(": it has a loop that never stops, or work that grows too fast.")
    assert report.results[1][1] == "Not tried: the function has to end first."
    assert (signal.getsignal(signal.SIGALRM), sys.gettrace()) == before


@pytest.mark.parametrize("function", [endless, swallows])
def test_outside_the_main_thread_too(function, ask):
    assert "had not ended after 0.2 seconds" in says(in_a_thread(lambda: ask(function, doubled())))
    assert in_a_thread(lambda: ask(lambda x: 2 * x, doubled(seconds=30))).correct


def test_an_alarm_that_was_set_before_still_comes():
    rung = []
    old = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    timer = signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        with pytest.raises(TimeUp):
            within(0.05, lambda: time.sleep(60))
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] < 1000
        assert rung == []
        signal.raise_signal(signal.SIGALRM)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, old)


def test_a_handler_of_another_language_is_replaced_by_none(monkeypatch):
    monkeypatch.setattr(signal, "signal", lambda number, handler, real=signal.signal: real(number, handler) and None)
    before = signal.getsignal(signal.SIGALRM)
    assert within(1, lambda: 3) == 3
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    monkeypatch.undo()
    signal.signal(signal.SIGALRM, before)


def test_an_interruption_after_the_end_does_nothing():
    from attnlib.exercises.guard import _Clock

    clock = _Clock(0.1)
    with pytest.raises(TimeUp) as interrupted:
        clock.alarm(signal.SIGALRM, None)
    assert interrupted.value.clock is clock
    clock.ended = True
    assert clock.alarm(signal.SIGALRM, None) is None


def test_recursion_without_an_end_is_named(ask):
    def again(x):
        return again(x)

    assert says(ask(again, doubled())).startswith("Your function calls itself without an end at line ")


def wrong_line(x):
    y = 1
    return x @ y @ x


def no_name(x):
    return y


def inner(x):
    return x.reshape(2, 3) @ x


def dot(x):
    return np.dot(np.ones((2, 3)), np.ones((4, 2)))


class Stop(BaseException):
    """What no `except Exception` holds."""


def stops(x):
    raise Stop


def closes(x):
    raise GeneratorExit


SENTENCES = {
    "error": (no_name, "stopped with NameError at line {line}, `return y`: name 'y' is not defined."),
    "product": (inner, "ValueError at line {line}, `return x.reshape(2, 3) @ x`: the inner sizes of a matrix product differ, 2 and 3."),
    "dot": (dot, "the inner sizes of a matrix product differ, 3 and 4. Is a transpose missing, or of other axes?"),
    "arguments": (lambda: 1, "Your function is called with 1 argument, which it does not take: "),
    "exit": (lambda x: sys.exit(), "Your function stopped with SystemExit at line "),
    "no Exception": (stops, "Your function stopped with Stop at line {line}, `raise Stop`."),
    "close": (closes, "Your function stopped with GeneratorExit at line {line}, `raise GeneratorExit`."),
    "fail": (lambda x: pytest.fail("no"), "Your function stopped with Failed at line "),
    "none": (lambda x: None, "The result is None: does the function end in `return`?"),
    "text": (lambda x: "two", "The result should be numbers, got a str."),
    "object": (lambda x: object(), "The result should be numbers, got an object."),
    "tuple": (lambda x: (x, x[0]), "The result is a tuple of 2, of shapes (2, 3) and (3,): return one of them alone."),
    "ragged": (lambda x: [[1], [1, 2]], "The result is a list of 2, of shapes (1,) and (2,): that is no grid of numbers."),
    "complex": (lambda x: x + 1j, "The result should be real numbers, got complex ones."),
    "nan": (lambda x: x / x * 2, "The result holds nan at [0, 0], for arguments of shape (2, 3): it should be 0. A NaN comes"),
    "infinity": (lambda x: 1 / x, "The result holds inf at [0, 0], for arguments of shape (2, 3): it should be 0. ∞ comes"),
    "shape": (lambda x: x.T, "The result should have shape (2, 3), got (3, 2), for arguments of shape (2, 3)."),
    "cell": (lambda x: 2 * x + 1, "The result at [0, 0] should be 0.0000, got 1.0000, for arguments of shape (2, 3)."),
    "near": (lambda x: 2 * x + 1e-5, "The result at [0, 0] should be 0.000000, got 0.000010"),
    "in place": (lambda x: x.__imul__(2), "Your function changed its argument 1 in place: work on a copy."),
    "not a function": (np.ones(3), "Hand over the function itself, without calling it: an array came."),
    "nothing": (None, "Hand over the function itself, without calling it: None came."),
}  # fmt: skip


@pytest.mark.parametrize("name", SENTENCES)
def test_whatever_goes_wrong_is_a_sentence(name, ask):
    answer, sentence = SENTENCES[name]
    report = ask(answer, doubled())
    line = answer.__code__.co_firstlineno + 1 if callable(answer) else 0
    assert sentence.format(line=line) in says(report)
    assert report.points == 0
    assert sentence.format(line=line)[:20] in repr(report)


def test_a_test_that_calls_the_function_by_itself_is_guarded_too(ask):
    for answer, name in ((no_name, "NameError"), (stops, "Stop")):
        report = ask(answer, Property("own", lambda answer: answer(1)))
        assert f"Your function stopped with {name} at line" in says(report)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, Wanted, TimeLimit, Terminated])
def test_what_interrupts_a_function_is_no_error_of_it(kind, ask):
    error = kind("from outside")

    def interrupted(x):
        raise error

    for one in (doubled(), Property("own", lambda answer: answer(1))):
        with pytest.raises(kind) as came:
            ask(interrupted, one)
        assert came.value is error


def test_the_line_is_found_behind_partial_and_decorators_and_is_left_out_where_there_is_none():
    @functools.wraps(no_name)
    def wrapped(x):
        return no_name(x)

    class Callable:
        def __call__(self, x):
            return 1 / 0

    for answer in (functools.partial(functools.partial(no_name)), wrapped, Callable()):
        with pytest.raises((NameError, ZeroDivisionError)) as caught:
            answer(1)
        assert " at line " in where(caught.value, answer)
    assert where(caught.value, len) == ""
    assert stopped(ValueError(), len, 1) == "Your function stopped with ValueError."


def test_a_long_line_is_named_without_its_text():
    def long(x):
        raise ValueError("a text that is long enough to make this line one that nobody wants to read again")

    with pytest.raises(ValueError, match="long") as caught:
        long(1)
    assert where(caught.value, long) == f" at line {long.__code__.co_firstlineno + 1}"


def test_lists_dictionaries_and_numbers_are_protected_too():
    nested = [[1.0, 2.0], {"a": np.zeros(2)}]

    def spoils(x):
        x[1]["a"][0] = 1

    with pytest.raises(Mistake, match="argument 1 in place"):
        call(spoils, (nested,))
    assert nested[1]["a"][0] == 0
    assert call(lambda *given: len(given), (nested, 1.5, "text", np.random.default_rng(0), None)) == 5
    with pytest.raises(Mistake, match="argument 1 in place"):
        call(lambda x: x.append(1), ([1],))


def test_a_reference_is_given_arguments_of_its_own(ask):
    assert ask(lambda x: 2 * x, agrees("doubled", lambda x: x.__imul__(2), [(np.ones(3),)])).correct


def test_zeros_in_every_case_are_no_ones_mistake(ask):
    """A mistake that leaves nothing of a number gives the same zeros as a function that nobody has written."""
    ones = [(np.ones((2, 2)),), (np.ones((3, 3)),)]
    test = agrees("sum", np.sum, ones, [("You subtracted.", lambda x: (x - x).sum())])
    assert says(ask(lambda x: 0, test)) == "The result should be 4.0000, got 0.0000, for arguments of shape (2, 2)."


def test_a_mistake_that_cannot_be_made_with_these_sizes_is_passed_over(ask):
    mistakes = [("It is squared.", lambda x: x @ x), ("It is tripled.", lambda x: 3 * x)]
    report = ask(lambda x: 3 * x, agrees("doubled", lambda x: 2 * x, [(np.ones((2, 3)),)], mistakes))
    assert says(report) == "It is tripled."


def test_blocked_scores_may_be_infinite():
    right = np.array([0.0, -np.inf])
    compare(right.copy(), right)
    with pytest.raises(Mistake, match=r"at \[1\] should be −inf, got 1.0000"):
        compare(np.array([0.0, 1.0]), right)
    with pytest.raises(Mistake, match=r"should be 1\.0000, got 2\.0000"):
        compare(2, 1)
    with pytest.raises(Mistake, match=r"should be 0\.0, got 1e−15"):
        compare(1e-15, 0.0, tolerance=1e-20)


def test_what_a_function_prints_is_shown_up_to_a_limit(ask, capsys):
    def talks(x):
        print("here")
        return 2 * x

    assert ask(talks, doubled()).correct
    assert capsys.readouterr().out == "here\n"

    def shouts(x):
        for _ in range(1000):
            print("0123456789")
        return 2 * x

    assert ask(shouts, doubled(seconds=5)).correct
    shown = capsys.readouterr().out
    assert len(shown) < 4100
    assert "… and 7,000 characters more" in shown


# Reports


def test_points_are_counted_and_a_sentence_is_read_once(ask):
    report = ask(lambda x: x, doubled(), doubled(), Property("any", lambda answer: None))
    assert (report.points, report.of, report.correct) == (1, 3, False)
    text = repr(report)
    assert text.startswith("Not yet: 1 of 3 points.\n✗ doubled: The result at [0, 1] should be 2.0000, got 1.0000")
    assert "✗ doubled: As above." in text
    assert text.endswith("✓ any")
    assert report._repr_html_().count("<table>") == 2
    with pytest.raises(AssertionError, match="Not yet: 1 of 3 points"):
        report.or_raise()
    right = ask(lambda x: 2 * x, doubled())
    assert right.or_raise() is right
    assert repr(right) == "Right: 1 of 1 point.\n✓ doubled"


def test_two_small_grids_stand_beside_each_other(ask):
    report = ask(lambda x: 2 * x - (x == 5), doubled())
    lines = repr(report).splitlines()[2:]
    assert [line.split() for line in lines] == [
        ["expected", "got"],
        ["0.00", "2.00", "4.00", "0.00", "2.00", "4.00"],
        ["6.00", "8.00", "10.00", "6.00", "8.00", "9.00*"],
    ]
    assert lines[1].index("4.00") == lines[2].index("10.00") + 1
    assert report._repr_html_().count("<mark") == 1
    assert "0.00*" in repr(ask(lambda x: 2 * x - 2.0001 * (x == 1), doubled()))  # zero has no sign
    assert "expected" not in repr(ask(lambda x: 2 * x.T, doubled()))  # the sentence names both shapes
    assert "0.0001*" in repr(ask(lambda x: 2 * x + 1e-4, doubled()))
    assert "expected" not in repr(ask(lambda x: x, doubled(case=np.ones((9, 2)))))
    assert "expected" not in repr(ask(lambda x: x, doubled(case=np.ones(3))))


def test_every_colour_stands_beside_a_sign(ask, monkeypatch):
    report = ask(lambda x: 2 * x - (x == 5), doubled(), Property("any", lambda answer: None))
    html = report._repr_html_()
    assert len(re.findall(r'style="color:[^"]+">[✓✗]', html)) == html.count('style="color:') - 1 == 3  # one is a cell's
    printer = SimpleNamespace(text=lambda text: printed.append(text))
    printed = []
    for terminal in (True, False):
        monkeypatch.setattr(sys.stdout, "isatty", lambda terminal=terminal: terminal, raising=False)
        report._repr_pretty_(printer, False)
    assert re.sub(r"\x1b\[\d+m", "", printed[0]) == printed[1] == repr(report)
    assert "\x1b[31m✗\x1b[0m doubled" in printed[0]
    assert "\x1b[32m✓\x1b[0m any" in printed[0]


def test_a_reason_stands_indented_below_its_property(ask):
    html = ask(lambda x: 3 * x, doubled())._repr_html_()
    assert re.search(r'doubled<div style="margin:0 0 \.3rem 1\.4em[^"]*">The result at .*<table>.*</div></li>', html)


def test_a_mask_is_shown_as_true_and_false(ask):
    mask = agrees("tri", lambda x: np.tri(len(x), dtype=bool), [(np.ones((2, 2)),)])
    report = ask(lambda x: np.ones((2, 2), dtype=bool), mask)
    assert [line.split() for line in repr(report).splitlines()[1:]] == [
        [
            "✗",
            "tri:",
            "The",
            "result",
            "at",
            "[0,",
            "1]",
            "should",
            "be",
            "False,",
            "got",
            "True,",
            "for",
            "arguments",
            "of",
            "shape",
            "(2,",
            "2).",
        ],
        ["expected", "got"],
        ["True", "False", "True", "True*"],
        ["True", "True", "True", "True"],
    ]
    zeros = repr(ask(lambda x: np.zeros((2, 2), dtype=bool), mask))
    assert "should be True, got False" in zeros
    numbers = repr(ask(lambda x: np.ones((2, 2)), mask))
    assert "should be False, got 1.0" in numbers
    assert "1.00*" in numbers


def test_an_answer_in_single_precision_is_right_and_said_to_be(ask):
    x = np.random.default_rng(0).normal(size=(3, 4))
    squares = agrees(
        "squares", lambda x: x @ x.T, [(x,), (100 * x,)], [("It is rounded.", lambda x: (x @ x.T).round(3))]
    )
    for back in (np.float32, np.float64):
        report = ask(lambda x, back=back: (x.astype(np.float32) @ x.astype(np.float32).T).astype(back), squares)
        assert report.correct
        assert re.search(r"✓ squares: right to float32's precision \(largest difference \de−0\d\)", repr(report))
        assert "float32" in report._repr_html_()
    assert repr(ask(lambda x: x @ x.T, squares)).endswith("✓ squares")
    assert "It is rounded." in repr(ask(lambda x: (x @ x.T).round(3), squares))
    wrong = repr(ask(lambda x: x @ x.T * (1 + 5e-5), squares))
    assert re.search(r"No number is off by more than \de[+−]\d\d: was it computed in float32\? Here float64", wrong)
    assert "float32" not in repr(ask(lambda x: x @ x.T * 1.01, squares))


def test_zeros_alone_are_said_once_without_a_grid(ask):
    report = ask(lambda x: 0 * x, doubled(), doubled(case=GRID[:, :2]))
    assert repr(report).splitlines()[1:] == [
        "✗ doubled: The result holds zeros only.",
        "✗ doubled: As above.",
    ]
    assert ask(lambda x: 0 * x, doubled(case=np.zeros((2, 3)))).correct
    assert "should be 2.0000, got 0.0000" in repr(ask(lambda x: 0 * x, doubled(case=np.array(1.0))))


@pytest.mark.parametrize("name", ["softmax-axis", "write-attention", "read-one"])
def test_a_stub_of_zeros_gets_one_sentence(name, unchecked):
    report = check(name, lambda *given: np.zeros(np.shape(given[0] if len(given) < 5 else given[4][0])))
    assert {says for _, says in report.results} - {None} == {"The result holds zeros only."}
    assert "<table>" not in report._repr_html_()


def test_html_from_a_students_code_is_text(ask):
    def bad(x):
        raise ValueError("<script>alert(1)</script> & `code`")

    html = ask(bad, Property("<b>", lambda answer: answer(1)))._repr_html_()
    assert "<script>" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; <code>code</code>" in html


# Questions

OPTIONS = ChoiceQuestion(
    "Which?",
    [("`X` × 3", "Too *few*."), ("b", "Named like a letter."), ("Four.", "Yes, four.")],
    right=2,
    reveal="It was four.",
)
STEPS = OrderQuestion("Order?", [("one", ""), ("two", "It needs one."), ("three", "It needs two.")], "So.")
NUMBER = NumberQuestion("How many?", 0.5, [(2.0, 0.1, "The other way round.")], unit="nats", explanation="Half.")


@pytest.mark.parametrize(
    ("asked", "answer", "right", "said"),
    [
        (OPTIONS, 0, False, "Not yet. Too few."),
        (OPTIONS, "X x 3", False, "Too few."),
        (OPTIONS, "b", False, "Named like"),
        (OPTIONS, "C", True, "Right. Yes, four. It was four."),
        (OPTIONS, "(a)", False, "Too few."),
        (OPTIONS, " four ", True, "Yes"),
        (OPTIONS, 3, False, "Answer with a letter: a) X × 3, b) b, c) Four.."),
        (OPTIONS, True, False, "Answer with a letter"),
        (OPTIONS, "abc", False, "Answer with a letter"),
        (OPTIONS, None, False, "There is no answer yet."),
        (STEPS, [shuffled(3).index(step) for step in range(3)], True, "That is the order. So."),
        (STEPS, list(np.array([shuffled(3).index(step) for step in range(3)])), True, "That is the order."),
        (STEPS, ["one", "three", "two"], False, "Step 2 cannot be “three”. It needs two."),
        (STEPS, [0, 1], False, "Answer with a list that holds each of the numbers 0 … 2 once"),
        (STEPS, "one", False, "Answer with a list"),
        (STEPS, [np.array([1, 0, 2])], False, "Answer with a list that holds"),
        (STEPS, np.array([shuffled(3).index(step) for step in range(3)]), True, "That is the order."),
        (NUMBER, Decimal("0.5"), True, "Right."),
        (NUMBER, 0.5, True, "Right. Half."),
        (OPTIONS, np.int64(2), True, "Yes"),
        (NUMBER, np.float32(0.5), True, "Right."),
        (NUMBER, np.array(0.5), True, "Right."),
        (NUMBER, "1/2 nats", True, "Right."),
        (NUMBER, 2, False, "The other way round."),
        (NUMBER, "0,4", False, "That is not the number. Try another way. Read as 0.4"),
        (NUMBER, "much", False, "That is not a number."),
        (NUMBER, float("nan"), False, "That is not a number."),
        (NUMBER, [0.5], False, "Answer with a number, got a list."),
    ],
)
def test_a_question_takes_every_usual_form_of_an_answer_and_replies(asked, answer, right, said, ask):
    report = ask(answer, question=asked)
    assert report.correct is right
    assert said in repr(report)
    assert "<em>few</em>" in report._repr_html_() or "few" not in repr(report)
    assert report._repr_html_().startswith(f'<div class="check check-{"yes" if right else "no"}"><p><strong ')


# Hints, ids, progress


def test_hints_come_one_after_the_other(unchecked):
    first, second = EXERCISES["which-shape"].hints
    shown = [hint("which-shape") for _ in range(3)]
    assert shown[0] == f"Hint 1 of 2: {first}"
    assert shown[1] == shown[2]
    assert shown[1].startswith(f"Hint 2 of 2: {second}\n")
    assert "folded below the exercise “Which shape?” of chapter 1, in its notebook and on its page" in shown[1]
    assert repr(shown[0]) == shown[0]


@pytest.mark.parametrize("function", [hint, question, lambda id: check(id, 1)])
def test_an_unknown_id_is_answered_with_the_nearest(function):
    with pytest.raises(ValueError, match="no exercise is called 'wich-shape'; did you mean 'which-shape'"):
        function("wich-shape")


def test_an_id_that_is_like_none_is_answered_with_three_and_those_of_the_chapter(unchecked):
    hint("thief")
    with pytest.raises(ValueError, match=r"did you mean ('[^']+' or ){2}'[^']+'\? Chapter 1 has which-shape, [^']*\.$"):
        hint("zzz")


def test_an_answer_in_the_place_of_the_id_is_named(unchecked):
    with pytest.raises(
        ValueError, match="an exercise's id comes first, a text such as 'parameter-or-activation'; got a function"
    ):
        check(sleeps, "write-attention")


def test_a_program_is_no_question():
    with pytest.raises(ValueError, match=r"is answered with code: check\('write-attention', your_function\)"):
        question("write-attention")


def test_progress_keeps_the_best_of_a_session():
    assert progress().done(1) == 0
    check("write-attention", lambda x: x)
    assert "Chapter 1: 0 of 8 done" in repr(progress(1)).splitlines()
    assert re.search("  · Write it yourself +write-attention +1 of 3", repr(progress(1)))
    check("thief", 1)
    check("thief", "2")
    check("thief", 1)
    asked = question("which-shape")
    asked.answer = 0
    assert progress().done(1) == 1
    asked.answer = 1
    text = repr(progress(1))
    assert "Chapter 1: 2 of 8 done\n  ✓ Which shape?" in text
    html = progress(1)._repr_html_()
    assert "<td>✓</td><th scope='row'>Which shape?</th><td><code>which-shape</code></td>" in html


def test_progress_escapes_titles():
    shown = Progress({1: (an_exercise(doubled(), title="<i>"),)}, {}, here=1)
    assert "&lt;i&gt;" in shown._repr_html_()


def test_the_line_under_a_title():
    assert an_exercise(minutes=1).meta == "Program · easy · 1 minute"
    assert an_exercise(minutes=2, calculus=True).meta == "Program · easy · 2 minutes · needs calculus"


def test_a_report_is_made_by_hand_too():
    report = Report(an_exercise(), (("a", None),))
    assert report.correct
    assert kind(3) == "an int"


@pytest.mark.parametrize(
    ("id", "answer"),
    [
        *[("print-total", 1.5), ("empty-tile", float("nan")), ("no-places", 1), ("four-pokes", np.int64(2))],
        *[("zero-two-heads", 512.0), ("no-places", 1.0), ("empty-tile", np.nan)],
    ],
)
def test_a_number_is_the_option_that_it_is(id, answer, unchecked):
    assert check(id, answer).correct


@pytest.mark.parametrize(
    ("id", "answer"), [("print-total", 15), ("cache-restarts", 1), ("zero-two-heads", 2), ("print-total", 0)]
)
def test_a_number_is_no_other_option(id, answer, unchecked):
    assert not check(id, answer).correct


@pytest.mark.parametrize(("id", "grid"), [("four-pokes", 2), ("four-stripes", 3)])
def test_a_grid_is_named_by_its_own_number(id, grid, unchecked):
    assert check(id, grid).correct
    assert not check(id, grid - 1).correct


@pytest.mark.parametrize(("id", "steps"), [("clinic", 6), ("which-job", 4)])
def test_counting_up_is_no_order(id, steps, unchecked):
    assert not check(id, list(range(steps))).correct


@pytest.mark.parametrize("kind", [torch.float64, torch.float32])
@pytest.mark.parametrize(
    ("id", "answer", "says"),
    [
        ("causal-sums", lambda q, k, v: (grid := (q @ k.T).tril()) / grid.sum(1, keepdim=True) @ v, "an n × n grid"),
        ("distance-weights", lambda q, k: (-((q[:, None] - k) ** 2).sum(-1) / 2).softmax(-1), "of n_q × n_k × d"),
    ],
)
def test_what_an_answer_holds_in_torch_counts_too(id, answer, says, kind, patient, unchecked):
    report = check(id, lambda *given: answer(*(torch.tensor(x, dtype=kind) for x in given)))
    assert [says in reason for _, reason in report.results if reason] == [True], report


def test_a_tensor_that_repeats_its_numbers_holds_them_once():
    _, held = call_traced(lambda x: torch.tensor(x).expand(10**6, 3), (np.ones(3),))
    assert held < 10**6


def test_what_a_student_traced_before_is_not_held_by_an_answer_and_goes_on():
    tracemalloc.start()
    try:
        kept, large = np.ones(10**6), np.ones(10**7)
        del large
        _, held = call_traced(lambda x: x, (np.ones(3),))
        assert tracemalloc.is_tracing()
    finally:
        tracemalloc.stop()
    assert held < 10**6 < kept.nbytes
    assert call_traced(lambda x: np.ones(10**6), (1,))[1] >= 8 * 10**6
    assert not tracemalloc.is_tracing()
