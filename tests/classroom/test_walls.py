"""A submission is held to its time, memory, output and folder, and leaves no process."""

import subprocess
import sys
import time

import numpy as np
import pytest

from classroom import walls, wire
from classroom.student import Limits, Step, Student

KINDS = [kind for kind in (*walls.CHOICES, walls.LIMITS) if kind is walls.LIMITS or walls.works(kind)]
SMALL = Limits(seconds=1, total=60, memory=2 << 30, output=1000, file=1 << 20)


def run(*sources, kind=walls.LIMITS, limits=SMALL):
    with Student([Step(str(i), source) for i, source in enumerate(sources)], limits, kind) as student:
        return student.run(), student


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_cell_that_hangs_costs_no_other(kind):
    stubborn = "import signal\nsignal.setitimer(signal.ITIMER_PROF, 0)\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True:\n    pass"
    start = time.monotonic()
    ran, _ = run("x = 1", "while True: pass", stubborn, "import os\nos._exit(3)", "print(x)", kind=kind)
    assert ran["1"].error[:2] == ("TimeLimit", "it took longer than 1 s")
    assert ran["2"].error[:2] == ("Ended", "it took too long, and did not stop when told to")
    assert ran["3"].error[:2] == ("Ended", "it ended the process")
    assert ran["4"].output == "1\n"
    assert time.monotonic() - start < 60


def test_output_and_memory_and_files_are_limited():
    ran, _ = run(
        "for _ in range(100): print('x' * 100_000)",
        "a = bytearray(3 << 30)",
        "with open('big', 'wb') as f:\n    for _ in range(5): f.write(bytes(1 << 20))",
        "print('still here')",
    )
    assert len(ran["0"].output) < 1100
    assert "10000100 characters in all" in ran["0"].output
    assert ran["1"].error[0] == "MemoryError"
    assert ran["2"].error[0] == "OSError"
    assert ran["3"].output == "still here\n"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_files_network_and_processes_are_out_of_reach_and_the_attempt_is_noted(kind):
    ran, student = run(
        "print(open('classroom/walls.py').read())",
        f"print(open({str(walls.ROOT / 'classroom' / 'walls.py')!r}).read())",
        "import socket\nsocket.create_connection(('127.0.0.1', 9), 1)",
        "import os\nos.fork()",
        "import subprocess\nsubprocess.run(['true'])",
        f"open({str(walls.ROOT / 'README.md')!r}, 'a')",
        "import os\nos.remove('/etc/hostname')",
        kind=kind,
    )
    assert [one.error[0] for one in ran.values()] == ["FileNotFoundError", *["PermissionError"] * 6]
    assert student.attempts == [
        "a file outside its folder",
        "the network",
        "another process",
        "writing outside its folder",
    ]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_no_process_and_no_folder_is_left(kind):
    with Student([Step("a", "import time\ntime.sleep(1000)")], Limits(seconds=100), kind) as student:
        student._start()
        folder = student._folder
        assert walls.strays(folder / "work") or kind is not walls.LIMITS
        process = student._process
    assert process.poll() is not None
    assert walls.strays(folder / "work") == []
    assert not folder.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="found by /proc")
def test_a_process_that_left_its_group_is_found(tmp_path):
    environment = walls.environment(tmp_path)
    stray = subprocess.Popen(["sleep", "100"], env=environment, start_new_session=True)
    child = subprocess.Popen(["sleep", "100"], env=environment, start_new_session=True)
    deadline = time.monotonic() + 10
    while len(walls.strays(tmp_path)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)  # until they have become `sleep`
    assert sorted(walls.strays(tmp_path)) == sorted([stray.pid, child.pid])
    subprocess.Popen.poll(stray)
    walls.end(child, tmp_path)
    assert stray.wait(10) == child.wait(10) == -9


def test_a_function_is_called_over_there_and_its_changes_come_back():
    source = "import numpy as np\ndef f(x, by=2):\n    x[0] = 9\n    return x * by\ndef g(x):\n    1 / 0\nh = [1, 'a']"
    with Student([Step("a", source), Step("t", keep=("f", "g", "h", "none"))], SMALL, walls.LIMITS) as student:
        student.run()
        names = student.names("t", ("f", "g", "h", "none"))
        x = np.arange(3.0)
        assert names["f"](x, by=3).tolist() == [27, 3, 6]
        assert x.tolist() == [9, 1, 2]
        with pytest.raises(Exception, match="division by zero") as raised:
            names["g"](x)
        assert type(raised.value).__name__ == "ZeroDivisionError"
        assert names["h"] == [1, "a"]
        assert "none" not in names


def test_the_time_for_a_submission_ends():
    ran, _ = run(*["import time\ntime.sleep(0.9)"] * 8, limits=Limits(seconds=1, total=4))
    assert ran["7"].error[:2] == ("Ended", "its 4 s are used up")


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        2.5,
        "text",
        [1, (2, "a")],
        {"a": [1.0]},
        np.arange(6.0).reshape(2, 3),
        np.float32(2),
        np.array(True),
    ],
    ids=repr,
)
def test_values_cross_the_wire(value):
    again = wire.unpack(wire.pack(value))
    assert type(again) is type(value)
    assert np.array_equal(again, value) if isinstance(value, np.ndarray) else again == value


def test_what_is_no_value_crosses_as_its_name_and_nonsense_is_refused():
    assert type(wire.unpack(wire.pack(open))).__name__ == "builtin_function_or_method"
    assert isinstance(wire.unpack(wire.pack(np.array([object()]))), wire.Unknown)
    for nonsense in ({"array": ["<f8", [10**12], ""]}, {"array": ["O", [1], ""]}, 7, {}, {"list": 3}, {"plain": {}}):
        with pytest.raises(ValueError):  # noqa: PT011
            wire.unpack(nonsense)
