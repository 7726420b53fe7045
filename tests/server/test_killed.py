"""A server process that is paused or told to stop, with real bots, sockets and files; benchmarks/killed.py kills it."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable
from pathlib import Path

import pytest

from tabiya.games.registry import names
from tabiya.protocol.messages import MatchStarted, Move, Seek, Turn
from tabiya.storage.open import open_store
from tests.live import ServerProcess, served, welcomed
from tests.source_rules.sources import ROOT


@pytest.mark.slow
async def test_a_server_process_that_is_paused_costs_no_bot_any_time(tmp_path: Path) -> None:
    async with (
        served(tmp_path / "games.db") as server,
        welcomed(server.url, "ada") as ada,
        welcomed(server.url, "bob") as bob,
    ):
        bots = (ada, bob)
        for bot in bots:
            await bot.say(Seek(game="chess", time="1/move"))
        seats = {(await bot.receives(MatchStarted)).seat: bot for bot in bots}
        for number in range(4):
            turns = [asyncio.ensure_future(bot.receives(Turn)) for bot in bots]
            done, others = await asyncio.wait(turns, return_when=asyncio.FIRST_COMPLETED)
            for task in others:
                task.cancel()
            turn = done.pop().result()
            move = Move(match=turn.match, ply=turn.ply, move=turn.legal_moves[0])
            if number == 0:  # the move comes while nobody reads it
                await paused(server, seats[turn.seat].say(move))
            elif number == 1:  # and once behind that
                await paused(server, asyncio.sleep(0))
                await asyncio.sleep(0.1)
            else:
                assert turn.last_move_account.think_ms < 900
                assert turn.last_move_account.server_ms > 1_000
            if number:
                await seats[turn.seat].say(move)
        _, log = await server.end()
    assert log.count("the server stood still for ") >= 2


async def paused(server: ServerProcess, meanwhile: Awaitable[None]) -> None:
    """The server's process does not run for longer than a move may take."""
    server.process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(0.3)
    await meanwhile
    await asyncio.sleep(0.9)
    server.process.send_signal(signal.SIGCONT)


@pytest.mark.slow
async def test_a_server_told_to_stop_leaves_nothing_open(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    command = ("-X", "dev", "-W", "error", "-m", "tests.server.serve", str(database))
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    url = f"ws://127.0.0.1:{int(await process.stdout.readline())}"
    async with welcomed(url, "ada", seek=(names()[0],)) as ada, welcomed(url, "bob", seek=(names()[0],)) as bob:
        await ada.receives(MatchStarted)
        await bob.receives(MatchStarted)
        process.send_signal(signal.SIGTERM)
        out, err = await process.communicate()
    assert (process.returncode, err.decode()) == (0, "")  # no task pending, no socket or file left open, no warning
    assert out.startswith(b"left: 0")


async def unfinished(database: Path) -> list[int]:
    """The matches that go on at the next start."""
    store = await open_store(str(database))
    try:
        return [stored.match.id for stored in (await store.unfinished_matches()).matches]
    finally:
        await store.close()


COMPILING = """
import os, signal, sys
from tabiya.processes.server_process import signals_end_at_once
class Module:
    def __del__(self):
        os.kill(os.getpid(), getattr(signal, sys.argv[1]))
with signals_end_at_once():
    Module()
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_while_the_rules_are_compiled_ends_the_process_even_within_a_finalizer(name: str) -> None:
    done = subprocess.run([sys.executable, "-c", COMPILING, name], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (-getattr(signal, name), "")
