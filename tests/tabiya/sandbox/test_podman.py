"""Containers: what is theirs alone among the sandboxes. The rest is in the tests of all of them."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tabiya.errors import UserError
from tabiya.sandbox.sandbox import Sandbox, SandboxedProgram, SandboxKind
from tests.tabiya.sandbox.sandboxes import SMALL, on_linux, run_behind, with_podman

pytestmark = [on_linux, with_podman, pytest.mark.slow]
BEYOND_A_PIPE = 300_000  # bytes: a pipe holds 65,536
ENDING_S = 15.0
# A process of ours that starts a program and is killed, at a moment that its argument names.
KILLED = """
import os, signal, subprocess, sys, time
from tabiya.sandbox.sandbox import Sandbox, SandboxKind
sandboxed = Sandbox(SandboxKind.PODMAN).around(None)
program = "print('up', flush=True)\\nwhile True: pass  # " + sys.argv[1]
command = sandboxed.command((sys.executable, "-I", "-S", "-c", program))
process = subprocess.Popen(command, env=sandboxed.environment, stdout=subprocess.PIPE, start_new_session=True)
sandboxed.started(process.pid)
if sys.argv[2].startswith("after "):
    time.sleep(float(sys.argv[2].split()[1]))
else:
    process.stdout.readline()
if sys.argv[2] == "frozen":
    sandboxed.freeze()
if sys.argv[2] == "with all below us":
    import psutil
    for below in psutil.Process().children(recursive=True):
        below.kill()
os.kill(os.getpid(), signal.SIGKILL)
"""


@contextmanager
def container(folder: Path | None = None) -> Iterator[SandboxedProgram]:
    sandboxed = Sandbox(SandboxKind.PODMAN, SMALL).around(folder)
    try:
        yield sandboxed
    finally:
        sandboxed.ended()


def test_the_environment_is_ours_and_nothing_of_podmans() -> None:
    with container() as sandboxed:
        result = run_behind(sandboxed, "import os; print(dict(os.environ))")
        assert ast.literal_eval(result.stdout) == sandboxed.environment


def test_large_binary_frames_pass_both_ways_and_errors_stay_apart() -> None:
    program = """
import sys
data = sys.stdin.buffer.read()
sys.stderr.write("aside"); sys.stderr.flush()
sys.stdout.buffer.write(data[::-1])
"""
    sent = os.urandom(BEYOND_A_PIPE) + b"\r\n\x00\xff"
    with container() as sandboxed:
        done = subprocess.run(
            sandboxed.command((sys.executable, "-I", "-S", "-c", program)),
            env=sandboxed.environment,
            input=sent,
            capture_output=True,
            timeout=30,
            check=False,
        )
    assert (done.stdout == sent[::-1], done.stderr, done.returncode) == (True, b"aside", 0)


def test_processes_of_one_container_reach_each_other() -> None:
    program = """
import os, socket
listening = socket.create_server(("127.0.0.1", 0))
if os.fork() == 0:
    with socket.create_connection(listening.getsockname()) as one: one.send(b"hello")
else:
    print(listening.accept()[0].recv(9))
"""
    with container() as sandboxed:
        assert sandboxed.has_loopback
        assert run_behind(sandboxed, program).stdout == "b'hello'\n"


def test_the_exit_status_is_the_programs() -> None:
    with container() as sandboxed:
        assert run_behind(sandboxed, "raise SystemExit(7)").returncode == 7


@pytest.mark.parametrize(
    "when", ["running", "frozen", "with all below us", "after 0.05", "after 0.15", "after 0.25", "after 0.4"]
)
def test_when_its_starter_is_killed_nothing_is_left_of_it(when: str) -> None:
    mark = f"killed-{os.getpid()}-{when.replace(' ', '-')}"
    with pytest.raises(subprocess.CalledProcessError) as raised:
        subprocess.run([sys.executable, "-c", KILLED, mark, when], check=True, stderr=subprocess.DEVNULL)
    assert raised.value.returncode == -signal.SIGKILL
    until = time.monotonic() + ENDING_S
    while (left := _with(mark)) and time.monotonic() < until:
        time.sleep(0.05)
    assert left == []


def _with(mark: str) -> list[int]:
    """Processes that have it in their command line, those of a container and of podman among them."""
    return [one.pid for one in psutil.process_iter(["cmdline"]) if mark in " ".join(one.info["cmdline"] or ())]


def test_podman_keeps_no_container_of_ours() -> None:
    with container() as sandboxed:
        run_behind(sandboxed, "")
        name = sandboxed._container._folder.name  # type: ignore[union-attr]
    listed = subprocess.run(["podman", "ps", "--all", "--format", "{{.Names}}"], capture_output=True, text=True)  # noqa: PLW1510
    assert name not in listed.stdout.split()


def test_a_folder_whose_name_podman_would_take_apart_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(UserError, match="podman cannot mount a folder with a colon in its name"),
        container(tmp_path / "bots:rw"),
    ):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_what_is_mounted_within_its_folder_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    within = tmp_path / "within"
    within.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "none", within], check=True)
    try:
        with container(tmp_path) as sandboxed:
            done = run_behind(sandboxed, f"open({str(within / 'x')!r}, 'w')")
        assert "OSError" in done.stderr or "PermissionError" in done.stderr
        assert list(within.iterdir()) == []
    finally:
        subprocess.run(["umount", within], check=True)
