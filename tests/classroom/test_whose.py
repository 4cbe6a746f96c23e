"""Whose data a submission had: honest names and mistakes need no person, whatever a platform calls a student."""

import importlib
import random

import pytest

from classroom import drawn, platforms, whose
from tests.helpers.graded import BY_STUDENT, GRADED, known

# What a platform calls a student, and what such a student writes.
HONEST = [
    ("Anna-Müller_203", "Anna Müller"),
    ("Anna-Müller_203", "Mueller, Anna"),
    ("Anna-Maria-Müller_203", "Anna Müller"),
    ("mülleranna_503", "Anna Müller"),  # Canvas
    ("müllerannamaria_503", "Anna Müller"),
    ("mülleranna_503", "Anna Maria Müller"),
    ("παππάελένη_501", "Ελένη Παππά"),
    (platforms.plain("क्षितिज शर्मा_12"), "क्षितिज शर्मा"),
    (platforms.plain("สมหญิง ใจดี_13"), "สมหญิง ใจดี"),
    ("לוינועה_502", "נועה לוי"),
    ("smithannmarie_505", "Ann-Marie Smith"),
    ("garcíalópezjosé_9", "José García López"),
    ("obrienseán_9", "Seán O'Brien"),
    ("weißjørg_8", "Joerg Weiss"),
    ("O-Brien-Seán-sobrien", "Seán O'Brien"),  # Sakai
    ("amueller", "Anna Müller"),  # logins
    ("muellera2", "Anna Müller"),
    ("annam", "Anna Müller"),
    ("anna.mueller@example.org", "Anna Müller"),
    ("anna@example.org", "Anna Müller"),
    ("李雷_3", "李 雷"),
]
OTHERS = [
    ("Grace-Hopper", "Ada"),
    ("Grace-Hopper_17", "Ada Lovelace"),
    ("hoppergrace_17", "Ada Lovelace"),
    ("ghopper@example.org", "Ada Lovelace"),
    ("karen", "sophie"),
    ("emmy", "Ada L."),
    ("liamwilson_4", "Wil Li"),
]


@pytest.mark.parametrize(("student", "written"), HONEST)
def test_a_name_is_known_as_the_students_however_the_platform_writes_it(student, written):
    assert whose.alike(written, student)
    (looked,) = whose.look({student: {"name": written, "asked": {}}}, {}).values()
    assert (looked.person, looked.remarks) == ([], [])


@pytest.mark.parametrize(("student", "written"), OTHERS)
def test_another_name_is_for_a_person(student, written):
    assert not whose.alike(written, student)
    (looked,) = whose.look({student: {"name": written, "asked": {}}}, {}).values()
    assert looked.person == [f"its numbers are those of “{written}”; it was handed in as {student}"]


UNCLEAR = [
    ("s1234567", "Anna Müller"),
    ("ab12cde", "Anna Müller"),
    ("204", "Anna Müller"),
    ("eleni_4", "Ελένη Παππά"),
    ("Katherine-Brown_2", "Kate Brown"),
    ("brownkatherine_2", "Kate Brown"),
    ("Participant_203", "Anna Müller"),
    ("anon_abcde", "Anna Müller"),
]


@pytest.mark.parametrize(("student", "written"), UNCLEAR)
def test_where_it_cannot_be_seen_whose_a_name_is_a_remark_says_so_and_a_list_of_names_ends_it(student, written):
    one = {student: {"name": written, "asked": {}}}
    looked = whose.look(one, {})[student]
    assert looked.person == []
    (said,) = looked.remarks
    assert said.endswith(
        f"it was handed in as {student}: a column name in students.csv can say that this is one student"
    )
    assert whose.look(one, {student: [written]})[student] == whose.Looked()
    assert whose.look(one, {student: ["Eve Adams"]})[student].person or "Brown" in written


def names(**wrote):
    found = whose.look({student: {"name": name, "asked": {}} for student, name in wrote.items()}, {})
    return {student: (one.person, one.remarks) for student, one in found.items()}


def test_a_name_that_several_wrote_is_for_a_person_where_it_is_not_their_own():
    numbers = "its numbers are those of “Anna Müller”"
    assert names(müller_anna_203="Anna Müller", anna_müller_204="Anna Müller") == {
        "müller_anna_203": ([], [f"{numbers}, as are those of anna_müller_204"]),
        "anna_müller_204": ([], [f"{numbers}, as are those of müller_anna_203"]),
    }
    assert names(müller_anna_203="Anna Müller", eve="Anna Müller") == {
        "müller_anna_203": ([], [f"{numbers}, as are those of eve"]),
        "eve": ([f"{numbers}, which is the name of müller_anna_203; it was handed in as eve"], []),
    }
    assert names(s1111111="Anna Müller", s2222222="Anna Müller") == {
        "s1111111": ([f"{numbers}, as are those of s2222222"], []),
        "s2222222": ([f"{numbers}, as are those of s1111111"], []),
    }


def test_nobodys_login_is_anothers_name_by_a_part_of_it():
    found = names(s1234567="Anna Müller", anna="Anna Schmidt", amul="Adam Mulder")
    assert [person for person, _ in found.values()] == [[], [], []]
    found = names(s1234567="Anna Müller", mülleranna_8="Anna Müller")
    assert "which is the name of mülleranna_8" in found["s1234567"][0][0]


def test_a_submission_without_a_name_or_from_before_is_passed_over_or_said():
    found = whose.look({"ada": {"name": "", "asked": {}}, "old": None}, {})
    assert list(found) == ["ada"]
    assert found["ada"].person[0].startswith("no name is written in it")


def test_a_name_that_is_made_to_take_long_takes_no_longer():
    long = " ".join("a" * length for length in range(1, 60))
    assert not whose.alike(long, "a" * 300 + "b")
    assert whose.alike(long, "a" * 300)


def answered(**answers):
    """A class in which each student gave these two answers; each one's right ones are (number, number + 0.5)."""
    return {
        student: {
            "name": student,
            "asked": {
                f"test-{at}": {"got": got, "right": float(number + at / 2), "slack": 0.01, "known": known}
                for at, (got, known) in enumerate(given)
            },
        }
        for number, (student, given) in enumerate(answers.items())
    }


def test_one_wrong_answer_that_is_anothers_is_a_remark_and_several_are_for_a_person():
    right = {f"student{chr(97 + n)}": [(float(n), False), (n + 0.5, False)] for n in range(20)}
    one = {**right, "studenta": [(5.0, False), (0.5, False)]}
    found = whose.look(answered(**one), {})
    assert found["studenta"] == whose.Looked([], ["test-0: wrong, and right for the numbers of studentf"])
    two = {**right, "studenta": [(5.0, False), (5.5, False)]}
    found = whose.look(answered(**two), {})
    assert found["studenta"].person == ["test-0, test-1: wrong, and all right for the numbers of studentf"]
    for given in ([(5.0, False), (6.5, False)], [(5.0, True), (5.5, False)], [(99.0, False), (99.5, False)]):
        assert whose.look(answered(**{**right, "studenta": given}), {})["studenta"].person == []
    assert all(one == whose.Looked() for student, one in found.items() if student != "studenta")


def test_answers_that_many_have_point_at_nobody():
    alike = answered(**{f"student{chr(97 + n)}": [(float(n), False), (n + 0.5, False)] for n in range(20)})
    for one in list(alike.values())[1:]:
        for answer in one["asked"].values():
            answer["got"] = answer["right"] = 7.0
    for answer in alike["studenta"]["asked"].values():
        answer["got"] = 7.0
    assert whose.look(alike, {})["studenta"] == whose.Looked()


MANY = 300


@pytest.mark.parametrize(
    "name", [*BY_STUDENT[:1], *(pytest.param(name, marks=pytest.mark.slow) for name in BY_STUDENT[1:])]
)
def test_of_a_class_of_hundreds_mistakes_accuse_nobody_and_copied_answers_are_seen(name):
    """A third of the answers is wrong, in the ways that the set's wrong answers are. Then some copy all from another."""
    wrong, graded, draw = importlib.import_module(f"tests.classroom.sets.{name}").WRONG, GRADED[name], random.Random(7)
    students = [f"student {number}" for number in range(MANY)]
    spaces = {who: known(graded, who) for who in students}
    asked = {(who, task): dict(spaces[who]) for who in students for task in graded.questions}
    for (_, task), space in asked.items():
        exec(graded.questions[task], space)

    def answer(who, task):
        expression = draw.choice(list(wrong[task])) if draw.random() < 1 / 3 else "right"
        return eval(expression, dict(asked[who, task]), {task: None})

    def kept(who, given):
        questions = {task: asked[who, task] for task in graded.questions}
        found = {
            task: drawn.Asked(given[task], one["right"], one.get("wrong", {}), one.get("tolerance"))
            for task, one in questions.items()
        }
        return drawn.record(who, found)

    honest = {who: kept(who, {task: answer(who, task) for task in graded.questions}) for who in students}
    looked = whose.look(honest, {})
    assert sum(bool(one.person) for one in looked.values()) <= 1
    copied = 0
    for copier, source in zip(students[:40], students[40:80], strict=True):
        theirs = kept(copier, {task: asked[source, task]["right"] for task in graded.questions})
        found = whose.Looked()
        whose._answers(copier, honest | {copier: theirs}, found)
        copied += any(source in one for one in found.person)
    assert copied >= 30
