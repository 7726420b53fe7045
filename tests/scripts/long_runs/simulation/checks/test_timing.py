"""The judge of the clocks: what it excuses, and what not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from scripts.long_runs.simulation.checks.timing import Timing
from tabiya.games.registry import load_game
from tabiya.storage.records import MatchRecord, ResultRecord
from tests.virtual_time import NOON_NS

NOON_S = NOON_NS / 1e9


def faults_of(decided_s: float, *, dies: bool) -> list[str]:
    """A turn with two seconds is written at 10 s, and lost on time; a standstill was to last from 9 to 12 s."""
    now, faults = [9.0], list[str]()
    timing = Timing(lambda: now[0], faults.append)
    timing.stood_still(9.0, 12.0)
    if dies:
        timing.restarted([1])
    now[0] = 10.0
    link: Any = SimpleNamespace(welcomed_s=0.0, turns_of=None, is_newest=True)
    timing.turn(link, cast("Any", SimpleNamespace(match=1, ply=1)))
    position = load_game("tictactoe").start().play("a1")
    match = SimpleNamespace(
        id=1, host=0, time_control="2/move", remaining_us=(2_000_000, 2_000_000), stall_limit_ms=60_000
    )
    result = SimpleNamespace(ending="time", ended_at=NOON_S + decided_s)
    timing.result(cast("MatchRecord", match), cast("ResultRecord", result), position, {})
    return faults


def test_a_standstill_moves_the_deadline() -> None:
    assert faults_of(12.0, dies=False)
    assert not faults_of(14.0, dies=False)


def test_a_standstill_ends_with_the_process_that_stood_still() -> None:
    assert not faults_of(12.002, dies=True)
    assert faults_of(11.9, dies=True)
