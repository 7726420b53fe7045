"""Players that mean harm to the pool from a sandbox: forged frames, thoughts out of turn, output without end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest
from tabiya.bots.pool.errors import PlayerFailed, WorkerError
from tabiya.bots.pool.local_process import MOST_PRINTED
from tabiya.bots.pool.pool import WorkerPool
from tabiya.bots.pool.process import WorkerProcess
from tabiya.bots.pool.time_limits import MoveTimeLimits
from tabiya.sandbox.sandbox import Sandbox, SandboxKind
from tests.live import eventually
from tests.processes import is_running
from tests.tabiya.sandbox.sandboxes import SANDBOX_KINDS, on_linux

pytestmark = [on_linux, pytest.mark.slow]
both = pytest.mark.parametrize("kind", SANDBOX_KINDS)
GENEROUS = MoveTimeLimits(think_s=20.0, grace_s=0.5, answer_s=30.0)
HASTY = MoveTimeLimits(think_s=0.2, grace_s=0.1, answer_s=0.3)
MATCH = MatchInfo(match=1, game="tictactoe")
REQUEST = MoveRequest(
    match=1, game="tictactoe", ply=0, seat=0, position="--------- X", history_position="--------- X", budget_s=20.0,
    legal_moves=("a1", "b2", "c3"),
)  # fmt: skip
# The pipes that the worker has kept for its frames; anyone who shares its process finds them.
BEGINNING = """
import os, stat, sys, threading, time
from tabiya.bots.client import Bot
from tabiya.bots.players.api import MoveReply
from tabiya.bots.pool.frames import Answered, Failed, Phase, Ready, pack

def frames_out():
    for fd in range(3, 30):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode) and os.write(fd, b"") == 0:
                return fd
        except OSError:
            pass

def forge(data):
    try:
        while data:
            data = data[os.write(frames_out(), data):]
    except OSError:
        pass

class Harm(Bot):
    games = ("tictactoe",)
    asked = 0

    def choose(self, turn):
        self.asked += 1
        return self.harm() or "b2"

    def harm(self):
        pass
"""


@pytest.fixture(scope="module", autouse=True)
def kernels(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Kept by a worker without a sandbox, as a class run does it; behind them every start would compile them again."""
    folder = tmp_path_factory.mktemp("kernels")
    _write(folder, BEGINNING)
    asyncio.run(_started(folder))


async def _started(folder: Path) -> None:
    pool = WorkerPool(f"{folder}/bot.py:Harm", report=lambda text: None)
    await pool.start()
    await pool.close()


@contextlib.asynccontextmanager
async def pool_of(folder: Path, kind: SandboxKind, code: str) -> AsyncIterator[tuple[WorkerPool, list[str]]]:
    """A pool with a worker in a sandbox whose player does this; afterwards nothing of it is left."""
    _write(folder, BEGINNING + code)
    lines: list[str] = []
    pool = WorkerPool(f"{folder}/bot.py:Harm", report=lines.append, sandbox=Sandbox(kind), ready_s=20.0)
    await pool.start()
    try:
        yield pool, lines
    finally:
        await pool.close()
        assert not [one for one in psutil.process_iter(["environ"]) if str(folder) in str(one.info["environ"])]


def _write(folder: Path, text: str) -> None:
    folder.chmod(0o755)  # the program is somebody else
    (folder / "bot.py").write_text(text)
    (folder / "bot.py").chmod(0o644)


async def _is_ended(pool: WorkerPool, limits: MoveTimeLimits) -> None:
    """Ask, and wait until the worker is gone that was asked."""
    (pid,) = pool.pids
    asked = asyncio.create_task(think(pool, limits))
    await eventually(lambda: pid not in pool.pids or not is_running(pid))
    asked.cancel()
    with contextlib.suppress(asyncio.CancelledError, PlayerFailed):
        await asked


async def think(pool: WorkerPool, limits: MoveTimeLimits = GENEROUS) -> MoveReply:
    return await pool.think(MATCH, REQUEST, limits)


FORGERIES = {
    "garbage": "forge(os.urandom(1000))",
    "a frame longer than any may be": "forge(b'\\xff' * 4 + b'x' * 1000)",
    "a frame that fills our memory": "forge((15 << 20).to_bytes(4, 'big') + b'x' * 100_000)",
    "broken text": "forge(pack(Answered(number=1, reply=MoveReply(move='b2'))).replace(b'b2', b'\\xff\\xff'))",
    "frames without end": "[forge(pack(Ready()) * 100) for _ in iter(int, 1)]",
    "phases without end": "[forge(pack(Phase(name='x', limit_s=1e9)) * 100) for _ in iter(int, 1)]",
}


@both
@pytest.mark.parametrize("forgery", FORGERIES)
async def test_forged_frames_end_the_program(forgery: str, kind: SandboxKind, tmp_path: Path) -> None:
    code = f"    def harm(self):\n        {FORGERIES[forgery]}\n        time.sleep(60)\n"
    async with pool_of(tmp_path, kind, code) as (pool, _):
        await _is_ended(pool, GENEROUS)


@both
async def test_answers_to_other_requests_and_a_second_ready_change_nothing(kind: SandboxKind, tmp_path: Path) -> None:
    code = """
    def harm(self):
        for number in (0, self.asked - 1, self.asked + 1, 1 << 40):
            forge(pack(Answered(number=number, reply=MoveReply(move="forged"))))
        forge(pack(Ready(warnings=("forged",))))
"""
    async with pool_of(tmp_path, kind, code) as (pool, _):
        assert [(await think(pool)).move for _ in range(3)] == ["b2"] * 3


@both
async def test_a_program_cannot_think_while_it_is_not_asked(kind: SandboxKind, tmp_path: Path) -> None:
    code = """
    counted = 0
    def harm(self):
        if self.asked == 1:
            threading.Thread(target=self.count, daemon=True).start()
        return f"{self.counted}"
    def count(self):
        while True:
            self.counted += 1
            time.sleep(0.001)
"""
    async with pool_of(tmp_path, kind, code) as (pool, _):
        await think(pool)
        before = int((await think(pool)).move)
        await asyncio.sleep(0.5)
        assert int((await think(pool)).move) - before < 100  # it could count to 400


@both
async def test_a_player_that_sleeps_past_the_clock_or_does_not_stop_is_ended(kind: SandboxKind, tmp_path: Path) -> None:
    code = "    def harm(self):\n        while True: time.sleep(60)\n"
    async with pool_of(tmp_path, kind, code) as (pool, printed):
        await _is_ended(pool, HASTY)
        assert any("did not answer in time and is killed" in line for line in printed)


@both
async def test_a_player_that_prints_too_much_plays_on_and_its_output_is_cut_and_escaped(
    kind: SandboxKind, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = """
    def harm(self):
        for _ in range(200): sys.stderr.write("\\x1b[2J" + "x" * 10_000 + "\\n")
"""
    async with pool_of(tmp_path, kind, code) as (pool, output):
        for _ in range(2):
            await think(pool)
        assert any("has printed more than" in line for line in output)
    printed = capsys.readouterr().err
    assert MOST_PRINTED / 2 < len(printed) < 2 * MOST_PRINTED
    assert "\x1b" not in printed


@both
async def test_a_start_that_says_it_may_take_for_ever_may_not_and_commands_no_terminal(
    kind: SandboxKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = '\nforge(pack(Phase(name="\\x1b[2J", limit_s=1e9)))\ntime.sleep(60)\n'
    monkeypatch.setattr(WorkerProcess, "_longest_start_s", lambda self, start: 3.0)
    with pytest.raises(WorkerError) as raised:
        async with pool_of(tmp_path, kind, code):
            pass
    assert "\x1b" not in str(raised.value)
    assert "not over" in str(raised.value)
