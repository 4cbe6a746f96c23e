"""Whose data a submission had: whether the name in it is the student's, and whose numbers its answers are right for.

Platforms call students otherwise than they call themselves: `mülleranna_503`, `amueller@example.org`, `s1234567`. A person
must look where a name is nobody's or somebody else's; where it cannot be seen whose it is, a remark says so. None costs points.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from attnlib.exercises.drawn import spelled, words
from classroom.texts import line

NAMELESS = re.compile(r"(?:.*-)?participant_\d+|anon_[a-z0-9]+", re.IGNORECASE)  # where a platform hides who it is
STROKES = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "a", "œ": "o", "ı": "i"})
TWO_LETTERS = re.compile(r"(?<=[aou])e|(?<=a)a")  # Mueller is Müller, and Aagaard Ågaard
MOST = 6  # words of a name that are looked at
TELLING = 3  # letters that tell more than an initial
SHOWN = 3  # students who are named in a sentence
CHANCE = 1  # students whom answers fit by chance, above which they point at nobody

Known = Mapping[str, dict[str, Any]]


@dataclass
class Looked:
    """Why a person must look at a submission, and remarks."""

    person: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def look(drawn: Mapping[str, dict[str, Any] | None], called: Mapping[str, list[str]]) -> dict[str, Looked]:
    """What there is to say of each student's data.

    Args:
        drawn: by student, as the platform calls the student, what `drawn.record` kept, or None.
        called: other names of students, as the teacher's list has them.
    """
    known = {student: one for student, one in drawn.items() if one}
    wrote: dict[tuple[str, ...], list[str]] = {}
    for student, one in known.items():
        wrote.setdefault(tuple(words(one["name"])), []).append(student)
    found = {}
    for student, one in known.items():
        found[student] = Looked()
        _name(
            student,
            one["name"],
            [other for other in wrote[tuple(words(one["name"]))] if other != student],
            known,
            called,
            found[student],
        )
        _answers(student, known, found[student])
    return found


def alike(name: str, student: str) -> bool:
    """Whether a written name is that of the student as a platform writes it, whole or in part, or as a login is made of it.

    >>> written = ("Müller-Anna-Maria_203", "mülleranna_503", "amueller@example.org", "anna", "eve")
    >>> [alike("Anna Müller", one) for one in written]
    [True, True, True, True, False]
    """
    own, theirs = _words(name), _platform(student)
    if not own or not theirs:
        return False
    inside = {*own} <= {*theirs} or {*theirs} <= {*own}
    return inside or _covers(own, "".join(theirs)) or _shortened(own, "".join(theirs))


def comparable(name: str, student: str) -> bool:
    """Whether it says anything that a name is not `alike`: not of another script, nor of a login such as `s1234567`.

    >>> comparable("Eve Adams", "adaking"), comparable("Eve Adams", "s1234567"), comparable("Eve Adams", "李雷_17")
    (True, False, False)
    """
    if NAMELESS.fullmatch(student):
        return False
    login = re.search(r"[^\W\d_]\d|\d[^\W\d_]", student.partition("@")[0])
    return not login and bool(_scripts(name) & _scripts(student))


def _name(
    student: str, name: str, same: list[str], known: Known, called: Mapping[str, list[str]], looked: Looked
) -> None:
    """What there is to say of the name that a student wrote, as did those who are the `same`."""

    def fits(other: str, how: Callable[[str, str], bool] = alike) -> bool:
        return any(how(name, one) for one in (other, *called.get(other, ())))

    if not name:
        looked.person.append(
            "no name is written in it, so that its numbers are nobody's: questions were graded with made-up ones"
        )
        return
    numbers = f"its numbers are those of “{name}”"
    if fits(student):
        if same:
            looked.remarks.append(f"{numbers}, as are those of {_few(same)}")
        return
    at = f"it was handed in as {line(student)}"
    if owners := [other for other in known if other != student and fits(other, _stands)]:
        looked.person.append(f"{numbers}, which is the name of {_few(owners)}; {at}")
    elif same:
        looked.person.append(f"{numbers}, as are those of {_few(same)}")
    elif _near(name, student) or not (called.get(student) or comparable(name, student)):
        looked.remarks.append(f"{numbers}; {at}: a column name in students.csv can say that this is one student")
    else:
        looked.person.append(f"{numbers}; {at}")


def _answers(student: str, known: Known, looked: Looked) -> None:
    """Answers that are wrong here, of no known mistake, and right for another: one is chance, several may be no chance.

    Each answer is right for some share of the class. Where so many students as `CHANCE` would be fitted by all of a
    student's by chance, they point at nobody.
    """
    fitting: dict[str, list[str]] = {}
    for test, mine in known[student]["asked"].items():
        if not mine["known"] and not _is(mine["got"], mine):
            asked = ((other, one["asked"].get(test)) for other, one in known.items() if other != student)
            fitting[test] = [other for other, one in asked if one and _is(mine["got"], one)]
    for test, whose in fitting.items():
        if 0 < len(whose) <= SHOWN:
            looked.remarks.append(f"{test}: wrong, and right for the numbers of {_few(whose)}")
    others = len(known) - 1
    pointing: dict[tuple[str, ...], list[str]] = {}
    for other in {one for whose in fitting.values() for one in whose}:
        tests = [test for test, whose in fitting.items() if other in whose]
        if len(tests) > 1 and others * math.prod(len(fitting[test]) / others for test in tests) <= CHANCE:
            pointing.setdefault(tuple(tests), []).append(other)
    for wrong, whose in sorted(pointing.items()):
        looked.person.append(f"{', '.join(wrong)}: wrong, and all right for the numbers of {_few(sorted(whose))}")


def _is(got: Any, other: dict[str, Any]) -> bool:
    if isinstance(got, float) and isinstance(other["right"], float):
        return bool(abs(got - other["right"]) <= other["slack"])
    return bool(got == other["right"])


@lru_cache(4096)
def _words(name: str) -> tuple[str, ...]:
    """The words of a name, as they are compared: without vowel signs, which a folder's name lacks."""
    bare = ("".join(sign for sign in word if unicodedata.category(sign)[0] != "M") for word in spelled(name))
    return tuple(TWO_LETTERS.sub("", word.translate(STROKES)) for word in bare if word)


@lru_cache(4096)
def _platform(student: str) -> tuple[str, ...]:
    """The same of what a platform calls a student, without the number that it gives and the rest of an address."""
    return _words(re.sub(r"\d+", " ", student.partition("@")[0]))


def _stands(name: str, student: str) -> bool:
    """Whether all words of a name stand in what the platform says."""
    own, theirs = _words(name), _platform(student)
    return {*own} <= {*theirs} or _covers(own, "".join(theirs), whole=True)


def _covers(own: tuple[str, ...], theirs: str, whole: bool = False) -> bool:
    """Whether words at the ends of a name without blanks are used up, or use it up (not where `whole`): `mullerannamaria`."""
    if not any(theirs.startswith(word) or theirs.endswith(word) for word in own):
        return False  # as for nearly all pairs of a class

    @cache
    def rest(left: tuple[str, ...], name: str) -> bool:
        if not left or not name:
            return not left or not whole
        for at, word in enumerate(left):
            others = left[:at] + left[at + 1 :]
            if name.startswith(word) and rest(others, name[len(word) :]):
                return True
            if name.endswith(word) and rest(others, name[: -len(word)]):
                return True
        return False

    return rest(own[:MOST], theirs)


def _shortened(own: tuple[str, ...], theirs: str) -> bool:
    """Whether a login is made of beginnings of the words, one of them more than an initial: `amuller`, `mulan`."""
    if not any(theirs[0] == word[0] for word in own):
        return False

    @cache
    def rest(left: tuple[str, ...], name: str, telling: bool) -> bool:
        if not name:
            return telling
        for at, word in enumerate(left):
            for length in range(min(len(word), len(name)), 0, -1):
                if name.startswith(word[:length]) and rest(
                    left[:at] + left[at + 1 :], name[length:], telling or length >= TELLING
                ):
                    return True
        return False

    return rest(own[:MOST], theirs, False)


def _near(name: str, student: str) -> bool:
    """Whether one word of a name is in what the platform says: nobody is called Kate there who is Katherine."""
    theirs = _platform(student)
    joined = "".join(theirs)
    return any(
        word in theirs or (len(word) >= TELLING and (joined.startswith(word) or joined.endswith(word)))
        for word in _words(name)
    )


def _scripts(text: str) -> set[str]:
    return {unicodedata.name(one, "?").split()[0] for one in text if one.isalpha()}


def _few(students: list[str]) -> str:
    named = [line(one) for one in students[:SHOWN]]
    return ", ".join(named) + (f" and {len(students) - SHOWN} more" if len(students) > SHOWN else "")
