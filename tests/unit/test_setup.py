"""The set-up's decisions, with every command recorded and none run."""

import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from tools import chromium, setup


@pytest.fixture
def machine(monkeypatch):
    """A Linux machine: which commands it has, what it can reach, and what was run on it."""

    here = SimpleNamespace(commands={"npm", "node"}, reachable=True, calls=[])
    monkeypatch.setattr(setup.platform, "system", lambda: "Linux")
    monkeypatch.setattr(setup.shutil, "which", lambda name, path=None: name if name in here.commands else None)
    monkeypatch.setattr(setup, "reachable", lambda url: here.reachable)
    monkeypatch.setattr(setup, "pip", lambda *arguments: here.calls.append([str(a) for a in arguments]))
    monkeypatch.setattr(
        setup.subprocess, "run", lambda command, **_: here.calls.append(command) or SimpleNamespace(returncode=0)
    )
    return here


def test_without_a_card_torch_alone_asks_the_cpu_index_once(machine):
    setup.install_torch()
    assert machine.calls == [
        ["install", "--no-deps", "--extra-index-url", setup.TORCH_CPU, "--retries", "0", "torch==2.13.0"]
    ]


def test_an_index_that_is_out_of_reach_is_left_out(machine):
    machine.reachable = False
    setup.install_torch()
    assert machine.calls == [["install", "--no-deps", "torch==2.13.0"]]


def test_with_an_nvidia_card_torch_comes_with_its_own_build(machine):
    machine.commands = machine.commands | {"nvidia-smi"}
    setup.install_torch()
    assert machine.calls == [["install", "--no-deps", "torch==2.13.0"]]


@pytest.mark.parametrize("commands", [{"npm", "node"}, set()])
def test_node_is_installed_only_where_there_is_none(commands, machine):
    machine.commands = commands
    setup.install_node()
    assert (["install", setup.NODE] in machine.calls) == (not commands)
    assert machine.calls[-1][1:] == ["ci", "--loglevel=error"]


def test_students_see_no_menu_of_nbgrader(tmp_path, monkeypatch):
    monkeypatch.setattr(setup, "VENV", tmp_path)
    setup.plain_lab()
    settings = tmp_path / "etc" / "jupyter"
    assert "@jupyter/nbgrader" in (settings / "labconfig" / "page_config.json").read_text()
    server = json.loads((settings / "jupyter_server_config.d" / "plain_lab.json").read_text())
    brought = json.loads((Path(sys.prefix) / "etc/jupyter/jupyter_server_config.d" / "nbgrader.json").read_text())
    assert set(server["ServerApp"]["jpserver_extensions"]) == set(brought["ServerApp"]["jpserver_extensions"])


def test_nothing_answers_at_a_closed_port():
    assert not setup.reachable("http://127.0.0.1:9/")


def test_a_chromium_named_by_the_environment_comes_first(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "mine")
    monkeypatch.setattr(chromium.shutil, "which", lambda name: f"/bin/{name}")
    assert chromium.find() == "/bin/mine"


@pytest.fixture
def called(monkeypatch):
    """What an installation calls, on a machine with nothing but apt-get."""
    calls = []
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(chromium.shutil, "which", lambda name: name if name == "apt-get" else None)
    none = SimpleNamespace(chromium=SimpleNamespace(executable_path="/nowhere"))
    monkeypatch.setattr(chromium, "sync_playwright", lambda: nullcontext(none))  # the real one starts once in a process
    monkeypatch.setattr(chromium.subprocess, "run", lambda command, **_: calls.append(" ".join(command)))
    return calls


@pytest.mark.parametrize(("user", "words"), [(0, "chromium-headless-shell"), (1000, "playwright install chromium")])
def test_chromium_is_installed_as_the_machine_allows(user, words, called, monkeypatch, capsys):
    monkeypatch.setattr(chromium.os, "geteuid", lambda: user)
    chromium.install()
    assert words in called[-1]
    assert "Installing a Chromium" in capsys.readouterr().out


def test_where_the_distribution_has_no_chromium_playwrights_is_taken(called, monkeypatch):
    def run(command, **_):
        called.append(" ".join(command))
        if command[0] == "apt-get":
            raise subprocess.CalledProcessError(100, command)

    monkeypatch.setattr(chromium.os, "geteuid", lambda: 0)
    monkeypatch.setattr(chromium.subprocess, "run", run)
    chromium.install()
    assert "playwright install chromium" in called[-1]
