"""Linux's Landlock: a process and its children lose access to every file that is not named here.

Unlike namespaces it needs no right and works in containers, and where user namespaces are forbidden. What it holds
depends on the kernel (`abi`). Source: the kernel's documentation, userspace-api/landlock.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable

CREATE, ADD_RULE, RESTRICT = 444, 445, 446  # the numbers of these calls are the same on all architectures
ASK_VERSION = 1
PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14 | 1 << 15  # and truncate, and ioctl of devices
ALL = ((1, (1 << 13) - 1), (2, 1 << 13), (3, 1 << 14), (5, 1 << 15))  # since which version what can be forbidden
READ = EXECUTE | READ_FILE | READ_DIR
TCP = 1 | 2  # to listen and to connect, since version 4
SCOPES = 1 | 2  # abstract sockets and signals of processes outside, since version 6
NO_NEW_PRIVILEGES = 38
NET_SINCE, SCOPES_SINCE = 4, 6


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneathAttr(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def abi() -> int:
    """The version that the kernel has, 0 for none."""
    return max(0, int(ctypes.CDLL(None).syscall(CREATE, None, 0, ASK_VERSION)))


def restrict(readable: Iterable[str], writable: Iterable[str], listed: Iterable[str] = ()) -> None:
    """Keep reading and running `readable`, writing `writable`, and the names of files below `listed`; no TCP.

    What does not exist is left out. Holds for this thread and what it starts, for good. Raises OSError.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    version = abi()
    handled = sum(rights for since, rights in ALL if version >= since)
    rules = _Ruleset(handled, TCP if version >= NET_SINCE else 0, SCOPES if version >= SCOPES_SINCE else 0)
    size = 8 if version < NET_SINCE else 16 if version < SCOPES_SINCE else 24
    ruleset = _checked(libc.syscall(CREATE, ctypes.byref(rules), size, 0))
    for paths, rights in ((readable, READ), (writable, handled), (listed, READ_DIR)):
        for path in paths:
            _allow(libc, ruleset, path, rights & handled)
    _checked(libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _checked(libc.syscall(RESTRICT, ruleset, 0))
    os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= OF_FILES
        rule = _PathBeneathAttr(rights, place)
        _checked(libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, ctypes.byref(rule), 0))
    finally:
        os.close(place)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"Landlock: {os.strerror(number)}")
    return int(result)
