"""Moves of a match are told at once and saved in groups; the result is told behind all of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from benchmarks.match import InstantParticipant
from tabiya.bots.client.events import silent
from tabiya.match.openings import opening_of
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.match.table import Table, open_table
from tabiya.protocol.messages import Turn
from tabiya.storage.errors import WriteRefused
from tabiya.storage.records import MatchId, MoveRecord
from tests.fakes.store import FaultyStore
from tests.waiting import WITHIN_S

pytestmark = pytest.mark.slow
PLAN = MatchPlan(("one", "two"), "reversi", pairs=1, time_control="60+0")
OPENING = opening_of(PLAN, 0)


@asynccontextmanager
async def table_over(store: FaultyStore) -> AsyncIterator[Table]:
    """A table with two players that answer at once, at which a game has begun."""

    def instant(plan: MatchPlan, number: int, server: Any, listener: Any) -> InstantParticipant:
        return InstantParticipant(plan, number, server)

    async with open_table(PLAN, silent, instant, store) as table:
        await table.join()
        await table.begin(0, "key", OPENING)
        yield table


async def stored(store: FaultyStore) -> list[str]:
    """The moves of the game, of which none may be missing."""
    moves = await store.moves(MatchId(1))
    assert [move.ply for move in moves] == list(range(len(moves)))
    return [move.text for move in moves]


async def test_what_the_database_does_not_take_is_saved_later_and_the_game_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tabiya.match.local_runner.GROUP_S", 0.001)
    games = []
    for failures in (0, 100):
        store = FaultyStore()
        async with table_over(store) as table:
            store.fail_next(failures)
            _, result = await asyncio.wait_for(table.game_over("key"), WITHIN_S)
        games.append((await stored(store), result.winner, result.ending))
    assert games[0] == games[1]
    assert len(games[0][0]) > 40


async def test_a_result_is_told_when_it_and_all_moves_are_saved() -> None:
    store = FaultyStore()
    async with table_over(store) as table:
        store.hold_commits()
        over = asyncio.ensure_future(table.game_over("key"))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(over), 0.3)
        assert await stored(store) == list(OPENING.moves)
        store.release()
        await asyncio.wait_for(over, WITHIN_S)
        assert len(await stored(store)) > 40


async def test_what_is_not_saved_yet_is_saved_when_the_match_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.match.local_runner.GROUP_S", 600.0)
    asked, answer = asyncio.Event(), InstantParticipant._answer

    def answer_for_a_while(player: InstantParticipant, turn: Turn) -> None:
        if turn.ply < 30:
            answer(player, turn)
        else:
            asked.set()

    monkeypatch.setattr(InstantParticipant, "_answer", answer_for_a_while)
    store = FaultyStore()
    async with table_over(store):
        await asked.wait()
        assert await stored(store) == list(OPENING.moves)
    assert len(await stored(store)) == 30


async def test_a_move_that_the_database_refuses_for_good_stops_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    store = FaultyStore()
    append = store.tables._append_move

    def refuse_one(move: MoveRecord) -> None:
        if move.ply == 30:
            raise WriteRefused("the row breaks a rule")
        append(move)

    monkeypatch.setattr(store.tables, "_append_move", refuse_one)
    monkeypatch.setattr("tabiya.match.table.POLL_S", 0.01)
    async with table_over(store) as table:
        over = asyncio.ensure_future(table.game_over("key"))
        with pytest.raises(MatchFailed, match="was stopped by an error of the server"):
            await table.unless_failed(over)
        over.cancel()
    match = await store.match(MatchId(1))
    assert match is not None
    assert match.result is None
    assert [move.ply for move in await store.moves(MatchId(1))] == list(range(30))
