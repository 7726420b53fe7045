"""Tournaments on a table of local bots: entering, waiting for the end, checking every game."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from tabiya.games.registry import names
from tabiya.server.tournaments.settings import TournamentOrder, read_tournament
from tabiya.storage.records import TournamentId, TournamentRecord
from tests.server.local_bots import LocalBot, Table, at_random

GAME, CHESS = names()[1], "chess"
NAMES = ("bot0", "bot1", "bot2", "bot3", "bot4", "bot5")


def order(bots: tuple[str, ...], **fields: Any) -> TournamentOrder:
    """A tournament of these bots."""
    usual: dict[str, Any] = {"name": "Cup", "game": GAME, "bots": bots, "time_control": "60+0", "seed": 7}
    return TournamentOrder(**(usual | fields))


async def players(there: Table, count: int, think_s: float = 0.5, **hello: Any) -> list[LocalBot]:
    """Bots that play at random."""
    return [await there.bot(f"bot{number}", at_random(number), think_s, **hello) for number in range(count)]


async def over(there: Table, tournament_id: int) -> TournamentRecord:
    """The tournament when it is over."""
    async with asyncio.timeout(36_000):
        while (record := await there.store.tournament(TournamentId(tournament_id))) is not None:
            if record.status in ("ended", "cancelled"):
                return record
            await asyncio.sleep(1)
    raise AssertionError("no such tournament")


async def played(there: Table, asked: TournamentOrder) -> TournamentRecord:
    """The tournament of this order when it is over, all its games checked."""
    record = await over(there, (await there.server.tournaments.create(asked)).id)
    await check_games(there, record)
    return record


async def check_games(there: Table, record: TournamentRecord) -> None:
    """Each scheduled game has exactly one result that counts, with the right bots on the right seats."""
    stored = read_tournament(record)
    state = stored.state
    counted = Counter[tuple[int | None, int | None]]()
    matches = await there.store.tournament_matches(record.id)
    for match in matches:
        if match.result is not None and match.result.ending != "aborted":
            counted[match.pairing, match.game_index] += 1
    for game in stored.form.games(stored.plan, state):
        played = state.marks[game.number] in "10="
        assert counted[game.meeting, game.leg] == int(played), f"game {game.number} counts {counted}"
        for match in matches:
            if (match.pairing, match.game_index) == (game.meeting, game.leg):
                assert [seat.bot_id for seat in match.seats] == [
                    record.entries[game.first].bot_id,
                    record.entries[game.second].bot_id,
                ]
                if played and match.result is not None and match.result.ending != "aborted":
                    assert state.marks[game.number] == {0: "1", 1: "0", None: "="}[match.result.winner]
    assert state.all_games_over
    assert stored.form.is_over(stored.plan, state)
    assert not stored.form.can_advance(stored.plan, state)


async def over_or_none(there: Table, tournament_id: TournamentId) -> TournamentRecord | None:
    """The tournament if it is over."""
    record = await there.store.tournament(tournament_id)
    return record if record is not None and record.status == "ended" else None
