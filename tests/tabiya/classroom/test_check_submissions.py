"""The dry run: how long a run will take, and why a program does not play."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tabiya.classroom.check_submissions import examine, games_of_stages
from tabiya.classroom.record import Entry, Rules
from tabiya.classroom.staff import StaffBot
from tabiya.hosting.prepared import rules_for

STAFF = (StaffBot(player="random", points=1), StaffBot(player="greedy", points=2))


@pytest.mark.parametrize(
    ("form", "final", "staff", "new", "games"),
    [
        ("round_robin", 0, (), 6, 2 * 15),
        ("swiss", 4, (), 6, 2 * 3 + 2 * 3 * 6),
        ("round_robin", 0, STAFF, 6, 2 * 15 + 2 * 2 * 2 * 6),
        ("none", 0, STAFF, 6, 2 * 2 * 2 * 6),
        ("none", 0, STAFF, 1, 2 * 2 * 2 * 1),  # of a run again, in which five are as they were
    ],
)
def test_all_games_of_all_stages_are_counted(
    form: str, final: int, staff: tuple[StaffBot, ...], new: int, games: int
) -> None:
    rules = Rules(
        game="nim",
        time_control="1/move",
        format=form,
        rounds=1,
        final=final,
        final_rounds=3,
        seed=0,
        sandbox="none",
        staff=staff,
    )
    assert games_of_stages(rules, 6, new) == games


@pytest.mark.slow
async def test_why_a_program_does_not_play_is_the_line_that_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "ada"
    folder.mkdir()
    prints = "print('Error: no package ws', '    at main.js:1', 'Node.js v20', sep='\\n'); raise SystemExit(1)"
    command = (sys.executable, "-c", prints)
    entry = Entry(name="ada", source="main.js", folder="ada", player="", command=command, digest="d", token="t")
    await examine(entry, rules_for("nim", "none"), tmp_path)
    ended = "It ended before it had connected (exit status 1). It printed: "
    assert entry.problem == f"{ended}Error: no package ws"
