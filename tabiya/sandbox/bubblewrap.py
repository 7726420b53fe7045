"""The command line of bubblewrap: separate namespaces, and an empty file system with the allowed files."""

from __future__ import annotations

import os
from pathlib import Path

from tabiya.sandbox.limits import MEGABYTE, Limits
from tabiya.sandbox.places import readable

PROGRAM = "bwrap"
NAMESPACES = ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
# What root keeps for the step in which it becomes nobody (restricted_exec.py).
KEPT_CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")


def bubblewrap_command(folder: Path | None, limits: Limits, inside: tuple[str, ...]) -> tuple[str, ...]:
    """What starts `inside`, the last step before the program. folder: of the program, to be read."""
    scratch = ("--perms", "1777", "--size", str(limits.scratch_mb * MEGABYTE), "--tmpfs")
    words = [PROGRAM, *_rights(), *NAMESPACES, "--hostname", "tabiya", "--new-session", "--die-with-parent"]
    words += ["--proc", "/proc", "--dev", "/dev", *scratch, "/tmp", *scratch, "/dev/shm"]
    for parent in _parents([*readable(), *(() if folder is None else (str(folder),))]):
        words += ["--dir", parent]  # else only its owner could read it, and the program runs as another user
    for path in readable():
        is_link = Path(path).is_symlink()  # of the system, such as /bin: one inside, too
        words += ["--symlink", str(Path(path).readlink()), path] if is_link else ["--ro-bind", path, path]
    if folder is not None:
        words += ["--ro-bind", str(folder), str(folder), "--chdir", str(folder)]
    return (*words, "--remount-ro", "/dev", "--remount-ro", "/", "--", *inside)


def _rights() -> tuple[str, ...]:
    if os.geteuid() != 0:
        return ("--unshare-user", "--disable-userns", "--cap-drop", "ALL")
    return ("--cap-drop", "ALL", *(word for name in KEPT_CAPABILITIES for word in ("--cap-add", name)))


def _parents(paths: list[str]) -> list[str]:
    """Every folder above these, the outer ones first."""
    return sorted({str(parent) for path in paths for parent in Path(path).parents[:-1]})
