"""Every hostile program in every kind of sandbox: it does not get what it wants, and nothing of it is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tabiya.sandbox import control_group
from tabiya.sandbox.control_group import ControlGroup
from tabiya.sandbox.sandbox import RESTRICTED_EXEC, Sandbox, SandboxedProgram, SandboxKind
from tests.tabiya.sandbox.hostile import ENDLESS, KINDS, SHORT
from tests.tabiya.sandbox.hostile.files import WRITING
from tests.tabiya.sandbox.hostile.neighbour import SECRET, Neighbour, neighbour
from tests.tabiya.sandbox.hostile.network import NETWORK
from tests.tabiya.sandbox.hostile.power import OTHER_PROCESSES
from tests.tabiya.sandbox.hostile.program import Alone, HostileProgram
from tests.tabiya.sandbox.sandboxes import MARKS, SANDBOX_KINDS, SMALL, on_linux

pytestmark = [on_linux, pytest.mark.slow]
all_sandboxes = pytest.mark.parametrize("kind", SANDBOX_KINDS)
# A container starts slowly, so few of the programs meet one unless this is set: TABIYA_TEST_EVERY_CONTAINER=1
EVERY_CONTAINER = "TABIYA_TEST_EVERY_CONTAINER" in os.environ
IN_A_CONTAINER = (
    *("reads another submission", "reads through /proc/self/root", "finds secrets in its own environment"),
    *("writes to its own source", "connects to a server on this machine", "connects to an abstract socket"),
    *("kills another process", "looks at another's shared memory", "becomes root", "mounts", "has rights from before"),
    *("forks in every child", "takes memory in many children", "uses more processors than one"),
    *("leaves a grandchild in a session of its own that ignores signals", "fills /tmp with files"),
)


def sandboxed(programs: tuple[HostileProgram, ...]) -> pytest.MarkDecorator:
    """Every program in every kind of sandbox, but few of them in a container."""
    return pytest.mark.parametrize(
        ("program", "kind"),
        [
            pytest.param(program, kind, id=f"{kind}-{program.tries}", marks=MARKS[kind])
            for kind in SandboxKind
            for program in programs
            if kind is not SandboxKind.PODMAN or EVERY_CONTAINER or program.tries in IN_A_CONTAINER
        ],
    )


ENDLESS_S, LONGEST_S = 0.5, 15.0
RUN_ALONE = (Alone.OPEN, Alone.TO_ROOT, Alone.HELD) if os.geteuid() == 0 else (Alone.OPEN, Alone.HELD)


@pytest.fixture(scope="module")
def somebody() -> Iterator[Neighbour]:
    with neighbour() as found:
        yield found


@pytest.fixture
def unharmed(somebody: Neighbour, monkeypatch: pytest.MonkeyPatch) -> Iterator[Neighbour]:
    """A neighbour that is afterwards what it was before, and beside whom nothing is left."""
    monkeypatch.setenv("TABIYA_TOKEN", SECRET)
    before = somebody.state()
    yield somebody
    assert somebody.state() == before
    assert somebody.left_behind() == []


@sandboxed(SHORT)
def test_a_hostile_program_does_not_get_what_it_wants(
    program: HostileProgram, kind: SandboxKind, unharmed: Neighbour
) -> None:
    sandboxed = Sandbox(kind, SMALL).around(unharmed.folder)
    try:
        command = sandboxed.command((sys.executable, "-I", "-S", "-c", unharmed.program(program.code)))
        done = _run(command, sandboxed.environment)
    finally:
        sandboxed.ended()
    _was_tried(done)
    assert ("OUT" in done.stdout) is (kind in program.open_with), done.stdout


def test_the_neighbours_server_still_answers(somebody: Neighbour) -> None:
    assert somebody.answers()


@pytest.mark.parametrize("program", [one for one in SHORT if one.alone in RUN_ALONE], ids=lambda program: program.tries)
def test_harmless_programs_succeed_without_a_sandbox(program: HostileProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or else the test above could not fail."""
    monkeypatch.setenv("TABIYA_TOKEN", SECRET)
    with neighbour() as somebody, tempfile.TemporaryDirectory(prefix="tabiya-hostile-") as scratch:
        command = (sys.executable, "-I", "-S", "-c", somebody.program(program.code))
        done = _run(command, os.environ | {"TMPDIR": scratch})
    _was_tried(done)
    assert ("OUT" in done.stdout) is (program.alone is not Alone.HELD), done.stdout


@pytest.mark.parametrize(
    "program",
    [*OTHER_PROCESSES, *NETWORK, *(one for one in WRITING if "empties" in one.tries)],
    ids=lambda program: program.tries,
)
def test_the_filter_alone_holds_what_landlock_of_older_kernels_does_not(
    program: HostileProgram, unharmed: Neighbour
) -> None:
    """Signals and abstract sockets before 6.12, the network before 6.7, cutting of files before 6.2."""
    sandboxed = Sandbox(SandboxKind.LANDLOCK, SMALL).around(unharmed.folder)
    try:
        settings = json.dumps(sandboxed._restrictions() | {"readable": [], "writable": [], "listed": []})
        command = (sys.executable, "-I", "-S", "-c", unharmed.program(program.code))
        done = _run((sys.executable, "-I", "-S", str(RESTRICTED_EXEC), settings, *command), sandboxed.environment)
    finally:
        sandboxed.ended()
    _was_tried(done)
    assert "OUT" not in done.stdout


def _run(command: tuple[str, ...], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False
    )


def _was_tried(done: subprocess.CompletedProcess[str]) -> None:
    """A mistake in a program of ours is no wall."""
    for mistake in ("SyntaxError", "NameError", "AttributeError", "TypeError", "KeyError", "ModuleNotFoundError"):
        assert mistake not in done.stdout + done.stderr, done.stdout + done.stderr


@sandboxed(ENDLESS)
def test_nothing_is_left_of_an_endless_program(program: HostileProgram, kind: SandboxKind, unharmed: Neighbour) -> None:
    sandboxed = Sandbox(kind, SMALL).around(unharmed.folder, starts_programs=True)
    got = _ended(
        sandboxed, unharmed.prelude() + program.code, wait_s=LONGEST_S if kind in program.open_with else ENDLESS_S
    )
    if not program.held_by or program.held_by in sandboxed.held:
        assert got is (kind in program.open_with)


def _ended(sandboxed: SandboxedProgram, code: str, wait_s: float) -> bool:
    """Let it run so long, freeze and thaw it and end it, as the pool does; whether it got more than it should."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            sandboxed.command((sys.executable, "-I", "-S", "-c", code)),
            env=sandboxed.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=output,
            start_new_session=True,
        )
        try:
            sandboxed.started(process.pid)
            assert process.stdout is not None
            os.set_blocking(process.stdout.fileno(), False)
            printed, until = b"", time.monotonic() + wait_s
            while time.monotonic() < until and b"OUT" not in printed:
                printed = printed[-10_000:] + (process.stdout.read(100_000) or b"")
                time.sleep(0.02)
            sandboxed.freeze()
            sandboxed.thaw()
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()  # type: ignore[union-attr]
            sandboxed.ended()
    return b"OUT" in printed


@all_sandboxes
def test_without_a_control_group_a_grandchild_of_its_own_is_ended_and_frozen_too(
    kind: SandboxKind, unharmed: Neighbour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabiya.sandbox.control_group.new_group", lambda limits, **where: None)
    code = """
if os.fork() == 0 and os.fork() == 0:
    try: os.setsid()
    except OSError: pass
    while True: print(".", flush=True); time.sleep(0.002)
time.sleep(60)
"""
    sandboxed = Sandbox(kind, SMALL).around(unharmed.folder, starts_programs=True)
    process = subprocess.Popen(
        sandboxed.command((sys.executable, "-I", "-S", "-c", unharmed.prelude() + code)),
        env=sandboxed.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        sandboxed.started(process.pid)
        process.stdout.readline()
        sandboxed.freeze()
        time.sleep(0.05)
        os.set_blocking(process.stdout.fileno(), False)
        process.stdout.read()  # what it had said before
        time.sleep(0.1)
        while_frozen = process.stdout.read() or b""
    finally:
        sandboxed.thaw()
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]
        sandboxed.ended()
    assert while_frozen == b""


def test_there_are_many_and_each_is_named_once() -> None:
    named = [program.tries for programs in KINDS.values() for program in programs]
    assert len(set(named)) == len(named) > 100
    assert set(IN_A_CONTAINER) < set(named)


def test_all_folders_of_a_group_that_was_left_behind_are_removed_together_so_that_one_can_thaw_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parents = tuple(tmp_path / kind for kind in ("memory", "freezer"))
    for name in ("tabiya-99999999-abc-1", "tabiya-99999999-abc-2", f"tabiya-{os.getpid()}-abc-1"):
        for parent in parents:
            (parent / name).mkdir(parents=True)
    removed: list[tuple[Path, ...]] = []
    monkeypatch.setattr(ControlGroup, "remove", lambda group: removed.append(group.folders))
    control_group._remove_stale(parents)
    assert sorted(removed) == [
        tuple(parent / f"tabiya-99999999-abc-{number}" for parent in parents) for number in (1, 2)
    ]


def test_a_control_group_that_is_busy_for_a_moment_is_removed_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, tries = tmp_path / "group", [OSError(16, "busy"), OSError(16, "busy")]
    folder.mkdir()
    rmdir = Path.rmdir

    def busy(path: Path) -> None:
        if tries:
            raise tries.pop()
        rmdir(path)

    monkeypatch.setattr(Path, "rmdir", busy)
    ControlGroup((folder,), frozenset()).remove()
    assert not folder.exists()
