"""Servers that are really killed while tournaments run, on PostgreSQL; test_chaos kills one on a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import killed
from benchmarks.killed import FORMS, Outcome, Plan, campaign
from tests.storage.postgres import private_cluster

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
async def test_every_format_is_played_on_postgresql_through_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(killed, "FORMS", FORMS | SMALL)
    with private_cluster() as cluster:
        plan = Plan(tmp_path, kills=1, seed=EARLY, database=cluster.create("killed"))
        assert whole(await campaign(plan), plan)
        assert "Traceback" not in (tmp_path / "server.log").read_text()
        assert cluster.sql("SELECT count(*) FROM tournaments WHERE status = 'ended'", "killed") == str(len(FORMS))
