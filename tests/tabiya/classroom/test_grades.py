"""Grades: finalists first, then the qualifier's order, then those that did not play."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tabiya.classroom.grades import GameTimes, rows, table_rows
from tabiya.classroom.record import NO_QUALIFIER, Entry, ResourceUsage, Rules, RunRecord
from tabiya.classroom.staff import StaffBot
from tabiya.server.grading.game_counts import GameCounts
from tabiya.storage.memory import MemoryStore
from tests.storage.samples import move, new_match, result, two_bots

RULES = Rules(
    game="nim", time_control="2/move", format="swiss", rounds=1, final=2, final_rounds=1, seed=0, sandbox="none"
)


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


def test_a_program_that_did_not_play_is_last_with_the_reason_and_without_a_rank() -> None:
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
    thinking = GameCounts(on_time=2, illegal=1)
    for think_us in (1_000, 2_000, 6_000):
        thinking.add(think_us)
    [row] = rows(run, GameTimes({"ada": thinking}))  # type: ignore[arg-type]
    assert (row["mean_move_ms"], row["max_move_ms"], row["on_time"], row["illegal"]) == (3.0, 6.0, 2, 1)


@pytest.mark.parametrize(
    ("ending", "winner", "lost"),
    [
        ("time", 1, (1, 0)),
        ("stall", 1, (1, 0)),  # out of time in a game without clocks
        ("illegal_moves", 1, (0, 1)),
        ("resignation", 1, (0, 0)),
        ("time_cannot_win", None, (0, 0)),
    ],
)
async def test_a_game_counts_for_the_way_in_which_it_was_lost(
    ending: str, winner: int | None, lost: tuple[int, int]
) -> None:
    store, games = MemoryStore(), GameTimes()
    match_id = await store.create_match(new_match(await two_bots(store)))
    await store.finish_match(result(match_id, winner, ending))
    stored = await store.match(match_id)
    assert stored is not None
    await games.read(store, stored)
    ada, bob = games.by_name["ada"], games.by_name["Bob"]
    assert (ada.on_time, ada.illegal, bob.on_time, bob.illegal) == (*lost, 0, 0)


def test_a_grade_comes_from_the_staff_bots_alone_and_orders_a_run_without_a_qualifier() -> None:
    run = record("ada", "bob", "cal", "staff greedy")
    run.rules = replace(RULES, format=NO_QUALIFIER, staff=(StaffBot(player="greedy", points=8, all_from=50),))
    run.entries[3].is_staff, run.entries[2].problem = True, "it is gone"
    assert [row["grade"] for row in rows(run, GameTimes())] == [None] * 4  # before its games are over
    run.standings = {"staff": [line(1, "bob", 2), line(2, "staff greedy", 5), line(3, "ada", 1)]}
    run.staff_scores = {"ada": {"staff greedy": (1.0, 4)}, "bob": {"staff greedy": (2.0, 4)}}
    found = [(row["rank"], row["name"], row["grade"], row["staff"]) for row in rows(run, GameTimes())]
    assert found == [
        (1, "bob", 8.0, "greedy 2/4"),
        (2, "ada", 4.0, "greedy 1/4"),
        (None, "cal", 0.0, None),
        (None, "staff greedy", None, None),
    ]


async def test_games_that_were_not_decided_on_the_board_stand_in_the_note() -> None:
    store, games, run = MemoryStore(), GameTimes(), record("ada", "Bob")
    run.standings = {"qualifier": [line(1, "ada", 1), line(2, "Bob", 0)]}
    bots = await two_bots(store)
    for ending, reason in (("resignation", "Bob (Second) resigned: its program failed"), ("adjudicated", "by order")):
        match_id = await store.create_match(new_match(bots, key=ending))
        await store.finish_match(replace(result(match_id, 0, ending), reason=reason))
        stored = await store.match(match_id)
        assert stored is not None
        await games.read(store, stored)
    run.usage["Bob"] = ResourceUsage(incidents=["ended with exit status 1: no weights"])
    notes = {row["name"]: row["note"] for row in rows(run, games)}
    assert notes["ada"] == "1 game won by an operator's order"
    assert notes["Bob"] == "its program failed in 1 game; ended with exit status 1"


async def test_whatever_is_odd_about_a_program_stands_in_the_note() -> None:
    store, games, run = MemoryStore(), GameTimes(), record("ada", "Bob")
    run.standings = {"qualifier": [line(1, "ada", 1), line(2, "Bob", 0, withdrawn=True)]}
    run.usage["ada"] = ResourceUsage(peak_mb=900.4)
    bots = await two_bots(store)
    for key, ending in enumerate(("abandoned", "time", "illegal_moves")):
        match_id = await store.create_match(new_match(bots, key=str(key), opening=(), illegal_limit=3))
        info = {"text": "not the bot's own move: it was out of time"}
        await store.append_move(move(match_id, 0, illegal_counts=(0, 1), info=info))
        await store.append_move(move(match_id, 1, illegal_counts=(0, 1)))
        await store.finish_match(result(match_id, 0, ending))
        stored = await store.match(match_id)
        assert stored is not None
        await games.read(store, stored)
    notes = {row["name"]: row["note"] for row in rows(run, games)}
    assert notes["ada"] == "3 moves played in its place; it used 900 of 1024 MB"
    assert notes["Bob"] == (
        "it left 1 game and did not come back; 1 game lost on time; 1 game lost by illegal moves; 5 illegal moves; "
        "it was withdrawn and forfeited what was left"
    )


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
