"""What a command keeps while it runs is gone when its processes are, at whatever moment they are killed."""

import os
import signal
import subprocess
import sys
import time

import pytest

from classroom import temporary

BEGIN = """
import os, shutil, signal, sys, tempfile
from classroom import temporary, worker

def killed_at(place, name, before=False):
    call = getattr(place, name)
    def last(*given, **named):
        if not before:
            call(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(place, name, last)

def both(*_):
    os.kill(os.getppid(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)

"""
MOMENTS = {
    "a folder was made": "killed_at(tempfile, 'mkdtemp'); worker.run(60, len, [])",
    "a process was begun": "killed_at(worker._Process, 'start'); worker.run(60, len, [])",
    "its work was done": "killed_at(worker._Process, 'end', before=True); worker.run(60, len, [])",
    "its folder was being removed": "killed_at(shutil, 'rmtree', before=True); worker.run(60, len, [])",
    "it was killed itself": "worker.run(60, both)",
}


def gone(folder):
    """Whether a folder is empty, soon."""
    end = time.monotonic() + 60
    while any(folder.iterdir()) and time.monotonic() < end:
        time.sleep(0.02)
    return not any(folder.iterdir())


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_run_that_is_killed_leaves_nothing_whatever_the_moment(tmp_path, moment):
    command = [sys.executable, "-c", BEGIN + MOMENTS[moment]]
    ran = subprocess.run(command, env=os.environ | {"TMPDIR": str(tmp_path)}, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (-signal.SIGKILL, "")
    assert gone(tmp_path)


def test_the_folder_stays_as_long_as_a_process_that_was_forked_has_it(tmp_path):
    code = """
import os, sys
from classroom import temporary
made = temporary.folder()
if os.fork():
    os.kill(os.getpid(), 9)
sys.stdin.read()
print(made.is_dir(), flush=True)
"""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.wait(60) == -signal.SIGKILL
        assert process.communicate()[0] == "True\n"
    assert gone(tmp_path)


def test_at_an_orderly_end_it_is_gone_at_once_and_what_is_temporary_lies_in_it_while_it_is_used(tmp_path):
    code = """
import tempfile
from classroom import temporary
with temporary.used():
    print(tempfile.mkdtemp().startswith(f"{temporary.folder()}/"))
print(tempfile.gettempdir())
"""
    command = [sys.executable, "-c", code]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == ["True", str(tmp_path)]
    assert list(tmp_path.iterdir()) == []


def test_where_no_folder_can_be_made_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with pytest.raises(OSError, match=f"No folder can be made in {tmp_path}/none"):
        temporary.folder.__wrapped__()
