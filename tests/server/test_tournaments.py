"""Tournaments on a running server: every game once, whatever happens to bots, server and database."""

from __future__ import annotations

import asyncio
from collections import Counter
from random import Random
from typing import Any

import pytest
from msgspec import convert

from games.errors import GameError
from games.registry import names
from protocol.messages import MatchEnded, MatchStarted, Notice, Resign, Seek, Turn
from server.core.events import Aborted
from server.core.tournament import Mark, Plan, State, schedule
from server.director import REPLAY_S
from server.tournaments import TournamentError, TournamentOrder, crosstable_of
from storage.memory_tables import MemoryTables
from storage.records import MatchId, TournamentId, TournamentRecord
from tests.server.local_bots import LocalBot, Table, at_random, silent, table
from tests.virtual_time import now_s, virtual_time

GAME, CHESS = names()[1], names()[-1]


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


async def check_games(there: Table, record: TournamentRecord) -> None:
    """Each scheduled game has exactly one result that counts, with the right bots on the right seats."""
    plan = Plan(len(record.entries), record.settings["rounds"])
    state = convert(record.state, State)
    counted = Counter[tuple[int | None, int | None]]()
    matches = await there.store.tournament_matches(record.id)
    for match in matches:
        if match.result is not None and match.result.ending != "aborted":
            counted[match.pairing, match.game_index] += 1
    for game in schedule(plan):
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
    assert state.over


# --- playing ---


@virtual_time
async def test_a_tournament_plays_every_game_once_and_ends() -> None:
    async with table() as there:
        bots = await players(there, 4)
        created = await there.server.tournaments.create(order(tuple(bot.name for bot in bots), rounds=2))
        assert created.status == "running"
        record = await over(there, created.id)
        await check_games(there, record)
        lines = crosstable_of(record)
        assert sum(line.points for line in lines) == 4 * 3 * 2
        assert all(line.played == 12 for line in lines)
        assert record.started_at is not None
        assert record.ended_at is not None
        for bot in bots:
            assert [notice.kind for notice in bot.heard(Notice)] == ["tournament_started", "tournament_ended"]
            assert {started.tournament for started in bot.heard(MatchStarted)} == {"Cup"}


@pytest.mark.slow
@virtual_time
async def test_the_two_games_of_a_meeting_have_one_opening_and_meetings_differ() -> None:
    async with table() as there:
        bots = await players(there, 4)
        created = await there.server.tournaments.create(order(tuple(bot.name for bot in bots), game=CHESS))
        record = await over(there, created.id)
        openings: dict[int | None, set[tuple[str, ...]]] = {}
        for match in await there.store.tournament_matches(record.id):
            moves = tuple(move.text for move in await there.store.moves(match.id) if move.opening)
            openings.setdefault(match.pairing, set()).add(moves)
        assert [len(drawn) for drawn in openings.values()] == [1] * 6
        assert len({drawn for several in openings.values() for drawn in several}) == 6


@pytest.mark.slow
@virtual_time
async def test_the_same_seed_gives_the_same_openings_and_another_seed_others() -> None:
    drawn = []
    for seed in (1, 1, 2):
        async with table() as there:
            await players(there, 3)
            created = await there.server.tournaments.create(order(("bot0", "bot1", "bot2"), game=CHESS, seed=seed))
            await over(there, created.id)
            matches = await there.store.tournament_matches(created.id)
            by_place = sorted((match.pairing or 0, match.game_index or 0, match.id) for match in matches)
            drawn.append(
                [[move.text for move in await there.store.moves(number) if move.opening] for _, _, number in by_place]
            )
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize("slots", [1, 2, 3])
@virtual_time
async def test_never_more_games_run_than_there_are_slots_and_never_two_of_one_bot(slots: int) -> None:
    async with table() as there:
        bots = await players(there, 6, think_s=1.0, max_matches=4)
        created = await there.server.tournaments.create(
            order(tuple(bot.name for bot in bots), concurrency=slots, time_control="600+0")
        )
        most = 0
        while (await there.store.tournament(created.id)) != await over_or_none(there, created.id):
            running = there.host.runner.running()
            most = max(most, len(running))
            playing = [seat.bot_id for live in running for seat in live.record.seats]
            assert len(set(playing)) == len(playing)
            assert len(running) <= slots
            await asyncio.sleep(0.2)
        assert most == slots
        await check_games(there, await over(there, created.id))


async def over_or_none(there: Table, tournament_id: TournamentId) -> TournamentRecord | None:
    """The tournament if it is over."""
    record = await there.store.tournament(tournament_id)
    return record if record is not None and record.status == "ended" else None


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
        absent.peer.cut()
        await players(there, 2)
        created = await there.server.tournaments.create(order(("bot0", "absent", "bot1"), no_show_s=30))
        record = await over(there, created.id)
        assert [(entry.bot, entry.withdrawn) for entry in record.entries] == [
            ("bot0", False),
            ("absent", True),
            ("bot1", False),
        ]
        assert now_s() >= 30
        state = convert(record.state, State)
        assert Counter(state.marks)["+"] + Counter(state.marks)["-"] == 4
        lines = {line.entrant: line for line in crosstable_of(record)}
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
        bots[1].peer.cut()
        await asyncio.sleep(30)
        await there.bot("bot1", at_random(9), 1.0)
        record = await over(there, created.id)
        assert not any(entry.withdrawn for entry in record.entries)
        assert set(convert(record.state, State).marks) <= set("10=")
        await check_games(there, record)


@virtual_time
async def test_a_bot_killed_in_the_middle_does_not_keep_the_tournament_from_its_end() -> None:
    async with table(abandon_ms=20_000) as there:
        bots = await players(there, 4, think_s=1.0)
        created = await there.server.tournaments.create(order(tuple(bot.name for bot in bots), no_show_s=40))
        await asyncio.sleep(5)
        bots[2].peer.cut()
        record = await over(there, created.id)
        assert [entry.withdrawn for entry in record.entries] == [False, False, True, False]
        marks = convert(record.state, State).marks
        assert set(marks) & set("+-")
        await check_games(there, record)


@virtual_time
async def test_when_nobody_comes_the_tournament_ends_without_games() -> None:
    async with table() as there:
        for bot in await players(there, 3):
            bot.peer.cut()
        created = await there.server.tournaments.create(order(("bot0", "bot1", "bot2"), no_show_s=10))
        record = await over(there, created.id)
        assert set(convert(record.state, State).marks) <= set("+-x")
        assert await there.store.tournament_matches(record.id) == ()


# --- frozen and aborted games ---


@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_a_frozen_game_is_played_again_after_a_while_by_bots_of_one_seat() -> None:
    async with table() as there:
        bots = await players(there, 2, think_s=1.0)
        created = await there.server.tournaments.create(order(("bot0", "bot1")))
        started = await bots[0].hears(MatchStarted)
        rows = there.store.tables.moves[MatchId(started.match)]
        rows[max(rows) + 1] = rows[0]  # the next save meets another row under its key
        await bots[0].until(lambda: any(notice.kind == "match_frozen" for notice in bots[0].heard(Notice)))
        frozen_at = now_s()
        record = await over(there, created.id)
        assert now_s() >= frozen_at + REPLAY_S
        matches = await there.store.tournament_matches(record.id)
        assert sorted(match.status for match in matches) == ["ended", "ended", "frozen"]
        await check_games(there, record)


@virtual_time
async def test_an_aborted_game_is_played_again() -> None:
    async with table() as there:
        bots = await players(there, 2, think_s=1.0)
        created = await there.server.tournaments.create(order(("bot0", "bot1")))
        started = await bots[0].hears(MatchStarted)
        there.host.runner.feed(started.match, Aborted("the operator says so", there.host.runner.now_ns()))
        record = await over(there, created.id)
        assert len(await there.store.tournament_matches(record.id)) == 3
        await check_games(there, record)


# --- orders ---


@virtual_time
async def test_a_created_tournament_waits_for_its_start_and_a_paused_one_goes_on() -> None:
    async with table() as there:
        bots = await players(there, 2, think_s=2.0)
        tournaments = there.server.tournaments
        created = await tournaments.create(order(("bot0", "bot1"), rounds=3, start=False))
        await asyncio.sleep(10)
        assert (created.status, bots[0].heard(MatchStarted)) == ("created", [])
        await tournaments.start(created.id)
        await bots[0].hears(MatchStarted)
        assert (await tournaments.pause(created.id)).status == "paused"
        await bots[0].hears(MatchEnded)
        await asyncio.sleep(100)
        assert len(bots[0].heard(MatchStarted)) == 1
        assert (await tournaments.start(created.id)).status == "running"
        record = await over(there, created.id)
        assert [notice.kind for notice in bots[0].heard(Notice)] == [
            "tournament_started",
            "tournament_paused",
            "tournament_started",
            "tournament_ended",
        ]
        await check_games(there, record)


@virtual_time
async def test_a_tournament_paused_before_its_start_has_a_time_of_start_afterwards() -> None:
    async with table() as there:
        await players(there, 2)
        tournaments = there.server.tournaments
        created = await tournaments.create(order(("bot0", "bot1"), start=False))
        await tournaments.pause(created.id)
        await tournaments.start(created.id)
        assert (await over(there, created.id)).started_at is not None


@virtual_time
async def test_a_cancelled_tournament_starts_no_more_games_and_lets_the_running_ones_end() -> None:
    async with table() as there:
        bots = await players(there, 2, think_s=2.0)
        created = await there.server.tournaments.create(order(("bot0", "bot1"), rounds=3))
        await bots[0].hears(MatchStarted)
        tournaments = there.server.tournaments
        cancelled = await tournaments.cancel(created.id)
        assert (cancelled.status, cancelled.ended_at is not None) == ("cancelled", True)
        await bots[0].hears(MatchEnded)
        await asyncio.sleep(100)
        assert len(bots[0].heard(MatchStarted)) == 1
        for command in (
            there.server.tournaments.start,
            there.server.tournaments.pause,
            there.server.tournaments.cancel,
        ):
            with pytest.raises(TournamentError, match="is cancelled"):
                await command(created.id)


@virtual_time
async def test_a_start_while_it_runs_and_an_unknown_number_are_one_sentence() -> None:
    async with table() as there:
        await players(there, 2, think_s=1.0)
        created = await there.server.tournaments.create(order(("bot0", "bot1")))
        with pytest.raises(TournamentError, match="is running and cannot be started"):
            await there.server.tournaments.start(created.id)
        with pytest.raises(TournamentError, match="there is no tournament 99"):
            await there.server.tournaments.pause(99)
        await there.server.tournaments.cancel(created.id)


@virtual_time
async def test_orders_given_at_the_same_time_are_all_answered() -> None:
    async with table() as there:
        await players(there, 2, think_s=1.0)
        tournaments = there.server.tournaments
        created = await tournaments.create(order(("bot0", "bot1"), start=False))
        answers = await asyncio.gather(
            tournaments.start(created.id),
            tournaments.pause(created.id),
            tournaments.cancel(created.id),
            tournaments.start(created.id),
            return_exceptions=True,
        )
        assert len(answers) == 4
        assert (await over(there, created.id)).status == "cancelled"


BAD_ORDERS = {
    "one bot": ({"bots": ("bot0",)}, "2 to 128 bots, not 1"),
    "the same bot twice": ({"bots": ("bot0", "BOT0")}, "names one twice"),
    "an unknown bot": ({"bots": ("bot0", "nobody")}, "no bot called 'nobody'"),
    "too many games": ({"rounds": 100_000}, "100000 rounds of 2 bots are 200000 games"),
    "no rounds": ({"rounds": 0}, "0 rounds"),
    "no name": ({"name": "  "}, "1 to 64 printable"),
    "a name with a line break": ({"name": "a\nb"}, "printable"),
    "a bad time control": ({"time_control": "soon"}, "time control 'soon'"),
    "negative concurrency": ({"concurrency": -1}, "concurrency is -1"),
    "no time to come": ({"no_show_s": 0.0}, "no_show_s is 0.0"),
    "not a number": ({"no_show_s": float("nan")}, "no_show_s is nan"),
    "a huge seed": ({"seed": 2**63}, "seed is"),
    "no illegal limit": ({"illegal_limit": 0}, "illegal_limit is 0"),
}


@pytest.mark.parametrize(("fields", "words"), BAD_ORDERS.values(), ids=list(BAD_ORDERS))
@virtual_time
async def test_a_wrong_order_is_one_sentence_and_creates_nothing(fields: dict[str, Any], words: str) -> None:
    async with table() as there:
        await players(there, 2)
        with pytest.raises(TournamentError) as refused:
            await there.server.tournaments.create(order(fields.pop("bots", ("bot0", "bot1")), **fields))
        assert words in str(refused.value)
        assert "\n" not in str(refused.value)
        assert await there.store.list_tournaments() == ()


@pytest.mark.parametrize(
    "fields", [{"game": "go"}, {"options": {"colour": "red"}}, {"game": names()[0], "options": {"heaps": "1000000"}}]
)
@virtual_time
async def test_an_unknown_game_or_option_is_an_error_of_the_rules(fields: dict[str, Any]) -> None:
    async with table() as there:
        await players(there, 2)
        with pytest.raises(GameError):
            await there.server.tournaments.create(order(("bot0", "bot1"), **fields))
        assert await there.store.list_tournaments() == ()


# --- the database, and restarts ---


@pytest.mark.slow
@pytest.mark.usefixtures("errors_expected")
@virtual_time
async def test_a_database_that_fails_now_and_then_only_delays_the_tournament() -> None:
    async with table() as there:
        bots = await players(there, 3)
        draw = Random(5)
        created = await there.server.tournaments.create(order(tuple(bot.name for bot in bots), game=CHESS))
        while await over_or_none(there, created.id) is None:
            if draw.random() < 0.3:
                there.store.fail_next(draw.randrange(1, 4))
            if draw.random() < 0.3:
                there.store.lose_next_answer()
            await asyncio.sleep(draw.uniform(0, 3))
        await check_games(there, await over(there, created.id))


@virtual_time
async def test_stopping_while_the_database_is_away_does_not_wait_for_it(errors_expected: None) -> None:
    async with table() as there:
        await players(there, 2, think_s=1.0)
        there.store.fail_next(10_000)
        creating = asyncio.ensure_future(there.server.tournaments.create(order(("bot0", "bot1"))))
        await asyncio.sleep(1)
        assert creating.done()
        there.store._failures.clear()
        created = await there.server.tournaments.create(order(("bot0", "bot1"), start=False))
        there.store.fail_next(10_000)
        starting = asyncio.ensure_future(there.server.tournaments.start(created.id))
        await asyncio.sleep(60)
        began = now_s()
        there.network.close("over")
        await there.server.stop()
        assert now_s() - began < 1
        assert isinstance((await asyncio.gather(starting, creating, return_exceptions=True))[0], Exception)
        there.store._failures.clear()


@pytest.mark.parametrize("seed", range(6))
@virtual_time
async def test_a_server_killed_again_and_again_plays_every_game_exactly_once(seed: int) -> None:
    draw, tables, tournament_id = Random(seed), MemoryTables(), 0
    for life in range(50):
        async with table(tables) as there:
            there.store.seconds_to_commit = lambda: draw.choice((0.0, 0.01, 0.2))
            for number in range(4):
                await there.bot(f"bot{number}", at_random(100 * life + number), draw.uniform(0.1, 0.4))
            if not tournament_id:
                created = await there.server.tournaments.create(order(("bot0", "bot1", "bot2", "bot3"), concurrency=2))
                tournament_id = created.id
            await asyncio.sleep(draw.uniform(0.01, 6))
            record = await there.store.tournament(TournamentId(tournament_id))
            assert record is not None
            if record.status == "ended":
                await check_games(there, record)
                return
            await there.crash()
    raise AssertionError(f"seed {seed}: the tournament came to no end in 50 lives")


@virtual_time
async def test_after_a_restart_the_tournament_stands_as_it_stood() -> None:
    async with table() as before:
        bots = await players(before, 4, think_s=0.3)
        created = await before.server.tournaments.create(order(tuple(bot.name for bot in bots), concurrency=1))
        await bots[0].until(lambda: len(bots[0].heard(MatchEnded)) == 2)
        await before.idle()
        record = await before.store.tournament(created.id)
        director = before.server.tournaments._directors[created.id]
        held = (director._status, director._state, director._attempts, director._match_of)
        tables = await before.crash()
    async with table(tables) as after:
        again = after.server.tournaments._directors[created.id]
        assert (again._status, again._state, again._attempts, again._match_of) == held
        assert await after.store.tournament(created.id) == record


@virtual_time
async def test_a_paused_tournament_is_still_paused_after_a_restart() -> None:
    async with table() as before:
        bots = await players(before, 2)
        created = await before.server.tournaments.create(order(("bot0", "bot1"), start=False))
        await before.server.tournaments.start(created.id)
        await before.server.tournaments.pause(created.id)
        await bots[0].hears(MatchEnded)
        await before.idle()
        tables = await before.crash()
    async with table(tables) as after:
        bots = await players(after, 2)
        await asyncio.sleep(120)
        assert bots[0].heard(MatchStarted) == []
        await after.server.tournaments.start(created.id)
        await check_games(after, await over(after, created.id))


@virtual_time
async def test_the_last_result_saved_before_a_crash_is_counted_after_it() -> None:
    async with table() as before:
        bots = await players(before, 2, think_s=0.2)
        created = await before.server.tournaments.create(order(("bot0", "bot1")))
        await bots[0].hears(MatchStarted, 2)
        await bots[0].until(lambda: bool(bots[0].heard(Turn)) and bots[0].heard(Turn)[-1].ply > 1)
        before.store.hold_answers()
        bots[0].say(Resign(match=bots[0].heard(MatchStarted)[1].match))
        await before.idle()
        tables = await before.crash()
    stored = tables.tournaments[created.id]
    assert (stored.status, Mark.RUNNING in stored.state["marks"]) == ("running", True)
    async with table(tables) as after:
        await check_games(after, await over(after, created.id))


@virtual_time
async def test_a_match_of_the_lobby_is_none_of_the_tournaments_business() -> None:
    async with table() as there:
        bots = await players(there, 2)
        cyd, dan = await there.bot("cyd", silent, seek=(GAME,)), await there.bot("dan", silent)
        dan.say(Seek(game=GAME))
        created = await there.server.tournaments.create(order(tuple(bot.name for bot in bots)))
        lobby = await cyd.hears(MatchStarted)
        dan.say(Resign(match=lobby.match))
        record = await over(there, created.id)
        assert lobby.match not in {match.id for match in await there.store.tournament_matches(record.id)}
        await check_games(there, record)
