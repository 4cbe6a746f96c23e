"""The way back: grades into the sheet that the platform made, and feedback as the zip that it takes.

Both lie in `returned/SET/` in the course folder. A student is known by the number that the platform has for each, in its
sheet and in its download; by the name in a plain sheet. Whoever cannot be matched is named, and nobody is guessed.

- Moodle: Grade and Feedback comments of the offline grading worksheet; feedback for *Upload multiple feedback files in a
  zip*, in folders as its download had them: `NAME_ID_assignsubmission_file/feedback.html`.
- Canvas: one column of the exported gradebook; feedback for its upload of submissions, `NAME_USERID_FILEID_feedback.html`.
- Plain: one column; feedback as `STUDENT/feedback.html`.
"""

import io
import re
import unicodedata
import zipfile
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from classroom import downloads, lateness, sheets, texts, worksheets
from classroom.course import Course, CourseError
from classroom.platforms import CANVAS_NAME, MOODLE
from classroom.rows import Row
from classroom.worksheets import ASSIGNMENT, Cell, Worksheet

# A comment as an earlier return wrote it, and nothing more.
OURS = re.compile(r"\d+(\.\d+)? of \d+(\.\d+)? points\.( Handed in [^\n]* taken off\.)?")
MANUAL = re.compile(r"\s*(Muted|Manual Posting.*)?\s*", re.IGNORECASE)


@dataclass
class Returned:
    """Who was written into the sheet, and who was not, by the reason."""

    written: set[str] = field(default_factory=set)
    passed: dict[str, list[str]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    strange: set[str] = field(default_factory=set)  # students whose number has another name in the sheet
    called: dict[str, str] = field(default_factory=dict)  # each student's name in the download, in full

    def leave(self, reason: str, who: str) -> None:
        self.passed.setdefault(reason, []).append(texts.line(who, 80))


def give_back(
    course: Course, name: str, rows: list[Row], file: Path, column: str = "", scaled: bool = False
) -> list[str]:
    """Fill in the platform's sheet `file` and pack the feedback; sentences about what was done and what was not.

    `column` names the column of an assignment, where the set's name does not. `scaled` turns points into those of a platform
    that has another maximum; without it such a sheet is refused. Raises CourseError; nothing is then written.
    """
    sheet = worksheets.read(file)
    kind = sheet.kind
    if not kind:
        raise CourseError(
            f"{file.name} is neither Moodle's grading worksheet, nor Canvas's gradebook, nor a sheet with a column student. "
            f"Its columns: {', '.join(sheet.header)}. Moodle and Canvas must be set to English when they make it."
        )
    back = Returned()
    known = _known(course, name, rows, kind, back)
    excused = _excused(course, name, known, kind)
    fill = {"moodle": _moodle, "canvas": _canvas, "plain": _plain}[kind]
    fill(sheet, known, excused, back, column or name, scaled)
    for key, row in known.items():
        if key not in back.seen:
            back.leave("handed in, and not in the sheet", row.student)
    place = course.folder / "returned" / name
    course.write(place / file.name, sheet.content())
    course.write(
        place / f"feedback-{name}.zip",
        _packed(course, name, [row for row in rows if row.student not in back.strange], kind),
    )
    said = [f"{len(back.written)} grades in {place / file.name}", f"Feedback: {place / f'feedback-{name}.zip'}"]
    return said + [f"{reason} ({len(who)}): {', '.join(who)}." for reason, who in back.passed.items()]


def _known(course: Course, name: str, rows: list[Row], kind: str, back: Returned) -> dict[str, Row]:
    """Each student's row, by what the sheet calls the student; two rows for one are named and left out."""
    told = downloads.told(course, name)
    by: dict[str, list[Row]] = {}
    for row in rows:
        if kind == "plain":
            by.setdefault(row.student, []).append(row)
            continue
        origin = told.get(row.student, {})
        back.called[row.student] = origin.get("who", "")
        key = origin.get("who", "").rpartition("_")[2] if origin.get("origin") == kind else ""
        if key.isdigit():
            by.setdefault(key, []).append(row)
        else:
            back.leave(f"no number of {kind.capitalize()} is known, as the work was not collected from it", row.student)
    for same in by.values():
        if len(same) > 1:
            back.leave("one student under several names, left out", " and ".join(row.student for row in same))
    return {key: same[0] for key, same in by.items() if len(same) == 1}


def _excused(course: Course, name: str, known: dict[str, Row], kind: str) -> set[str]:
    """Who is exempt, by what the sheet calls the student, also where nothing was handed in."""
    there = lateness.exempt(course, name)
    absent = {
        one.strip() for who, state in lateness.absent(course, name) if state == "exempt" for one in who.split(";")
    }
    keys = absent if kind == "plain" else {who.rpartition("_")[2] for who in absent}
    return keys | {key for key, row in known.items() if row.student in there}


def _grade(row: Row, most: str, scaled: bool, sheet: Worksheet, back: Returned) -> str:
    """The points as they go into the sheet; nothing, with the reason, where there are none to give."""
    if row.state != "graded" or row.score is None:
        back.leave(f"no grade yet: {row.state}", row.student)
        return ""
    limit = float(most.replace(",", ".")) if re.fullmatch(r"\d+([.,]\d+)?", most) else row.whole
    if limit != row.whole and not scaled:
        raise CourseError(
            f"{sheet.file.name} has {most} points at most, and the set {row.whole:g}. Set {row.whole:g} on the platform and "
            "download the sheet again, or say SCALE=1: points are then scaled. Nothing was written."
        )
    back.written.add(row.student)
    return f"{round(row.score * limit / row.whole, 2):g}" if row.whole else "0"


def _moodle(
    sheet: Worksheet, known: dict[str, Row], excused: set[str], back: Returned, column: str, scaled: bool
) -> None:
    who, grade = sheet.column("Identifier"), sheet.column("Grade")
    optional = {
        name: sheet.column(name) if sheet.has(name) else -1
        for name in ("Maximum grade", "Grade can be changed", "Feedback comments", "Full name", "Scale")
    }
    if optional["Scale"] >= 0:
        raise CourseError(f"{sheet.file.name} is of an assignment that is graded by a scale, not by points.")
    for line in sheet.rows[1:]:
        key = worksheets.number(sheet.value(line, who))
        back.seen.add(key)
        called = sheet.value(line, optional["Full name"]) if optional["Full name"] >= 0 else ""
        row, called = known.get(key), called or sheet.value(line, who)
        if key in excused:
            back.leave("exempt, left as it was", called)
        elif row is None:
            back.leave("in the sheet, handed nothing in", called)
        elif optional["Full name"] >= 0 and not _same_name(called, back.called[row.student]):
            back.leave("another name in the sheet than in the download, left as it was", called)
            back.strange.add(row.student)
        elif optional["Grade can be changed"] >= 0 and sheet.value(line, optional["Grade can be changed"]) == "No":
            back.leave("locked on the platform, left as it was", called)
        elif points := _grade(row, _at(sheet, line, optional["Maximum grade"]), scaled, sheet, back):
            sheet.put(line, grade, points)
            _comment(sheet, line, optional["Feedback comments"], row, called, back)


def _same_name(called: str, student: str) -> bool:
    """Whether a name may be that of a student: some word is the same. The number of a group may be anybody's."""
    ours = _words(student.rpartition("_")[0])
    return bool({*ours} & {*_words(called)}) or "".join(ours) == "".join(_words(called))


def _at(sheet: Worksheet, line: list[Cell], column: int) -> str:
    return sheet.value(line, column) if column >= 0 else ""


def _comment(sheet: Worksheet, line: list[Cell], column: int, row: Row, called: str, back: Returned) -> None:
    """A sentence, as the HTML that Moodle takes; what somebody else wrote there stays."""
    if not 0 <= column < len(line):
        return
    there = sheet.value(line, column)
    if there and not OURS.fullmatch(there):
        back.leave("had a comment, which was kept", called)
        return
    words = f"{row.score:g} of {row.whole:g} points. {row.late}"
    sheet.put(line, column, escape(words.strip(), quote=False))


def _canvas(
    sheet: Worksheet, known: dict[str, Row], excused: set[str], back: Returned, column: str, scaled: bool
) -> None:
    at = _assignment(sheet, column)
    who = [name.casefold() for name in sheet.header].index("id")
    most = ""
    for line in sheet.rows[1:]:
        first, value = line[0].value, sheet.value(line, at)
        if "Points Possible" in first:
            most = value
            if "read only" in value:
                raise CourseError(f"{sheet.file.name}: {sheet.header[at]} is read only.")
            continue
        if all(MANUAL.fullmatch(cell.value) for cell in line):
            continue
        key = sheet.value(line, who)
        back.seen.add(key)
        row = known.get(key)
        if value.upper() in {"EX", "N/A"}:
            back.leave(f"{value} on the platform, left as it was", first)
        elif key in excused:
            sheet.put(line, at, "EX")
            back.leave("exempt, EX was written", first)
        elif row is None:
            back.leave("in the sheet, handed nothing in", first)
        elif points := _grade(row, most, scaled, sheet, back):
            sheet.put(line, at, points)


def _assignment(sheet: Worksheet, name: str) -> int:
    """The column of an assignment: by its whole name, its title, its number, or a title that begins with the name."""
    titled = {at: found for at, one in enumerate(sheet.header) if (found := ASSIGNMENT.fullmatch(one))}
    whole = [at for at, one in titled.items() if name in {one[0], one["title"], one["id"]}]
    begins = [at for at, one in titled.items() if _words(one["title"])[: len(_words(name))] == _words(name)]
    for fitting in (whole, begins):
        if len(fitting) == 1:
            return fitting[0]
    columns = ", ".join(sheet.header[at] for at in titled)
    raise CourseError(
        f'Which column of {sheet.file.name} is {name}? Say COLUMN="TITLE (NUMBER)". There are: {columns}.'
    )


def _words(text: str) -> list[str]:
    """Words and numbers without signs: `chapter_01` begins `Chapter 1: the dot product`, and not `Chapter 11`."""
    return [word.lstrip("0") or "0" for word in re.findall(r"\d+|[^\W\d_]+", text.casefold())]


def _plain(
    sheet: Worksheet, known: dict[str, Row], excused: set[str], back: Returned, column: str, scaled: bool
) -> None:
    who, at = sheet.column("student"), sheet.column(column)
    names = {sheets.name(student): student for student in known}
    for line in sheet.rows[1:]:
        called = sheet.value(line, who)
        key = names.get(sheets.meant(called, names), called)
        back.seen.add(key)
        row = known.get(key)
        if key in excused:
            back.leave("exempt, left as it was", called)
        elif row is None:
            back.leave("in the sheet, handed nothing in", called)
        elif points := _grade(row, "", scaled, sheet, back):
            sheet.put(line, at, points)


def _packed(course: Course, name: str, rows: list[Row], kind: str) -> bytes:
    """Each student's page, under the name by which the platform knows whose it is."""
    told = downloads.told(course, name)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in rows:
            page = course.folder / "feedback" / row.student / name / f"{name}.html"
            path = _entry(row.student, told.get(row.student, {}), kind)
            if path and page.is_file():
                archive.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), page.read_bytes(), zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _entry(student: str, origin: dict[str, str], kind: str) -> str:
    if kind == "plain":
        return f"{student}/feedback.html"
    if origin.get("origin") != kind:
        return ""
    parts = unicodedata.normalize("NFC", origin["path"]).split("/")  # some file systems take letters apart
    if kind == "canvas":
        found = CANVAS_NAME.match(parts[-1])
        return f"{found[0]}feedback.html" if found else ""
    folder = next((part for part in parts if MOODLE.fullmatch(part)), "")
    if folder == parts[-1]:  # its old download had no folders
        cut = re.match(r".*?_assignsubmission_(?:file|onlinetext)_", folder, re.DOTALL)
        return f"{cut[0]}feedback.html" if cut else ""
    return f"{folder}/feedback.html"
