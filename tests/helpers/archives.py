"""What a learning platform gives to download, and how it is sorted: for tests."""

import re
import zipfile

from classroom.downloads import sort

SET = "chapter_01"


def archive(folder, files, name="download.zip"):
    with zipfile.ZipFile(folder / name, "w") as made:
        for path, content in files.items():
            if isinstance(path, str):
                path = zipfile.ZipInfo(path, (2026, 3, 1, 10, 0, 0))
            made.writestr(path, content)
    return folder / name


def students(folder, *paths):
    """Whose notebooks are found, by whose content is theirs, and the remarks."""
    found = sort(archive(folder, {path: path for path in paths}), SET)
    return {student: one.content.decode() for student, one in found.notebooks.items()}, found.remarks


# As Moodle names them: in Greek, in Hebrew, two of one name, a file that was renamed, and two uploads.
NAMES = {
    "201": "Ελένη Παππά",
    "202": "נועה לוי",
    "203": "Anna Müller",
    "204": "Anna Müller",
    "205": "O'Brien, Seán",
    "206": "Zoë Gone",
    "207": "Lena Locked",
}
# What stands in a file's name: without an apostrophe.
FOLDERS = {number: f"{name}_{number}_assignsubmission_file".replace("'", "") for number, name in NAMES.items()}
MOODLE = (
    "Identifier",
    "Full name",
    "Email address",
    "Status",
    "Grade",
    "Maximum Grade",
    "Grade can be changed",
    "Last modified (submission)",
    "Last modified (grade)",
    "Feedback comments",
)


def moodle(path, numbers=("201", "202", "203", "204", "205", "207", "300"), most="14.00", **form):
    """An offline grading worksheet, as Moodle's own writer of CSV makes it: a mark of byte order, quotes where needed."""
    names = NAMES | {"300": "Nobody, Handed In"}
    lines = [",".join(f'"{name}"' if " " in name else name for name in MOODLE)]
    for number in numbers:
        can = "No" if number == "207" else "Yes"
        when = "-" if number == "300" else "Sunday, 1 March 2026, 10:23 PM"
        comment = "Kept, as it was" if number == "205" else ""
        values = (f"Participant {number}", names[number], f"p{number}@example.org", "Submitted for grading", "")
        values += (most, can, when, "-", comment)
        lines.append(",".join(f'"{value}"' if re.search(r"[ ,\"]", value) else value for value in values))
    path.write_bytes(("\n".join(lines) + "\n").encode(form.get("encoding", "utf-8-sig")))
    return path
