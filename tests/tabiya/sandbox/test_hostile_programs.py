"""Every hostile program behind every strength of walls: it does not get what it wants, and nothing of it is left."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from tabiya.sandbox.sandbox import Strength
from tests.tabiya.sandbox.hostile_programs import BOMBS, OPEN_WITH, PROGRAMS, TRIES
from tests.tabiya.sandbox.walled import STRENGTHS, on_linux, run_behind, walls_around

pytestmark = [on_linux, pytest.mark.slow]
both = pytest.mark.parametrize("strength", STRENGTHS)
BOMB_S = 0.6


class Host(NamedTuple):
    """What the programs are after. folder: the program's own."""

    folder: Path
    words: dict[str, object]


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setenv("TABIYA_TOKEN", "SECRET")
    with (
        tempfile.TemporaryDirectory(prefix="tabiya-hostile-") as text,
        closing(socket.create_server(("127.0.0.1", 0))) as listener,
    ):
        root = Path(text)
        root.chmod(0o755)
        folder = root / "submission"
        folder.mkdir()
        (folder / "bot.py").write_text("SOURCE")
        secret = root / "SECRET-FILE"
        secret.write_text("SECRET")
        with closing(socket.socket(socket.AF_UNIX)) as unix, closing(socket.socket(socket.AF_UNIX)) as abstract:
            unix.bind(str(root / "socket"))
            (root / "socket").chmod(0o777)
            abstract.bind(f"\0tabiya-{os.getpid()}-{secret.stat().st_ino}")
            unix.listen()
            abstract.listen()
            yield Host(
                folder,
                {
                    "secret": str(secret),
                    "own": str(folder),
                    "home": str(root),
                    "port": listener.getsockname()[1],
                    "pid": os.getpid(),
                    "socket": str(root / "socket"),
                    "abstract": abstract.getsockname().decode(),
                    "package": str(Path(__file__).parents[3] / "tabiya" / "__init__.py"),
                },
            )


@both
def test_no_hostile_program_gets_what_it_wants(strength: Strength, host: Host) -> None:
    got = []
    for name, code in PROGRAMS.items():
        program = f"{TRIES}\ntries(lambda: {code.format(**host.words)})\n"
        with walls_around(strength, host.folder) as walls:
            done = run_behind(walls, program)
        assert "SyntaxError" not in done.stderr, done.stderr
        assert "NameError" not in done.stdout, (name, done.stdout)
        if "OUT" in done.stdout:
            got.append(name)
    assert sorted(got) == sorted(name for name in OPEN_WITH[strength] if name in PROGRAMS)
    assert (host.folder / "bot.py").read_text() == "SOURCE"
    assert [path.name for path in host.folder.iterdir()] == ["bot.py"]


def test_without_walls_they_would_get_it(host: Host) -> None:
    """The programs themselves work: these get what they want where nothing is in their way."""
    harmless: tuple[str, ...] = (
        "reads another submission, class.json, a database",
        "reads it by a way around",
        "lists the home folder",
    )
    harmless += ("connects to this machine", "connects to a Unix socket of the host", "writes to its own source")
    harmless += ("connects to an abstract socket of the host", "finds secrets in its own environment")
    for name in harmless:
        program = f"{TRIES}\ntries(lambda: {PROGRAMS[name].format(**host.words)})\n"
        environment = os.environ | {"TMPDIR": str(host.folder)}
        done = subprocess.run(
            [sys.executable, "-I", "-c", program], env=environment, capture_output=True, text=True, check=False
        )
        assert "OUT" in done.stdout, (name, done.stdout)


@both
@pytest.mark.parametrize("name", BOMBS)
def test_nothing_is_left_of_a_program_that_would_go_on_for_ever(name: str, strength: Strength, host: Host) -> None:
    with walls_around(strength, host.folder) as walls:
        command = walls.command((sys.executable, "-I", "-c", f"MARK = {str(host.folder)!r}\n{TRIES}\n{BOMBS[name]}"))
        process = subprocess.Popen(
            command, env=walls.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        walls.started(process.pid)
        time.sleep(BOMB_S)
        walls.freeze()
        walls.thaw()
        process.kill()
        assert process.stdout is not None
        said = process.stdout.read(10_000)
        process.wait()
        process.stdout.close()
    assert (b"OUT" in said) is (name in OPEN_WITH[strength])
    assert not [one.pid for one in psutil.process_iter() if str(host.folder) in " ".join(_command_line(one))]


def _command_line(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:  # it has ended
        return []
