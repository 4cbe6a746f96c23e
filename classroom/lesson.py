"""The page about a class, `lesson-SET.html`: what to show next, points, misconceptions, and what failed beside them.

It is one file for the teacher alone. It runs no script, loads nothing and names nobody: what a student wrote stands in it
only as `examples` leaves it, and only of a mistake that two students or more had.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from html import escape

from classroom import book, charts, examples
from classroom.book import Section
from classroom.course import Course
from classroom.feedback import HEAD, POLICY, coloured, number, styled
from classroom.formulas import typeset
from classroom.misconceptions import FEWEST, Class, Question, look
from classroom.prose import formulas, parsed, rendered, spoken, visible
from classroom.rows import Row

PARTS = {
    1: ["the lesson"],
    2: ["about two thirds", "what is left"],
    3: ["about half", "about a quarter", "what is left"],
}
WORTH = 0.1  # of a question's points: where the class lost no more, it is no part of a lesson
SENTENCES = 5  # of failures without a known mistake, for each question

PAGE = (
    HEAD
    + """<body>
<header>
<h1>{title} · the class</h1>
<ul class="facts">{facts}</ul>
<p class="note">For the teacher alone. No name is on this page. In a small class somebody may still know an answer again:
look before you show it.</p>
</header>
<main>
<h2>The next lesson</h2>
{plan}
<h2>Points</h2>
{points}
<h2>Misconceptions</h2>
{misconceptions}
<h2>Failed otherwise</h2>
{others}
</main>
</body>
</html>
"""
)


@dataclass(frozen=True)
class Told:
    """A class, its questions' titles as HTML, and by the name of a section: its link, and what it can show."""

    of: Class
    titles: dict[str, str]
    links: dict[str, str]
    shown: dict[str, str]

    def share(self, count: int) -> str:
        return f"{count} of {self.of.students} ({_percent(count / self.of.students)})"

    @property
    def ranked(self) -> list[tuple[str, set[str], Question]]:
        """Each sentence of the set that somebody got, that of most students first: who, and in which question."""
        found = [(sentence, who, one) for one in self.of.questions for sentence, who in one.known.items()]
        return sorted(found, key=lambda one: (-len(one[1]), -one[2].lost, one[0]))


def write(course: Course, name: str, rows: list[Row]) -> str:
    """Write the page from the set's table of grades; a sentence that says where it is, or why there is none."""
    found = look(course, name, rows)
    if not found.students:
        return f"No page about the class: nobody has a grade for {name}."
    file = course.folder / f"lesson-{name}.html"
    course.write(file, page(found, partial(book.address, folder=course.folder)).encode("utf8", "replace"))
    return f"What the class misunderstands: {file}"


def page(found: Class, address: Callable[[Section], str]) -> str:
    """The page, as HTML. `address` says where it finds a section of the book, "" where it cannot."""
    tokens = {one: parsed(f"# {one}") for one in [found.title, *(question.title for question in found.questions)]}
    known = typeset(formula for own in tokens.values() for formula in formulas(own))
    titles = {one: rendered(own[1:2], known) for one, own in tokens.items()}
    sections = {one.section: _section(one.section) for one in found.questions}
    there = {name: one for name, one in sections.items() if one}
    told = Told(
        found,
        titles,
        {name: _link(one, address(one)) for name, one in there.items()},
        {name: _shown(one, address) for name, one in there.items()},
    )
    style, known_by = styled("feedback.css", "lesson.css")
    return visible(
        PAGE.format(
            policy=POLICY.format(known_by),
            style=style,
            plain=f"{escape(found.title)} · the class",
            title=titles[found.title],
            facts="".join(f"<li>{one}</li>" for one in charts.facts(found)),
            plan=_plan(told),
            points=charts.points(found, titles),
            misconceptions=_misconceptions(told),
            others=_others(told),
        )
    )


def _section(name: str) -> Section | None:
    try:
        return book.section(name) if name else None
    except ValueError:  # the book has changed since the set was released
        return None


def _link(one: Section, address: str, title: str = "") -> str:
    title = title or (one.chapter if one.title == one.chapter else f"{one.chapter} → {one.title}")
    return f'<a href="{escape(address)}">{escape(title)}</a>' if address else f"<em>{escape(title)}</em>"


def _shown(one: Section, address: Callable[[Section], str]) -> str:
    """What a section has to show, else the nearest one that has something: two things at most."""
    near = book.nearest(one)
    things = [f"the widget <em>{escape(name)}</em>" for name in near.widgets]
    things += [f"the figure “{escape(title)}”" for title in near.figures]
    shown = " and ".join(things[:2])
    if near == one or not shown:
        return f"; there {shown}" if shown else ""
    return f"; near it, in {_link(near, address(near), near.title)}, {shown}"


def _plan(told: Told) -> str:
    """The questions that cost the class most, one after the other."""
    costly = [one for one in told.of.questions if not one.waiting and one.lost > WORTH * one.whole]
    first = sorted(costly, key=lambda one: -one.lost)[: len(PARTS)]
    if not first:
        return "<p>The class lost no more than a tenth of the points of any question that is marked. Go on with the book.</p>"
    items = (
        f"<li>{_head(told.titles[one.title], time)}{''.join(_item(told, one))}</li>"
        for one, time in zip(first, PARTS[len(first)], strict=True)
    )
    why = "In the order of the points that the class lost. How long each takes is a suggestion, and was not measured."
    return f'<p class="note">{why}</p><ol class="plan">{"".join(items)}</ol>'


def _item(told: Told, question: Question) -> Iterator[str]:
    lost = f"{number(question.lost)} of {number(question.whole)} points"
    yield f"<p>The class lost {lost}, {_percent(question.lost / question.whole)}.</p>"
    if len(question.empty) * 4 >= told.of.students:
        yield f"<p>{told.share(len(question.empty))} left it empty: ask first whether time ran out.</p>"
    for sentence, students in _most(question.known)[:2]:
        yield f"<p>{told.share(len(students))} got: “{spoken(sentence)}”</p>"
    if len(question.failed) > max(map(len, question.known.values()), default=0):
        yield f"<p>{told.share(len(question.failed))} failed with no mistake that the set knows: read a few of them.</p>"
    if question.section in told.links:
        opened = f"Open {told.links[question.section]}{told.shown[question.section]}."
        yield f"<p>{opened} Let all write down what they expect before anything moves.</p>"
    for at, (sentence, _, one) in enumerate(told.ranked):
        if one is question and sentence in question.examples:
            answer = f'<a href="#mistake-{at}">answer shown below</a>'
            asks = "what does it compute, and for which input is it right all the same?"
            yield f"<p>Then the {answer}: {asks if one.functions else 'which question does it answer?'}</p>"
            break


def _misconceptions(told: Told) -> str:
    """Each sentence of the set that somebody got, that of most students first."""
    if not told.ranked:
        return "<p>Nobody made a mistake that the set knows by name.</p>"
    why = (
        f"A sentence is what the student read. An answer is shown where {FEWEST} students or more got the sentence, so that "
        f"it is not known whose it is, and never one to numbers that differ by student. Comments and docstrings are cut out "
        f"of it; names, texts and numbers of the student's own are replaced by <code>name_1</code> or "
        f"<code>{examples.GONE}</code>."
    )
    return f'<p class="note">{why}</p>' + "".join(_misconception(told, at, *one) for at, one in enumerate(told.ranked))


def _misconception(told: Told, at: int, sentence: str, students: set[str], question: Question) -> str:
    code = question.examples.get(sentence, "")
    example = (
        f'<div class="theirs"><p class="label">One such answer</p><div>{coloured(code)}</div></div>' if code else ""
    )
    where = f"<br>Treated in {told.links[question.section]}." if question.section in told.links else ""
    head = _head(f"“{spoken(sentence)}”", told.share(len(students)))
    title = told.titles[question.title]
    return f'<section class="wrong" id="mistake-{at}">{head}<p>{title}{where}</p>{example}</section>'


def _others(told: Told) -> str:
    """By question, who failed a test with no mistake that the set knows, and what they read."""
    parts = ""
    for one in told.of.questions:
        if not one.failed:
            continue
        lines = [f"<li>{told.share(len(who))}: {spoken(says)}</li>" for says, who in _most(one.unnamed)]
        more = (
            [f"<li>and {charts.many(len(lines) - SENTENCES, 'more sentence')}</li>"] if len(lines) > SENTENCES else []
        )
        parts += _head(told.titles[one.title], told.share(len(one.failed)))
        parts += f"<ul>{''.join(lines[:SENTENCES] + more)}</ul>"
    if not parts:
        return "<p>Every failure was a mistake that the set knows, or an empty answer.</p>"
    why = (
        "Who failed a test, tried, and made no mistake of that question that the set knows by name. The words are the "
        f"grader's; {examples.GONE} stands for what differs, or is the student's own."
    )
    return f'<p class="note">{why}</p><div class="others">{parts}</div>'


def _most(sentences: dict[str, set[str]]) -> list[tuple[str, set[str]]]:
    return sorted(sentences.items(), key=lambda one: (-len(one[1]), one[0]))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _head(words: str, beside: str) -> str:
    return f'<h3><span>{words}</span> <span class="points">{beside}</span></h3>'
