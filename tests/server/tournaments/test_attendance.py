"""Absences and strikes, counted from what is stored and from what happens."""

from __future__ import annotations

import pytest

from tabiya.server.tournaments.attendance import AbsenceTracker, StrikeCounter
from tabiya.storage.records import BotId, MatchId, MatchRecord, ResultRecord, SeatRecord, TournamentEntry

ADA, BOB = BotId(1), BotId(2)
ENTRIES = (TournamentEntry(number=0, bot_id=ADA, bot="ada"), TournamentEntry(number=1, bot_id=BOB, bot="bob"))


def ended(number: int, winner: int | None, ending: str, at: float = 0.0) -> MatchRecord:
    """A match between ada (seat 0) and bob."""
    result = ResultRecord(match_id=MatchId(number), winner=winner, ending=ending, remaining_us=(0, 0), ended_at=at)
    return MatchRecord(
        id=MatchId(number),
        key=f"m{number}",
        game="tictactoe",
        rules_version=1,
        options={},
        start_text="",
        time_control="1+0",
        seats=(SeatRecord(bot_id=ADA, bot="ada"), SeatRecord(bot_id=BOB, bot="bob")),
        rated=True,
        illegal_limit=3,
        stall_limit_ms=1,
        remaining_us=(0, 0),
        credit_left_us=(0, 0),
        tournament_id=None,
        pairing=None,
        game_index=None,
        created_at=0.0,
        status="ended",
        result=result,
    )


def over_limit(matches: list[MatchRecord], most: int) -> list[str]:
    strikes = StrikeCounter()
    strikes.count_all(matches)
    return [entry.bot for entry in strikes.over_limit(ENTRIES, most)]


@pytest.mark.parametrize("ending", ["time", "stall", "illegal_moves", "abandoned"])
def test_losses_by_own_fault_in_a_row_are_strikes_against_the_loser_alone(ending: str) -> None:
    matches = [ended(number, 0, ending) for number in range(2)]
    assert over_limit(matches, 2) == ["bob"]
    assert over_limit(matches, 3) == []
    assert over_limit(matches, 0) == []


@pytest.mark.parametrize(("winner", "ending"), [(0, "line"), (1, "line"), (None, "full_board"), (1, "time")])
def test_any_other_end_wipes_them_out(winner: int | None, ending: str) -> None:
    assert over_limit([ended(1, 0, "time"), ended(2, winner, ending), ended(3, 0, "time")], 2) == []


def test_an_aborted_match_says_nothing() -> None:
    assert over_limit([ended(1, 0, "time"), ended(2, None, "aborted"), ended(3, 0, "time")], 2) == ["bob"]


def test_stored_matches_count_in_the_order_in_which_they_ended() -> None:
    assert (
        over_limit([ended(1, None, "full_board", at=3), ended(2, 0, "time", at=1), ended(3, 0, "time", at=2)], 2) == []
    )
    assert over_limit(
        [ended(1, None, "full_board", at=0), ended(2, 0, "time", at=1), ended(3, 0, "time", at=2)], 2
    ) == ["bob"]


def test_losses_before_a_return_do_not_count_any_more() -> None:
    matches = [ended(number, 0, "time", at=number) for number in (1, 2, 3)]
    for since, most in ((0.5, 3), (1.5, 2), (3.5, 0)):
        strikes = StrikeCounter()
        strikes.count_all(matches, {BOB: since})
        assert [strikes.over_limit(ENTRIES, limit) for limit in (most, most + 1)] == [[ENTRIES[1]] if most else [], []]


def test_a_bot_away_for_too_long_is_named_and_one_back_in_time_is_not() -> None:
    absences, here = AbsenceTracker(), {ADA}

    def gone(now_s: float) -> list[str]:
        return [entry.bot for entry in absences.absent_too_long(ENTRIES, here.__contains__, now_s, 10)]

    assert gone(0) == []
    assert gone(9.9) == []
    here.add(BOB)
    assert gone(10) == []
    here.discard(BOB)
    assert gone(15) == []
    assert gone(24.9) == []
    assert gone(25) == ["bob"]
