"""Chooses a sandbox that works on this machine, tries it, and prints what it does."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tabiya.errors import UserError
from tabiya.sandbox import landlock
from tabiya.sandbox.limits import Limits
from tabiya.sandbox.option import SANDBOX_WORKS, SandboxOption
from tabiya.sandbox.sandbox import Sandbox, SandboxKind
from tabiya.sandbox.seccomp_filter import SeccompMissing

TRY_S = 20.0
USER_NAMESPACES_FORBIDDEN = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
SANDBOX_SUMMARIES = {
    SandboxKind.BUBBLEWRAP: "bubblewrap: users, processes, network, files and system calls of its own",
    SandboxKind.LANDLOCK: "Landlock: only the files that it needs, no network, system calls filtered",
    SandboxKind.PODMAN: "podman: a container with users, processes, network, files and system calls of its own",
}
GROUP_HOLDS = {
    "memory": "memory",
    "pids": "the number of processes",
    "cpu": "the processor",
    "freezer": "the time to its own moves",
}


def choose(wanted: SandboxOption, limits: Limits, say: Callable[[str], None]) -> Sandbox | None:
    """The sandbox of programs; None if none is wanted. Raises UserError if it is not available.

    say: called with a description of it.
    """
    if wanted is not SandboxOption.NONE and os.environ.get(SANDBOX_WORKS) == wanted:
        return Sandbox(SandboxKind(wanted), limits)
    if wanted is SandboxOption.NONE:
        say("NO SANDBOX: programs run with your rights; they can read your files and use the network")
        return None
    kinds = tuple(SandboxKind) if wanted is SandboxOption.AUTO else (SandboxKind(wanted),)
    reasons = []
    for kind in kinds:
        sandbox = Sandbox(kind, limits)
        why_not = _why_not(sandbox)
        if why_not is None:
            say(f"sandbox for programs: {in_words(sandbox)}")
            return sandbox
        reasons.append(f"{kind}: {why_not}")
    raise UserError(
        f"no sandbox is available here ({'; '.join(reasons)}); to run programs without one, with your own rights: "
        "--sandbox none"
    )


def in_words(sandbox: Sandbox) -> str:
    """The sandbox described in words."""
    sandboxed = sandbox.around(None)
    held = [words for kind, words in GROUP_HOLDS.items() if kind in sandboxed.held]
    sandboxed.ended()
    more = f"a control group bounds {', '.join(held)}" if held else "no control group: limits hold for each process"
    return f"{SANDBOX_SUMMARIES[sandbox.kind]}; {more}"


def _why_not(sandbox: Sandbox) -> str | None:
    """Why this sandbox does not work here, None if it does: tried with a program that does nothing."""
    if sys.platform != "linux":
        return "only Linux has them"
    if sandbox.kind is SandboxKind.LANDLOCK and not landlock.abi():
        return "this kernel has no Landlock"
    sandboxed = sandbox.around(None)
    try:
        command = sandboxed.command((sys.executable, "-I", "-S", "-c", ""))
        tried = subprocess.run(
            command,
            env=sandboxed.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TRY_S,
            check=False,
        )
    except SeccompMissing as error:
        return f"system calls cannot be filtered: {error} (it needs pyseccomp, and Debian's package libseccomp2)"
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    finally:
        sandboxed.ended()
    lines = tried.stderr.decode(errors="replace").strip().splitlines()
    return None if tried.returncode == 0 else _advice(sandbox.kind, lines[-1] if lines else f"{tried.returncode}")


def _advice(kind: SandboxKind, last_line: str) -> str:
    if kind is SandboxKind.BUBBLEWRAP:
        if "bwrap" in last_line and "not found" in last_line:
            return "there is no bwrap; install Debian's package bubblewrap"
        if os.geteuid() != 0 and _reads_one(USER_NAMESPACES_FORBIDDEN):
            return (
                f"{last_line} (this system forbids namespaces to programs without a profile, as Ubuntu 24.04 does; an "
                "administrator can allow bwrap by an AppArmor profile with the rule `userns,`)"
            )
    if kind is SandboxKind.PODMAN:
        if last_line.startswith("env:") and "No such file" in last_line:
            return "there is no podman; install Debian's package podman"
        if "hybrid" in last_line:
            return f"{last_line} (another runtime can: install Debian's package runc)"
    return last_line


def _reads_one(path: Path) -> bool:
    try:
        return path.read_text().strip() == "1"
    except OSError:
        return False
