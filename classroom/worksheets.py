"""A platform's own sheet of grades, filled in: what is not filled in stays as it is, to the byte.

Three kinds are known by their first row. Moodle's offline grading worksheet has Identifier ("Participant 123"), Grade and
Last modified (grade). Canvas's gradebook has Student, ID and Section, and a column `TITLE (12345)` for each assignment.
Any other sheet with a column `student` is plain.
"""

import csv
import io
import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from classroom import texts
from classroom.course import CourseError
from classroom.texts import decoded

FIELD = r'"[^"]*(?:""[^"]*)*"|[^"{0}\r\n][^{0}\r\n]*|'  # one cell, for a delimiter
END = re.compile(r"\r\n|\n|\r|\Z")
TIMES = ("%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p", "%A, %d %B %Y, %H:%M")  # Moodle's, in English
ASSIGNMENT = re.compile(r"(?P<title>.*\S) \((?P<id>\d+)\)", re.DOTALL)


@dataclass
class Cell:
    """A cell: its value, and from where to where it stands in the text."""

    value: str
    start: int
    end: int


@dataclass
class Worksheet:
    """A sheet's text and cells, and what is to be written into it."""

    file: Path
    text: str
    encoding: str
    delimiter: str
    rows: list[list[Cell]]
    changes: list[tuple[int, int, str]] = field(default_factory=list)

    @property
    def header(self) -> list[str]:
        return [cell.value.strip().lstrip("\ufeff") for cell in self.rows[0]]

    @property
    def kind(self) -> str:
        """moodle, canvas or plain; nothing for a sheet that is none of them."""
        names = [name.casefold() for name in self.header]
        if {"identifier", "grade", "last modified (grade)"} <= set(names):
            return "moodle"
        if "id" in names[1:3] and "section" in names and names[0] in {"student", "lastname"}:
            return "canvas"
        return "plain" if "student" in names else ""

    def column(self, name: str) -> int:
        """Where the column of this name is; CourseError where there is none, or there are two."""
        found = [at for at, one in enumerate(self.header) if one.casefold() == name.casefold()]
        if len(found) != 1:
            many = "more than one column" if found else "no column"
            raise CourseError(f"{self.file.name} has {many} {name}. Its columns: {', '.join(self.header)}.")
        return found[0]

    def has(self, name: str) -> bool:
        return name.casefold() in (one.casefold() for one in self.header)

    def value(self, row: list[Cell], column: int) -> str:
        return row[column].value.strip() if column < len(row) else ""

    def put(self, row: list[Cell], column: int, value: str) -> None:
        """Write a value into a cell, in quotes where it needs them or the cell had them."""
        end = row[-1].end
        cell = row[column] if column < len(row) else Cell("", end, end)
        if cell.value == value:
            return
        quoted = self.text[cell.start : cell.start + 1] == '"' or re.search(rf'["\r\n{self.delimiter}]', value)
        new = '"' + value.replace('"', '""') + '"' if quoted else value
        missing = self.delimiter * (column + 1 - len(row))  # spreadsheets leave out a row's last cells that are empty
        self.changes.append((cell.start, cell.end, missing + new))

    def content(self) -> bytes:
        """The file with the changes. CourseError where its encoding lacks a letter."""
        made, last = [], 0
        for start, end, value in sorted(self.changes):
            made += [self.text[last:start], value]
            last = end
        try:
            return "".join([*made, self.text[last:]]).encode(self.encoding)
        except UnicodeEncodeError as error:
            letter = error.object[error.start]
            raise CourseError(
                f"{self.file.name} is {self.encoding}, which has no {letter}: save it as UTF-8."
            ) from None


def read(file: Path) -> Worksheet:
    """The sheet in this file. CourseError where it is not there or cannot be kept to the byte."""
    if not file.is_file():
        raise CourseError(f"{file} does not exist.")
    content = file.read_bytes()
    _, note = decoded(content)
    encoding = "utf-16" if "UTF-16" in note else "cp1252" if note else "utf-8"
    if encoding == "utf-16":
        encoding = "utf-16-le" if content[:2] == b"\xff\xfe" else "utf-16-be"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        raise CourseError(f"{file.name} is no text that can be read: save it as CSV, UTF-8.") from None
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    rows = _rows(text, delimiter, file.name)
    if not rows:
        raise CourseError(f"{file.name} is empty.")
    return Worksheet(file, text, encoding, delimiter, rows)


def times(file: Path) -> dict[str, str]:
    """When each participant handed in, by number, as Moodle's worksheet says it: ISO, in this machine's time."""
    sheet = read(file)
    if sheet.kind != "moodle" or not sheet.has("Last modified (submission)"):
        raise CourseError(
            f"{file.name} is no grading worksheet of Moodle with the column Last modified (submission). Set Moodle to "
            "English, and download it again."
        )
    who, when = sheet.column("Identifier"), sheet.column("Last modified (submission)")
    found = {}
    for row in sheet.rows[1:]:
        said = sheet.value(row, when)
        if said not in {"", "-"}:
            found[number(sheet.value(row, who))] = _time(said, file.name).isoformat()
    return found


def number(identifier: str) -> str:
    """The number in `Participant 123`."""
    return identifier.rpartition(" ")[2]


def _time(said: str, name: str) -> datetime:
    words = " ".join(said.split())  # some versions have a narrow blank before AM
    for form in TIMES:
        try:
            return datetime.strptime(words, form).astimezone()
        except ValueError:
            continue
    raise CourseError(f"{name}: {texts.line(said, 60)!r} is no time as Moodle writes it in English.")


def _rows(text: str, delimiter: str, name: str) -> list[list[Cell]]:
    """Each row's cells with their places. A row of nothing is none, as for every reader of CSV."""
    one = re.compile(FIELD.replace("{0}", re.escape(delimiter)))
    at = int(text.startswith("\ufeff"))
    rows: list[list[Cell]] = []
    row: list[Cell] = []
    while at <= len(text):
        found = one.match(text, at)
        assert found  # it may be empty
        value = found[0]
        if value.startswith('"'):
            value = value[1:-1].replace('""', '"')
        row.append(Cell(value, *found.span()))
        at = found.end()
        if text.startswith(delimiter, at):
            at += 1
            continue
        end = END.match(text, at)
        if end is None:
            line = text.count("\n", 0, at) + 1
            raise CourseError(f"{name}, line {line}: a quotation mark is not closed, or text follows it.")
        if len(row) > 1 or row[0].value:
            rows.append(row)
        row = []
        if end.end() == len(text):
            break
        at = end.end()
    plain = io.StringIO(text.removeprefix("\ufeff"), newline="")
    try:
        expected = [line for line in csv.reader(plain, delimiter=delimiter) if len(line) > 1 or (line and line[0])]
    except csv.Error as error:
        raise CourseError(f"{name} cannot be read: {error}.") from None
    if [[cell.value for cell in one] for one in rows] != expected:
        raise CourseError(f"{name} is a CSV that can be read in two ways; save it anew from a spreadsheet.")
    return rows
