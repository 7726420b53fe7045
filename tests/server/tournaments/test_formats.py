"""Tournaments of every format on a running server: entering, byes, strikes, killing; every game once."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest
from msgspec import convert

from tabiya.server.pairing.state import FORFEITS, PairingState
from tabiya.server.tournaments.settings import TournamentError, read_tournament
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.records import BotId, TournamentEntry, TournamentId, TournamentRecord
from tests.present import present
from tests.server.local_bots import at_random, first_legal, silent, table
from tests.server.tournaments.cups import GAME, NAMES, check_games, order, over, played, players
from tests.virtual_time import now_s, virtual_time, wall_ns


@virtual_time
async def test_a_swiss_pairs_a_round_when_the_one_before_is_over_and_ends_with_its_last() -> None:
    async with table() as there:
        await players(there, 5)
        record = await played(there, order(NAMES[:5], format="swiss", rounds=3, concurrency=3))
        stored = read_tournament(record)
        assert (stored.state.rounds_paired, len(stored.state.meetings), len(stored.state.byes)) == (3, 6, 3)
        rounds: dict[int, list[float]] = {}
        for match in await there.store.tournament_matches(record.id):
            assert match.pairing is not None
            assert match.result is not None
            times = rounds.setdefault(stored.state.meetings[match.pairing].round, [])
            times += [match.created_at, match.result.ended_at]
        assert max(rounds[0]) <= min(rounds[1])
        assert max(rounds[1]) <= min(rounds[2])
        assert sum(line.points for line in stored.standings()) == 9


@virtual_time
async def test_byes_are_given_on_request_and_refused_where_there_are_none() -> None:
    async with table() as there:
        await players(there, 4)
        tournaments = there.server.tournaments
        swiss = await tournaments.create(order(NAMES[:4], format="swiss", rounds=3, start=False))
        await tournaments.give_bye(swiss.id, "bot2")
        await tournaments.start(swiss.id)
        record = await over(there, swiss.id)
        assert [
            (bye.round, bye.entrant, bye.points) for bye in read_tournament(record).state.byes if bye.requested
        ] == [(0, 2, 0.5)]
        robin = await tournaments.create(order(NAMES[:4], start=False))
        with pytest.raises(TournamentError, match="gives no byes"):
            await tournaments.give_bye(robin.id, "bot2")
        with pytest.raises(TournamentError, match="has ended; nothing"):
            await tournaments.give_bye(swiss.id, "bot2")


@pytest.mark.parametrize("form", ["round_robin", "gauntlet", "swiss"])
@virtual_time
async def test_bots_enter_late_and_are_withdrawn_by_order(form: str) -> None:
    async with table() as there:
        await players(there, 6, think_s=0.2)
        tournaments = there.server.tournaments
        created = await tournaments.create(order(NAMES[:4], format=form, concurrency=2, rounds=3))
        await asyncio.sleep(1)
        entered = await tournaments.enter(created.id, ["bot4", "bot5"])
        assert [entry.bot for entry in entered.entries] == list(NAMES)
        with pytest.raises(TournamentError, match="bot4 has entered Cup already"):
            await tournaments.enter(created.id, ["bot4"])
        withdrawn = await tournaments.withdraw(created.id, "bot1")
        assert [entry.withdrawn for entry in withdrawn.entries] == [False, True, False, False, False, False]
        again = await tournaments.enter(created.id, ["bot1"])
        assert not any(entry.withdrawn for entry in again.entries)
        record = await over(there, created.id)
        await check_games(there, record)
        assert not any(entry.withdrawn for entry in record.entries)
        if form != "swiss":
            assert not FORFEITS & set(convert(record.state, PairingState).marks)
        assert next(line for line in read_tournament(record).standings() if line.entrant == 4).played > 0


@pytest.mark.parametrize("form", ["swiss", "round_robin"])
@virtual_time
async def test_everybody_who_is_there_enters_until_the_start_and_for_a_while_after(form: str) -> None:
    async with table() as there:
        await players(there, 2)
        starts_at = wall_ns() / 1e9 + 30
        terms: dict[str, Any] = {"everyone": True, "starts_at": starts_at, "late_s": 20.0, "rounds": 4}
        created = await there.server.tournaments.create(order((), format=form, time_control="600+0", **terms))
        assert created.status == "created"
        await there.bot("early", at_random(8), 1.0)
        await asyncio.sleep(29)
        record = present(await there.store.tournament(TournamentId(created.id)))
        assert (record.status, len(record.entries)) == ("created", 3)
        await asyncio.sleep(5)
        record = present(await there.store.tournament(TournamentId(created.id)))
        assert (record.status, record.started_at is not None) == ("running", True)
        await there.bot("late", at_random(9), 1.0)
        await asyncio.sleep(25)
        await there.bot("too late", at_random(9), 1.0)
        record = await over(there, created.id)
        assert [entry.bot for entry in record.entries] == ["bot0", "bot1", "early", "late"]
        await check_games(there, record)


@virtual_time
async def test_a_tournament_that_waits_for_its_time_still_does_after_the_server_was_killed() -> None:
    async with table() as before:
        await players(before, 2)
        asked = order((), format="swiss", everyone=True, starts_at=wall_ns() / 1e9 + 60)
        created = await before.server.tournaments.create(asked)
        await asyncio.sleep(20)
        tables = await before.crash()
    async with table(tables) as after:
        record = present(await after.store.tournament(created.id))
        assert (record.status, len(record.entries)) == ("created", 2)
        await players(after, 3)
        ended = await over(after, created.id)
        assert [entry.bot for entry in ended.entries] == list(NAMES[:3])
        assert ended.started_at is not None
        assert ended.started_at >= created.created_at
        await check_games(after, ended)


def test_tournaments_stored_by_the_first_version_are_read_as_they_were_played() -> None:
    record = TournamentRecord(
        id=TournamentId(1),
        name="Friday",
        game=GAME,
        format="round_robin",
        settings={
            "time_control": "60+0.5",
            "rounds": 1,
            "options": {},
            "concurrency": 0,
            "no_show_s": 60.0,
            "rated": True,
            "illegal_limit": 3,
        },
        seed=7,
        status="ended",
        step=9,
        state={"marks": "10=1-+", "withdrawn": [2]},
        entries=tuple(TournamentEntry(number=n, bot_id=BotId(n + 1), bot=f"bot{n}") for n in range(3)),
        created_at=0.0,
    )
    stored = read_tournament(record)
    assert stored.settings.strikes == 0
    assert [(game.first, game.second) for game in stored.form.games(stored.plan, stored.state)] == [
        (1, 2),
        (2, 1),
        (2, 0),
        (0, 2),
        (0, 1),
        (1, 0),
    ]
    assert stored.form.is_over(stored.plan, stored.state)
    table_lines = stored.standings()
    assert [(line.entrant, line.points, line.rank) for line in table_lines] == [(1, 4, 1), (0, 1.5, 2), (2, 0.5, 3)]


@virtual_time
async def test_a_tournament_whose_time_has_come_without_bots_is_cancelled() -> None:
    async with table() as there:
        created = await there.server.tournaments.create(order((), everyone=True, starts_at=wall_ns() / 1e9 + 5))
        assert (await over(there, created.id)).status == "cancelled"
        assert now_s() >= 5
        with pytest.raises(TournamentError, match="was cancelled; nothing"):
            await there.server.tournaments.enter(created.id, ["bot0"])


@virtual_time
async def test_a_start_without_enough_bots_is_refused_and_can_be_given_again() -> None:
    async with table() as there:
        await players(there, 2)
        tournaments = there.server.tournaments
        created = await tournaments.create(order(("bot0",), start=False))
        with pytest.raises(TournamentError, match="2 bots or more, not 1"):
            await tournaments.start(created.id)
        await tournaments.enter(created.id, ["bot1"])
        await tournaments.start(created.id)
        await check_games(there, await over(there, created.id))


@pytest.mark.parametrize("form", ["round_robin", "swiss"])
@virtual_time
async def test_a_bot_that_keeps_losing_by_its_own_fault_is_withdrawn(form: str) -> None:
    async with table() as there:
        await players(there, 4)
        await there.bot("asleep", silent)
        created = await there.server.tournaments.create(
            order(("bot0", "asleep", "bot1", "bot2", "bot3"), format=form, rounds=4, strikes=2, time_control="5+0")
        )
        record = await over(there, created.id)
        assert [entry.withdrawn for entry in record.entries] == [False, True, False, False, False]
        endings = [match.result.ending for match in await there.store.tournament_matches(record.id) if match.result]
        assert endings.count("time") == 2
        await check_games(there, record)


@virtual_time
async def test_a_bot_withdrawn_for_losses_or_absence_comes_back_and_has_as_many_and_as_long_again() -> None:
    async with table() as there:
        await players(there, 2, think_s=1.0)
        await there.bot("asleep", silent)
        away = await there.bot("away", at_random(3), 1.0)
        tournaments = there.server.tournaments
        terms: dict[str, Any] = {"strikes": 2, "no_show_s": 30.0, "rounds": 3, "time_control": "5+0"}
        created = await tournaments.create(order(("bot0", "asleep", "bot1", "away"), **terms))
        away.client.cut()

        async def gone() -> list[str]:
            record = present(await there.store.tournament(TournamentId(created.id)))
            return [entry.bot for entry in record.entries if entry.withdrawn]

        for _ in range(2):
            while await gone() != ["asleep", "away"]:  # noqa: ASYNC110 - the time is virtual
                await asyncio.sleep(1)
            assert (await tournaments.enter(created.id, ["asleep", "away"])).status == "running"
            await asyncio.sleep(8)
            assert await gone() == []
        await there.server.tournaments.cancel(created.id)


@virtual_time
async def test_a_bot_that_was_withdrawn_before_the_start_enters_again_and_not_into_a_knockout_that_runs() -> None:
    async with table() as there:
        await players(there, 4, think_s=1.0)
        tournaments = there.server.tournaments
        created = await tournaments.create(order(NAMES[:4], format="knockout", start=False, time_control="600+0"))
        await tournaments.withdraw(created.id, "bot1")
        entered = await tournaments.enter(created.id, ["bot1"])
        assert not FORFEITS & set(convert(entered.state, PairingState).marks)
        await tournaments.start(created.id)
        await tournaments.withdraw(created.id, "bot1")
        with pytest.raises(TournamentError, match="nobody can enter this knockout any more"):
            await tournaments.enter(created.id, ["bot1"])


@virtual_time
async def test_two_tournaments_share_the_cores_and_a_told_number_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.server.tournaments.director.cores", lambda: 2)
    async with table() as there:
        await players(there, 6, think_s=1.0)
        tournaments = there.server.tournaments
        first = await tournaments.create(order(NAMES[:4], time_control="600+0", name="A"))
        second = await tournaments.create(order(NAMES[2:], time_control="600+0", name="B"))
        most, together = 0, 0
        for _ in range(60):
            await asyncio.sleep(0.5)
            running = [active.record.tournament_id for active in there.dispatcher.runner.running()]
            most, together = max(most, len(running)), together + (len(set(running)) == 2)
        assert most == 2
        assert together > 20, "who has waited longest for a core has the next that is free"
        for created in (first, second):
            await check_games(there, await over(there, created.id))


@virtual_time
async def test_a_bot_plays_as_many_games_at_once_as_it_is_allowed_and_takes() -> None:
    async with table() as there:
        await there.bot("busy", at_random(1), 1.0, max_matches=3)
        for number in range(4):
            await there.bot(f"bot{number}", at_random(number), 1.0)
        created = await there.server.tournaments.create(
            order(("busy", *NAMES[:4]), format="gauntlet", per_bot=2, concurrency=9, time_control="600+0")
        )
        await asyncio.sleep(3)
        assert len(there.dispatcher.runner.running()) == 2
        await check_games(there, await over(there, created.id))


FORMS: dict[str, dict[str, Any]] = {
    "round_robin": {},
    "gauntlet": {"challengers": 2},
    "swiss": {"rounds": 3},
    "knockout": {},
    "ladder": {"games": 16},
    "sprt": {"games": 14, "bots": NAMES[:2], "per_bot": 2},
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
@virtual_time
async def test_killed_again_and_again_every_format_ends_with_every_game_once(form: str, seed: int) -> None:
    draw, tables, tournament_id = Random(seed), MemoryTables(), 0
    for life in range(80):
        async with table(tables) as there:
            there.store.seconds_to_commit = lambda: draw.choice((0.0, 0.01, 0.2))
            for number in range(5):
                await there.bot(f"bot{number}", at_random(100 * life + number), draw.uniform(0.1, 0.4))
            if not tournament_id:
                terms: dict[str, Any] = {"bots": NAMES[:5], "format": form, "concurrency": 2}
                asked = order(**terms | FORMS[form])
                tournament_id = (await there.server.tournaments.create(asked)).id
            await asyncio.sleep(draw.uniform(0.01, 5))
            record = present(await there.store.tournament(TournamentId(tournament_id)))
            if record.status == "ended":
                await check_games(there, record)
                return
            await there.crash()
    raise AssertionError(f"{form}, seed {seed}: the tournament came to no end in 80 lives")


def play_out(form: str, crashes: int, seed: int = 7) -> list[Any]:
    """What was paired and from which openings, by bots that play without chance; the server killed so many times."""
    reported: list[Any] = []

    @virtual_time
    async def run() -> None:
        tables, tournament_id, draw = MemoryTables(), 0, Random(crashes)
        for life in range(crashes + 1):
            async with table(tables) as there:
                for number in range(5):
                    await there.bot(f"bot{number}", first_legal, 0.2)
                if not tournament_id:
                    asked = order(NAMES[:5], format=form, concurrency=2, game=GAME, seed=seed, **FORMS[form])
                    tournament_id = (await there.server.tournaments.create(asked)).id
                if life < crashes:
                    await asyncio.sleep(draw.uniform(0.5, 4))
                    tables = await there.crash()
                    continue
                record = await over(there, tournament_id)
                await check_games(there, record)
                stored = read_tournament(record)
                reported.extend(sorted((m.round, m.slot, m.first, m.second) for m in stored.state.meetings))
                for match in await there.store.tournament_matches(record.id):
                    texts = (await there.store.move_lists([match.id]))[match.id]
                    reported.append((match.pairing, match.game_index, match.start_text, texts))

    run()
    return sorted(reported, key=str)


@pytest.mark.parametrize("form", ["round_robin", "swiss"])
def test_the_same_seed_gives_the_same_pairings_openings_and_games_however_often_the_server_dies(form: str) -> None:
    reported = play_out(form, 0)
    assert len(reported) > 10
    assert reported == play_out(form, 4) != play_out(form, 0, seed=8)


@virtual_time
async def test_a_knockout_is_seeded_as_told_and_ends_with_its_final_and_the_third_place() -> None:
    async with table() as there:
        await players(there, 6)
        asked = order(NAMES, format="knockout", seeding="random", seed=3, concurrency=4)
        record = await played(there, asked)
        state = read_tournament(record).state
        assert sorted(state.seeds) == list(range(6))
        assert state.seeds != tuple(range(6))
        last = state.meetings[-1]
        assert last.round == 2
        assert [line.note for line in read_tournament(record).standings()][:4] == [
            "champion",
            "second",
            "third",
            "fourth",
        ]


@virtual_time
async def test_a_ladder_is_closed_after_its_time_and_ends_with_what_it_has_begun() -> None:
    async with table() as there:
        await players(there, 4, think_s=0.5)
        asked = order(NAMES[:4], format="ladder", duration_s=60.0, concurrency=2)
        created = await there.server.tournaments.create(asked)
        await asyncio.sleep(58)
        bots_waiting = [there.server.tournaments._is_busy(peer) for peer in there.dispatcher.sessions.all()]
        assert all(bots_waiting)
        record = await over(there, created.id)
        assert 60 <= now_s() < 120
        await check_games(there, record)
        assert len(read_tournament(record).state.meetings) > 5


@virtual_time
async def test_an_sprt_between_a_strong_and_a_weak_bot_stops_with_a_decision() -> None:
    async with table() as there:
        await there.bot("strong", first_legal, 0.1)
        await there.bot("weak", silent)
        asked = order(("strong", "weak"), format="sprt", elo1=100.0, normalised=False, strikes=0, time_control="1+0")
        record = await played(there, asked)
        stored = read_tournament(record)
        assert stored.state.decision == "accept H1"
        assert len(stored.state.marks) < 100
