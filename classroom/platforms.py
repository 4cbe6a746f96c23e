"""Who handed a file in, by the names that learning platforms give. A platform chooses folders and prefixes; the student
chooses the rest, so only what the platform wrote is read:

- Moodle, a folder each (or, flat, a file): `NAME_ID_assignsubmission_file_/…`. Moodle writes blanks for `_` in a name.
- Canvas: `NAME_USERID_FILEID_FILENAME`, with `LATE` before the id of late work; NAME never holds `_NUMBER_`. Where
  students are anonymous: `anon_ID_FILEID_FILENAME`.
- Blackboard: `SET_USER_attempt_TIME_FILENAME`. SET and USER may hold `_`; SET is the same in the whole download.
- Sakai: `SET/Last, First(USER)/Submission attachment(s)/FILENAME`, beside `grades.csv` and `timestamp.txt`.
- A folder each, or a file each: their names are the students'.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePosixPath

MOODLE = re.compile(r"(?P<who>[^_]+(?:_\d+)?)_assignsubmission_(?:file|onlinetext)(?:_(?P<name>.*))?")
ANONYMOUS = re.compile(r"(?:LATE_)?(?P<who>anon_[A-Za-z0-9]+)_\d+_(?P<name>.+)")
CANVAS = re.compile(r"(?P<who>\w+?)(?:_LATE)?_(?P<id>\d+)_\d+_(?!attempt_\d{4}-)(?P<name>.+)")
BLACKBOARD = re.compile(r"(?P<who>.+?)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<name>.*)|\.txt)?")
FORMS = (MOODLE, ANONYMOUS, CANVAS, BLACKBOARD)
SAKAI = "Submission attachment(s)"
NOTEBOOK = re.compile(r"\.ipynb(?:\.(?:txt|json))?$", re.IGNORECASE)  # with what browsers add
EXTRA = re.compile(r"grades\.(csv|xls|xlsx)|(timestamp|comments)\.txt|.*_submissionText\.html|feedbackText\.html")


@dataclass(frozen=True)
class Upload:
    """A file: who the platform says it is of, its name there, the student's name for it, and the platform's time."""

    path: str
    who: str = ""  # as the platform writes it
    name: str = ""
    time: str = ""
    trouble: str = ""  # why it cannot be said whose it is

    @property
    def student(self) -> str:
        """A name for a folder: never that of a student whom the platform calls otherwise (see `collisions`)."""
        return plain(self.who)


def uploads(paths: list[str], assignment: str) -> list[Upload]:
    """Whose each file is."""
    inner = _rooted([unicodedata.normalize("NFC", path).strip("/").split("/") for path in paths])
    kept = [(path, parts) for path, parts in zip(paths, inner, strict=True) if not _extra(parts)]
    form = _form([parts[0] for _, parts in kept if len(parts) == 1])
    found = [
        _flat(path, parts[0], form, assignment) if len(parts) == 1 else _in_folder(path, parts) for path, parts in kept
    ]
    return _without_set(found, assignment)


def collisions(found: list[Upload]) -> dict[str, set[str]]:
    """Students whom the platform calls by different names and who would become one."""
    names: dict[str, set[str]] = {}
    for upload in found:
        if upload.who:
            names.setdefault(upload.student.casefold(), set()).add(upload.who)
    return {student: called for student, called in names.items() if len(called) > 1}


def plain(name: str) -> str:
    """A name that is safe as a folder's; one that is too long keeps what makes it different."""
    short = re.sub(r"[^\w.@-]+", "-", unicodedata.normalize("NFC", name)).strip("-.")
    return short if len(short.encode()) <= 80 else f"{short[:40]}-{hashlib.sha256(short.encode()).hexdigest()[:10]}"


def _rooted(paths: list[list[str]]) -> list[list[str]]:
    """The parts of each path without the folder that all students are in."""
    sakai = any(SAKAI in parts[1:2] for parts in paths)
    if len({parts[0] for parts in paths}) != 1 or MOODLE.fullmatch(paths[0][0]) or sakai:
        return paths
    if all(len(parts) == 2 for parts in paths):  # a student's folder, or a flat download that was unpacked into one
        names = [parts[1] for parts in paths]
        return [[name] for name in names] if len(names) > 1 and _form(names, all_of=True) else paths
    folders = {parts[1] for parts in paths if len(parts) > 2}
    holding = {parts[1] for parts in paths if len(parts) > 2 and NOTEBOOK.search(parts[-1])}
    platform = any(parts[2:3] == [SAKAI] for parts in paths) or all(MOODLE.fullmatch(name) for name in folders)
    if folders and (platform or len(holding) > 1 or all(len(parts) > 2 for parts in paths)):
        return _rooted([parts[1:] or parts for parts in paths])
    return paths


def _form(names: list[str], all_of: bool = False) -> re.Pattern[str] | None:
    """The form that most of the names have (`all_of`: all of them): a download is of one platform."""
    matching = [sum(bool(form.fullmatch(name)) for name in names) for form in FORMS]
    most = max(matching)
    enough = most == len(names) if all_of else 2 * most > len(names)
    return FORMS[matching.index(most)] if enough and names else None


def _extra(parts: list[str]) -> bool:
    """Files that Sakai adds."""
    return SAKAI not in parts and ("Feedback Attachment(s)" in parts[:-1] or bool(EXTRA.fullmatch(parts[-1])))


def _in_folder(path: str, parts: list[str]) -> Upload:
    """The folder says who: what is in it was named by the student."""
    match = MOODLE.fullmatch(parts[0])
    who = match["who"] if match else parts[0]
    return Upload(path, who, parts[-1], trouble="" if plain(who) else "no student's name in it")


def _flat(path: str, name: str, form: re.Pattern[str] | None, assignment: str) -> Upload:
    if form is None:
        who = re.sub(rf"[ _-]*{re.escape(assignment)}.*$", "", stem(name))
        return Upload(path, who, name, trouble="" if plain(who) else "no student's name in it")
    match = form.fullmatch(name)
    if match is None:
        return Upload(path, trouble="it is not named as the others are, so whose it is is not clear")
    found = match.groupdict()
    who = f"{found['who']}_{found['id']}" if found.get("id") else found["who"]
    return Upload(path, who, found.get("name") or name, found.get("time") or "")


def _without_set(found: list[Upload], assignment: str) -> list[Upload]:
    """Blackboard's names without the name of the set: what all of them begin with, up to a `_`."""
    called = {upload.who for upload in found if upload.time}
    same = (
        takewhile(lambda pair: pair[0] == pair[1], zip(min(called), max(called), strict=False))
        if len(called) > 1
        else ()
    )
    start = "".join(letter for letter, _ in same)
    start = start[: start.rfind("_") + 1]
    made = []
    for upload in found:
        if upload.time:
            rest = upload.who.removeprefix(start) if start else _alone(upload.who, assignment)
            trouble = "" if rest else "the name of the set and the student's cannot be told apart"
            upload = Upload(upload.path, rest, upload.name, upload.time, trouble)
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
