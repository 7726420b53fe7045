"""Servers that are really killed while tournaments run, on a file and on PostgreSQL; a lost game would be found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from benchmarks import killed
from benchmarks.killed import FORMS, Outcome, Plan, campaign
from scripts.long_runs.afterwards import faults_of
from storage.records import MatchId, MatchRecord, TournamentRecord
from tests.server.local_bots import table
from tests.server.tournaments.cups import order, over, players
from tests.storage.postgres import private_cluster
from tests.virtual_time import virtual_time

SMALL: dict[str, dict[str, Any]] = {
    "round_robin": {"rounds": 1},
    "gauntlet": {"rounds": 1},
    "swiss": {"rounds": 3},
    "ladder": {"games": 20},
    "sprt": FORMS["sprt"] | {"games": 20},
}
STARTS = pytest.mark.timeout(600)  # of servers, each three seconds of processor time, on a machine with much else to do
EARLY = 28  # the first kills of this seed come 0.2 and 0.3 s after the tournaments have begun


def whole(came: Outcome, plan: Plan) -> bool:
    """Whether the campaign did what it says, and found nothing."""
    assert came.faults == []
    assert (came.kills, came.sets) == (plan.kills, 1)
    assert came.cut
    return set(came.games) == set(plan.formats) and all(came.games.values())


@pytest.mark.slow
@STARTS
async def test_two_formats_killed_twice_end_with_every_game_exactly_once(tmp_path: Path) -> None:
    plan = Plan(tmp_path, kills=2, seed=EARLY, formats=("swiss", "knockout"))
    assert whole(await campaign(plan), plan)


@pytest.mark.slow
@STARTS
async def test_every_format_is_played_on_postgresql_through_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(killed, "FORMS", FORMS | SMALL)
    with private_cluster() as cluster:
        plan = Plan(tmp_path, kills=1, seed=EARLY, database=cluster.create("killed"))
        assert whole(await campaign(plan), plan)
        assert cluster.sql("SELECT count(*) FROM tournaments WHERE status = 'ended'", "killed") == str(len(FORMS))


async def a_tournament() -> tuple[TournamentRecord, tuple[MatchRecord, ...]]:
    """One that is over, with its matches."""
    async with table() as there:
        bots = await players(there, 3)
        created = await there.server.tournaments.create(order(tuple(bot.name for bot in bots)))
        record = await over(there, created.id)
        return record, await there.store.tournament_matches(record.id)


@virtual_time
async def test_a_game_that_is_lost_doubled_turned_or_counted_otherwise_is_found() -> None:
    record, matches = await a_tournament()
    assert faults_of(record, matches) == []
    first = matches[0]
    assert first.result is not None
    other = 1 if first.result.winner == 0 else 0
    again = replace(first, id=MatchId(99), key="again")
    turned = replace(first, seats=first.seats[::-1])
    otherwise = replace(first, result=replace(first.result, winner=other))
    elsewhere = replace(again, pairing=77)
    for tampered, sentence in (
        (matches[1:], "game 0: 0 results"),
        ((*matches, again), "game 0: 2 results"),
        ((turned, *matches[1:]), "game 0: on the wrong seats"),
        ((otherwise, *matches[1:]), "game 0: marked "),
        ((*matches, elsewhere), "a result for no game of the schedule, (77, 0)"),
    ):
        found = faults_of(record, tampered)
        assert any(sentence in fault for fault in found), (sentence, found)
    assert "Cup is running and not over" in faults_of(replace(record, status="running"), matches)
