"""The class day: its short form holds, and what must not happen to a well-behaved bot is seen."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from scripts.long_runs.class_day import judged, told
from scripts.long_runs.random_bots import Notes
from tests.live import ROOT


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
def test_what_must_not_be_is_told(found: dict[str, Any], fault: str) -> None:
    [told_of] = judged(found, Notes())
    assert fault in told_of


def test_what_a_misbehaving_bot_loses_is_its_own_affair() -> None:
    losses = (game(bots=["Student 1", "Cheater"], ending="illegal_moves"), game(1, result="1/2-1/2"))
    assert judged(day(*losses), Notes()) == []
    assert "1 illegal_moves" in told(day(*losses))


def test_what_a_well_behaved_bot_was_told_counts() -> None:
    notes = Notes()
    notes.fault("Student 1", "closed by the server")
    assert judged(day(game()), notes) == ["a well-behaved bot met this: Student 1: closed by the server"]


@pytest.mark.slow
def test_a_short_class_day_costs_nobody_well_behaved_a_point() -> None:
    words = ["--bots", "6", "--rounds", "2", "--game", "nim", "--time", "1+0", "--think", "0.01", "--away", "2"]
    day = subprocess.run(
        [sys.executable, "-m", "scripts.long_runs.class_day", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert day.returncode == 0, day.stdout + day.stderr
    assert "nobody well-behaved lost a point" in day.stdout
