"""Running a few lines of Python in a sandbox, as a hostile program would be."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tabiya.sandbox.choice import choose
from tabiya.sandbox.limits import Limits
from tabiya.sandbox.option import SandboxOption
from tabiya.sandbox.sandbox import SandboxedProgram, SandboxKind


@functools.cache
def podman_is_missing() -> str:
    """Why no container starts here at all; or nothing. Asked without any code of ours, whose faults are no reason."""
    if shutil.which("podman") is None:
        return "there is no podman"
    printed = b""
    for runtime in ((), ("--runtime", "runc")):
        with tempfile.TemporaryDirectory() as root:
            words = ("run", "--rm", "--network", "none", "--ulimit", "nofile=64:64", "--ulimit", "nproc=64:64")
            mounts = (word for name in ("/usr", "/lib", "/lib64") for word in ("--volume", f"{name}:{name}:ro"))
            command = ("podman", *runtime, *words, *mounts, "--rootfs", root, "/usr/bin/true")
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        if done.returncode == 0:
            return ""
        printed = printed or done.stderr
    return f"podman starts no container: {printed.decode().strip()}"


with_podman = pytest.mark.skipif(
    "CI" not in os.environ and bool(podman_is_missing()), reason=podman_is_missing()
)  # where everything must be there the test fails instead
MARKS = {SandboxKind.BUBBLEWRAP: [], SandboxKind.LANDLOCK: [], SandboxKind.PODMAN: [pytest.mark.slow, with_podman]}
SANDBOX_KINDS = [pytest.param(kind, marks=MARKS[kind]) for kind in SandboxKind]
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such sandboxes")
SMALL = Limits(memory_mb=128, processes=16, open_files=64, file_mb=1, scratch_mb=4)


@contextmanager
def sandboxed_program(
    kind: SandboxKind, folder: Path | None = None, limits: Limits = SMALL, *, starts_programs: bool = False
) -> Iterator[SandboxedProgram]:
    """A sandboxed program, removed at the end. The sandbox has to work: where it cannot, the test fails."""
    sandbox = choose(SandboxOption(kind), limits, lambda sentence: None)
    assert sandbox is not None
    sandboxed = sandbox.around(folder, starts_programs=starts_programs)
    try:
        yield sandboxed
    finally:
        sandboxed.ended()


def run_behind(
    sandboxed: SandboxedProgram, program: str, *, timeout_s: float = 30.0
) -> subprocess.CompletedProcess[str]:
    """The program run to its end; its output, errors and status."""
    command = sandboxed.command((sys.executable, "-I", "-c", program))
    return subprocess.run(
        command,
        env=sandboxed.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
