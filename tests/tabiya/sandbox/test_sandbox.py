"""SandboxedProgram around a program: what it can still do, what it cannot, and how it is frozen."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tabiya.errors import UserError
from tabiya.sandbox import choice, landlock
from tabiya.sandbox.choice import choose
from tabiya.sandbox.limits import Limits
from tabiya.sandbox.option import SandboxOption
from tabiya.sandbox.sandbox import Sandbox, SandboxKind
from tests.tabiya.sandbox.sandboxes import SANDBOX_KINDS, on_linux, run_behind, sandboxed_program, with_podman

pytestmark = on_linux
all_sandboxes = pytest.mark.parametrize("kind", SANDBOX_KINDS)


@all_sandboxes
def test_a_program_computes_prints_reads_its_folder_and_writes_its_scratch(kind: SandboxKind, tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("42")
    tmp_path.chmod(0o755)
    (tmp_path / "data.txt").chmod(0o644)
    program = f"""
import os, threading
print(open({str(tmp_path / "data.txt")!r}).read())
scratch = os.environ["TMPDIR"] + "/mine"
open(scratch, "w").write("kept")
print(open(scratch).read())
thread = threading.Thread(target=print, args=("thread",)); thread.start(); thread.join()
"""
    with sandboxed_program(kind, tmp_path) as sandboxed:
        done = run_behind(sandboxed, program)
    assert (done.stdout.split(), done.stderr) == (["42", "kept", "thread"], "")


@all_sandboxes
def test_it_gets_nothing_of_our_environment(kind: SandboxKind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABIYA_TOKEN", "secret")
    monkeypatch.setenv("AWS_KEY", "secret")
    with sandboxed_program(kind) as sandboxed:
        output = run_behind(sandboxed, "import os; print(dict(os.environ))").stdout
    assert "secret" not in output
    assert "PATH" in output


@all_sandboxes
def test_a_frozen_program_does_nothing_until_it_is_thawed(kind: SandboxKind) -> None:
    program = "import sys, time\nwhile True: print('.', flush=True); time.sleep(0.002)"
    with sandboxed_program(kind) as sandboxed:
        process = subprocess.Popen(
            sandboxed.command((sys.executable, "-I", "-c", program)),
            env=sandboxed.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        sandboxed.started(process.pid)
        process.stdout.readline()
        sandboxed.freeze()
        os.set_blocking(process.stdout.fileno(), False)
        _read_all(process)  # what it had said before
        time.sleep(0.1)
        while_frozen = _read_all(process)
        sandboxed.thaw()
        os.set_blocking(process.stdout.fileno(), True)
        assert process.stdout.readline() == b".\n"
        process.kill()
        process.wait()
        process.stdout.close()
    assert while_frozen == b""


def _read_all(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    time.sleep(0.05)
    return process.stdout.read() or b""


def test_a_folder_above_ones_home_is_refused() -> None:
    with pytest.raises(UserError, match="move it into its own folder"):
        Sandbox(SandboxKind.BUBBLEWRAP).around(Path.home())


def test_a_folder_with_the_secrets_of_a_server_is_refused(tmp_path: Path) -> None:
    (tmp_path / "class.db.secrets").write_text("{}")
    with pytest.raises(UserError, match=r"could read .*class\.db\.secrets"):
        Sandbox(SandboxKind.BUBBLEWRAP).around(tmp_path)


def test_a_folder_that_somebody_else_cannot_read_is_named_to_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o750)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(UserError, match=r"another user, who cannot read .*: chmod o\+rx"):
        Sandbox(SandboxKind.BUBBLEWRAP).around(tmp_path)


def test_the_sandbox_in_use_is_printed() -> None:
    lines: list[str] = []
    choose(SandboxOption.AUTO, Limits(), lines.append)
    choose(SandboxOption.NONE, Limits(), lines.append)
    assert "bubblewrap" in lines[0]
    assert lines[1].startswith("NO SANDBOX")


def test_without_any_sandbox_it_refuses_to_run_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: 0)
    monkeypatch.setattr("tabiya.sandbox.bubblewrap.PROGRAM", "bwrap-is-not-here")
    monkeypatch.setattr("tabiya.sandbox.podman.PROGRAM", "podman-is-not-here")
    with pytest.raises(
        UserError, match=r"install Debian's package bubblewrap.*package podman.*no Landlock.*--sandbox none"
    ):
        choose(SandboxOption.AUTO, Limits(), lambda sentence: None)


@with_podman
def test_where_bubblewrap_does_not_start_a_container_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.sandbox.bubblewrap.PROGRAM", "bwrap-is-not-here")
    lines: list[str] = []
    choose(SandboxOption.AUTO, Limits(), lines.append)
    assert "podman" in lines[0]


def test_where_no_container_starts_either_landlock_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.sandbox.bubblewrap.PROGRAM", "bwrap-is-not-here")
    monkeypatch.setattr("tabiya.sandbox.podman.PROGRAM", "podman-is-not-here")
    lines: list[str] = []
    choose(SandboxOption.AUTO, Limits(), lines.append)
    assert "Landlock" in lines[0]


def test_where_a_system_forbids_namespaces_it_is_said_how_they_are_allowed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    forbidden = tmp_path / "forbidden"
    forbidden.write_text("1\n")
    monkeypatch.setattr(choice, "USER_NAMESPACES_FORBIDDEN", forbidden)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "AppArmor profile" in choice._advice(SandboxKind.BUBBLEWRAP, "bwrap: setting up uid map: Permission denied")
