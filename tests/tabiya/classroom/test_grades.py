"""Grades: finalists first, then the qualifier's order, then those that did not play."""

from __future__ import annotations

from typing import Any

from tabiya.classroom.grades import BotTimes, GameTimes, rows, table_rows
from tabiya.classroom.record import Entry, ResourceUsage, Rules, RunRecord

RULES = Rules(game="nim", time_control="2/move", format="swiss", rounds=1, final=2, final_rounds=1, seed=0)


def line(rank: int, bot: str, points: float, **values: Any) -> dict[str, Any]:
    counts = {"played": 4, "wins": 2, "draws": 0, "losses": 2, "withdrawn": False}
    return {"rank": rank, "bot": bot, "points": points} | counts | values


def record(*names: str) -> RunRecord:
    return RunRecord(rules=RULES, entries=[Entry(name=name, source=name, folder="", grade=100) for name in names])


def test_finalists_stand_before_all_others_and_equal_places_share_a_rank() -> None:
    run = record("eve", "dan", "cal", "bob", "ada")
    qualifier = [line(1, "ada", 4), line(2, "bob", 3), line(3, "cal", 2), line(3, "dan", 2), line(5, "eve", 0)]
    run.standings = {"qualifier": qualifier, "final": [line(1, "bob", 2.5), line(2, "ada", 1.5)]}
    found = rows(run, GameTimes())
    assert [(row["rank"], row["name"]) for row in found] == [(1, "bob"), (2, "ada"), (3, "cal"), (3, "dan"), (5, "eve")]
    assert [row["final_points"] for row in found] == [2.5, 1.5, None, None, None]
    assert (found[0]["games"], found[2]["games"], found[0]["points"]) == (8, 4, 3)


def test_who_did_not_play_stands_last_with_the_reason_and_without_a_rank() -> None:
    run = record("ada", "bob")
    run.entries[0].problem = "ada.py is no Python: line 1: invalid syntax"
    run.standings = {"qualifier": [line(1, "bob", 0)]}
    found = rows(run, GameTimes())
    assert [row["name"] for row in found] == ["bob", "ada"]
    assert (found[1]["rank"], found[1]["note"]) == (None, "ada.py is no Python: line 1: invalid syntax")
    assert found[1]["games"] is None


def test_thinking_is_the_mean_and_the_longest_of_all_moves() -> None:
    run = record("ada")
    run.standings = {"qualifier": [line(1, "ada", 0)]}
    thinking = BotTimes(on_time=2, illegal=1)
    for think_us in (1_000, 2_000, 6_000):
        thinking.add(think_us)
    [row] = rows(run, GameTimes({"ada": thinking}))  # type: ignore[arg-type]
    assert (row["mean_move_ms"], row["max_move_ms"], row["on_time"], row["illegal"]) == (3.0, 6.0, 2, 1)


def test_what_has_happened_to_a_program_is_told_once_with_how_often() -> None:
    run = record("ada")
    run.standings = {"qualifier": [line(1, "ada", 0)]}
    run.usage["ada"] = ResourceUsage(
        incidents=["ended with exit status 3: one", "ended with exit status 3: two", "used more"]
    )
    [row] = rows(run, GameTimes())
    assert row["note"] == "ended with exit status 3 (2 times); used more"


def test_a_table_shows_points_without_needless_zeros() -> None:
    shown = table_rows([{"points": 6.0, "final_points": None}, {"points": 5.5, "final_points": 2.0}])
    assert [(row["points"], row["final_points"]) for row in shown] == [("6", None), ("5.5", "2")]
