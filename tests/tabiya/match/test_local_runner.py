"""Moves of a match are told at once and saved in groups; the result is told behind all of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from benchmarks.match import InstantParticipant
from tabiya.bots.client.events import silent
from tabiya.match.openings import opening_of
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan
from tabiya.match.run import play
from tabiya.match.score import MatchScore
from tabiya.match.table import Table, open_table
from tabiya.storage.errors import WriteRefused
from tabiya.storage.records import MatchId, MatchRecord, MoveRecord
from tests.fakes.store import FaultyStore
from tests.tabiya.match.test_engine_participant import engine

pytestmark = pytest.mark.slow
PLAN = MatchPlan(("one", "two"), "reversi", pairs=1, time_control="60+0")


@asynccontextmanager
async def table_over(store: FaultyStore) -> AsyncIterator[Table]:
    """A table with two players that answer at once, at which a game has begun."""

    def instant(plan: MatchPlan, number: int, server: Any, listener: Any) -> InstantParticipant:
        return InstantParticipant(plan, number, server)

    async with open_table(PLAN, silent, instant, store) as table:
        await table.join()
        await table.begin(0, "key", opening_of(PLAN, 0))
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
            _, result = await asyncio.wait_for(table.game_over("key"), 20)
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
        assert store.waiting
        assert len(await stored(store)) < 20  # the opening
        store.release()
        await asyncio.wait_for(over, 20)
        assert len(await stored(store)) > 40


async def test_a_move_that_the_database_refuses_for_good_stops_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    store = FaultyStore()
    monkeypatch.setattr(store.tables, "_append_move", refuse)
    monkeypatch.setattr("tabiya.match.table.LOOK_S", 0.01)
    async with table_over(store) as table:
        over = asyncio.ensure_future(table.game_over("key"))
        with pytest.raises(MatchFailed, match="was stopped by an error of the server"):
            await table.while_all_is_well(over)
        over.cancel()


def refuse(move: MoveRecord) -> None:
    raise WriteRefused("the row breaks a rule")


async def test_programs_spoken_to_here_and_by_workers_play_the_same_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is stored of them differs in nothing but the times."""
    matches = []
    for here in (True, False):
        if not here:
            monkeypatch.setattr("tabiya.match.table.engine_of", lambda spec: None)
        matches.append(await games_of(engine("mates", tmp_path), engine("talks", tmp_path)))
    assert matches[0] == matches[1]
    assert all(len(moves) > 10 for _, _, moves in matches[0])


async def games_of(first: str, second: str) -> list[tuple[Any, ...]]:
    kept = list[tuple[Any, ...]]()

    def keep(number: int, record: MatchRecord, moves: tuple[MoveRecord, ...]) -> None:
        kept.append(timeless(record, moves))

    plan = MatchPlan((first, second), "chess", pairs=1, time_control="60+0", seed=5)
    await play(plan, MatchScore(), silent, on_game_over=keep)
    return kept


def timeless(record: MatchRecord, moves: tuple[MoveRecord, ...]) -> tuple[Any, ...]:
    """A game without what depends on the machine."""
    result = record.result
    assert result is not None
    rows = []
    for move in moves:
        said = {name: value for name, value in (move.info or {}).items() if name != "time_ms"}
        assert move.opening or 0 <= move.remaining_us[move.seat] <= 60_000_000
        rows.append((move.ply, move.text, move.seat, move.opening, move.illegal_counts, move.draw_offer, said))
    return [seat.bot for seat in record.seats], (result.winner, result.ending, result.reason), rows
