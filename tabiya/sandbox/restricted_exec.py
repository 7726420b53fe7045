"""The last step before somebody's program: `python -I -S restricted_exec.py SETTINGS COMMAND...`, inside the sandbox.

SETTINGS is a JSON object of `ExecRestrictions`. Limits are lowered for good, the user is left, files are given up
(Landlock), calls are filtered (seccomp), and the command takes this process's place. It imports nothing of ours but
landlock.py beside it: neither our package nor site-packages need be in reach.
"""

from __future__ import annotations

import base64
import ctypes
import json
import os
import resource
import signal
import struct
import sys
from pathlib import Path
from typing import TypedDict

SECCOMP, FILTER = 22, 2  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
NO_NEW_PRIVILEGES = 38
SET_DEATH_SIGNAL = 1
DROP_FROM_BOUNDING_SET, MOST_CAPABILITIES, CAPABILITIES_OF_64_BITS = 24, 64, 0x20080522


class ExecRestrictions(TypedDict):
    """What is to be done.

    limits: by the name of the system's, without RLIMIT_.  user: to become, None to stay.  readable, writable, listed:
    for Landlock, all empty for none.  filter: of system calls, base64.  own_pid: what stands in the filter for the
    number of this process.  parent: to end with, None where another does that.
    """

    limits: dict[str, int]
    user: int | None
    readable: list[str]
    writable: list[str]
    listed: list[str]
    filter: str
    own_pid: int
    parent: int | None


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def main(settings: ExecRestrictions, command: list[str]) -> int:
    """Does not return if the program can be started; otherwise the exit status that a shell would give."""
    for name, most in settings["limits"].items():
        _limit(getattr(resource, f"RLIMIT_{name}"), most)
    user = settings["user"]
    if user is not None:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    _drop_capabilities()
    os.umask(0o077)
    parent = settings["parent"]
    if parent is not None:  # after the user has changed, which would undo it
        die_with(parent)
    if settings["readable"]:
        sys.path.insert(0, str(Path(__file__).parent))
        import landlock  # type: ignore[import-not-found,unused-ignore]

        landlock.restrict(settings["readable"], settings["writable"], settings["listed"])
    _filter(_with_number(base64.b64decode(settings["filter"]), settings["own_pid"], os.getpid()))
    try:
        os.execvpe(command[0], command, os.environ)
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be started: {error.strerror}\n")
    return 127


def _limit(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))  # the hard limit too: the program cannot raise it again


def _drop_capabilities() -> None:
    """Drop all capabilities, so that even root has no special rights. Raises nothing; others have none to drop."""
    libc = ctypes.CDLL(None)
    for capability in range(MOST_CAPABILITIES):
        libc.prctl(DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)
    libc.capset(struct.pack("Ii", CAPABILITIES_OF_64_BITS, 0), bytes(24))


def die_with(parent: int) -> None:
    """End when the parent ends, which this is the number of."""
    ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:  # it ended before the call above
        sys.exit(128 + signal.SIGKILL)


def _with_number(instructions: bytes, stands_for_it: int, number: int) -> bytes:
    """The filter with this number in place of the other, where that is the last four bytes of an instruction."""
    found = [instructions[start : start + 8] for start in range(0, len(instructions), 8)]
    old, new = struct.pack("=I", stands_for_it), struct.pack("=I", number)
    return b"".join(one[:4] + (new if one[4:] == old else one[4:]) for one in found)


def _filter(instructions: bytes) -> None:
    """Refuse system calls from now on. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    program = _Program(len(instructions) // 8, instructions)
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(SECCOMP, FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "system calls cannot be filtered")


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), sys.argv[2:]))
