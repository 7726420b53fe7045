"""Tournaments on a running server: every game once, whatever happens to the bots."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from msgspec import convert

from tabiya.protocol.messages import MatchStarted, Notice
from tabiya.server.pairing.state import PairingState
from tabiya.server.tournaments.director import REPLAY_FROZEN_AFTER_S
from tabiya.server.tournaments.settings import read_tournament
from tabiya.server.web.http.json_responses import HttpError
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.storage.records import MatchId
from tests.server.local_bots import at_random, table
from tests.server.tournaments.cups import CHESS, GAME, NAMES, check_games, order, over, over_or_none, players
from tests.virtual_time import now_s, virtual_time

# --- playing ---


@virtual_time
async def test_a_tournament_plays_every_game_once_and_ends() -> None:
    async with table() as there:
        bots = await players(there, 4)
        created = await there.server.tournaments.create(order(NAMES[:4], rounds=2))
        assert (created.status, created.ended_at) == ("running", None)
        record = await over(there, created.id)
        await check_games(there, record)
        lines = read_tournament(record).standings()
        assert sum(line.points for line in lines) == 4 * 3 * 2
        assert all(line.played == 12 for line in lines)
        assert record.started_at is not None
        assert record.ended_at is not None
        for bot in bots:
            assert [notice.kind for notice in bot.received(Notice)] == ["tournament_started", "tournament_ended"]
            kinds = [type(message) for message in bot.inbox]
            assert kinds.index(Notice) < kinds.index(MatchStarted)
            assert kinds[-1] is Notice
            assert {started.tournament for started in bot.received(MatchStarted)} == {"Cup"}


@pytest.mark.slow
@virtual_time
async def test_the_two_games_of_a_meeting_have_one_opening_and_meetings_differ() -> None:
    async with table() as there:
        await players(there, 3)
        created = await there.server.tournaments.create(order(NAMES[:3], game=CHESS))
        record = await over(there, created.id)
        openings: dict[int | None, set[tuple[str, ...]]] = {}
        for match in await there.store.tournament_matches(record.id):
            moves = tuple(move.text for move in await there.store.moves(match.id) if move.opening)
            openings.setdefault(match.pairing, set()).add(moves)
        assert [len(drawn) for drawn in openings.values()] == [1] * 3
        assert len({drawn for several in openings.values() for drawn in several}) == 3


@pytest.mark.parametrize("slots", [1, 2, 3])
@virtual_time
async def test_never_more_games_run_than_there_are_slots_and_never_two_of_one_bot(slots: int) -> None:
    async with table() as there:
        await players(there, 6, think_s=1.0, max_matches=4)
        created = await there.server.tournaments.create(order(NAMES[:6], concurrency=slots, time_control="600+0"))
        most = 0
        while (await there.store.tournament(created.id)) != await over_or_none(there, created.id):
            running = there.dispatcher.runner.running()
            most = max(most, len(running))
            playing = [seat.bot_id for active in running for seat in active.record.seats]
            assert len(set(playing)) == len(playing)
            assert len(running) <= slots
            await asyncio.sleep(0.2)
        assert most == slots
        await check_games(there, await over(there, created.id))


@virtual_time
async def test_bots_that_wait_for_tournament_games_are_not_seated_by_the_lobby() -> None:
    async with table() as there:
        await players(there, 3, seek=(GAME,))
        created = await there.server.tournaments.create(order(("bot0", "bot1", "bot2"), concurrency=1))
        await over(there, created.id)
        during = await there.store.tournament_matches(created.id)
        others = [match for match in there.store.tables.matches.values() if match.tournament_id is None]
        first, last = min(match.created_at for match in during), max(match.created_at for match in during)
        assert [match.id for match in others if first < match.created_at < last] == []
        await asyncio.sleep(60)
        assert len(there.store.tables.matches) > len(during) + len(others)


# --- bots that are away ---


@virtual_time
async def test_a_bot_that_never_comes_is_withdrawn_and_forfeits() -> None:
    async with table() as there:
        absent = await there.bot("absent")
        absent.client.cut()
        await players(there, 2)
        created = await there.server.tournaments.create(order(("bot0", "absent", "bot1"), no_show_s=30))
        record = await over(there, created.id)
        assert [(entry.bot, entry.withdrawn) for entry in record.entries] == [
            ("bot0", False),
            ("absent", True),
            ("bot1", False),
        ]
        assert now_s() >= 30
        state = convert(record.state, PairingState)
        assert Counter(state.marks)["+"] + Counter(state.marks)["-"] == 4
        lines = {line.entrant: line for line in read_tournament(record).standings()}
        assert (lines[1].points, lines[1].losses) == (0, 4)
        await check_games(there, record)


@virtual_time
async def test_a_bot_that_is_away_for_a_short_time_loses_only_that_time() -> None:
    async with table() as there:
        bots = await players(there, 3, think_s=1.0)
        created = await there.server.tournaments.create(
            order(("bot0", "bot1", "bot2"), no_show_s=60, time_control="300+0")
        )
        await asyncio.sleep(3)
        bots[1].client.cut()
        await asyncio.sleep(30)
        await there.bot("bot1", at_random(9), 1.0)
        record = await over(there, created.id)
        assert not any(entry.withdrawn for entry in record.entries)
        assert set(convert(record.state, PairingState).marks) <= set("10=")
        await check_games(there, record)


@virtual_time
async def test_a_bot_killed_in_the_middle_does_not_keep_the_tournament_from_its_end() -> None:
    async with table(abandon_ms=20_000) as there:
        bots = await players(there, 4, think_s=1.0)
        created = await there.server.tournaments.create(order(NAMES[:4], no_show_s=40))
        await asyncio.sleep(5)
        bots[2].client.cut()
        record = await over(there, created.id)
        assert [entry.withdrawn for entry in record.entries] == [False, False, True, False]
        marks = convert(record.state, PairingState).marks
        assert set(marks) & set("+-")
        await check_games(there, record)


@virtual_time
async def test_when_nobody_comes_the_tournament_ends_without_games() -> None:
    async with table() as there:
        for bot in await players(there, 3):
            bot.client.cut()
        created = await there.server.tournaments.create(order(("bot0", "bot1", "bot2"), no_show_s=10))
        record = await over(there, created.id)
        assert set(convert(record.state, PairingState).marks) <= set("+-x")
        assert await there.store.tournament_matches(record.id) == ()


# --- frozen and aborted games ---


@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_a_frozen_game_is_played_again_after_a_while_by_bots_of_one_seat() -> None:
    async with table() as there:
        bots = await players(there, 2, think_s=1.0)
        created = await there.server.tournaments.create(order(("bot0", "bot1")))
        started = await bots[0].receives(MatchStarted)
        rows = there.store.tables.moves[MatchId(started.match)]
        rows[max(rows) + 1] = rows[0]  # the next save meets another row under its key
        await bots[0].until(lambda: any(notice.kind == "match_frozen" for notice in bots[0].received(Notice)))
        frozen_at = now_s()
        record = await over(there, created.id)
        assert now_s() >= frozen_at + REPLAY_FROZEN_AFTER_S
        matches = await there.store.tournament_matches(record.id)
        assert sorted(match.status for match in matches) == ["ended", "ended", "frozen"]
        await check_games(there, record)
        frozen = next(match for match in matches if match.status == "frozen")
        facade = ServerFacade(there.server)
        with pytest.raises(HttpError, match="match 1 can only be aborted"):  # else two results would count
            await facade.adjudicate(frozen, 0, "")
        await facade.abort(frozen, "")
