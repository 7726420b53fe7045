"""The campaign of a class that hands in programs: what it hands in, and what it finds fault with."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from scripts.long_runs.hosted_class import GAME, PAIR, Notes, Program, find_faults, programs, summary
from tests.scripts.long_runs.test_chaos import match

STUDENT = Program("Student 50", "good", "")
DOES = {"Student 50": [{"doing": "plays"}]}


def notes(state: str = "good") -> Notes:
    found = Notes()
    found.handed_in["Student 50"], found.examined["Student 50"] = 1.0, (11.0, state)
    return found


def test_a_class_has_broken_and_hostile_programs_and_students_of_all_strengths() -> None:
    every = programs(40)
    assert Counter(program.kind for program in every) == {"good": 28, "broken": 8, "hostile": 4}
    assert len({program.name for program in every}) == len({program.text for program in every}) == 40
    good = [program for program in every if program.kind == "good"]
    for program in good:
        compile(program.text, program.name, "exec")
    assert len({program.name for program in programs(200)}) == 200
    assert {"Student 0", "Student 100"} <= {program.name for program in good}


@pytest.mark.parametrize(
    ("state", "listed", "matches", "fault"),
    [
        ("refused", DOES, [], "Student 50 is sound and was (11.0, 'refused')"),
        ("good", {"Student 50": [{"doing": "set aside after 3 failures: x"}]}, [], "was set aside"),
        ("good", DOES, [match("time", bots=("Student 50", "Broken slow"), winner=1)], "was lost by Student 50"),
        ("good", DOES, [match("crash", bots=PAIR, winner=0)], f"was lost by {PAIR[1]}"),
    ],
)
def test_faults_are_reported(state: str, listed: dict[str, Any], matches: list[Any], fault: str) -> None:
    [found] = find_faults([STUDENT], notes(state), listed, matches)
    assert fault in found


def test_a_sound_program_is_not_withdrawn() -> None:
    found = notes()
    found.tournament = {"lines": [{"bot": name, "withdrawn": True} for name in ("Student 50", "Broken slow")]}
    assert find_faults([STUDENT], found, DOES, []) == ["Student 50 is sound and was withdrawn"]


def test_what_a_broken_program_loses_is_its_own_affair_and_the_summary_says_it() -> None:
    lost = match("time", bots=("Student 50", "Broken slow"), winner=0, game=GAME)
    assert find_faults([STUDENT], notes(), DOES, [lost]) == []
    row = {"bot": "Student 50", "rating": 1530.0, "plus_minus": 55.0, "games": 132}
    printed = summary([STUDENT], notes(), [lost], {}, {"rows": [row]}, first_s=0.0)
    assert "examined after 10 s (median), 10 s (95 %), 10 s at most; a first game has ended after" in printed
    assert "1 of 1 students are rated to within 60 Elo, with 132 to 132 games each" in printed
