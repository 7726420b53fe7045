"""A server process that is killed, paused or told to stop, with real bots, sockets and files."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections import Counter
from collections.abc import Awaitable
from pathlib import Path
from random import Random

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from games.registry import names
from protocol.codes import CloseCode
from protocol.messages import MatchStarted, Move, Seek, Turn
from server.tournaments.settings import read
from storage.open import open_store
from storage.records import TournamentRecord
from tests.house.sources import ROOT
from tests.live import eventually, served, welcomed

BOTS = ("ada", "bob", "cyd")
START_S = 60.0


class Served:
    """A server process on one database and port; the port is the system's choice at first and then kept."""

    def __init__(self, database: Path) -> None:
        self.database, self.port = database, 0
        self.process: asyncio.subprocess.Process | None = None

    async def start(self, *bots: str, flags: tuple[str, ...] = ()) -> None:
        """Returns when it listens. flags: of the interpreter."""
        command = (*flags, "-m", "tests.server.serve", str(self.database), str(self.port), *bots)
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, *command, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        assert self.process.stdout is not None
        async with asyncio.timeout(START_S):
            line = await self.process.stdout.readline()
            if not line and self.process.stderr is not None:
                raise AssertionError((await self.process.stderr.read()).decode())
        self.port = int(line)

    async def end(self, number: signal.Signals) -> tuple[str, str]:
        """Send a signal; what it still printed and logged."""
        assert self.process is not None
        self.process.send_signal(number)
        async with asyncio.timeout(START_S):
            out, err = await self.process.communicate()
        return out.decode(), err.decode()

    @property
    def url(self) -> str:
        """Where bots connect."""
        return f"ws://127.0.0.1:{self.port}"


async def keeps_coming(server: Served, name: str, moves: Counter[str]) -> None:
    """A bot that plays and connects again whenever its line breaks."""
    while True:
        with contextlib.suppress(OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
            async with welcomed(server.url, name) as bot:
                while True:
                    message = await bot.hear()
                    if isinstance(message, Turn):
                        assert message.legal_moves
                        await asyncio.sleep(0.005)
                        await bot.say(Move(match=message.match, ply=message.ply, move=message.legal_moves[-1]))
                        moves[name] += 1
        await asyncio.sleep(0.05)


async def the_tournament(database: Path) -> TournamentRecord:
    """As it is stored."""
    store = await open_store(str(database), create=False)
    try:
        (record,) = await store.list_tournaments()
        return record
    finally:
        await store.close()


async def check(database: Path) -> None:
    """Every game has exactly one result, and every stored match can be followed to its end."""
    store = await open_store(str(database), create=False)
    try:
        (record,) = await store.list_tournaments()
        matches = await store.tournament_matches(record.id)
        results = Counter(
            (match.pairing, match.game_index) for match in matches if match.result and match.result.ending != "aborted"
        )
        stored = read(record)
        games = stored.form.games(stored.plan, stored.state)
        assert results == Counter((game.meeting, game.leg) for game in games)
        assert set(stored.state.marks) <= set("10=")
        assert list(await store.check()) == []
    finally:
        await store.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
async def test_a_server_killed_in_the_middle_of_a_tournament_ends_it_with_every_game_once(
    tmp_path: Path, seed: int
) -> None:
    draw, server, moves = Random(seed), Served(tmp_path / "games.db"), Counter[str]()
    await server.start(*BOTS)
    bots = [asyncio.ensure_future(keeps_coming(server, name, moves)) for name in BOTS]
    try:
        for _ in range(2):
            before = moves.total()
            await eventually(lambda before=before: moves.total() >= before + 3)  # type: ignore[misc]
            await asyncio.sleep(draw.uniform(0, 0.15))
            await server.end(signal.SIGKILL)
            await server.start(*BOTS)
        async with asyncio.timeout(60):
            while (await the_tournament(server.database)).status != "ended":  # noqa: ASYNC110
                await asyncio.sleep(0.1)
    finally:
        for bot in bots:
            bot.cancel()
        await asyncio.gather(*bots, return_exceptions=True)
        out, err = await server.end(signal.SIGTERM)
    await check(server.database)
    assert "left: 0" in out
    assert "Traceback" not in err


@pytest.mark.slow
async def test_a_server_process_that_is_paused_costs_no_bot_any_time(tmp_path: Path) -> None:
    server, wish = Served(tmp_path / "games.db"), Seek(game=names()[-1], time="1/move")
    await server.start()
    async with welcomed(server.url, "ada") as ada, welcomed(server.url, "bob") as bob:
        bots = (ada, bob)
        for bot in bots:
            await bot.say(wish)
        seats = {(await bot.hears(MatchStarted)).seat: bot for bot in bots}
        for number in range(4):
            turns = [asyncio.ensure_future(bot.hears(Turn)) for bot in bots]
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
        _, err = await server.end(signal.SIGTERM)
    assert err.count("the server stood still for ") >= 2  # and when the rules of the first match are compiled


async def paused(server: Served, meanwhile: Awaitable[None]) -> None:
    """The server's process does not run for longer than a move may take."""
    assert server.process is not None
    server.process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(0.3)
    await meanwhile
    await asyncio.sleep(0.9)
    server.process.send_signal(signal.SIGCONT)


@pytest.mark.slow
async def test_a_server_told_to_stop_says_goodbye_and_leaves_nothing_open(tmp_path: Path) -> None:
    server = Served(tmp_path / "games.db")
    await server.start(flags=("-X", "dev", "-W", "error"))
    async with (
        welcomed(server.url, "ada", seek=(names()[0],)) as ada,
        welcomed(server.url, "bob", seek=(names()[0],)) as bob,
    ):
        started = await ada.hears(MatchStarted)
        await bob.hears(MatchStarted)
        out, err = await server.end(signal.SIGTERM)
        assert [(await bot.ends())[0] for bot in (ada, bob)] == [CloseCode.SERVER_CLOSING] * 2
    assert server.process is not None
    assert server.process.returncode == 0
    assert out.startswith("left: 0")
    assert err == ""  # no task pending, no socket or file left open, no warning
    assert await unfinished(server.database) == [started.match]


@pytest.mark.slow
async def test_the_serve_command_ends_clean_on_ctrl_c_and_keeps_its_match(tmp_path: Path) -> None:
    database = tmp_path / "games.db"
    async with (
        served(database) as server,
        welcomed(server.url, "ada", seek=(names()[0],)) as ada,
        welcomed(server.url, "bob", seek=(names()[0],)) as bob,
    ):
        started = await ada.hears(MatchStarted)
        code, log = await server.end(signal.SIGINT)
        assert [(await bot.ends())[0] for bot in (ada, bob)] == [CloseCode.SERVER_CLOSING] * 2
    assert (code, "Traceback" in log) == (0, False)
    assert await unfinished(database) == [started.match]


async def unfinished(database: Path) -> list[int]:
    """The matches that go on at the next start."""
    store = await open_store(str(database))
    try:
        return [stored.match.id for stored in (await store.unfinished_matches()).matches]
    finally:
        await store.close()
