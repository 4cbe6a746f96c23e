"""A submission is held to its time, memory, output and folder, leaves no process, and cannot hold the grader up."""

import dataclasses
import os
import subprocess
import sys
import time

import nbformat
import numpy as np
import pytest

from classroom import cgroup, temporary, walls
from classroom.cells import grade_id
from classroom.cells import kind as kind_of
from classroom.contained import grade
from classroom.demo.submissions import COLUMNS, EXITS, RIGHT, fill
from classroom.limits import Limits
from classroom.process import Note
from classroom.spent import Spent
from classroom.student import NotStarted, Step, Student

ALL = {kind.name: kind for kind in (*walls.CHOICES, walls.LIMITS)}
SMALL = Limits(seconds=1, total=60, memory=2 << 30, output=1000, file=1 << 20, disk=8 << 20, files=100)


@pytest.fixture(params=["best", *(pytest.param(name, marks=pytest.mark.slow) for name in ALL)])
def kind(request):
    """The best walls of this machine; in the slow tests also each of the others that works here, and none."""
    if request.param == "best":
        return walls.best()
    found = ALL[request.param]
    if found is walls.best() or not (found is walls.LIMITS or walls.works(found)):
        pytest.skip("tried as the best, or not at work here")
    return found


@pytest.fixture
def walled(kind):
    if not kind.hidden:
        pytest.skip("no wall")


def run(*sources, kind=walls.LIMITS, limits=SMALL):
    with Student([Step(str(i), source) for i, source in enumerate(sources)], limits, kind) as student:
        return student.run(), student


def test_a_cell_that_hangs_costs_no_other(kind):
    stubborn = "import signal\nsignal.setitimer(signal.ITIMER_PROF, 0)\nsignal.setitimer(signal.ITIMER_REAL, 0)\n"
    stubborn += "while True:\n    pass"
    ran, _ = run("x = 1", "while True: pass", stubborn, "import os\nos._exit(3)", "print(x)", kind=kind)
    assert (ran["1"].error.name, ran["1"].error.text) == ("TimeLimit", "it took longer than 1 s")
    assert ran["2"].error.text == "it took too long, and did not stop when told to"
    assert ran["3"].error.text == "it ended the process"
    assert ran["4"].output == "1\n"


def test_what_sleeps_is_ended_as_what_computes(kind):
    stubborn = "import time\nwhile True:\n    try: time.sleep(9)\n    except BaseException: pass"
    ran, _ = run("x = 1", "import time\ntime.sleep(100)", stubborn, "print(x)", kind=kind)
    assert (ran["1"].error.name, ran["1"].error.text) == ("TimeLimit", "it took longer than 1 s")
    assert ran["2"].error.text == "it took too long, and did not stop when told to"
    assert ran["3"].output == "1\n"


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel says it there")
def test_what_waits_for_a_processor_spends_nothing():
    """Four processes that compute, and one that sleeps, on one core."""
    core = min(os.sched_getaffinity(0))
    work = f"import os, time\nos.sched_setaffinity(0, {{{core}}})\nprint(flush=True)\nwhile True: pass"
    busy = [subprocess.Popen([sys.executable, "-c", work], stdout=subprocess.PIPE) for _ in range(4)]
    idle = subprocess.Popen(["sleep", "100"])
    try:
        for one in busy:
            one.stdout.readline()
        spent = [Spent(one.pid) for one in (*busy, idle)]
        while spent[0].passed < 2:
            time.sleep(0.1)
        passed, used = spent[0].passed, [one.all() for one in spent]
        assert sum(used[:4]) < 2 * passed  # it would be four times what has passed
        assert used[4] > 0.9 * passed
        assert spent[4].most() > 0.9 * passed
    finally:
        for one in (*busy, idle):
            one.kill()
            one.communicate()


def test_a_function_that_ends_the_process_where_its_test_stands_costs_no_other_cell(released_once):
    """Nor does it keep a right function whose name a cell further down takes from its points."""
    source = nbformat.read(released_once.source("chapter_01"), 4)
    later = RIGHT["answer-long_enough"] + "\ntempered_attention = None"
    full = fill(source, RIGHT, EXITS, {"answer-grows": RIGHT["answer-grows"], "answer-long_enough": later})
    grade(full)
    failed = {grade_id(cell) for cell in full.cells if kind_of(cell) == "test" and cell.outputs}
    assert failed == {"test-cosines-alike", "test-cosines-any"}


def test_values_and_examples_that_fail_are_not_run_again(released_once, monkeypatch):
    """What cannot pass where it stands either costs no second process."""
    again = []
    monkeypatch.setattr(Student, "again", lambda self, visits: again.extend(visits))
    grade(fill(nbformat.read(released_once.source("chapter_01"), 4), RIGHT, COLUMNS))
    assert again == []


# What stops reading, answers in advance, floods or lies: the cells after it still run.
CHANNEL = {
    "stops reading": "import os, threading, time\nos.close(3)\ntime.sleep(100)",
    "answers in advance": "import os\nos.write(4, b'{\"token\": 1}\\n' * 3)",
    "answers twice in a line": "import os\nfor fd in range(3, 20):\n    try: os.write(fd, b'{}\\n{}\\n')\n"
    "    except OSError: pass",
    "floods the replies": "import os\nwhile True: os.write(4, b'x' * 65536)",
    "floods the notes for ever": "import os\nwhile True:\n    try: os.write(250, b'[]')\n    except BaseException: pass",
    "floods the notes": "import os\nfor _ in range(100_000): os.write(250, b'[]')",
    "closes everything": "import os\nos.closerange(0, 300)",
    "no answer": "import signal, os\nsignal.setitimer = None\nos.kill(os.getpid(), 19)",
    "deep answer": "import os\nos.write(4, b'[' * 1_000_000 + b'\\n')",
}
BREAKS_ITSELF = {"stops reading", "no answer"}  # seen at the next request alone: that cell is passed over too


FAST = ("answers in advance", "floods the replies")


@pytest.mark.parametrize(
    "way", [*FAST, *(pytest.param(way, marks=pytest.mark.slow) for way in CHANNEL if way not in FAST)]
)
def test_a_process_that_plays_with_the_channel_holds_nothing_up(way):
    long = "x = '" + "y" * 80_000 + "'"
    ran, _ = run("x = 1", CHANNEL[way], long, "print(len(x))", kind=walls.best())
    assert list(ran) == ["0", "1", "2", "3"]
    assert ran["0"].error is None
    assert ran["3"].output == ("" if way in BREAKS_ITSELF else "80000\n")


def test_the_channel_for_notes_may_have_any_number_in_the_grader():
    held = [os.open(os.devnull, os.O_RDONLY)]
    while held[-1] < 248:
        held.append(os.open(os.devnull, os.O_RDONLY))
    try:  # the next pair is 249 and 250
        assert run("print(1)")[0]["0"].output == "1\n"
    finally:
        for one in held:
            os.close(one)


def test_what_lies_where_no_path_reaches_counts_too():
    deep = "import os, time\nat = os.open('.', os.O_RDONLY)\nfor _ in range(20):\n    os.mkdir('a' * 250, dir_fd=at)\n"
    deep += "    at = os.open('a' * 250, os.O_RDONLY, dir_fd=at)\nfor i in range(20):\n"
    deep += (
        "    with os.fdopen(os.open(f'{i}', os.O_CREAT | os.O_WRONLY, dir_fd=at), 'wb') as f: f.write(bytes(1 << 19))\n"
    )
    limits = dataclasses.replace(SMALL, seconds=8)
    ran, _ = run("x = 1", deep + "time.sleep(3)", "print(x)", limits=limits)
    assert (ran["1"].error.text, ran["2"].output) == ("it wrote more than it may", "1\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root looks into every folder")
def test_a_folder_that_was_closed_goes_too(tmp_path):
    (tmp_path / "work" / "a").mkdir(parents=True)
    (tmp_path / "work" / "a" / "f").touch()
    (tmp_path / "work" / "a").chmod(0o300)
    temporary.remove(tmp_path / "work")
    assert not (tmp_path / "work").exists()


def test_what_python_waits_for_at_its_start_is_nobodys_time(monkeypatch):
    if walls.best().name not in {"unshare", "bwrap"}:
        pytest.skip("no wrapper")
    monkeypatch.setattr("classroom.process.waited", lambda process: 1000.0)
    with Student([Step("a", "x = 1")], SMALL, walls.best()) as student:
        student.run()
        assert student._budget.left > SMALL.total


def test_the_books_exercises_may_be_checked_in_a_cell(kind):
    source = "from attnlib.exercises import check\nprint(check('write-attention', lambda x: x).points)"
    ran, student = run(source, kind=kind, limits=Limits())
    assert ran["0"].output == "1\n"
    assert not any("workings" in note.what for _, note in student.notes)


def test_notes_that_are_cut_off_or_forged_are_named():
    _, student = run(
        "import os\nos.write(250, b'(\"reached\", 3)')\nos.write(250, b'nonsense')\nos.write(250, b'[' * 3000)",
        kind=walls.LIMITS,
    )
    assert [note for _, note in student.notes] == [Note("did", "wrote into the grader's notes")]


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp")
def test_the_channel_for_notes_cannot_be_closed_or_replaced(kind):
    tries = [
        "os.close(250)",
        "os.dup2(1, 250)",
        "os.dup(250)",
        "__import__('fcntl').fcntl(250, 4, 2048)",
        "os.closerange(200, 255)",
    ]
    source = "import os\n" + "\n".join(
        f"try: {one}; print('done')\nexcept OSError as e: print(e.errno)" for one in tries
    )
    ran, student = run(source, kind=kind)
    assert ran["0"].output.split() == ["1", "1", "1", "1", "done"]  # closerange passes over what it may not close
    assert student.notes == []


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp")
def test_no_lock_and_no_notice_tells_of_another_submission_that_is_graded_at_once(kind):
    ways = [
        "fcntl.flock(f, fcntl.LOCK_SH | fcntl.LOCK_NB)",
        "fcntl.lockf(f, fcntl.LOCK_SH | fcntl.LOCK_NB)",
        "fcntl.fcntl(f, fcntl.F_GETLK, bytes(32))",
        "fcntl.fcntl(f, 37, bytes(32))",
        "fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_RDLCK)",
        "fcntl.fcntl(f, fcntl.F_NOTIFY, 1)",
    ]
    tries = [f"try: {one}; print('done', {one!r})\nexcept OSError as e: print(e.errno)" for one in ways]
    notices = "import ctypes\nlibc = ctypes.CDLL(None)\nprint(libc.inotify_init1(0), libc.fanotify_init(0, 0))"
    opens = (
        f"import fcntl\nf = open({np.__file__.replace('.py', '.pyi')!r})\nprint(fcntl.fcntl(f, fcntl.F_GETFL) & 3)\n"
    )
    ran, _ = run(opens + "\n".join(tries), notices, kind=kind)
    assert ran["0"].output.split() == ["0", *["1"] * 6], ran["0"]
    assert ran["1"].output in {"", "-1 -1\n"}


def test_of_a_progress_bar_the_last_state_is_shown():
    ran, _ = run("for i in range(3): print(f'\\r{i} of 2', end='')\nprint()\nprint('done', end='\\r\\n')")
    assert ran["0"].output == "2 of 2\ndone\n"


def test_output_and_memory_and_files_are_limited():
    ran, _ = run(
        "for _ in range(100): print('x' * 100_000)",
        "a = bytearray(3 << 30)",
        "with open('big', 'wb') as f:\n    for _ in range(5): f.write(bytes(1 << 20))",
        "print('still here')",
    )
    assert len(ran["0"].output) < 1100
    assert "10000100 characters in all" in ran["0"].output
    assert ran["1"].error.name == "MemoryError"
    assert ran["2"].error.name == "OSError"
    assert ran["3"].output == "still here\n"


def test_memory_is_counted_as_it_is_taken_and_not_as_libraries_reserve_it():
    limits = Limits(memory=200 << 20)
    hoard = (
        "held = []\ntry:\n    while True: held.append(bytearray(1 << 20))\nexcept MemoryError: n = len(held); del held"
    )
    ran, _ = run(hoard, "print(50 < n < 200)", limits=limits)
    assert ran["1"].output == "True\n"
    ran, _ = run("import torch\nprint(int(torch.ones(3).sum()))", limits=Limits())
    assert ran["0"].output == "3\n", ran["0"]


def test_disk_and_the_number_of_files_are_limited_as_a_whole(kind):
    disk = "for i in range(64):\n    with open(f'f{i}', 'wb') as f: f.write(bytes(1 << 20 - 1))\n"
    disk += "import time\ntime.sleep(1.5)"
    files = "for i in range(5000): open(f'g{i}', 'w').close()\nimport time\ntime.sleep(1.5)"
    ran, _ = run("x = 1", disk, files, "print(x)", kind=kind, limits=Limits(seconds=3, disk=8 << 20, files=100))
    assert ran["1"].error is not None
    assert ran["2"].error is not None or kind.name == "bwrap"
    assert ran["3"].output == "1\n"


@pytest.mark.skipif(sys.platform != "linux", reason="seccomp")
def test_there_is_one_process_and_no_memory_that_no_limit_counts(kind):
    ways = ["os.memfd_create('x')", "__import__('mmap').mmap(-1, 1 << 20)",
        "__import__('_posixsubprocess').fork_exec(*[None] * 21)", "os.pidfd_open(1)", "__import__('socket').socket()",
            "os.posix_spawn('/bin/true', ['true'], {})", "os.kill(1, 0)"]  # fmt: skip
    source = "import os\n" + "\n".join(
        f"try: {one}; print('done', {one!r})\nexcept (OSError, TypeError): pass" for one in ways
    )
    raw = "import ctypes\nlibc = ctypes.CDLL(None)\nprint([libc.fork(), libc.keyctl(0), libc.ptrace(0)])"
    ran, _ = run(
        source,
        raw,
        "import threading\nt = threading.Thread(target=print, args=('thread',)); t.start(); t.join()",
        kind=kind,
    )
    assert ran["0"].output == ""
    assert ran["1"].output in {"", "[-1, -1, -1]\n"}
    assert ran["2"].output == "thread\n"


@pytest.mark.usefixtures("walled")
def test_code_that_goes_round_python_reaches_no_file_and_no_network(kind):
    secret = walls.ROOT / "classroom" / "graded" / "chapter_01.md"
    source = f"""import torch
for place in ({str(secret)!r}, '/etc/passwd', '/proc/1/environ'):
    try: print(bytes(torch.UntypedStorage.from_file(place, nbytes=20)))
    except Exception: pass"""
    ran, _ = run(source, "import socket\nprint(socket.if_nameindex())", kind=kind, limits=Limits())
    assert ran["0"].output == ""
    assert ran["1"].error.name == "PermissionError"


@pytest.mark.usefixtures("walled")
def test_the_machine_cannot_be_changed_by_proc(kind):
    places = ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/kernel/hostname", "/etc/x", "/usr/x"]
    source = f"import os\nfor p in {places!r}:\n    print(os.access(p, os.W_OK))"
    ran, _ = run(source, "import os\nprint(os.getuid() != 0 or open('/proc/self/uid_map').read())", kind=kind)
    assert set(ran["0"].output.split()) <= ({"False", "True"} if kind.landlock else {"False"}), ran["0"]
    if os.geteuid() == 0:
        assert ran["1"].output == "True\n"  # a real root's student is nobody


def test_files_network_and_processes_are_out_of_reach_and_the_attempt_is_noted(kind):
    ran, student = run(
        "print(open('classroom/walls.py').read())",
        f"print(open({str(walls.ROOT / 'classroom' / 'walls.py')!r}).read())",
        "import socket\nsocket.create_connection(('127.0.0.1', 9), 1)",
        "import os\nos.fork()",
        "import subprocess\nsubprocess.run(['true'])",
        f"open({str(walls.ROOT / 'README.md')!r}, 'a')",
        "import os\nos.remove('/etc/hostname')",
        "import sys\nsys.settrace(None)",
        "import gc\ngc.get_objects()",
        "import np_like_nothing",
        kind=kind,
    )
    assert [one.error.name for one in ran.values()] == [
        "FileNotFoundError",
        *["PermissionError"] * 8,
        "ModuleNotFoundError",
    ]
    assert [note.what.removeprefix("tried to reach ") for _, note in student.notes] == [
        "a file outside its folder",
        "the network",
        "another process",
        "another process",
        "a place outside its folder, to write",
        "a place outside its folder, to write",
        "Python's own workings (sys.settrace)",
        "Python's own workings (gc.get_objects)",
    ]
    assert student.notes[1] == ("", Note("did", "tried to reach the network", "cell 2", 2))


def test_no_process_and_no_folder_is_left(kind):
    with Student([Step("a", "import time\ntime.sleep(1000)")], Limits(seconds=100), kind) as student:
        student._start()
        process, folder = student._process._popen, student._process._folder
        assert walls.strays(folder / "work") or kind is not walls.LIMITS
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
        assert raised.value.where == " at line 6, `1 / 0`"
        assert names["h"] == [1, "a"]
        assert "none" not in names


def test_a_function_without_an_end_is_called_once():
    steps = [Step("a", "calls = []\ndef f():\n    calls.append(1)\n    while True: pass\ndef g(): return len(calls)")]
    with Student([*steps, Step("t", keep=("f", "g")), Step("u", keep=("f",))], SMALL, walls.LIMITS) as student:
        student.run()
        f, g = student.names("t", ("f", "g")).values()
        for again in (f, f, student.names("u", ("f",))["f"]):
            with pytest.raises(Exception, match="longer than 1 s") as late:
                again()
            assert late.value.limited
        assert g() == 1


def test_a_student_cannot_speak_in_the_graders_words():
    lie = "class TimeLimit(Exception): pass\nraise TimeLimit('\\x1b[2J14 of 14\\u202e')"
    ran, _ = run(lie, "raise type('a b', (Exception,), {})('x' * 9999)")
    assert (ran["0"].error.name, ran["0"].error.text, ran["0"].error.limited) == ("Error", "14 of 14", False)
    assert (ran["1"].error.name, len(ran["1"].error.text)) == ("Error", 500)


@pytest.mark.slow
def test_the_time_for_a_submission_ends():
    ran, _ = run(*["import time\ntime.sleep(0.9)"] * 8, limits=Limits(seconds=1, total=4))
    assert "used up" in ran["7"].error.text or "too long" in ran["7"].error.text
    assert all(one.error.limited for one in list(ran.values())[5:])


def test_limits_too_small_for_python_are_the_graders_failure():
    with pytest.raises(NotStarted, match="limit on memory"):
        run("x = 1", limits=Limits(memory=20 << 20))


@pytest.mark.slow
def test_a_control_group_ends_what_takes_more_than_it_may():
    if not cgroup.stands(Limits()):
        pytest.skip("no control group can be made here")
    hoard = "held = bytearray(350 << 20)\nwith open('f', 'wb') as f:\n    for _ in range(250): f.write(bytes(1 << 20))"
    limits = Limits(memory=500 << 20, file=1 << 30, disk=1 << 30)  # what lies in its folder is memory, too
    ran, _ = run(hoard, "print(1)", limits=limits, kind=walls.best())
    assert ran["0"].error.text == "it ended the process"
    assert ran["1"].output == "1\n"


def test_no_descriptor_sends_signals_to_a_process(kind):
    ways = ["fcntl.fcntl(r, 8, os.getpid())", "fcntl.fcntl(r, 10, 9)", "fcntl.fcntl(r, 15, bytes(8))"]
    ways += ["fcntl.ioctl(s, 0x8901, bytes(4))", "fcntl.ioctl(s, 0x8902, bytes(4))"]
    tries = "\n".join(f"try:\n    {one}\n    print('done')\nexcept OSError as e:\n    print(e.errno)" for one in ways)
    ran, _ = run(f"import fcntl, os, socket\nr, w = os.pipe()\ns, t = socket.socketpair()\n{tries}", kind=kind)
    assert ran["0"].output.split() == ["1"] * 5


def test_no_code_changes_who_may_read_pythons_packages(kind):
    place = os.path.dirname(np.__file__)
    before = os.stat(place).st_ctime_ns
    run(f"import os\nf = os.open({place!r}, os.O_RDONLY)\nos.fchmod(f, os.fstat(f).st_mode & 0o777)", kind=kind)
    assert os.stat(place).st_ctime_ns == before


def test_no_other_process_is_moved_to_another_core(kind):
    ran, _ = run("import os\nos.sched_setaffinity(os.getpid() + 1, os.sched_getaffinity(0))", kind=kind)
    assert ran["0"].error.name == "PermissionError"
    ran, _ = run("import os\nos.sched_setaffinity(0, os.sched_getaffinity(0))\nprint('mine')", kind=kind)
    assert ran["0"].output == "mine\n"


def test_a_value_too_large_to_send_costs_no_other_test():
    steps = [Step("a", "import numpy as np\ndef f(): return 1\nbig = np.zeros(1000)"), Step("t", keep=("big",))]
    steps += [Step("b", "def g(): return 2"), Step("u", keep=("f", "g"))]
    with Student(steps, dataclasses.replace(SMALL, reply=5000), walls.LIMITS) as student:
        assert student.run()["t"].error.text == "it sent too much"
        names = student.names("u", ("f", "g"))
        assert (names["f"](), names["g"]()) == (1, 2)


def test_folders_count_and_go_however_deep_they_are():
    deep = "import os, time\nfor _ in range(1500):\n    os.mkdir('a')\n    os.chdir('a')\ntime.sleep(3)"
    ran, _ = run("x = 1", deep, "print(x)", limits=dataclasses.replace(SMALL, seconds=8))
    assert (ran["1"].error.text, ran["2"].output) == ("it wrote more than it may", "1\n")


def test_a_file_that_may_be_read_is_not_emptied():
    place = walls.runner() / "attnlib" / "scrap.txt"
    place.write_text("whole")
    try:
        ran, _ = run(f"import os\nos.open({str(place)!r}, os.O_RDONLY | os.O_TRUNC)")
        assert (place.read_text(), ran["0"].error.name) == ("whole", "PermissionError")
    finally:
        place.unlink()
