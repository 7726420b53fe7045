"""What a hostile program is, and what all of them begin with."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from tabiya.sandbox.sandbox import SandboxKind


class Alone(StrEnum):
    """What becomes of a program without a sandbox. Those that are run without any in the tests: OPEN, TO_ROOT, HELD."""

    OPEN = "open"
    TO_ROOT = "open to root"
    HELD = "held by Linux"
    NOT_TRIED = "open (not tried)"


class HostileProgram(NamedTuple):
    """One of them.

    tries: in words, after "a program that".  code: an expression that is not None, and raises nothing, if it has got
    what it wants; in a program without end, statements that print OUT.  alone: without a sandbox.  open_with: the kinds
    that do not hold it, and why.  held_by: what of the control group holds it; where there is none, nothing does.
    """

    tries: str
    code: str
    alone: Alone = Alone.OPEN
    open_with: Mapping[SandboxKind, str] = {}
    held_by: str = ""


PRELUDE = """
import ctypes, errno, fcntl, os, resource, signal, socket, struct, sys, threading, time
LIBC = ctypes.CDLL(None, use_errno=True)
REFUSALS = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ESRCH, errno.ENOENT)
TMP = os.environ.get("TMPDIR", "")

def reaches(name, *words):
    # whether the kernel listens to this system call at all; what it is given is of no use to anybody
    if LIBC.syscall(NUMBERS[name], *words) >= 0 or ctypes.get_errno() not in REFUSALS:
        return True

def read(path):
    with open(path, "rb") as file:
        return file.read(100) or None

def write(path, flags=os.O_WRONLY):
    place = os.open(path, flags)
    os.write(place, b"x")
    return True

def opens(path, flags=os.O_WRONLY):
    os.close(os.open(path, flags))
    return True

def talk(family, address, kind=socket.SOCK_STREAM):
    one = socket.socket(family, kind)
    one.settimeout(1)
    one.connect(address)
    one.send(b"x")
    return one.recv(10)

def done(result):
    # of a call that says nothing, or 0, when it has succeeded
    return True if result in (None, 0) else None

def has_rights():
    held = ctypes.create_string_buffer(24)
    version_3 = 0x20080522
    return True if LIBC.capget(struct.pack("Ii", version_3, 0), held) == 0 and any(held.raw) else None

def run_as_root():
    return True if os.system("su -c true </dev/null >/dev/null 2>&1") == 0 else None

def set_name(name):
    return True if LIBC.sethostname(name.encode(), len(name)) == 0 else None

def read_message(queue):
    read = LIBC.msgrcv(queue, ctypes.create_string_buffer(99), 9, 0, 0o4000)
    return True if read >= 0 or ctypes.get_errno() == errno.ENOMSG else None

def watch(path):
    return True if LIBC.inotify_add_watch(LIBC.inotify_init(), path.encode(), 0xfff) >= 0 else None

def read_page(port):
    from urllib.request import urlopen
    return urlopen(f"http://127.0.0.1:{port}/api", timeout=1).read()

def tries(what):
    try:
        if what() is not None:
            print("OUT", flush=True)
    except BaseException as error:
        print(type(error).__name__, error, flush=True)
"""
