"""Grades and feedback go back to each platform in files as that platform makes and takes them."""

import csv
import io
import re
import unicodedata
import zipfile

import nbformat
import pytest

from classroom import downloads, grades, worksheets
from classroom.course import CourseError
from classroom.demo.submissions import RIGHT, fill
from classroom.handback import give_back
from classroom.rows import Row
from tests.helpers.archives import FOLDERS, NAMES, SET, archive, moodle

WHOLE = {"test-long_enough": 10.0, "explain-hull": 4.0}


@pytest.fixture
def work(notebook):
    return nbformat.writes(fill(notebook, RIGHT, {"answer-student": "student = 'Ελένη Παππά'"}))


def graded(course, scores):
    """Rows and pages, as grading leaves them."""
    found = []
    for folder in course.submissions(SET):
        student = folder.parent.name
        given = scores.get(student, {"test-long_enough": 9.5, "explain-hull": 4.0})
        found.append(Row(student, given, WHOLE, "work"))
        course.write(course.folder / "feedback" / student / SET / f"{SET}.html", f"page of {student}".encode())
    return found


def packed(course):
    with zipfile.ZipFile(course.folder / "returned" / SET / f"feedback-{SET}.zip") as found:
        return {name: found.read(name).decode() for name in found.namelist()}


def table(content, encoding="utf-8-sig", delimiter=","):
    return list(csv.DictReader(io.StringIO(content.decode(encoding), newline=""), delimiter=delimiter))


def test_moodle_gets_its_own_worksheet_and_its_own_folders(course, work, tmp_path):
    files = {f"{folder}/{SET}.ipynb": work for folder in FOLDERS.values()}
    files[f"{FOLDERS['203']}/renamed (1).ipynb"] = files.pop(f"{FOLDERS['203']}/{SET}.ipynb")
    files[f"{FOLDERS['204']}/second.ipynb"] = work
    downloads.collect(course, SET, archive(tmp_path, files))
    waits = {"test-long_enough": 9.5, "explain-hull": None}
    rows = graded(course, {"נועה-לוי_202": waits})
    sheet = moodle(tmp_path / "Grades-ML.csv")
    said = "\n".join(give_back(course, SET, rows, sheet))
    made = (course.folder / "returned" / SET / sheet.name).read_bytes()
    found = {row["Identifier"]: row for row in table(made)}
    assert {who: row["Grade"] for who, row in found.items()} == {
        "Participant 201": "13.5",
        "Participant 202": "",
        "Participant 203": "13.5",
        "Participant 204": "13.5",
        "Participant 205": "13.5",
        "Participant 207": "",
        "Participant 300": "",
    }
    assert found["Participant 201"]["Feedback comments"] == "13.5 of 14 points."
    assert found["Participant 205"]["Feedback comments"] == "Kept, as it was"
    before, after = sheet.read_bytes().splitlines(True), made.splitlines(True)
    assert [one for one, two in zip(before, after, strict=True) if one == two] == [
        line for at, line in enumerate(before) if at in {0, 2, 6, 7}
    ]  # what has no grade is the same, to the byte
    assert after[1].replace(b"13.5 of 14 points.", b"").replace(b"13.5", b"").replace(b'""', b"") == before[1]
    for words in (
        "no grade yet: 1 to mark (1): נועה-לוי_202.",
        "locked on the platform, left as it was (1): Lena Locked.",
        "in the sheet, handed nothing in (1): Nobody, Handed In.",
        "handed in, and not in the sheet (1): Zoë-Gone_206.",
        "had a comment, which was kept (1): O'Brien, Seán.",
        "4 grades in",
    ):
        assert words in said
    pages = packed(course)
    assert set(pages) == {f"{folder}/feedback.html" for folder in FOLDERS.values()}
    assert pages[f"{FOLDERS['203']}/feedback.html"] == "page of Anna-Müller_203"
    assert pages[f"{FOLDERS['204']}/feedback.html"] == "page of Anna-Müller_204"
    for path in pages:  # as Moodle's importer takes a path apart
        part, rest = path.split("/")
        _, number, *plugin = part.split("_", 4)
        assert (number in NAMES, plugin, rest) == (True, ["assignsubmission", "file"], "feedback.html")


def test_a_second_return_replaces_its_own_comment_and_old_downloads_have_no_folders(course, work, tmp_path):
    flat = {number: f"{NAMES[number]}_{number}_assignsubmission_file_" for number in ("201", "203")}
    downloads.collect(course, SET, archive(tmp_path, {f"{name}{SET}.ipynb": work for name in flat.values()}))
    sheet = moodle(tmp_path / "Grades.csv", ("201", "203"))
    give_back(course, SET, graded(course, {}), sheet)
    once = course.folder / "returned" / SET / sheet.name
    before, ours, after = once.read_bytes().rpartition(b"13.5 of 14 points.")
    sheet.write_bytes(before + ours + b" Well done." + after)
    give_back(course, SET, graded(course, {"Ελένη-Παππά_201": {"test-long_enough": 1.0, "explain-hull": 0.5}}), sheet)
    found = {row["Identifier"]: row for row in table(once.read_bytes())}
    assert found["Participant 201"]["Grade"] == "1.5"
    assert found["Participant 201"]["Feedback comments"] == "1.5 of 14 points."
    assert found["Participant 203"]["Feedback comments"] == "13.5 of 14 points. Well done."
    assert set(packed(course)) == {f"{name}feedback.html" for name in flat.values()}


def test_another_maximum_is_refused_or_scaled_and_a_sheet_in_another_language_is_refused(course, work, tmp_path):
    downloads.collect(course, SET, archive(tmp_path, {f"{FOLDERS['201']}/f.ipynb": work}))
    rows = graded(course, {})
    sheet = moodle(tmp_path / "Grades.csv", ("201",), most="100,00")
    with pytest.raises(CourseError, match=r"has 100,00 points at most, and the set 14\. Set 14 on the platform"):
        give_back(course, SET, rows, sheet)
    assert not (course.folder / "returned").exists()
    give_back(course, SET, rows, sheet, scaled=True)
    assert table((course.folder / "returned" / SET / sheet.name).read_bytes())[0]["Grade"] == "96.43"
    german = tmp_path / "Bewertungen.csv"
    german.write_text("ID,Vollständiger Name,Bewertung\nTeilnehmer/in 201,E,\n")
    with pytest.raises(CourseError, match="must be set to English"):
        give_back(course, SET, rows, german)


# As Canvas names them: lower case, no blanks, LATE before the number; its numbers are those of the gradebook.
CANVAS = {
    "παππάελένη_501_9001_chapter_01.ipynb": "501",
    "לוינועה_LATE_502_9002_chapter_01-1.ipynb": "502",
    "mülleranna_503_9003_my_2_work.ipynb": "503",
    "mülleranna_504_9004_chapter_01.ipynb": "504",
    "mülleranna_504_9005_chapter_01-2.ipynb": "504",
    "gonezoë_506_9006_chapter_01.ipynb": "506",
    "excusedeva_507_9007_chapter_01.ipynb": "507",
}
BOOK = '''Student,ID,SIS User ID,SIS Login ID,Section,Essay (77),Chapter 1: the dot product (88),Chapter 11 (99),Final Score
,,,,,,Manual Posting,,
    Points Possible,,,,,10,14,5,(read only)
"Παππά, Ελένη",501,s501,eleni,A,9,,,90
"לוי, נועה",502,s502,noa,A,,3,,10.5
"Müller, Anna",503,,anna1,"A, and ""B""",,,,
"Müller, Anna",504,,anna2,A,,,,
"Handed In, Nobody",505,,none,A,,,,
"Excused, Eva",507,,eva,A,,EX,,
"Student, Test",599,,abcdef,A,,,,
'''


def test_a_group_with_a_long_name_gets_its_grades_and_pages(course, work, tmp_path):
    group = "Übungsgruppe 12 – Dienstag 14 bis 16 Uhr, Raum 2.013, Gebäude Nord, Eingang C"
    folder = f"{group}-{NAMES['203']}_203_assignsubmission_file"
    downloads.collect(course, SET, archive(tmp_path, {f"{folder}/{SET}.ipynb": work}))
    sheet = moodle(tmp_path / "Grades.csv", ("203",))
    give_back(course, SET, graded(course, {}), sheet)
    made = table((course.folder / "returned" / SET / sheet.name).read_bytes())
    assert [row["Grade"] for row in made] == ["13.5"]
    assert [*packed(course)] == [f"{folder}/feedback.html"]


def test_points_in_tenths_add_up_as_on_paper(course, work, tmp_path):
    downloads.collect(course, SET, archive(tmp_path, {f"{FOLDERS['201']}/f.ipynb": work}))
    most = dict.fromkeys("abc", 1.1)
    rows = [Row(row.student, most, most, "work") for row in graded(course, {})]
    sheet = moodle(tmp_path / "Grades.csv", ("201",), most="3.30")
    give_back(course, SET, rows, sheet)
    made = table((course.folder / "returned" / SET / sheet.name).read_bytes())
    assert [row["Grade"] for row in made] == ["3.3"]


def test_where_a_file_system_took_letters_apart_canvas_gets_each_page(course, work, tmp_path):
    apart = {unicodedata.normalize("NFD", path): work for path in CANVAS}
    downloads.collect(course, SET, archive(tmp_path, apart))
    sheet = tmp_path / "Grades-Course.csv"
    sheet.write_text(BOOK, encoding="utf8")
    give_back(course, SET, graded(course, {}), sheet)
    assert len(packed(course)) == 6


@pytest.mark.parametrize("form", [("utf-8-sig", ","), ("utf-8", ";"), ("utf-16", "\t")])
def test_canvas_gets_one_column_and_its_own_file_names(course, work, tmp_path, form):
    encoding, delimiter = form
    downloads.collect(course, SET, archive(tmp_path, dict.fromkeys(CANVAS, work)))
    rows = graded(course, {})
    assert len(rows) == 6
    book = "\r\n".join(
        delimiter.join(f'"{value}"' if re.search(r'[" ,;]', value) else value for value in row)
        for row in ([value.replace('"', '""') for value in row] for row in csv.reader(io.StringIO(BOOK, newline="")))
    )
    sheet = tmp_path / "Grades-Course.csv"
    sheet.write_bytes((book + "\r\n").encode("utf-16-le" if encoding == "utf-16" else encoding))
    if encoding == "utf-16":
        sheet.write_bytes(b"\xff\xfe" + sheet.read_bytes())
    said = "\n".join(give_back(course, SET, rows, sheet))
    made = (course.folder / "returned" / SET / sheet.name).read_bytes()
    column = "Chapter 1: the dot product (88)"
    old, new = (table(content, encoding, delimiter) for content in (sheet.read_bytes(), made))
    assert {row["ID"]: row[column] for row in new if row["ID"]} == {
        "501": "13.5",
        "502": "13.5",
        "503": "13.5",
        "504": "13.5",
        "505": "",
        "507": "EX",
        "599": "",
    }
    assert [row | {column: ""} for row in new] == [row | {column: ""} for row in old]
    assert made.decode(encoding).count("13.5") == 4
    assert "handed in, and not in the sheet (1): gonezoë_506." in said
    assert "EX on the platform, left as it was (1): Excused, Eva." in said
    assert "in the sheet, handed nothing in (2): Handed In, Nobody, Student, Test." in said
    pages = packed(course)
    assert len(pages) == 6
    assert pages["mülleranna_503_9003_feedback.html"] == "page of mülleranna_503"
    for name in pages:  # as Canvas reads a name: the first two whole numbers, LATE aside
        user, upload = [part for part in name.split("_") if part.isdigit()][:2]
        assert any(f"_{user}_{upload}_" in path and number == user for path, number in CANVAS.items())


def test_canvas_is_asked_for_when_its_column_is_not_clear(course, work, tmp_path):
    downloads.collect(course, SET, archive(tmp_path, dict.fromkeys(CANVAS, work)))
    rows, sheet = graded(course, {}), tmp_path / "Grades.csv"
    sheet.write_text(BOOK.replace("Chapter 1: the dot product", "Homework"))
    with pytest.raises(CourseError, match=r"Which column .* is chapter_01\?.* Essay \(77\), Homework \(88\)"):
        give_back(course, SET, rows, sheet)
    for column in ("Homework", "88", "Homework (88)"):
        assert "4 grades in" in "\n".join(give_back(course, SET, rows, sheet, column))
    sheet.write_text(BOOK.replace("Manual Posting", "").replace(",14,5", ",(read only),5"))
    with pytest.raises(CourseError, match="is read only"):
        give_back(course, SET, rows, sheet)


def test_anonymous_work_goes_back_to_canvas_as_pages_alone(course, work, tmp_path):
    names = ["anon_a1B2c_9001_chapter_01.ipynb", "LATE_anon_Z9y8x_9002_chapter_01.ipynb"]
    downloads.collect(course, SET, archive(tmp_path, dict.fromkeys(names, work)))
    sheet = tmp_path / "Grades.csv"
    sheet.write_text(BOOK)
    said = "\n".join(give_back(course, SET, graded(course, {}), sheet))
    assert "no number of Canvas is known" in said
    assert (course.folder / "returned" / SET / sheet.name).read_bytes() == sheet.read_bytes()
    assert set(packed(course)) == {"anon_a1B2c_9001_feedback.html", "LATE_anon_Z9y8x_9002_feedback.html"}


def test_a_plain_sheet_is_filled_in_by_name(course, work, tmp_path):
    names = ["anna", "נועה", "eve"]
    downloads.collect(course, SET, archive(tmp_path, {f"{name}/{SET}.ipynb": work for name in names}))
    sheet = tmp_path / "class.csv"
    sheet.write_bytes('name;student;chapter_01\r\nA;anna;\r\n"B";"נועה";"?"\r\nC;carl;'.encode())
    said = "\n".join(give_back(course, SET, graded(course, {}), sheet))
    made = (course.folder / "returned" / SET / sheet.name).read_bytes()
    assert made == 'name;student;chapter_01\r\nA;anna;13.5\r\n"B";"נועה";"13.5"\r\nC;carl;'.encode()
    assert "handed in, and not in the sheet (1): eve." in said
    assert set(packed(course)) == {f"{name}/feedback.html" for name in names}


def test_a_row_without_its_last_cells_gets_its_points_too(course, work, tmp_path):
    """As a spreadsheet writes a column that is empty further down."""
    downloads.collect(course, SET, archive(tmp_path, {f"{name}/{SET}.ipynb": work for name in ("anna", "ben")}))
    sheet = tmp_path / "class.csv"
    sheet.write_text("student,note,chapter_01\nanna\nben,,\n")
    said = "\n".join(give_back(course, SET, graded(course, {}), sheet))
    made = (course.folder / "returned" / SET / sheet.name).read_text()
    assert made == "student,note,chapter_01\nanna,,13.5\nben,,13.5\n"
    assert "2 grades in" in said


def test_work_of_another_platform_and_one_student_under_two_names_are_named(course, work, tmp_path):
    downloads.collect(course, SET, archive(tmp_path, {f"{FOLDERS['201']}/f.ipynb": work, f"eve/{SET}.ipynb": work}))
    married = {"Anna Schmidt_203_assignsubmission_file/f.ipynb": work, f"{FOLDERS['203']}/f.ipynb": work}
    downloads.collect(course, SET, archive(tmp_path, married, "later.zip"))
    said = "\n".join(give_back(course, SET, graded(course, {}), moodle(tmp_path / "Grades.csv")))
    assert "no number of Moodle is known, as the work was not collected from it (1): eve." in said
    assert "one student under several names, left out (1): Anna-Müller_203 and Anna-Schmidt_203." in said


def test_a_groups_number_is_nobodys_and_exempt_students_are_excused(course, work, tmp_path):
    group = {"Team Blue_203_assignsubmission_file/f.ipynb": work, f"{FOLDERS['201']}/f.ipynb": work}
    downloads.collect(course, SET, archive(tmp_path, group))
    (course.folder / "students.csv").write_text(f"student,exempt\n201,{SET}\n300,{SET}\nאבי_505,{SET}\n")
    rows = graded(course, {})
    sheet = moodle(tmp_path / "Grades.csv", ("201", "203", "300"))
    said = "\n".join(give_back(course, SET, rows, sheet))
    assert "another name in the sheet than in the download, left as it was (1): Anna Müller." in said
    assert not [name for name in packed(course) if "_203" in name]  # whose page it is nobody knows
    assert "exempt, left as it was (2): Ελένη Παππά, Nobody, Handed In." in said
    assert (course.folder / "returned" / SET / sheet.name).read_bytes() == sheet.read_bytes()
    sheet.write_text(BOOK)
    assert "exempt, EX was written (1): Handed In, Nobody." in "\n".join(give_back(course, SET, rows, sheet))
    assert '"Handed In, Nobody",505,,none,A,,EX,,' in (course.folder / "returned" / SET / sheet.name).read_text()


def test_a_sheet_that_cannot_be_kept_is_refused(tmp_path):
    sheet = tmp_path / "broken.csv"
    for content, words in (
        (b"", "is empty"),
        (b'student,a\n"anna,1\n', "line 2: a quotation mark is not closed"),
        (b'student,a\n"an"na,1\n', "line 2: a quotation mark"),
        (b"student,a\n\x81\x9d,1\n", "no text that can be read"),
    ):
        sheet.write_bytes(content)
        with pytest.raises(CourseError, match=words):
            worksheets.read(sheet)
    sheet.write_bytes("student;a\nJörg;\n".encode("cp1252"))
    found = worksheets.read(sheet)
    found.put(found.rows[1], 1, "Δ")
    with pytest.raises(CourseError, match="cp1252, which has no Δ"):
        found.content()
    with pytest.raises(CourseError, match="does not exist"):
        worksheets.read(tmp_path / "none.csv")


def test_the_whole_way_by_command(course, classroom, work, tmp_path):
    place = archive(tmp_path, {f"{FOLDERS['201']}/{SET}.ipynb": work})
    sheet = moodle(tmp_path / "Grades.csv", ("201", "300"))
    assert "No work for chapter_01 was graded" in classroom("return", SET, sheet)[1]
    classroom("collect", place, SET, "--times", sheet)
    classroom("grade")
    code, said = classroom("return", SET, sheet)
    assert code == 0
    assert "no grade yet: 1 to mark (1): Ελένη-Παππά_201." in said
    marks = course.folder / f"to-mark-{SET}.csv"
    marks.write_text(marks.read_text("utf-8-sig").replace("explain-hull,,,,3", "explain-hull,,,3,3"), "utf-8")
    classroom("grade")
    assert "1 grades in" in classroom("return", SET, sheet)[1]
    row = table((course.folder / "returned" / SET / sheet.name).read_bytes())[0]
    assert row["Grade"] == f"{grades.table(course, SET)[0].score:g}" == "14"
    assert "14 of 14" in packed(course)[f"{FOLDERS['201']}/feedback.html"]
    changed = nbformat.reads(work, 4)
    changed.cells.append(nbformat.v4.new_markdown_cell("One thing more."))
    later = {f"{FOLDERS['201']}/{SET}.ipynb": nbformat.writes(changed)}
    classroom("collect", archive(tmp_path, later, "later.zip"), SET, "--times", sheet)
    code, said = classroom("return", SET, sheet)
    assert (code, "1 handed in anew" in said) == (1, True)


OTHERS = {
    "blackboard": "{set}_{who}_attempt_2026-03-01-10-00-00_{set}.ipynb",
    "sakai": "Week 1/{who}, Anna({who})/Submission attachment(s)/{set}.ipynb",
}


@pytest.mark.parametrize("form", OTHERS.values(), ids=OTHERS)
def test_work_of_blackboard_and_sakai_goes_into_a_plain_sheet(course, work, tmp_path, form):
    downloads.collect(
        course, SET, archive(tmp_path, {form.format(set=SET, who=who): work for who in ("eléni", "נועה", "two_3")})
    )
    rows = graded(course, {})
    sheet = tmp_path / "mine.csv"
    sheet.write_text("student,chapter_01\n" + "".join(f"{row.student},\n" for row in rows), "utf-8")
    give_back(course, SET, rows, sheet)
    made = table((course.folder / "returned" / SET / sheet.name).read_bytes())
    assert {row["student"]: row["chapter_01"] for row in made} == {row.student: "13.5" for row in rows}
    assert len(packed(course)) == len(made) == 3
