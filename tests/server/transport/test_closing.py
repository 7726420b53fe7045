"""A server is told to stop: what is under way is saved and told, nobody loses time, and it is gone in time."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tabiya.processes.server_process import NOT_IN_TIME, STOP_S
from tabiya.protocol.codes import CloseCode, RefusalCode
from tabiya.protocol.messages import Challenge, MatchEnded, MatchStarted, Move, Resign, Seek, Turn
from tabiya.server.app import DRAIN_TIMEOUT_S
from tabiya.storage.records import MatchId
from tests.live import served, welcomed
from tests.server.local_bots import Table, first_legal, silent, table
from tests.virtual_time import now_s, virtual_time

CHESS = "chess"


async def stopped(there: Table) -> None:
    """The server is told to stop, and its local lines end as the gateway's do: when the last saves are told."""
    stopping = asyncio.ensure_future(there.server.stop())
    there.server.gateway.stop = goodbye(there)  # type: ignore[method-assign, assignment]
    await stopping
    there.crashed = True


def goodbye(there: Table) -> Callable[[str], Coroutine[Any, Any, None]]:
    async def say(reason: str) -> None:
        there.network.close("the server closes")

    return say


@virtual_time
async def test_an_end_that_is_being_saved_is_told_before_goodbye() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        there.store.seconds_to_commit = lambda: 0.5
        ada.say(Resign(match=match))
        await there.idle()
        await stopped(there)
        for bot in (ada, bob):
            assert bot.received(MatchEnded)[0].ending == "resignation"
            assert (await bot.ends())[0] == CloseCode.SERVER_CLOSING


@virtual_time
async def test_a_move_that_is_being_saved_counts_and_no_clock_runs_while_the_server_is_away() -> None:
    async with table() as there:
        ada, bob, _ = await there.two_seated(CHESS, first=first_legal, think_s=3.0, time="60+0")
        there.store.seconds_to_commit = lambda: 0.5
        await asyncio.sleep(3.1)
        await stopped(there)
        ply = ada.received(Turn)[0].ply
        assert bob.received(Turn)[0].ply == ply + 1
        tables = there.store.tables
    await asyncio.sleep(3600)
    async with table(tables) as after:
        bob = await after.bot("bob")
        await after.bot("ada", silent)
        again = await bob.receives(Turn)
        assert again.clock_ms is not None
        assert (again.ply, again.clock_ms.you, again.clock_ms.opponent) == (ply + 1, 60_000, 57_000)


@virtual_time
async def test_messages_to_a_closing_server_change_nothing() -> None:
    async with table() as there:
        ada, bob, match = await there.two_seated(CHESS)
        turn = await ada.receives(Turn)
        there.dispatcher.matchmaker.closing = True
        there.dispatcher.runner.close()
        for wish in (Seek(game=CHESS), Challenge(opponent=ada.name, game=CHESS)):
            assert (await bob.refusal(wish)).code == RefusalCode.SERVER_CLOSING
        ada.say(Move(match=match, ply=turn.ply, move=first_legal(turn)))
        bob.say(Resign(match=match))
        await there.idle()
        assert len(await there.store.moves(MatchId(match))) == turn.ply
        await stopped(there)
        tables = there.store.tables
    async with table(tables) as after:
        ada = await after.bot("ada")
        await after.bot("bob", silent)
        assert (await ada.receives(Turn)).ply == turn.ply


@virtual_time
async def test_a_database_that_does_not_answer_puts_goodbye_off_for_two_seconds_and_no_longer() -> None:
    async with table() as there:
        ada, _, match = await there.two_seated(CHESS)
        there.store.hold_commits()
        ada.say(Resign(match=match))
        await there.idle()
        began = now_s()
        stopping = asyncio.ensure_future(stopped(there))
        assert (await ada.ends())[0] == CloseCode.SERVER_CLOSING
        assert now_s() - began == pytest.approx(DRAIN_TIMEOUT_S, abs=0.1)
        assert not stopping.done()
        there.store.release()
        await stopping
        record = await there.store.match(MatchId(match))
        assert record is not None
        assert record.status == "ended"


# --- the process


def hold_lock(database: Path) -> sqlite3.Connection:
    """Another program that has the database for itself."""
    other = sqlite3.connect(database, timeout=10, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return other


@pytest.mark.slow
async def test_a_second_signal_of_either_kind_ends_it_at_once_and_what_was_told_is_there(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    async with (
        served(database) as server,
        welcomed(server.url, "ada", seek=(CHESS,)) as ada,
        welcomed(server.url, "bob", seek=(CHESS,)) as bob,
    ):
        started = await ada.receives(MatchStarted)
        white = (ada, bob)[started.seat]
        turn = await white.receives(Turn)
        with contextlib.closing(hold_lock(database)):
            await white.say(Move(match=turn.match, ply=turn.ply, move=turn.legal_moves[0]))
            await asyncio.sleep(0.2)
            began = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            assert (await ada.ends())[0] == CloseCode.SERVER_CLOSING
            assert server.process.returncode is None
            code, _ = await server.end(signal.SIGINT)
            assert code == -signal.SIGINT
            assert time.monotonic() - began < DRAIN_TIMEOUT_S + 2.0  # the lock is waited for five seconds
    async with served(database) as server, welcomed(server.url, "ada") as ada, welcomed(server.url, "bob") as bob:
        assert (await (ada, bob)[started.seat].receives(Turn)).ply == turn.ply
        code, log = await server.end(signal.SIGINT)
        assert [(await bot.ends())[0] for bot in (ada, bob)] == [CloseCode.SERVER_CLOSING] * 2
        assert (code, "Traceback" in log) == (0, False)


STUCK = """
import asyncio, logging, threading
from tabiya.processes import server_process
class Stuck:
    class store:
        waiting = 3
    async def stop(self):
        await asyncio.to_thread(threading.Event().wait)
logging.basicConfig()
server_process.STOP_S = 0.1
asyncio.run(server_process._stop_in_time(Stuck()))
"""


@pytest.mark.slow
def test_a_server_that_cannot_close_leaves_all_the_same_and_says_what_is_lost() -> None:
    done = subprocess.run([sys.executable, "-c", STUCK], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == NOT_IN_TIME
    assert "3 writes are not saved, and nobody was told of them" in done.stderr
    assert STOP_S < 10  # what service managers wait before they kill
