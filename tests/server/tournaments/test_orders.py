"""What the organiser orders, and what is no order: one sentence each."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec import convert

from tabiya.games.errors import GameError
from tabiya.games.registry import names
from tabiya.protocol.messages import MatchEnded, MatchStarted, Notice
from tabiya.server.pairing.state import FORFEITS, PairingState
from tabiya.server.tournaments.settings import TournamentChange, TournamentError
from tests.present import present
from tests.server.local_bots import table
from tests.server.tournaments.cups import NAMES, check_games, order, over, players
from tests.virtual_time import virtual_time


@virtual_time
async def test_a_created_tournament_waits_for_its_start_and_a_paused_one_goes_on() -> None:
    async with table() as there:
        bots = await players(there, 2, think_s=2.0)
        tournaments = there.server.tournaments
        created = await tournaments.create(order(("bot0", "bot1"), rounds=3, start=False))
        await asyncio.sleep(10)
        assert (created.status, bots[0].received(MatchStarted)) == ("created", [])
        await tournaments.pause(created.id)
        await tournaments.start(created.id)
        await bots[0].receives(MatchStarted)
        assert (await tournaments.pause(created.id)).status == "paused"
        await bots[0].receives(MatchEnded)
        await asyncio.sleep(100)
        assert len(bots[0].received(MatchStarted)) == 1
        assert (await tournaments.start(created.id)).status == "running"
        record = await over(there, created.id)
        assert [notice.kind for notice in bots[0].received(Notice)] == [
            "tournament_paused",
            "tournament_started",
            "tournament_paused",
            "tournament_started",
            "tournament_ended",
        ]
        assert record.started_at is not None
        await check_games(there, record)


@virtual_time
async def test_a_cancelled_tournament_starts_no_more_games_and_lets_the_running_ones_end() -> None:
    async with table() as there:
        bots = await players(there, 2, think_s=2.0)
        tournaments = there.server.tournaments
        created = await tournaments.create(order(("bot0", "bot1"), rounds=3))
        await bots[0].receives(MatchStarted)
        with pytest.raises(TournamentError, match="is running and cannot be started"):
            await tournaments.start(created.id)
        cancelled = await tournaments.cancel(created.id)
        assert (cancelled.status, cancelled.ended_at is not None) == ("cancelled", True)
        await bots[0].receives(MatchEnded)
        await asyncio.sleep(100)
        assert len(bots[0].received(MatchStarted)) == 1
        for command in (tournaments.start, tournaments.pause, tournaments.cancel):
            with pytest.raises(TournamentError, match=r"(is|was) cancelled"):
                await command(created.id)
            with pytest.raises(TournamentError, match="there is no tournament 99"):
                await command(99)


@virtual_time
async def test_a_running_swiss_gets_another_name_and_time_and_more_rounds_also_if_the_server_is_killed_then() -> None:
    async with table() as before:
        bots = await players(before, 4, think_s=1.0)
        created = await before.server.tournaments.create(order(NAMES[:4], format="swiss", rounds=1, concurrency=1))
        await bots[0].receives(MatchStarted)
        change = before.server.tournaments.change
        with pytest.raises(TournamentError, match="Cup has begun"):
            await change(created.id, TournamentChange(name="Friday", starts_at=4e9))
        changed = await change(
            created.id, TournamentChange(name="Friday", rounds=3, time_control="30+0", concurrency=2)
        )
        assert (changed.name, before.server.tournaments.name_of(created.id)) == ("Friday", "Friday")
        await asyncio.sleep(1)
        tables = await before.crash()
    async with table(tables) as after:
        bots = await players(after, 4, think_s=1.0)
        await bots[0].receives(MatchEnded)
        await bots[0].receives(MatchEnded, 2)
        with pytest.raises(TournamentError, match=r"round \d is paired already"):
            await after.server.tournaments.change(created.id, TournamentChange(rounds=1))
        record = await over(after, created.id)
        matches = await after.store.tournament_matches(created.id)
        assert (record.name, len(matches)) == ("Friday", 12)
        assert [match.time_control for match in matches] == ["60+0"] + 11 * ["30+0"]
        assert matches[1].created_at < present(matches[0].result).ended_at
        await check_games(after, record)


@pytest.mark.parametrize("form", ["round_robin", "gauntlet"])
@virtual_time
async def test_who_enters_or_comes_back_after_the_end_plays_its_games_also_if_the_server_is_killed_then(
    form: str,
) -> None:
    async with table() as before:
        await players(before, 4, think_s=0.2)
        tournaments = before.server.tournaments
        created = await tournaments.create(order(NAMES[:3], format=form))
        await tournaments.withdraw(created.id, "bot2")
        first = await over(before, created.id)
        entered = await tournaments.enter(created.id, ["bot3", "bot2"])
        assert (entered.status, [entry.withdrawn for entry in entered.entries]) == ("running", 4 * [False])
        await asyncio.sleep(1)
        tables = await before.crash()
    async with table(tables) as after:
        await players(after, 4, think_s=0.2)
        record = await over(after, created.id)
        await check_games(after, record)
        state = convert(record.state, PairingState)
        assert (record.status, present(record.ended_at) > present(first.ended_at)) == ("ended", True)
        assert len(state.marks) == {"round_robin": 12, "gauntlet": 6}[form]
        assert not FORFEITS & set(state.marks)
        with pytest.raises(TournamentError, match="bot3 has entered Cup already"):
            await after.server.tournaments.enter(created.id, ["bot3"])
        with pytest.raises(TournamentError, match="has ended; nothing"):
            await after.server.tournaments.cancel(created.id)


@virtual_time
async def test_a_swiss_that_has_ended_goes_on_with_more_rounds_and_with_nothing_else() -> None:
    async with table() as there:
        await players(there, 5, think_s=0.2)
        tournaments = there.server.tournaments
        created = await tournaments.create(order(NAMES[:4], format="swiss", rounds=1))
        await over(there, created.id)
        with pytest.raises(TournamentError, match="Cup has ended, and this would leave nothing to play in it"):
            await tournaments.change(created.id, TournamentChange(name="Friday"))
        with pytest.raises(TournamentError, match="nobody can enter this Swiss any more"):
            await tournaments.enter(created.id, ["bot4"])
        assert (await tournaments.change(created.id, TournamentChange(rounds=3))).status == "running"
        await tournaments.enter(created.id, ["bot4"])
        record = await over(there, created.id)
        await check_games(there, record)
        assert (record.name, convert(record.state, PairingState).rounds_paired) == ("Cup", 3)


@virtual_time
async def test_a_cancelled_tournament_does_not_go_on() -> None:
    async with table() as there:
        await players(there, 3)
        tournaments = there.server.tournaments
        created = await tournaments.create(order(NAMES[:2]))
        await tournaments.cancel(created.id)
        with pytest.raises(TournamentError, match="was cancelled; nothing"):
            await tournaments.enter(created.id, ["bot2"])


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
    "one bot": ({"bots": ("bot0",)}, "2 bots or more, not 1"),
    "the same bot twice": ({"bots": ("bot0", "BOT0")}, "names bot0 twice"),
    "an unknown bot": ({"bots": ("bot0", "nobody")}, "no bot called 'nobody'"),
    "too many games": (
        {"rounds": 1_000, "bots": tuple(f"bot{number}" for number in range(7))},
        "1000 rounds of 7 bots are 42000 games",
    ),
    "no rounds": ({"rounds": 0}, "rounds: expected an integer >= 1, received 0"),
    "no name": ({"name": "  "}, "1 to 64 printable"),
    "a name with a line break": ({"name": "a\nb"}, "printable"),
    "a bad time control": ({"time_control": "soon"}, "time control 'soon'"),
    "negative concurrency": ({"concurrency": -1}, "concurrency: expected an integer >= 0, received -1"),
    "no time to come": ({"no_show_s": 0.0}, "no_show_s: expected a number >= 1.0, received 0.0"),
    "not a number": (
        {"no_show_s": float("nan")},
        "no_show_s: expected a number >= 1.0, received a number that is not finite",
    ),
    "an unknown format": ({"format": "golf"}, "no format 'golf'; there are round_robin"),
    "an unknown seeding": ({"seeding": "luck"}, "no seeding 'luck'"),
    "a gauntlet of all without challengers": (
        {"format": "gauntlet", "bots": (), "everyone": True},
        "that all bots enter needs the names of its challengers: 1, not 0",
    ),
    "a gauntlet without a field": ({"format": "gauntlet", "challengers": 2}, "needs a field"),
    "a round robin by the clock": ({"duration_s": 5.0}, "only a ladder"),
    "a huge seed": ({"seed": 2**63}, "seed: expected an integer <= 9007199254740991, received a number beyond 2^53"),
    "no illegal limit": ({"illegal_limit": 0}, "illegal_limit: expected an integer >= 1, received 0"),
    "a ladder without an end": ({"format": "ladder"}, "a ladder needs an end"),
    "an SPRT of three": ({"format": "sprt", "bots": ("bot0", "bot1", "bot2")}, "an SPRT has 2 bots, not 3"),
    "an SPRT of nothing": ({"format": "sprt", "elo0": 3.0, "elo1": 3.0, "start": False}, "elo0 must be less than elo1"),
    "a Swiss alone": ({"format": "swiss", "bots": ("bot0",)}, "a Swiss has 2 bots or more, not 1"),
}


@pytest.mark.parametrize(("fields", "words"), BAD_ORDERS.values(), ids=list(BAD_ORDERS))
@virtual_time
async def test_a_wrong_order_is_one_sentence_and_creates_nothing(fields: dict[str, Any], words: str) -> None:
    async with table() as there:
        await players(there, 3)
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
