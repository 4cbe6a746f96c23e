"""The hub's settings: what it refuses, who may log in, and what lies where; no hub runs."""

import dbm
import importlib.util
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from nbgrader.exchange.default import exchange
from traitlets.config import PyFileConfigLoader

HUB = Path(__file__).resolve().parents[2] / "deploy" / "hub"


def _module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def people(monkeypatch):
    """The module beside the settings, without the package that hashes passwords, and with every command recorded."""
    monkeypatch.syspath_prepend(str(HUB))
    plain = SimpleNamespace(hashpw=lambda password, salt: b"hash of " + password, gensalt=lambda: b"")
    monkeypatch.setitem(sys.modules, "bcrypt", plain)
    module = _module(HUB / "people.py")
    monkeypatch.setitem(sys.modules, "people", module)
    module.run = []
    monkeypatch.setattr(module.subprocess, "run", lambda command, check: module.run.append(command))
    monkeypatch.setattr(
        module.shutil, "chown", lambda path, user=None, group=None: module.run.append((path, user, group))
    )
    return module


@pytest.fixture
def load(people, tmp_path, monkeypatch):
    """The settings as JupyterHub reads them, for these names in the environment."""

    def read(root=False, **environment):
        for name in [one for one in os.environ if one.startswith(("HUB_", "LTI_"))]:
            monkeypatch.delenv(name)
        for name, value in ({"HUB_DATA": str(tmp_path / "data")} | environment).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(os, "getuid", lambda: 0 if root else 1000)
        path = [*sys.path]
        try:
            return PyFileConfigLoader(str(HUB / "jupyterhub_config.py")).load_config()
        finally:
            sys.path[:] = path

    return read


LTI = {
    "LTI_ISSUER": "https://lms",
    "LTI_CLIENT_ID": "a, b",
    "LTI_AUTHORIZE_URL": "https://lms/auth",
    "LTI_JWKS_URL": "https://lms/keys",
}


@pytest.mark.parametrize("address", ["0.0.0.0:8000", "[::]:8000", ":8000", "10.0.0.5:80", "hub.example.org:443"])
def test_a_trial_serves_this_machine_alone(load, address):
    with pytest.raises(SystemExit, match="no wall between students"):
        load(HUB_TRIAL="1", HUB_ADDRESS=address)


@pytest.mark.parametrize("address", ["127.0.0.1:8000", "localhost:9000", "[::1]:8000"])
def test_a_trial_says_that_it_is_one(load, capsys, address):
    c = load(HUB_TRIAL="1", HUB_ADDRESS=address)
    assert c.JupyterHub.bind_url == f"http://{address}"
    assert c.JupyterHub.spawner_class == "simple"
    said = capsys.readouterr().err
    assert "can read each other's work" in said
    assert "machine, root" not in said
    assert c.Spawner.args == []


def test_a_trial_as_root_says_so(load, capsys):
    assert load(root=True, HUB_TRIAL="1").Spawner.args == ["--allow-root"]
    assert "same user of this machine, root" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        ({"HUB_DATA": ""}, "Say where"),
        ({}, "needs root"),
        ({"HUB_TRIAL": "1", **LTI, "LTI_JWKS_URL": "", "LTI_ISSUER": ""}, "missing: LTI_ISSUER, LTI_JWKS_URL"),
        ({"HUB_TRIAL": "1", "HUB_STUDENTS": "/nowhere.csv"}, "cannot be read"),
    ],
)
def test_what_is_missing_is_said(load, environment, why):
    with pytest.raises(SystemExit, match=why):
        load(**environment)


def test_a_class_has_accounts_limits_and_a_name_from_the_list_alone(load, people, tmp_path):
    sheet = tmp_path / "students.csv"
    sheet.write_text("student,extra days\nAnna_203,2\n204,\n", encoding="utf-8-sig")
    c = load(root=True, HUB_STUDENTS=str(sheet), HUB_ADMINS="Head", HUB_MEMORY="1G", HUB_CPU="0.5")
    assert c.JupyterHub.spawner_class == "systemd"
    assert c.Authenticator.allowed_users == {"anna_203", "204"}
    assert c.Authenticator.allow_existing_users is False  # who was taken off the list since
    assert not c.FirstUseAuthenticator.create_users
    assert (c.Spawner.mem_limit, c.Spawner.cpu_limit) == ("1G", 0.5)
    assert people.run[0] == ["groupadd", "--force", "attention-teachers"]
    with dbm.open(str(tmp_path / "data/state/passwords.dbm")) as known:
        assert {*known.keys()} == {b"anna_203", b"204", b"head"}
    assert stat.S_IMODE((tmp_path / "data/state").stat().st_mode) == 0o700


def test_homes_of_a_backup_get_their_accounts_before_anybody_else(load, people, tmp_path):
    home = tmp_path / "data/homes/student-anna"
    home.mkdir(parents=True)
    (tmp_path / "data/students.csv").write_text("student\nanna\ndora\n")
    load(root=True, HUB_STUDENTS=str(tmp_path / "data/students.csv"))
    (made,) = [one for one in people.run if one[0] == "useradd"]
    assert made[-1] == "student-anna"
    assert made[made.index("--uid") + 1] == str(home.stat().st_uid)


def test_a_set_is_copied_beside_the_others_each_time():
    (line,) = [
        one for one in (HUB / "README.md").read_text().splitlines() if "kubectl cp" in one and "/release/" in one
    ]
    assert line.endswith("exchange:/exchange/attention/outbound")


def test_a_list_in_the_hubs_folder_is_closed_to_students(load, tmp_path):
    sheet = tmp_path / "data/students.csv"
    sheet.parent.mkdir()
    sheet.write_text("student,extra days\nanna,2\n")
    sheet.chmod(0o644)
    load(root=True)
    assert stat.S_IMODE(sheet.stat().st_mode) == 0o600


def test_a_student_need_not_write_into_the_root_of_the_exchange(tmp_path, monkeypatch):
    monkeypatch.setenv("EXCHANGE", str(tmp_path))
    monkeypatch.setattr(exchange, "check_directory", lambda *_, **__: False)  # what the system tells a student
    c = PyFileConfigLoader(str(HUB / "nbgrader_config.py")).load_config()
    given = {"coursedir": CourseDirectory(config=c), "authenticator": Authenticator(config=c), "config": c}
    assert ExchangeFactory(config=c).List(**given).start() == []


def test_another_chapter_makes_another_environment(tmp_path, monkeypatch):
    environment = _module(HUB / "environment.py")
    for name in ("chapters/a.md", "pyproject.toml", "requirements.txt", "tools/notebooks.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("one")
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    before = environment._version()
    assert environment._version() == before
    (tmp_path / "chapters/a.md").write_text("two")
    assert environment._version() != before


def test_a_full_disk_leaves_no_half_of_a_notebook(tmp_path):
    programs, share = tmp_path / "bin", tmp_path / "share/attention/notebooks"
    (share / ".generated").mkdir(parents=True)
    (share / "a.ipynb").write_text("whole")
    (share / ".generated/a.ipynb").write_text("whole")
    programs.mkdir()
    shutil.copy(HUB / "student-server", programs)
    broken = tmp_path / "broken"
    broken.mkdir()
    for file, text in ((programs / "jupyterhub-singleuser", "exit 0"), (broken / "cp", 'printf wh > "$2"; exit 1')):
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()

    def start(path):
        subprocess.run([programs / "student-server"], cwd=home, env={"PATH": path}, check=True)
        return sorted(file.relative_to(home).as_posix() for file in home.rglob("*") if file.is_file())

    assert start(f"{broken}:{os.environ['PATH']}") == []
    assert start(os.environ["PATH"]) == ["notebooks/.generated/a.ipynb", "notebooks/a.ipynb"]
    assert (home / "notebooks/a.ipynb").read_text() == "whole"


def test_a_password_is_given_once_and_kept_from_others(load, tmp_path):
    load(HUB_TRIAL="1")
    sheet = tmp_path / "data/passwords.csv"
    first = sheet.read_text()
    assert [line.partition(",")[0] for line in first.splitlines()] == ["student", "anna", "ben", "carla"]
    assert stat.S_IMODE(sheet.stat().st_mode) == 0o600
    (tmp_path / "data/students.csv").write_text("student\nanna\ndora\n")
    load(HUB_TRIAL="1")
    assert sheet.read_text().startswith(first)
    assert [line.partition(",")[0] for line in sheet.read_text().splitlines()[4:]] == ["dora"]


def test_lti_takes_whom_the_platform_sends_or_the_list(load, tmp_path):
    c = load(HUB_TRIAL="1", **LTI)
    assert c.LTI13Authenticator.client_id == {"a", "b"}
    assert c.LTI13Authenticator.jwks_endpoint == "https://lms/keys"
    assert c.Authenticator.allow_all is True
    sheet = tmp_path / "students.csv"
    sheet.write_text("student\nanna@example.org\n")
    c = load(HUB_TRIAL="1", HUB_STUDENTS=str(sheet), **LTI)
    assert c.Authenticator.allowed_users == {"anna@example.org"}
    assert c.Authenticator.allow_existing_users is False
    assert "allow_all" not in c.Authenticator


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("student\nAnna M\nanna-m\n", "would both be anna-m"),
        ("student\n...\n", "cannot be a name"),
        ("name\nanna\n", "a column called student"),
        ("student\n" + "x" * 90, "cannot be a name"),
    ],
)
def test_a_list_that_will_not_do_is_refused(people, tmp_path, text, why):
    (tmp_path / "students.csv").write_text(text)
    with pytest.raises(SystemExit, match=why):
        people.roster(tmp_path / "students.csv")


def test_names_are_those_that_the_classroom_has(people, tmp_path):
    from classroom import lateness, platforms

    written = ["Anna Müller", "'204", "O'Brien, Seán", "李雷"]
    (tmp_path / "students.csv").write_text(
        "student;late days\n" + "".join(f"{one};\n" for one in written), encoding="utf8"
    )
    found = people.roster(tmp_path / "students.csv")
    assert len(found) == len(written)
    assert all(any(lateness.same(one.removeprefix("'"), name) for name in found) for one in written)
    assert {platforms.plain(name) for name in found} == found


def test_no_name_leads_to_another_account_or_folder(people, tmp_path):
    names = ["anna", "root", "a" * 23, "a" * 24, "anna.b", "李雷", "student-anna"]
    accounts = [people.account(name) for name in names]
    assert len({*accounts}) == len(names)
    assert all(one.startswith("student") and len(one) <= 32 for one in accounts)
    for name in ("..", "a/b", ".hidden", "", "a+b"):
        with pytest.raises(ValueError, match="cannot be the name of a folder"):
            people.place(tmp_path, name)


def test_a_student_submits_into_a_folder_of_their_own(people, tmp_path):
    for _ in range(2):
        inbound, own = people.place(tmp_path, "anna")
    assert inbound == tmp_path / "exchange/attention/inbound/anna"
    assert stat.S_IMODE(inbound.stat().st_mode) == 0o700
    assert (own / "attention/inbound").resolve() == inbound
    assert (own / "attention/outbound").resolve() == tmp_path / "exchange/attention/outbound"


def test_an_account_is_made_once_and_its_places_are_closed(people, tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    known = {}

    def getpwnam(name):
        return known[name]

    def run(command, check):
        people.run.append(command)
        known[command[-1]] = SimpleNamespace(pw_dir=str(home))

    monkeypatch.setattr(people.pwd, "getpwnam", getpwnam)
    monkeypatch.setattr(people.subprocess, "run", run)
    assert [people.settle(tmp_path, "anna") for _ in range(2)] == ["student-anna"] * 2
    assert [one[0] for one in people.run if isinstance(one, list)] == ["useradd"]
    inbound = tmp_path / "exchange/attention/inbound/anna"
    assert (inbound, "student-anna", "attention-teachers") in people.run
    assert [stat.S_IMODE(place.stat().st_mode) for place in (home, inbound)] == [0o700, 0o2750]


def test_kubernetes_mounts_a_students_own_folder_alone():
    values = yaml.safe_load((HUB / "kubernetes/values.yaml").read_text())
    mounts = values["singleuser"]["storage"]["extraVolumeMounts"]
    assert mounts["inbound"]["subPath"] == "attention/inbound/{unescaped_username}"
    assert mounts["outbound"]["readOnly"] is True
    assert not values["hub"]["config"]["Authenticator"]["username_pattern"].startswith(".")
    claim, _ = yaml.safe_load_all((HUB / "kubernetes/exchange.yaml").read_text())
    volume = values["singleuser"]["storage"]["extraVolumes"]["exchange"]
    assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]


def test_values_are_checked_as_helm_joins_them(tmp_path):
    check = _module(HUB / "kubernetes/check.py")
    (tmp_path / "Chart.yaml").write_text("version: '1'\nappVersion: '2'\n")
    (tmp_path / "values.yaml").write_text("a: {b: 1, c: x}\n")
    (tmp_path / "values.schema.yaml").write_text(
        "type: object\nproperties: {a: {type: object, required: [b], additionalProperties: false, "
        "properties: {b: {type: integer}, c: {type: string}}}}\n"
    )
    version, values, schema = check.chart(tmp_path)
    assert version == "1, with JupyterHub 2"
    assert check.mistakes(check.merged(values, {"a": {"c": "y"}}), schema) == []
    assert check.mistakes(check.merged(values, {"a": {"c": 3}}), schema) == ["$.a.c: 3 is not of type 'string'"]
    assert "'d' was unexpected" in check.mistakes(check.merged(values, {"a": {"d": 3}}), schema)[0]
    (tmp_path / "values.schema.yaml").unlink()
    with pytest.raises(SystemExit, match="is no chart"):
        check.chart(tmp_path)


def test_the_hubs_packages_are_pinned_here_or_by_the_book():
    pinned = {line.partition("==")[0] for line in (HUB.parents[1] / "requirements.txt").read_text().splitlines()}
    lines = [line.partition(" #")[0] for line in (HUB / "requirements.txt").read_text().splitlines() if line[0] != "#"]
    assert [line for line in lines if "==" not in line and line not in pinned] == []


def test_a_students_image_holds_the_notebooks_and_not_the_hub(people, tmp_path, monkeypatch):
    image = _module(HUB / "kubernetes/image.py")
    monkeypatch.setattr(image.environment, "wheel", lambda folder: (folder / "attnlib.whl").touch())
    image.main(tmp_path / "image", "5.4.3")
    lines = (tmp_path / "image/student.txt").read_text().split()
    assert [line for line in lines if "jupyterhub" in line] == ["jupyterhub==5.4.3"]
    assert "nbgrader" in lines
    files = {
        path.relative_to(tmp_path / "image").as_posix() for path in (tmp_path / "image").rglob("*") if path.is_file()
    }
    assert os.access(tmp_path / "image/bin/student-server", os.X_OK)
    assert {"postBuild", "etc/jupyter/nbgrader_config.py", "etc/jupyter/labconfig/page_config.json"} <= files
    others = {name for name in files if not name.startswith("share/attention/notebooks/")}
    assert not [name for name in others if name.endswith((".md", ".ipynb")) or "graded" in name]


@pytest.mark.slow
def test_three_students_work_on_a_hub_that_runs():
    """Needs `make hub-environment`."""
    environment = HUB.parents[1] / "_build/hub/environment"
    if not (environment / "made-from").exists():
        pytest.skip("the hub's environment is not here: make hub-environment")
    command = [sys.executable, "bench/hub.py", "--students", "3", "--at-once", "2", "--environment", str(environment)]
    done = subprocess.run(command, cwd=HUB.parents[1], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "collected: 3 new, 0 changed, 0 unchanged." in done.stdout
