"""The class day: its short form holds, and what must not happen to a well-behaved bot is seen."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.long_runs import class_day
from scripts.long_runs.checks.postconditions import Stored
from scripts.long_runs.class_day import find_faults, summary
from scripts.long_runs.harness.random_bots import Notes
from tests.scripts.long_runs.test_chaos import match, row


def game(number: int = 0, **values: Any) -> dict[str, Any]:
    usual = {"number": number, "bots": ["Student 1", "Student 2"], "result": "1-0", "ending": "line"}
    return usual | values


def day(*games: dict[str, Any], **values: Any) -> dict[str, Any]:
    lines = [
        {"bot": name, "withdrawn": False, "rank": 1, "points": 1.0, "played": 2} for name in ("Student 1", "Cheater")
    ]
    usual = {"status": "ended", "took_s": 9.0, "played": len(games), "rounds": 1, "games": list(games), "lines": lines}
    return usual | values


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        (day(game(result=None)), "game 0 of Student 1 and Student 2 has no result"),
        (day(game(), game()), "a game is there twice"),
        (day(game(ending="time")), "was lost by Student 2, who did nothing wrong: time"),
        (day(game(result="--+", ending=None)), "was lost by Student 1, who did nothing wrong: forfeit"),
        (day(game(result="---", ending=None)), "was lost by both"),
        (day(game(), status="running"), "after 9 s the tournament is running"),
        (day(game(), lines=[{"bot": "Student 1", "withdrawn": True}]), "Student 1 was withdrawn"),
    ],
)
def test_faults_are_reported(found: dict[str, Any], fault: str) -> None:
    [reported] = find_faults(found, Notes())
    assert fault in reported


def test_what_a_misbehaving_bot_loses_is_its_own_affair() -> None:
    losses = (game(bots=["Student 1", "Cheater"], ending="illegal_moves"), game(1, result="1/2-1/2"))
    assert find_faults(day(*losses), Notes()) == []
    played = match("time", reason="its turn was sent at noon")
    rows = (row(0, "a1", (5_000_000, 9_000_000), think_us=4_000_000),)
    printed = summary(day(*losses), Stored([], {played.id: played}, {played.id: rows}, []))
    assert "1 illegal_moves" in printed
    assert "its turn was sent at noon" in printed
    assert "the least left on a clock was 5.0 s" in printed


def test_faults_seen_by_a_well_behaved_bot_count() -> None:
    notes = Notes()
    notes.fault("Student 1", "closed by the server")
    notes.fault("Cheater", "refused illegal_move: no")
    assert find_faults(day(game()), notes) == ["a well-behaved bot met this: Student 1: closed by the server"]


@pytest.mark.slow
def test_a_short_class_day_behind_lines_that_jitter_costs_no_well_behaved_bot_a_point(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--bots", "6", "--rounds", "2", "--game", "nim", "--time", "2+1", "--think", "0.01", "--away", "2"]
    code = class_day.main([*words, "--jitter", "10"])
    output = capsys.readouterr().out
    assert (code, output.splitlines()[-1]) == (0, "nobody well-behaved lost a point by anything but the rules"), output
