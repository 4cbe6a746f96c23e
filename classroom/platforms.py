"""Who handed a file in, by the names that learning platforms give. A platform chooses folders and prefixes; the student
chooses the rest, so only what the platform wrote is read:

- Moodle, a folder each (or, flat, a file): `NAME_ID_assignsubmission_file_/…`. Moodle writes blanks for `_` in a name.
- Canvas: `NAME_USERID_FILEID_FILENAME`, with `LATE` before the id of late work; NAME never holds `_NUMBER_`. Where
  students are anonymous: `anon_ID_FILEID_FILENAME`, `LATE` before it.
- Blackboard: `SET_USER_attempt_TIME_FILENAME`. SET and USER may hold `_`; SET is the same in the whole download.
- Sakai: `SET/Last, First(USER)/Submission attachment(s)/FILENAME`, beside `grades.csv` and `timestamp.txt`.
- A folder each, or a file each: their names are the students'.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass, replace
from os.path import commonprefix
from pathlib import PurePosixPath

MOODLE = re.compile(r"(?P<who>[^_]+(?:_\d+)?)_assignsubmission_(?:file|onlinetext)(?:_(?P<name>.*))?", re.DOTALL)
ANONYMOUS = re.compile(r"(?P<late>LATE_)?(?P<who>anon_[A-Za-z0-9]+)_\d+_(?P<name>.+)", re.DOTALL)
CANVAS = re.compile(r"(?P<who>\w+?)(?P<late>_LATE)?_(?P<id>\d+)_\d+_(?!attempt_\d{4}-)(?P<name>.+)", re.DOTALL)
BLACKBOARD = re.compile(r"(?P<who>.+?)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<name>.*)|\.txt)?", re.DOTALL)
# What of such a name says whose file it is.
CANVAS_NAME = re.compile(r"(?:LATE_)?anon_[A-Za-z0-9]+_\d+_|\w+?(?:_LATE)?_\d+_\d+_")
# Where other names say that it is Canvas.
ANY_CANVAS = re.compile(CANVAS.pattern.replace(r"(?!attempt_\d{4}-)", ""), re.DOTALL)
ORIGINS = {MOODLE: "moodle", BLACKBOARD: "blackboard"}  # all others are Canvas's
FORMS = (MOODLE, ANONYMOUS, CANVAS, BLACKBOARD, ANY_CANVAS)
SAKAI = "Submission attachment(s)"
NOTEBOOK = re.compile(r"\.ipynb(?:\.(?:txt|json))?$", re.IGNORECASE)  # with what browsers add
GRADES = re.compile(r"grades\.(csv|xls|xlsx)")
EXTRA = re.compile(rf"{GRADES.pattern}|(timestamp|comments)\.txt|.*_submissionText\.html|feedbackText\.html")


@dataclass(frozen=True)
class Upload:
    """A file: who the platform says it is of, its name there, the student's name for it, and the platform's time."""

    path: str
    who: str = ""  # as the platform writes it
    name: str = ""
    time: str = ""
    trouble: str = ""  # why it cannot be said whose it is
    origin: str = ""  # moodle, canvas or blackboard, where the name is one of theirs
    late: bool = False  # by the platform's own word

    @property
    def student(self) -> str:
        """A name for a folder: never that of a student whom the platform calls otherwise (see `collisions`)."""
        return plain(self.who)


def uploads(paths: list[str], assignment: str) -> tuple[list[Upload], list[str]]:
    """Whose each file is, and sentences about what was taken for what."""
    inner, said = _rooted([unicodedata.normalize("NFC", path).strip("/").split("/") for path in paths])
    if inner is None:
        return [], [said]
    sakai = any(_of_sakai(parts) for parts in inner)
    kept = [(path, parts) for path, parts in zip(paths, inner, strict=True) if not _extra(parts, sakai)]
    form = _form([parts[0] for _, parts in kept if len(parts) == 1])
    found = [
        _flat(path, parts[0], form, assignment) if len(parts) == 1 else _in_folder(path, parts) for path, parts in kept
    ]
    return [_named(upload) for upload in _without_set(found, assignment)], [said] if said else []


def collisions(found: list[Upload]) -> dict[str, set[str]]:
    """Students whom the platform calls by different names and who would become one."""
    names: dict[str, set[str]] = {}
    for upload in found:
        if upload.who:
            names.setdefault(upload.student.casefold(), set()).add(upload.who)
    return {student: called for student, called in names.items() if len(called) > 1}


def plain(name: str) -> str:
    """A name that is safe as a folder's; one that is too long keeps its number, and what makes it different."""
    short = re.sub(r"[^\w.@-]+", "-", unicodedata.normalize("NFC", name)).strip("-.")
    if len(short.encode()) <= 80:
        return short
    number = re.search(r"_[0-9]{1,20}$", short)
    kept, rest = short.encode()[:40].decode(errors="ignore"), hashlib.sha256(short.encode()).hexdigest()[:10]
    return f"{kept}-{rest}{number[0] if number else ''}"


def _rooted(paths: list[list[str]]) -> tuple[list[list[str]] | None, str]:
    """The parts of each path without the folder that all students are in, and a sentence where no platform made it.

    Nothing, where that folder may as well be the only student's: what is in it was then named by that student.
    """
    root = paths[0][0] if paths else ""
    alone = any(parts[0] != root or len(parts) == 1 or _of_sakai(parts) for parts in paths)
    if alone or MOODLE.fullmatch(root):
        return paths, ""
    inner = [parts[1:] for parts in paths]
    folders = {parts[0] for parts in inner if len(parts) > 1}
    if folders and (all(map(MOODLE.fullmatch, folders)) or any(map(_of_sakai, inner))):
        return inner, ""
    notebooks = [parts for parts in inner if NOTEBOOK.search(parts[-1])]
    students = len({parts[0] for parts in notebooks if len(parts) > 1}) if folders else _several(inner)
    if students > 1 and (not folders or all(len(parts) > 1 for parts in notebooks)):
        return inner, f"{root} was taken for the folder that all students are in, not for a student's."
    if students == 0 and any(len(parts) == 1 for parts in inner):
        return paths, ""
    if students == 1 and any(len(parts) == 1 for parts in notebooks) and folders:
        return paths, ""
    return None, (
        f"{root}: whether it is a student's folder or the one that all are in is not clear; left out. Collect "
        "the folder that the students' folders are in, with the notebook of each directly in their own."
    )


def _several(flat: list[list[str]]) -> int:
    """How many students these files are of, when all are named as a platform does; 0 when it may be any one's folder."""
    names = [parts[0] for parts in flat]
    form = _form(names) if len(names) > 1 else None
    found = [form.fullmatch(name) for name in names] if form else [None]
    return len({_who(match) for match in found if match}) if all(found) else 0


def _form(names: list[str]) -> re.Pattern[str] | None:
    """The form that most students' names have. No student decides it, however many files there are and of what names.

    A platform writes all names in one form. Where all names of a form have another as well, which more names have, a
    student made them look so; and a name of several forms counts for none.
    """
    fits = {form: frozenset(name for name in names if form.fullmatch(name)) for form in FORMS}
    kept: dict[frozenset[str], re.Pattern[str]] = {}
    for form, fit in fits.items():
        if fit and not any(fit < other for other in fits.values()):
            kept.setdefault(fit, form)
    students = {}
    for fit, form in kept.items():
        sure = fit.difference(*(other for other in kept if other != fit))
        students[form] = len({_who(match) for name in sure if (match := form.fullmatch(name))})
    others = len(set(names).difference(*fits.values()))
    best = max(students, key=lambda form: students[form], default=None)
    return best if best and (not others or students[best] > others) else None


def _who(match: re.Match[str]) -> str:
    """What the platform calls the student."""
    found = match.groupdict()
    return f"{found['who']}_{found['id']}" if found.get("id") else found["who"]


def _of_sakai(parts: list[str]) -> bool:
    return parts[1:2] == [SAKAI] and parts[0].endswith(")")


def _extra(parts: list[str], sakai: bool) -> bool:
    """Files that Sakai adds; a list of grades is no student's."""
    if sakai and len(parts) > 1:
        return parts[1] == "Feedback Attachment(s)" or (len(parts) == 2 and bool(EXTRA.fullmatch(parts[1])))
    return len(parts) == 1 and bool((EXTRA if sakai else GRADES).fullmatch(parts[0]))


def _named(upload: Upload) -> Upload:
    return upload if upload.trouble or upload.student else replace(upload, trouble="no student's name in it")


def _in_folder(path: str, parts: list[str]) -> Upload:
    """The folder says who: what is in it was named by the student."""
    match = MOODLE.fullmatch(parts[0])
    return Upload(path, match["who"] if match else parts[0], parts[-1], origin="moodle" if match else "")


def _flat(path: str, name: str, form: re.Pattern[str] | None, assignment: str) -> Upload:
    if form is None:
        return Upload(path, re.sub(rf"[ _-]*{re.escape(assignment)}.*$", "", stem(name)), name)
    match = form.fullmatch(name)
    if match is None:
        return Upload(path, trouble="it is not named as the others are, so whose it is is not clear")
    found = match.groupdict()
    origin = ORIGINS.get(form, "canvas")
    called = found.get("name") or name
    return Upload(path, _who(match), called, found.get("time") or "", origin=origin, late=bool(found.get("late")))


def _without_set(found: list[Upload], assignment: str) -> list[Upload]:
    """Blackboard's names without the name of the set: what all of them begin with, up to a `_`."""
    called = {upload.who for upload in found if upload.time}
    start = commonprefix([*called]) if len(called) > 1 else ""  # noqa: RUF071
    start = start[: start.rfind("_") + 1]
    made = []
    for upload in found:
        if upload.time:
            rest = upload.who.removeprefix(start) if start else _alone(upload.who, assignment)
            trouble = "" if rest else "the name of the set and the student's cannot be told apart"
            upload = replace(upload, who=rest, trouble=trouble)
        made.append(upload)
    return made


def _alone(who: str, assignment: str) -> str:
    """The student in a single name: after the set's own name, or after the only `_`."""
    if who.startswith(f"{assignment}_"):
        return who.removeprefix(f"{assignment}_")
    return who.partition("_")[2] if who.count("_") == 1 else ""


def stem(name: str) -> str:
    """A file's name without its ending, also where a notebook has two."""
    return NOTEBOOK.sub("", name) if NOTEBOOK.search(name) else PurePosixPath(name).stem


def named_like(name: str, assignment: str) -> re.Match[str] | None:
    """Whether a file is called like the set, as browsers and platforms number copies: `SET (1).ipynb`."""
    return re.fullmatch(rf"{re.escape(assignment)}(?:[ _-]?\(?(?P<copy>\d{{1,6}})\)?)?", stem(name), re.IGNORECASE)
