"""*Needs a person*, decided in a spreadsheet: `needs-a-person-SET.csv` holds each reason, and takes a decision.

A decision is `ok`, for the points as they are, or the points for the whole set. It holds for exactly this work and this
reason: when either changes, the file asks anew. A teacher may add a row about any student, with nothing for a reason.
"""

from pathlib import Path

from classroom import sheets
from classroom.course import Course, CourseError
from classroom.rows import Row

COLUMNS = ["student", "reason", "decision", "comment"]
RECORD = ".decided.json"


def file(course: Course, name: str) -> Path:
    """Where the decisions are written."""
    return course.folder / f"needs-a-person-{name}.csv"


def decided(course: Course, name: str) -> dict[str, dict[str, str]]:
    """What was decided, by student, with the key of the case."""
    return {student: one for student, one in course.remember(RECORD).get(name, {}).items() if one["decision"]}


def decide(course: Course, name: str, rows: list[Row]) -> list[str]:
    """Read what was decided and write them again; sentences about rows that are passed over."""
    record = course.remember(RECORD)
    asked = record.get(name, {})
    names = [sheets.name(case.student) for case in rows]
    given = _given(file(course, name), names)
    table, now, past = [], {}, []
    for case in rows:
        row, before = given.pop(sheets.name(case.student), None), asked.get(case.student)
        decision, comment = "", ""
        if before["key"] == case.key if before else not case.person:
            source = row or before or {"decision": ""}
            decision, comment = source["decision"].strip().lower(), sheets.unmarked(source.get("comment", "").strip())
            _check(course, name, case, decision)
        elif row and row["decision"].strip():
            past.append(f"{case.student} has other work or another reason now; what was decided is in earlier.")
        now[case.student] = {"key": case.key, "decision": decision, "comment": comment}
        if case.person or decision:
            table.append([sheets.name(case.student), case.person, decision, comment])
    past += [f"{who} handed nothing in; passed over." for who, row in given.items() if row["decision"].strip()]
    if table or file(course, name).exists():
        sheets.write(course, file(course, name), COLUMNS, table, ["student"])
    course.remember(RECORD, record | {name: now})
    return [f"{file(course, name).name}: {sentence}" for sentence in past]


def _given(sheet: Path, names: list[str]) -> dict[str, dict[str, str]]:
    """The rows by student; of two about one, that with a decision."""
    found: dict[str, dict[str, str]] = {}
    for row in sheets.read(sheet, COLUMNS[:3]):
        who = sheets.meant(row["student"].strip(), names)
        said = {one["decision"].strip().lower() for one in (found.get(who, row), row)} - {""}
        if len(said) > 1:
            raise CourseError(f"{sheet.name}: {who} has two rows with other decisions. No decision was changed.")
        if row["decision"].strip() or who not in found:
            found[who] = row
    return found


def _check(course: Course, name: str, case: Row, decision: str) -> None:
    where = f"{file(course, name).name}: {case.student} has {decision!r}"
    if decision == "ok" and not case.complete:
        raise CourseError(
            f"{where}, but there are tests without points: write points for the set, 0 to {case.whole:g}."
        )
    if decision not in {"", "ok"} and sheets.number(decision, case.whole) is None:
        raise CourseError(f"{where}; write ok, or points for the set, 0 to {case.whole:g}. Nothing was changed.")
