"""Who may use the hub: names from the classroom's sheet, a password for each, an account, and a place to submit.

This runs with the hub's Python, or any other: it needs the standard library, and bcrypt where a password is made.
"""

import csv
import dbm
import hashlib
import os
import pwd
import re
import secrets
import shutil
import subprocess
import unicodedata
from pathlib import Path

NAME = r"\w[\w.@-]{0,79}"  # what the hub calls somebody, and what the folder is called that they submit into
COURSE = "attention"
TEACHERS = "attention-teachers"  # the group that reads what was submitted


class Refused(SystemExit):
    """What the hub does not start with: the sentence says what to do."""


def name(written: str) -> str:
    """A student's name as the hub has it: as the classroom writes it in its table of grades, in small letters."""
    return re.sub(r"[^\w.@-]+", "-", unicodedata.normalize("NFC", written)).strip("-.").lower()


def roster(file: Path) -> set[str]:
    """The names in the column `student` of a sheet, saved as CSV in UTF-8. Refused where two become one, or none is left."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{file} cannot be read ({error}). Save the list of names as CSV in UTF-8.") from None
    first = text.lstrip().partition("\n")[0]
    found: dict[str, str] = {}
    for row in csv.DictReader(text.splitlines(), delimiter=max(",;\t", key=first.count)):
        written = (row.get("student") or "").strip().removeprefix("'")
        if not written:
            continue
        if not re.fullmatch(NAME, short := name(written)):
            raise Refused(f"{file}: {written!r} cannot be a name on the hub.")
        if short in found:
            raise Refused(f"{file}: {found[short]!r} and {written!r} would both be {short}. Rename one.")
        found[short] = written
    if not found:
        raise Refused(f"{file} has no names: it needs a column called student.")
    return {*found}


def passwords(names: set[str], stored: Path, sheet: Path) -> dict[str, str]:
    """Give a password to each name without one; `sheet` lists those given here, for the teacher to hand out."""
    import bcrypt

    with dbm.open(str(stored), "c", 0o600) as known:
        new = {one: secrets.token_urlsafe(9) for one in sorted(names) if known.get(one.encode()) is None}
        if new:
            there = sheet.exists()
            with open(os.open(sheet, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w", encoding="utf8") as file:
                lines = csv.writer(file)
                lines.writerows([*([] if there else [("student", "password")]), *new.items()])
        for one, password in new.items():
            known[one.encode()] = bcrypt.hashpw(password.encode(), bcrypt.gensalt())
    return new


def account(student: str) -> str:
    """The name of a student's account on the machine: never that of an account that was there before."""
    if re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,22}", student):
        return f"student-{student}"
    return f"student_{hashlib.sha256(student.encode()).hexdigest()[:20]}"


def exchange(data: Path) -> Path:
    """The folder of the exchange: sets to fetch in `outbound`, a folder for each student in `inbound`."""
    folder = data / "exchange"
    for inner in ("outbound", "inbound"):
        (folder / COURSE / inner).mkdir(parents=True, exist_ok=True)
    return folder


def teachers(data: Path) -> None:
    """Let the group of teachers hand out and read what was submitted. Needs root and Linux's groupadd."""
    subprocess.run(["groupadd", "--force", TEACHERS], check=True)
    for inner, mode in (("outbound", 0o2775), ("inbound", 0o751)):
        folder = exchange(data) / COURSE / inner
        shutil.chown(folder, group=TEACHERS)
        folder.chmod(mode)


def place(data: Path, student: str) -> tuple[Path, Path]:
    """Where a student submits, and what nbgrader takes for its whole exchange on that student's server."""
    if not re.fullmatch(NAME, student):
        raise ValueError(f"{student!r} cannot be the name of a folder")
    everybody = exchange(data) / COURSE
    own, inbound = data / "own" / student, everybody / "inbound" / student
    (own / COURSE).mkdir(parents=True, exist_ok=True)
    own.parent.chmod(0o711)  # nobody sees there who the others are
    inbound.mkdir(mode=0o700, exist_ok=True)
    for link, target in (("inbound", inbound), ("outbound", everybody / "outbound")):
        if not (own / COURSE / link).is_symlink():
            (own / COURSE / link).symlink_to(target)
    return inbound, own


def accounts(data: Path) -> None:
    """Make the accounts whose homes a backup brought, with the numbers that own them, before anybody else gets one."""
    for home in sorted((data / "homes").glob("student[-_]*")):
        try:
            pwd.getpwnam(home.name)
        except KeyError:
            owner = ["--uid", str(home.stat().st_uid), "--user-group", "--shell", "/bin/bash"]
            subprocess.run(["useradd", "--no-create-home", "--home-dir", str(home), *owner, home.name], check=True)


def settle(data: Path, student: str) -> str:
    """Make a student's account on this machine, with a home and a place to submit that no other student can enter.

    Needs root and Linux's useradd. The group of teachers reads the place to submit.
    """
    called = account(student)
    try:
        found = pwd.getpwnam(called)
    except KeyError:
        homes = data / "homes"
        homes.mkdir(mode=0o711, exist_ok=True)
        subprocess.run(
            ["useradd", "--create-home", "--base-dir", str(homes), "--shell", "/bin/bash", "--user-group", called],
            check=True,
        )
        found = pwd.getpwnam(called)
    os.chmod(found.pw_dir, 0o700)
    inbound, _ = place(data, student)
    shutil.chown(inbound, called, TEACHERS)
    os.chmod(inbound, 0o2750)
    return called
