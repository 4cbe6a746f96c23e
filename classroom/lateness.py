"""When work was handed in, what a late day costs, and who has extra time or is exempt.

Two sheets in the course folder say it, both optional:

- `deadlines.csv`: `set`, `due`, and if wanted `grace minutes`, `percent per day`, `most days`.
- `students.csv`: `student`, and if wanted `name`, `extra days`, `late days`, `exempt`, `handed in`. The name is what a
  platform that has a login or a number does not say. Extra days move a student's due date; late days are a stock for the
  whole course, used up set by set in the order of due dates.

A time counts where a platform vouches for it, or the teacher writes it down. The time of a file does not: it is shown to the
teacher, and costs nobody anything.
"""

import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from classroom import downloads, platforms, sheets
from classroom.course import Course, CourseError

FORMS = ("%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S")
ITEM = re.compile(r"(?:(?P<set>[A-Za-z0-9_-]+)\s*[:=]\s*)?(?P<value>\d{1,3}(?:\.\d+)?)")
MOMENT = re.compile(r"(?P<set>[A-Za-z0-9_-]+)\s*[:=]\s*(?P<time>[^;,]+)")


@dataclass(frozen=True)
class Rule:
    """When a set is due, and what a day costs: a share of the points earned, in percent, for so many days at most."""

    due: datetime
    grace: float = 0  # minutes
    percent: float = 0
    most: float = math.inf  # days; later work earns nothing

    @property
    def words(self) -> str:
        costs = f"each day begun after it costs {self.percent:g} % of the points earned" if self.percent else ""
        ends = f"after {days(self.most)} there are no points" if self.most < math.inf else ""
        return "; ".join(filter(None, (f"Due {shown(self.due)}", costs, ends)))


@dataclass(frozen=True)
class Extra:
    """What a student was granted; for a set, or (None) for all. And other names of the student."""

    days: dict[str | None, float]
    stock: float
    exempt: frozenset[str]
    handed_in: dict[str, datetime]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Late:
    """What is known of one student's time for a set: words for the student, a note for the teacher, the share taken off."""

    handed_in: str = ""
    days: int = 0
    used: int = 0  # late days
    off: float = 0
    words: str = ""
    note: str = ""


NOBODY = Extra({}, 0, frozenset(), {})


def rules(course: Course) -> dict[str, Rule]:
    """Each set's rule. CourseError for what cannot be read."""
    file = course.folder / "deadlines.csv"
    found = {}
    for row in sheets.read(file, ["set", "due"]):
        name, where = row["set"].strip(), f"{file.name}, {row['set'].strip()}"
        if name in found:
            raise CourseError(f"{where}: two rows. No grade was changed.")
        grace, percent, most = (
            _number(row.get(key, ""), f"{where}, {key}") for key in ("grace minutes", "percent per day", "most days")
        )
        if row["due"].strip():
            found[name] = Rule(_moment(row["due"], where), grace or 0, percent or 0, math.inf if most is None else most)
        elif grace is not None or percent is not None or most is not None:
            raise CourseError(f"{where}: has a rule and no due date. No grade was changed.")
    return found


def extras(course: Course) -> dict[str, Extra]:
    """What each student was granted, by the name in the sheet."""
    file = course.folder / "students.csv"
    students = [folder.name for folder in course.folder.glob("submitted/*")]
    found = {}
    for row in sheets.read(file, ["student"]):
        name = sheets.meant(row["student"].strip().removeprefix("'"), students)
        where = f"{file.name}, {name}"
        if name in found:
            raise CourseError(f"{where}: two rows. No grade was changed.")
        given = row.get("handed in", "")
        moments = {one["set"]: _moment(one["time"], f"{where}, handed in") for one in MOMENT.finditer(given)}
        if given.strip() and not moments:
            raise CourseError(f"{where}: write `SET = 2026-03-01 23:59` under handed in. No grade was changed.")
        exempt = frozenset(re.findall(r"[A-Za-z0-9_-]+", row.get("exempt", "")))
        stock = _number(row.get("late days", ""), f"{where}, late days") or 0
        names = tuple(filter(None, (one.strip() for one in row.get("name", "").split(";"))))
        found[name] = Extra(_days(row.get("extra days", ""), where), stock, exempt, moments, names)
    return found


def check(course: Course) -> None:
    """CourseError where one of the sheets cannot be read, before anything is graded."""
    rules(course)
    extras(course)


def judged(course: Course, name: str) -> dict[str, Late]:
    """What is known of each student's time for a set. Without a due date, nothing is said."""
    ordered = sorted(rules(course).items(), key=lambda one: one[1].due)
    if name not in dict(ordered):
        return {}
    granted, told = extras(course), {one: downloads.told(course, one) for one, _ in ordered}
    found = {}
    for folder in course.submissions(name):
        student = folder.parent.name
        key, extra = next(((key, one) for key, one in granted.items() if same(key, student)), (student, NOBODY))
        left = extra.stock
        for other, rule in ordered:
            called = (who for who in told[other] if who == student or (other != name and same(key, who)))
            known: dict[str, str] | None = (
                {} if other in extra.handed_in else None
            )  # the teacher's word needs no platform's
            own = next((told[other][who] for who in called), known)
            if own is None or (other in extra.exempt and other != name):
                continue
            late = _judge(other, rule, own, extra, left)
            left -= late.used
            if other == name:
                found[student] = late
                break
    return found


def names(course: Course, students: list[str]) -> dict[str, list[str]]:
    """What else each student is called, where `students.csv` says it."""
    granted = [(key, extra.names) for key, extra in extras(course).items() if extra.names]
    return {student: [one for key, named in granted if same(key, student) for one in named] for student in students}


def exempt(course: Course, name: str, students: list[str] | None = None) -> set[str]:
    """Who is exempt from a set, of these students or of those who handed it in."""
    free = [key for key, extra in extras(course).items() if name in extra.exempt]
    known = [folder.parent.name for folder in course.submissions(name)] if students is None else students
    return {student for student in known if any(same(key, student) for key in free)}


def absent(course: Course, name: str) -> list[tuple[str, str]]:
    """Who is in `students.csv` and handed nothing in for a set: the name, and `exempt` or `not handed in`."""
    there = [folder.parent.name for folder in course.submissions(name)]
    return [
        (key, "exempt" if name in extra.exempt else "not handed in")
        for key, extra in extras(course).items()
        if not any(same(key, student) for student in there)
    ]


def same(key: str, student: str) -> bool:
    """Whether what a sheet says means this student: the name as in the table of grades, or the platform's number.

    Several have `;` between them, since Moodle numbers a student anew in each assignment.
    """
    return any(
        platforms.plain(one).casefold() == student.casefold() or (one.isdigit() and student.rpartition("_")[2] == one)
        for one in map(str.strip, key.split(";"))
    )


def shown(time: datetime) -> str:
    return f"{time.day} {time:%B %Y, %H:%M}"


def days(number: float) -> str:
    return f"{number:g} day{'' if number == 1 else 's'}"


def _judge(name: str, rule: Rule, told: dict[str, str], extra: Extra, left: float) -> Late:
    time, source = extra.handed_in.get(name), "by your teacher's word"
    if time is None and told.get("time") and told.get("source") != downloads.FILE:
        time, source = datetime.fromisoformat(told["time"]).astimezone(), f"as {told['source']} has it"
    granted = extra.days.get(name, extra.days.get(None, 0))
    due = (rule.due.replace(tzinfo=None) + timedelta(days=granted)).astimezone()  # by the clock on the wall
    if time is None:
        return Late(note=_unknown(told, due, granted))
    over = (time - due - timedelta(minutes=rule.grace)).total_seconds()
    passed = (time.replace(tzinfo=None) - due.replace(tzinfo=None)).total_seconds()
    late = max(1, math.ceil(passed / 86400)) if over > 0 else 0
    handed_in = f"{time:%Y-%m-%d %H:%M}"
    if not late:
        return Late(handed_in)
    counted = range(late, late - min(late, math.floor(left)) - 1, -1)  # with none, one, two … late days used
    costs = [1.0 if one > rule.most else min(1.0, one * rule.percent / 100) for one in counted]
    off = min(costs)
    used = costs.index(off)  # late days that change nothing are kept
    words = f"Handed in {shown(time)}, {source}: {days(late)} late. {rule.words}."
    if granted:
        words += f" You had {days(granted)} more."
    if used:
        words += f" {used} of your late days {'was' if used == 1 else 'were'} used."
    words += f" So {off * 100:g} % of the points earned are taken off." if off else " Nothing is taken off."
    return Late(handed_in, late, used, off, words)


def _unknown(told: dict[str, str], due: datetime, granted: float) -> str:
    """What the teacher is told where no platform says when."""
    if told.get("origin") == "canvas":
        said = "Canvas calls it late, and not by how much" if told.get("late") else "in time, by Canvas's due date"
        more = f"; {days(granted)} more were granted here" if granted and told.get("late") else ""
        return f"{said}{more}; nothing was taken off" if told.get("late") else said
    note = "when it was handed in is not known"
    if told.get("time"):
        time = datetime.fromisoformat(told["time"]).astimezone()
        if time > due:
            note += f" (the file's own time, {time:%Y-%m-%d %H:%M}, is after the due date; it may be the download's)"
    return f"{note}; nothing was taken off"


def _days(text: str, where: str) -> dict[str | None, float]:
    """`2`, or `chapter_01 = 3; chapter_02 = 1`."""
    found: dict[str | None, float] = {}
    for item in filter(None, re.split(r"[;\s]*;[;\s]*|,\s+", text.strip())):
        one = ITEM.fullmatch(item.strip().replace(",", "."))
        if one is None:
            raise CourseError(f"{where}: extra days are a number, or `SET = 2`, not {item!r}. No grade was changed.")
        found[one["set"]] = float(one["value"])
    return found


def _number(text: str, where: str) -> float | None:
    if not text.strip():
        return None
    number = sheets.number(text.replace("%", ""), 100_000)
    if number is None:
        raise CourseError(f"{where}: {text.strip()!r} is no number. No grade was changed.")
    return number


def _moment(text: str, where: str) -> datetime:
    """A time as a person or a spreadsheet writes it; without a zone it is this machine's."""
    said = text.strip()
    for form in FORMS:
        try:
            return datetime.strptime(said, form).astimezone()
        except ValueError:
            continue
    try:
        found = datetime.fromisoformat(said)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise CourseError(f"{where}: write the time as 2026-03-01 23:59, not {said!r}. No grade was changed.")
    return found.astimezone()
