"""What a class got wrong in a set: by question, the points, who failed, and the sentences that each student got.

A misconception is a sentence that the set has in its hidden tests for a known mistake. A failure without one is counted
by what the grader said instead. Everything is read from the course folder, and no student is named in what comes out.
"""

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from attnlib.exercises import guard, results
from classroom import contained, drawn, examples, grades, lateness, texts, worker
from classroom.cells import grade_id, kind, parts, tag
from classroom.course import Course
from classroom.drawn import VARIABLE
from classroom.limits import Limits
from classroom.prose import parsed
from classroom.restore import defined
from classroom.rows import Row
from classroom.sets import OTHERWISE, handed_out

FEWEST = 2  # students who must have had a misconception before one answer is shown: one alone would be known
TRIED = 5  # answers of which the shortest is shown
STOPPED = re.compile(r"(Your function stopped(?: with \w+)?)\b.*", re.DOTALL)
NUMBER = re.compile(r"[-−]?\d[\d.,e+−-]*\d|\d")


@dataclass
class Question:
    """What stands under one heading of the set: its graded cells, the cells to answer in, and what came of them.

    `known` and `unnamed` have the students by sentence, `empty` those who left everything as it was handed out.
    """

    title: str
    most: dict[str, float] = field(default_factory=dict)  # by graded cell
    section: str = ""
    answers: dict[str, str] = field(default_factory=dict)  # as they were handed out, by cell
    wanted: set[str] = field(default_factory=set)  # the names that the answers define
    functions: bool = False
    by_student: bool = False
    tests: dict[str, set[str]] = field(default_factory=dict)  # sentences of known mistakes, by test
    points: list[tuple[float, float]] = field(default_factory=list)  # of each student: earned, of
    waiting: int = 0
    known: dict[str, set[str]] = field(default_factory=dict)
    unnamed: dict[str, set[str]] = field(default_factory=dict)
    empty: set[str] = field(default_factory=set)
    examples: dict[str, str] = field(default_factory=dict)

    @property
    def lost(self) -> float:
        return sum(most - earned for earned, most in self.points)

    @property
    def whole(self) -> float:
        return sum(most for _, most in self.points)

    @property
    def failed(self) -> set[str]:
        """Who failed a test without a known mistake, and tried."""
        return set().union(*self.unnamed.values())


@dataclass(frozen=True)
class Work:
    """One student's: answers by cell, what each failed test said, and the cells of code."""

    answers: dict[str, str]
    said: dict[str, str]
    code: list[str]


@dataclass(frozen=True)
class Class:
    """What came of a set in a class. `totals` are of the questions that wait for nobody, `minutes` of who has any."""

    title: str
    questions: list[Question]
    students: int  # who have a grade
    ungraded: int
    absent: int | None  # None: nobody says who is in the class
    exempt: int
    totals: list[float]
    minutes: list[int]


def look(course: Course, name: str, rows: list[Row]) -> Class:
    """Everything about the class of a set; `rows` is its table of grades. Points are as earned, before lateness."""
    source = nbformat.read(course.source(name), 4)
    title, asked = questions(source)
    rows = [row for row in rows if not row.exempt]
    graded = [row for row in rows if row.graded]
    words = examples.vocabulary(source) | _said_words()
    works = {row.student: _work(course, name, row.student) for row in graded}
    for question in asked:
        for row in graded:
            _count(question, row, works[row.student], words)
        _merge(question)
        question.examples = _examples(question, works, words)
    settled = [question for question in asked if not question.waiting]
    totals = [sum(question.points[at][0] for question in settled) for at in range(len(graded))]
    record = course.remember(grades.RECORD)
    minutes = [record.get(f"{name}/{row.student}", {}).get("minutes") for row in graded]
    states = [state for _, state in lateness.absent(course, name)]
    there = lateness.extras(course)
    return Class(
        title or name,
        asked,
        len(graded),
        len(rows) - len(graded),
        states.count("not handed in") if there else None,
        states.count("exempt") + len(course.submissions(name)) - len(rows),
        totals,
        sorted(one for one in minutes if isinstance(one, int)),
    )


def questions(source: NotebookNode) -> tuple[str, list[Question]]:
    """The title of a set, and its questions: each heading under which something gives points."""
    title = ""
    found = [Question("")]
    by_student = any(kind(cell) == "data" for cell in source.cells)
    for cell in source.cells:
        role, name = kind(cell), grade_id(cell)
        if role == "text":
            tokens = parsed(cell.source)
            for at, token in enumerate(tokens):
                if token.type == "heading_open" and token.tag == "h1" and not title:
                    title = tokens[at + 1].content
                elif token.type == "heading_open":
                    found.append(Question(tokens[at + 1].content))
        question = found[-1]
        if role in {"answer", "explain"} and name != f"answer-{VARIABLE}":
            question.answers[name] = handed_out(cell)
        if role == "answer" and name != f"answer-{VARIABLE}":
            question.wanted |= defined(handed_out(cell))
            question.functions |= bool(re.search(r"^(def|class) ", cell.source, re.MULTILINE))
            question.by_student = by_student
        if role in {"test", "explain"}:
            question.most[name] = float(tag(cell).get("points", 0))
            question.section = question.section or cell.metadata.get("section", "")
        if role == "test":
            question.tests[name] = contained.sentences(parts(cell.source)[1]) - {OTHERWISE, ""}
    for question in found:
        if question.most and not question.title:
            question.title = next(iter(question.most)).partition("-")[2]
    return title, [question for question in found if question.most]


def _work(course: Course, name: str, student: str) -> Work:
    """Of a graded notebook, which was written here, what is looked at."""
    found = nbformat.v4.reads(course.autograded(name, student).read_text(encoding="utf8"))
    failed = [
        cell
        for cell in found.cells
        if kind(cell) == "test" and any(one.output_type == "error" for one in cell.get("outputs", []))
    ]
    return Work(
        {grade_id(cell): _plain(cell.source) for cell in found.cells if kind(cell) in {"answer", "explain"}},
        {grade_id(cell): cell.metadata.get("classroom", {}).get("says", "It does not pass.") for cell in failed},
        [
            cell.source
            for cell in found.cells
            if kind(cell) in {"answer", "code"} and len(cell.source) <= examples.LONGEST
        ],
    )


def _count(question: Question, row: Row, work: Work, words: frozenset[str]) -> None:
    """Add one student to a question."""
    given = {cell: row.points[cell] for cell in question.most if cell in row.points}
    question.waiting += any(points is None for points in given.values())
    earned = [(points, question.most[cell]) for cell, points in given.items() if points is not None]
    question.points.append((sum(points for points, _ in earned), sum(most for _, most in earned)))
    untouched = all(work.answers.get(name) == _plain(stub) for name, stub in question.answers.items())
    if untouched and question.answers and all(points == 0 for points in given.values()):
        question.empty.add(row.student)
        return
    said = {says: _known(says, question.tests[test]) for test, says in work.said.items() if test in question.tests}
    for sentence in filter(None, said.values()):
        question.known.setdefault(sentence, set()).add(row.student)
    for says in [] if any(said.values()) else said:
        question.unnamed.setdefault(_sentence(says, words), set()).add(row.student)


def _known(says: str, known: set[str]) -> str:
    """The sentence of a known mistake, in what was said: alone, or after the sentence about the example."""
    said = (one for one in known if says == one or (" " in one and says.endswith(f" {one}")))
    return max(said, key=len, default="")


def _sentence(says: str, words: frozenset[str]) -> str:
    """What was said, in which no word is the student's own: of an error, its kind is kept."""
    stopped = STOPPED.fullmatch(says)
    return examples.masked(texts.line(f"{stopped[1]}." if stopped else says), words)


def _merge(question: Question) -> None:
    """Sentences that differ in their numbers alone become one."""
    same: dict[str, list[str]] = {}
    for says in question.unnamed:
        same.setdefault(NUMBER.sub(examples.GONE, says), []).append(says)
    question.unnamed = {
        said[0] if len(said) == 1 and len(question.unnamed[said[0]]) >= FEWEST else general: set().union(
            *(question.unnamed[one] for one in said)
        )
        for general, said in same.items()
    }


def _examples(question: Question, works: dict[str, Work], words: frozenset[str]) -> dict[str, str]:
    """By sentence an answer that earned it, where that can name nobody. Code is read in processes of their own."""
    if question.by_student and not question.functions:
        return {}
    jobs: list[worker.Job] = []
    for sentence, students in question.known.items():
        sources = sorted((works[who].code for who in students), key=lambda one: (len("".join(one)), one))
        for own in sources[:TRIED] if len(students) >= FEWEST else []:
            jobs.append(worker.Job(f"{len(jobs)} {sentence}", examples.example, (own, question.wanted, words)))
    found: dict[str, str] = {}
    for name, code in worker.each(jobs, Limits.chosen().submission):
        sentence = name.partition(" ")[2]
        if isinstance(code, str) and code:
            found[sentence] = min(found.get(sentence, code), code, key=lambda one: (len(one), one))
    return found


def _plain(source: str) -> str:
    return " ".join(source.split())


@cache
def _said_words() -> frozenset[str]:
    """The words with which a grader speaks of an answer."""
    files = [Path(module.__file__) for module in (guard, results, contained, drawn) if module.__file__]
    return frozenset(examples.PART.findall(" ".join(file.read_text(encoding="utf8") for file in files).casefold()))
