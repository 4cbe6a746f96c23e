"""The table of grades: one row for each student, as a file and for a terminal."""

from dataclasses import dataclass, replace
from pathlib import Path

from classroom import lateness, sheets, texts
from classroom.course import Course, digest


@dataclass(frozen=True)
class Row:
    """One student's line: points by cell (None: not given yet), why a person must look, and what a person decided."""

    student: str
    points: dict[str, float | None]
    most: dict[str, float]
    work: str  # the digest of what was handed in
    person: str = ""
    notes: str = ""
    graded: bool = True
    complete: bool = False  # nothing but answers in words waits for points
    decision: str = ""  # of a person: ok, or points for the set
    handed_in: str = ""  # where a platform or the teacher vouches for it
    late: str = ""  # what the student is told of it
    off: float = 0  # the share of the points that lateness takes
    exempt: bool = False

    @property
    def key(self) -> str:
        """Of the work and the reason why a person is asked: a decision is about exactly these."""
        return digest(f"{self.work}\n{self.person}".encode("utf8", "replace"))

    @property
    def score(self) -> float | None:
        """None where no points were given. Points that a person gave for the whole set are not late."""
        given = [points for points in self.points.values() if points is not None]
        if self.decision and self.decision != "ok":
            return sheets.number(self.decision, self.whole)
        return round(sum(given) * (1 - self.off), 2) if given else None

    @property
    def whole(self) -> float:
        return round(sum(self.most.values()), 6)

    @property
    def waiting(self) -> int:
        by_hand = self.decision not in {"", "ok"}
        return 0 if by_hand else sum(points is None for points in self.points.values())

    @property
    def state(self) -> str:
        if self.exempt:
            return "exempt"
        if self.person and not self.decision:
            return "needs a person"
        return f"{self.waiting} to mark" if self.waiting else "graded"


def timed(course: Course, name: str, rows: list[Row]) -> list[Row]:
    """The rows with what lateness and exemption make of them."""
    found, free = lateness.judged(course, name), lateness.exempt(course, name, [row.student for row in rows])
    made = []
    for row in rows:
        late = found.get(row.student, lateness.Late())
        if row.decision not in {"", "ok"}:  # points that a person gave for the whole set are not late
            late = replace(late, off=0, words="")
        notes = "; ".join(filter(None, (row.notes, late.note)))
        row = replace(row, notes=notes, handed_in=late.handed_in, late=late.words, off=late.off)
        if row.student in free:
            row = replace(row, exempt=True, off=0, late="You are exempt from this set: its points do not count.")
        made.append(row)
    return made


def export(course: Course, name: str, rows: list[Row]) -> Path:
    """The table as `grades-SET.csv`."""
    file = course.folder / f"grades-{name}.csv"
    cells = list(rows[0].most) if rows else []
    lines = [["student", "score", "of", "state", *cells, "handed in", "late", "needs a person because", "notes"]]
    for row in rows:
        points = [_number(row.points.get(cell)) for cell in cells]
        why = [sheets.safe(texts.line(text, 1000)) for text in (row.late, row.person, row.notes)]
        lines.append(
            [sheets.name(row.student), _number(row.score), _number(row.whole), row.state, *points, row.handed_in, *why]
        )
    empty = [""] * (len(lines[0]) - 4)
    lines += [[sheets.name(who), "", "", state, *empty] for who, state in lateness.absent(course, name)]
    course.write(file, sheets.table(lines))
    return file


def shown(rows: list[Row]) -> str:
    """The table for a terminal, a line for each student."""
    names = [texts.line(row.student, 80) for row in rows]
    width = max(map(len, names), default=0)
    lines = []
    for row, name in zip(rows, names, strict=True):
        score = "–" if row.score is None else f"{row.score:g} of {row.whole:g}"
        why = texts.line("; ".join(filter(None, (row.person, row.notes))))
        lines.append(f"{name:{width}}  {score:>10}  {row.state:14}  {why}".rstrip())
    return "\n".join(lines)


def _number(points: float | None) -> str:
    return "" if points is None else f"{points:g}"
