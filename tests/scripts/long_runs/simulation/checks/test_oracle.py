"""The judge of what bots are told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from scripts.long_runs.simulation.checks.oracle import Oracle
from tests.bots.client.fake_server import turn


def faults_of(*plies_by_link: tuple[int, bool]) -> list[str]:
    """Turns of one match for ada. plies_by_link: the ply, and whether the line that it is written to is over."""
    faults = list[str]()
    oracle = Oracle(lambda: 9.0, faults.append)
    oracle.through_gateways = True
    for ply, over in plies_by_link:
        link: Any = SimpleNamespace(name="ada", welcomed_s=0.0, turns_of=None, is_newest=not over, over=over)
        oracle.sent(link, turn(ply=ply))
    return faults


def test_a_match_that_goes_back_is_a_fault() -> None:
    assert faults_of((7, False), (9, False)) == []
    assert faults_of((9, False), (7, False)) == ["match 1 goes back: ply 9 was told to ada, now 7"]


def test_on_a_line_that_is_over_nobody_hears_an_older_turn() -> None:
    assert faults_of((9, False), (7, True)) == []
    assert faults_of((9, True), (7, False)) == []
