"""Shuts a process in before a student's code runs: limits, a session keyring of its own, Landlock, and a seccomp filter.

Linux alone has the last three, and none of them needs a privilege. The seccomp filter allows one process with threads: no
`execve`, no `fork`, no socket to anywhere, no keyring, no memory that no limit counts. It also holds two file descriptors
open, so that no code can close the channel on which it is noted who called what. The file stands alone: it is copied beside
the student's cells.
"""

import ctypes
import errno
import os
import platform
import resource
import signal
import struct
from collections.abc import Iterable
from contextlib import suppress

# name: numbers on x86_64 and aarch64 (None: not there)
SYSCALLS: dict[str, tuple[int | None, int | None]] = {
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281),
    "socket": (41, 198), "memfd_create": (319, 279), "memfd_secret": (447, 447), "userfaultfd": (323, 282),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272), "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "kill": (62, 129), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "unshare": (272, 97),
    "setns": (308, 268),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    "bpf": (321, 280), "perf_event_open": (298, 241), "io_uring_setup": (425, 425),
    # Submissions that are graded at once may read the same files: what one of them does there, no other sees.
    "flock": (73, 32), "inotify_init": (253, None), "inotify_init1": (294, 26), "fanotify_init": (300, 262),
    "close_range": (436, 436), "seccomp": (317, 277), "rt_sigaction": (13, 134), "sched_setscheduler": (144, 119),
    "setpriority": (141, 140),
}  # fmt: skip
# Landlock restricts none of these: they do nothing, and say that it was done, since copying a file asks for them.
IDLE: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54),
}  # fmt: skip
# sched_setaffinity, sched_setattr, sched_setparam, prlimit64
OF_ITSELF = ((203, 122), (314, 274), (142, 118), (302, 261))
PRCTL = (157, 167)
MMAP, SHARED_BY_NOBODY = (9, 222), 0x21  # MAP_SHARED | MAP_ANONYMOUS: memory that RLIMIT_DATA does not count
# Locks of a file, leases of it, notices about it; and to whom a descriptor's signals go, which may kill.
FCNTL, LOCKING = (72, 25), (5, 6, 7, 8, 10, 15, 36, 37, 38, 1024, 1025, 1026)
IOCTL, OWNING = (16, 29), (0x8901, 0x8902)  # FIOSETOWN, SIOCSPGRP: the same for sockets
CLONE, CLONE3, TGKILL = (56, 220), (435, 435), (234, 131)
CLONE_THREAD = 0x10000
# Calls that would end, replace or silence a descriptor: the first argument, for dup2 and dup3 the second too.
ON_DESCRIPTOR = ((3, 57), (32, 23), (33, None), (292, 24), (72, 25), (16, 29), (48, 210), (54, 208))
ONTO_DESCRIPTOR = ((33, None), (292, 24))
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}

# BPF_LD|W|ABS, JMP|JEQ|K, JMP|JGE|K, ALU|AND|K, RET|K
LOAD, EQUAL, AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
ALLOW, KILL, DENY, NO_SUCH_CALL = 0x7FFF0000, 0x80000000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
NOTHING = 0x00050000  # the call returns 0
NUMBER, ARCHITECTURE, FIRST, SECOND, FOURTH = 0, 4, 16, 24, 40  # offsets in struct seccomp_data
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LIBRARIES = (
    3 << 30
)  # bytes of addresses beside a process's own memory: torch takes two of these GiB before it does anything
KEYCTL, JOIN_SESSION_KEYRING = (250, 219), 1
LANDLOCK = (444, 445, 446)  # create_ruleset, add_rule, restrict_self: the same on both machines
READ_FILE, READ_FOLDER, EVERYTHING_1, REFER, TRUNCATE, DEVICE = 1 << 2, 1 << 3, (1 << 13) - 1, 1 << 13, 1 << 14, 1 << 15


def limit(memory: int, file: int, cpu: int) -> None:
    """Set the limits of the process: bytes of memory of its own, bytes of a file, seconds of computing."""
    for name, most in (
        ("DATA", memory),
        ("AS", memory + LIBRARIES),
        ("FSIZE", file),
        ("CPU", cpu),
        ("CORE", 0),
        ("NOFILE", 256),
        ("MSGQUEUE", 0),
        ("MEMLOCK", 0),
    ):
        with suppress(AttributeError, ValueError, OSError):  # macOS knows not all of them
            what = getattr(resource, f"RLIMIT_{name}")
            hard = resource.getrlimit(what)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(what, (most, most))
    with suppress(AttributeError):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file too large is an error in the cell, not the end


def shut(held: Iterable[int] = (), read: Iterable[str] = (), write: Iterable[str] = (), landlock: bool = False) -> bool:
    """Leave the login's keyring, restrict files by Landlock if asked, and filter system calls; whether all of it stands.

    Args:
        held: descriptors that stay open and as they are, whatever the code does.
        read: folders and files that may be read, for Landlock.
        write: folders that may be written, for Landlock.
        landlock: whether to restrict files at all; namespaces do it otherwise.
    """
    machine = MACHINES.get(platform.machine())
    if platform.system() != "Linux" or machine is None:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    architecture, column = machine
    libc.syscall(KEYCTL[column], JOIN_SESSION_KEYRING, None)  # a kernel without keyrings has nothing to leave
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return False
    if landlock and not _landlock(libc, read, write):
        return False
    code = _filter(architecture, column, tuple(held))
    program = b"".join(struct.pack("HBBI", *instruction) for instruction in code)
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HL", len(code), ctypes.addressof(buffer))
    return bool(
        libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.create_string_buffer(header, len(header)), 0, 0) == 0
    )


def _filter(architecture: int, column: int, held: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    """The program: (code, jump if true, jump if false, operand) for each instruction."""

    def refuse(number: int | None, answer: int = DENY) -> list[tuple[int, int, int, int]]:
        return [] if number is None else [(EQUAL, 0, 1, number), (RETURN, 0, 0, answer)]

    def argument(number: int | None, offset: int, values: Iterable[int]) -> list[tuple[int, int, int, int]]:
        """Refuse the call when its argument is one of the values."""
        if number is None:
            return []
        tests = [line for value in values for line in refuse(value)]
        return [(EQUAL, 0, len(tests) + 2, number), (LOAD, 0, 0, offset), *tests, (LOAD, 0, 0, NUMBER)]

    code = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    if column == 0:
        code += [(AT_LEAST, 0, 1, 0x40000000), (RETURN, 0, 0, DENY)]  # the x32 numbers of the same calls
    for numbers in SYSCALLS.values():
        code += refuse(numbers[column])
    for numbers in IDLE.values():
        code += refuse(numbers[column], NOTHING)
    for numbers in OF_ITSELF:
        code += [(EQUAL, 0, 5, numbers[column]), (LOAD, 0, 0, FIRST), (EQUAL, 2, 0, 0), (EQUAL, 1, 0, os.getpid()),
                 (RETURN, 0, 0, DENY), (LOAD, 0, 0, NUMBER)]  # fmt: skip
    code += refuse(CLONE3[column], NO_SUCH_CALL)  # the C library then takes clone, whose flags can be seen
    code += [(EQUAL, 0, 5, CLONE[column]), (LOAD, 0, 0, FIRST), (AND, 0, 0, CLONE_THREAD), (EQUAL, 1, 0, CLONE_THREAD),
             (RETURN, 0, 0, DENY), (LOAD, 0, 0, NUMBER)]  # fmt: skip
    code += [
        (EQUAL, 0, 4, TGKILL[column]),
        (LOAD, 0, 0, FIRST),
        (EQUAL, 1, 0, os.getpid()),
        (RETURN, 0, 0, DENY),
        (LOAD, 0, 0, NUMBER),
    ]
    code += [
        (EQUAL, 0, 5, MMAP[column]),
        (LOAD, 0, 0, FOURTH),
        (AND, 0, 0, SHARED_BY_NOBODY),
        (EQUAL, 0, 1, SHARED_BY_NOBODY),
        (RETURN, 0, 0, DENY),
        (LOAD, 0, 0, NUMBER),
    ]
    code += argument(FCNTL[column], SECOND, LOCKING)
    code += argument(IOCTL[column], SECOND, OWNING)
    code += argument(PRCTL[column], FIRST, (PR_SET_SECCOMP,))  # another filter could silence the notes
    for calls, offset in ((ON_DESCRIPTOR, FIRST), (ONTO_DESCRIPTOR, SECOND)):
        for numbers in calls:
            code += argument(numbers[column], offset, held)
    return [*code, (RETURN, 0, 0, ALLOW)]


def _landlock(libc: ctypes.CDLL, read: Iterable[str], write: Iterable[str]) -> bool:
    """Let the process reach the given places and no other file."""
    create, add, restrict = LANDLOCK
    version = libc.syscall(create, None, 0, 1)
    if version < 1:
        return False
    every = (
        EVERYTHING_1 | (REFER if version > 1 else 0) | (TRUNCATE if version > 2 else 0) | (DEVICE if version > 4 else 0)
    )
    rules = libc.syscall(create, ctypes.create_string_buffer(struct.pack("Q", every), 8), 8, 0)
    if rules < 0:
        return False
    paths = [(path, READ_FILE | READ_FOLDER) for path in (*read, "/dev/null", "/dev/zero", "/dev/urandom")]
    for path, access in [*paths, ("/dev/null", READ_FILE | 1 << 1), *((path, every) for path in write)]:
        try:
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        if not os.path.isdir(path):
            access &= READ_FILE | 1 << 0 | 1 << 1 | TRUNCATE
        rule = ctypes.create_string_buffer(struct.pack("=Qi", access, opened), 12)
        failed = libc.syscall(add, rules, 1, rule, 0)
        os.close(opened)
        if failed:
            return False
    return bool(libc.syscall(restrict, rules, 0) == 0)
