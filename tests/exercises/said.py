"""What the package says: the same here and in the page's Python, in which this module runs too."""

import doctest
import itertools
import pkgutil
import warnings
from importlib import import_module

import attnlib
from attnlib import exercises
from attnlib.exercises import Property, guard, judging
from attnlib.exercises.harness import call


def reports():
    """The report on each published answer to a program, and on every answer to a question, as text and as HTML."""
    judging.within = lambda seconds, work: guard.within(20 * seconds, work)  # the machine may be busy
    modules = [import_module(f"tests.exercises.chapter_{number:02d}") for number in exercises.CHAPTERS]
    programs = {
        name: one.RIGHT[name] + [answer for _, answer in one.WRONG[name]] for one in modules for name in one.RIGHT
    }
    questions = {name: answers_to(one.question) for name, one in exercises.EXERCISES.items() if one.question}
    with warnings.catch_warnings(action="ignore"):
        return {
            name: [[repr(report), report._repr_html_()] for report in (exercises.check(name, one) for one in answers)]
            for name, answers in (programs | questions).items()
        }


def answers_to(question):
    """Every option by its number, or the right number and the wrong ones that have a reply of their own."""
    if options := getattr(question, "options", ()):
        return [*range(len(options)), "?"]
    return [str(question.right), *(value for value, *_ in question.wrong), "1/0"]


def doctests():
    """The examples of the package that fail, and the modules that need what is not there."""
    failed, missing = set(), set()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for module in pkgutil.walk_packages(attnlib.__path__, "attnlib.", onerror=missing.add):
        try:
            tests = doctest.DocTestFinder().find(import_module(module.name))
        except ImportError:
            missing.add(module.name)
        else:
            failed |= {test.name for test in tests if runner.run(test, out=lambda _: None).failed}
    return {"attempted": runner.tries, "failed": sorted(failed), "missing": sorted(missing)}


def loops(x):
    while True:
        x += 1


def swallows(x):
    while True:
        try:
            while True:
                pass
        except:  # noqa: E722
            pass


def counts(x):
    return sum(number for number in itertools.count())


def calls_itself(x):
    return calls_itself(x + 1)


def unending():
    """What is said of functions that do not end."""
    judging.within = guard.within
    seconds = dict.fromkeys((loops, swallows, counts), 0.2) | {calls_itself: 60.0}  # it ends by itself, on any machine
    return [judging.judged(asked(limit), answer).results[0][1] for answer, limit in seconds.items()]


def asked(seconds):
    ends = Property("ends", lambda answer: call(answer, (1,)), seconds=seconds)
    return exercises.Exercise("x", "X", "easy", 1, "", ("Go.",), (ends,))
