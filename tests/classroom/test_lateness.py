"""A late day costs what the rule says, where a platform or the teacher vouches for the time, and nobody pays for a file's."""

import time

import nbformat
import pytest

from classroom import downloads, lateness, platforms
from classroom.course import CourseError
from classroom.demo.submissions import RIGHT, fill, named
from classroom.rows import Row, timed
from tests.helpers.archives import FOLDERS, SET, archive, moodle

DUE = "set,due,grace minutes,percent per day,most days\n"


@pytest.fixture
def work(notebook):
    return nbformat.writes(fill(notebook, RIGHT))


@pytest.fixture
def sheet(course):
    def write(name, text, encoding="utf-8"):
        (course.folder / f"{name}.csv").write_bytes(text.encode(encoding))

    return write


@pytest.fixture
def blackboard(course, work, tmp_path):
    """Work whose time Blackboard's file names give."""

    def collect(**times):
        works = {who: nbformat.writes(named(nbformat.reads(work, 4), who)) for who in times}
        names = {f"{SET}_{who}_attempt_{time}_work.ipynb": works[who] for who, time in times.items()}
        downloads.collect(course, SET, archive(tmp_path, names))

    return collect


def test_days_are_counted_from_what_the_platform_says(course, sheet, blackboard):
    blackboard(
        ada="2026-03-01-23-59-00",
        bob="2026-03-02-00-04-00",
        cyd="2026-03-02-00-20-00",
        dan="2026-03-03-12-00-00",
        eve="2026-03-09-00-00-00",
    )
    assert lateness.judged(course, SET) == {}
    sheet("deadlines", DUE + f"{SET},2026-03-01 23:59,10,10,5\n")
    found = lateness.judged(course, SET)
    assert {who: (late.days, late.off) for who, late in found.items()} == {
        "ada": (0, 0),
        "bob": (0, 0),
        "cyd": (1, 0.1),
        "dan": (2, 0.2),
        "eve": (8, 1.0),
    }
    assert found["ada"].words == found["bob"].words == ""
    assert found["dan"].words == (
        "Handed in 3 March 2026, 12:00, as Blackboard's file name has it: 2 days late. Due 1 March 2026, 23:59; each day "
        "begun after it costs 10 % of the points earned; after 5 days there are no points. So 20 % of the points earned "
        "are taken off."
    )


def test_extra_days_late_days_and_exemptions_are_the_students_own(course, sheet, blackboard):
    blackboard(**dict.fromkeys(("ada", "bob", "cyd", "dan"), "2026-03-04-12-00-00"))
    sheet("deadlines", f"set;due;percent per day\nearly;01.02.2026 23:59;10\n{SET};01.03.2026 23:59;10\n")
    record = course.remember(downloads.RECORD)
    early = {
        "path": "",
        "origin": "blackboard",
        "who": "bob",
        "time": "2026-02-02T12:00:00+00:00",
        "source": "Blackboard",
    }
    course.remember(downloads.RECORD, record | {"early/bob": early, "early/dan": early})
    sheet(
        "students",
        f"student;extra days;late days;exempt;handed in\nAda;{SET} = 3, early = 9;;;\nbob;;2;;\ncyd;;;{SET};\n"
        f"dan;1;2;early;"
        f'"{SET} = 2026-03-03 10:00"\nJörg;;;;\n',
        "cp1252",
    )
    found = lateness.judged(course, SET)
    assert {who: (late.days, late.used, round(late.off, 2)) for who, late in found.items()} == {
        "ada": (0, 0, 0),
        "bob": (3, 1, 0.2),  # the other late day went into the set before
        "cyd": (3, 0, 0.3),
        "dan": (1, 1, 0),  # the teacher's time, a day more, and a late day: the set before does not count
    }
    assert "1 of your late days was used." in found["bob"].words
    assert "by your teacher's word" in found["dan"].words
    assert "You had 1 day more." in found["dan"].words
    assert lateness.exempt(course, SET) == {"cyd"}
    assert lateness.absent(course, SET) == [("Jörg", "not handed in")]


def test_late_days_are_kept_where_they_would_change_nothing(course, sheet, blackboard):
    blackboard(ada="2026-03-03-12-00-00")
    sheet("deadlines", f"{DUE}early,2026-02-01 23:59,,,\n{SET},2026-03-01 23:59,,10,\n")
    sheet("students", "student,late days\nada,2\n")
    record = course.remember(downloads.RECORD)
    early = {
        "path": "",
        "origin": "blackboard",
        "who": "ada",
        "time": "2026-02-03T12:00:00+00:00",
        "source": "Blackboard",
    }
    course.remember(downloads.RECORD, record | {"early/ada": early})
    found = lateness.judged(course, SET)["ada"]
    assert (found.days, found.used, found.off) == (2, 2, 0)


def test_no_more_late_days_are_used_than_help(course, sheet, blackboard):
    blackboard(ada="2026-03-04-12-00-00")
    sheet("deadlines", f"{DUE}{SET},2026-03-01 23:59,,,2\n")
    sheet("students", "student,late days\nada,3\n")
    found = lateness.judged(course, SET)["ada"]
    assert (found.days, found.used, found.off) == (3, 1, 0)


def test_a_collect_that_was_stopped_gives_new_work_no_old_time(course, work, tmp_path, monkeypatch):
    one = f"{FOLDERS['203']}/f.ipynb"
    downloads.collect(course, SET, archive(tmp_path, {one: work}), moodle(tmp_path / "Grades.csv", ("203",)))
    later, write = archive(tmp_path, {one: work + "\n"}, "later.zip"), type(course).write

    def stopped(self, file, content):
        write(self, file, content)
        raise KeyboardInterrupt

    monkeypatch.setattr(type(course), "write", stopped)
    with pytest.raises(KeyboardInterrupt):
        downloads.collect(course, SET, later)
    monkeypatch.undo()
    downloads.collect(course, SET, later)
    assert downloads.told(course, SET)["Anna-Müller_203"]["source"] == downloads.FILE


def test_what_a_spreadsheet_made_of_a_name_in_digits_is_granted_all_the_same(course, sheet, blackboard):
    blackboard(**{"0815": "2026-03-03-12-00-00"})
    sheet("deadlines", f"{DUE}{SET},2026-03-01 23:59,,10,\n")
    sheet("students", "student,extra days\n815,2\n")
    assert lateness.judged(course, SET)["0815"].off == 0
    assert lateness.absent(course, SET) == []


def test_the_teachers_word_counts_for_work_that_no_platform_brought(course, sheet, submit, notebook):
    submit("ben", fill(notebook, RIGHT))
    sheet("deadlines", f"{DUE}{SET},2026-03-01 23:59,,10,\n")
    sheet("students", f"student,handed in\nben,{SET} = 2026-03-03 10:00\n")
    assert lateness.judged(course, SET)["ben"].off == 0.2


def test_points_that_a_person_gave_for_a_whole_set_are_late_nowhere(course, sheet, blackboard):
    blackboard(ada="2026-03-03-12-00-00")
    sheet("deadlines", f"{DUE}{SET},2026-03-01 23:59,,10,\n")
    late, decided = timed(
        course, SET, [Row("ada", {"a": 14}, {"a": 14}, "work", "why", decision=by) for by in ("ok", "10")]
    )
    assert (late.score, decided.score, decided.late, decided.off) == (11.2, 10, "", 0)


def test_a_student_whom_each_set_numbers_anew_is_one(course, sheet, blackboard):
    blackboard(anna_317="2026-03-04-12-00-00")
    sheet("deadlines", f"set;due;percent per day\nearly;01.02.2026 23:59;10\n{SET};01.03.2026 23:59;10\n")
    record = course.remember(downloads.RECORD)
    early = {"path": "", "origin": "moodle", "who": "anna", "time": "2026-02-02T12:00:00+00:00", "source": "Moodle"}
    course.remember(downloads.RECORD, record | {"early/anna_203": early})
    sheet("students", "student,late days\n203; 317,2\n")
    (late,) = lateness.judged(course, SET).values()
    assert (late.days, late.used) == (3, 1)  # the other late day went into the set before
    assert lateness.absent(course, SET) == []


def test_a_files_time_takes_nothing_off_and_canvas_says_late_and_no_more(course, sheet, work, tmp_path):
    sheet("deadlines", DUE + f"{SET},2026-01-01 23:59,,50,\n")
    downloads.collect(course, SET, archive(tmp_path, {f"ada/{SET}.ipynb": work}))
    names = ("annab_501_9001_chapter_01.ipynb", "benc_LATE_502_9002_chapter_01.ipynb")
    downloads.collect(course, SET, archive(tmp_path, dict.fromkeys(names, work), "canvas.zip"))
    found = lateness.judged(course, SET)
    assert [late.off for late in found.values()] == [0, 0, 0]
    assert [late.words for late in found.values()] == ["", "", ""]
    assert found["ada"].note == (
        "when it was handed in is not known (the file's own time, 2026-03-01 10:00, is after the due date; it may be the "
        "download's); nothing was taken off"
    )
    assert found["annab_501"].note == "in time, by Canvas's due date"
    assert found["benc_502"].note == "Canvas calls it late, and not by how much; nothing was taken off"
    sheet("students", f"student,handed in\n502,{SET} = 2026-01-02 10:00\n")
    assert lateness.judged(course, SET)["benc_502"].off == 0.5


def test_moodles_worksheet_says_when_and_a_later_collect_without_it_forgets_nothing(course, sheet, work, tmp_path):
    place = archive(tmp_path, {f"{FOLDERS[number]}/f.ipynb": work for number in ("201", "203")})
    times = moodle(tmp_path / "Grades.csv", ("201", "300"))
    downloads.collect(course, SET, place, times)
    downloads.collect(course, SET, place)
    sheet("deadlines", DUE + f"{SET},2026-03-01 12:00,,10,\n")
    found = lateness.judged(course, SET)
    assert (found["Ελένη-Παππά_201"].days, found["Ελένη-Παππά_201"].handed_in) == (1, "2026-03-01 22:23")
    assert "as Moodle's worksheet has it" in found["Ελένη-Παππά_201"].words
    assert found["Anna-Müller_203"].days == 0
    text = times.read_text("utf-8-sig")
    for said in ("Sunday, March 1, 2026, 10:24 PM", "Sunday, 1 March 2026, 10:24\u202fPM"):
        times.write_text(text.replace("Sunday, 1 March 2026, 10:23 PM", said), "utf-8")
        downloads.collect(course, SET, place, times)
        assert lateness.judged(course, SET)["Ελένη-Παππά_201"].handed_in == "2026-03-01 22:24"
    times.write_text(text.replace("10:23 PM", "zehn"))
    with pytest.raises(CourseError, match="is no time as Moodle writes it in English"):
        downloads.collect(course, SET, place, times)
    times.write_text("student,points\n")
    with pytest.raises(CourseError, match="no grading worksheet of Moodle"):
        downloads.collect(course, SET, place, times)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("deadlines", DUE + f"{SET},3/1/2026 23:59,,,\n", "write the time as 2026-03-01 23:59, not '3/1/2026 23:59'"),
        ("deadlines", DUE + f"{SET},,,10,\n", "has a rule and no due date"),
        ("deadlines", DUE + f"{SET},2026-03-01 23:59,,ten,\n", "percent per day: 'ten' is no number"),
        ("deadlines", DUE + f"{SET},2026-03-01 23:59,,,\n" * 2, "two rows"),
        ("deadlines", "due\n2026-03-01\n", "has lost the column set"),
        ("students", "student,extra days\nada,many\n", "extra days are a number"),
        ("students", "student,handed in\nada,yesterday\n", "under handed in"),
        ("students", "student\nada\nada\n", "ada: two rows"),
    ],
)
def test_what_cannot_be_read_is_said_and_changes_nothing(course, sheet, classroom, blackboard, name, text, words):
    blackboard(ada="2026-03-04-12-00-00", bob="2026-03-01-12-00-00")
    sheet("deadlines", DUE + f"{SET},2026-03-01 23:59,,,\n")
    sheet(name, text)
    code, said = classroom("grade")
    assert code == 1
    assert words in said
    assert "No grade was changed." in said
    assert not (course.folder / f"grades-{SET}.csv").exists()


def test_lateness_stands_in_the_grades_and_in_the_feedback(course, sheet, classroom, blackboard, lines):
    blackboard(ada="2026-03-03-12-00-00", bob="2026-03-01-12-00-00", cyd="2026-03-01-12-00-00")
    sheet("deadlines", DUE + f"{SET},2026-03-01 23:59,,10,\n")
    sheet("students", f"student,exempt\ncyd,{SET}\nfay,{SET}\ngus,\n")
    assert classroom("grade")[0] == 0
    found = lines(course)
    assert {who: (row["score"], row["state"], row["handed in"]) for who, row in found.items()} == {
        "ada": ("8.8", "1 to mark", "2026-03-03 12:00"),
        "bob": ("11", "1 to mark", "2026-03-01 12:00"),
        "cyd": ("11", "exempt", "2026-03-01 12:00"),
        "fay": ("", "exempt", ""),
        "gus": ("", "not handed in", ""),
    }
    assert "20 % of the points earned are taken off" in found["ada"]["late"]
    page = (course.folder / "feedback" / "ada" / SET / f"{SET}.html").read_text()
    assert "8.8 of 14" in page
    assert "−2.2" in page
    assert "each day begun after it costs 10 %" in page
    assert "late" not in (course.folder / "feedback" / "bob" / SET / f"{SET}.html").read_text().partition("</style>")[2]
    assert "You are exempt" in (course.folder / "feedback" / "cyd" / SET / f"{SET}.html").read_text()
    sheet("students", "student,extra days\nada,2\n")
    classroom("grade")
    assert lines(course)["ada"]["score"] == "11"


@pytest.fixture
def berlin(monkeypatch):
    """A place where clocks change."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_days_are_those_of_the_clock_on_the_wall(course, sheet, blackboard, berlin):
    blackboard(ada="2026-10-26-23-30-00", bob="2026-10-25-23-30-00")
    sheet("deadlines", DUE + f"{SET},2026-10-24 23:59,,10,\n")
    sheet("students", "student,extra days\nada,2\n")
    found = lateness.judged(course, SET)
    assert {who: late.days for who, late in found.items()} == {"ada": 0, "bob": 1}


def test_a_long_name_keeps_its_number():
    long = "Константинопольская Александра Владимировна_12345"
    short = platforms.plain(long)
    assert platforms.plain(short) == short
    assert len(short.encode()) <= 80
    assert lateness.same("12345", short)
    assert lateness.same(long, short)
