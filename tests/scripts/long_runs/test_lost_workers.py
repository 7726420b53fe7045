"""A match whose workers come and go, in its short form, and what a recount of it would find."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from scripts.long_runs import lost_workers
from tabiya.storage.records import BotId, MatchId, MatchRecord, ResultRecord, SeatRecord

GAMES = 200


@pytest.mark.slow
@pytest.mark.timeout(500)
def test_a_match_whose_workers_and_scheduler_are_killed_has_every_game_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert lost_workers.main(["--games", str(GAMES), "--every", "5", "--workers", "2"]) == 0
    output = capsys.readouterr().out
    assert "and --resume goes on with them" in output
    assert f"{GAMES} games stored" in output
    assert output.endswith("no fault\n")


def record(number: int, winner: int | None, ending: str = "last_object") -> MatchRecord:
    first, second = (SeatRecord(bot_id=BotId(n), bot=name) for n, name in enumerate(("First", "Second")))
    match_id = MatchId(number + 1)
    return MatchRecord(
        id=match_id, key=f"match-abc-1-{number}", game="nim", rules_version=1, options={}, start_text="3",
        time_control="none", seats=(first, second) if number % 2 == 0 else (second, first), rated=True,
        illegal_limit=3, stall_limit_ms=1, remaining_us=(0, 0), credit_left_us=(0, 0), tournament_id=None,
        pairing=None, game_index=None, created_at=0.0, status="ended",
        result=ResultRecord(match_id=match_id, winner=winner, ending=ending, remaining_us=(0, 0), ended_at=0.0),
    )  # fmt: skip


def printed(*wins: int) -> object:
    return {"players": [{"player": name, "wins": won} for name, won in zip(("First", "Second"), wins, strict=True)]}


def test_each_fault_is_a_sentence() -> None:
    games = [record(0, 0), record(1, 0), record(2, None), record(3, 1)]
    assert lost_workers.faults_of(games, 4, printed(2, 1)) == []
    assert lost_workers.faults_of(games, 4, printed(1, 2)) == ["the wins are [2, 1], and [1, 2] were printed"]
    again = replace(games[0], id=MatchId(9), key="match-abc-1-0-2")
    assert lost_workers.faults_of([again, *games[:3]], 4, printed(2, 1)) == [
        "game 0 is there 2 times",
        "game 3 is there 0 times",
    ]
    crashed = [record(0, 0, "abandoned"), *games[1:]]
    assert lost_workers.faults_of(crashed, 4, printed(2, 1)) == ["match 1 has ended by abandoned"]
