"""What is counted while a match goes on, and how it is said."""

from __future__ import annotations

from typing import Any

import pytest

from tabiya.match.report import interval_note, match_values, player_rows, progress_line, sentences
from tabiya.match.score import FinishedGame, MatchScore
from tabiya.server.ratings.pairs import Pairs
from tabiya.server.ratings.sprt import Sprt
from tabiya.storage.records import MatchId, MoveRecord


def a_game(number: int, winner: int | None, ending: str = "checkmate", moves: bytes = b"") -> FinishedGame:
    """The first player has seat 0 in games of even number."""
    return FinishedGame(
        number, number + 1, number % 2, winner, ending, "", plies=2, moves_digest=moves or bytes([number])
    )


def a_move(ply: int, think_us: int, *, opening: bool = False) -> MoveRecord:
    return MoveRecord(
        match_id=MatchId(1),
        ply=ply,
        text="x",
        seat=ply % 2,
        opening=opening,
        remaining_us=(0, 0),
        think_us=think_us,
        at=0.0,
    )


@pytest.fixture
def played() -> MatchScore:
    """Ada wins both games of the first pair, draws one of the second; half of the third pair; one without a result."""
    played = MatchScore(names=("ada", "bob"))
    moves = [a_move(0, 9_000_000, opening=True), a_move(1, 4_000), a_move(2, 1_000), a_move(3, 2_000)]
    played.add(a_game(1, 1), moves)
    played.add(a_game(0, 0), moves)
    played.add(a_game(2, None, "stalemate"))
    played.add(a_game(3, 0, "time"))
    played.add(a_game(4, 1, "illegal_moves", moves=bytes([2])))
    played.add(a_game(5, None, "aborted"))
    return played


def test_games_pairs_and_seats_are_counted_as_they_come(played: MatchScore) -> None:
    assert (played.wins, played.draws, played.losses, played.scored, played.points) == (2, 1, 2, 5, 2.5)
    assert played.pairs.counts == (0, 1, 0, 0, 1)
    assert played.half_pairs == 1
    assert played.first_mover == pytest.approx((0.5, 0.0))
    assert played.repeated == 1


def test_times_belong_to_who_thought_and_openings_to_nobody(played: MatchScore) -> None:
    ada, bob = played.times
    # game 0: ada has seat 0 and plays ply 2; game 1: seat 1, plies 1 and 3
    assert (ada.moves, ada.total_us, ada.longest_us) == (3, 7_000, 4_000)
    assert (bob.moves, bob.total_us, bob.longest_us) == (3, 7_000, 4_000)
    assert ada.mean_ms == pytest.approx(7 / 3)


def test_each_player_has_a_row_with_what_it_lost_by(played: MatchScore) -> None:
    played.deaths[:] = [0, 2]
    ada, bob = player_rows(played)
    assert (ada["wins"], ada["losses"], bob["wins"], bob["losses"]) == (2, 2, 2, 2)
    assert ada["elo"] == -bob["elo"]
    assert ada["superiority"] + bob["superiority"] == pytest.approx(100)
    assert (ada["time_losses"], ada["illegal_losses"]) == (1, 1)
    assert (bob["time_losses"], bob["deaths"]) == (0, 2)


def test_the_match_as_a_whole_is_plain_values(played: MatchScore) -> None:
    values = match_values(played, Sprt(elo0=0, elo1=10))
    assert values["pairs"] == {"counts": [0, 1, 0, 0, 1], "half": 1}
    assert values["first_mover"] == {"score": 0.5, "elo": 0.0}
    assert values["repeated_games"] == 1
    assert values["sprt"]["verdict"] == "go on"
    assert values["sprt"]["bounds"] == [-2.944, 2.944]
    assert {"winner": None, "ending": "aborted", "program_failed": False, "games": 1} in values["endings"]
    assert match_values(played, None)["sprt"] is None


def test_the_same_in_sentences(played: MatchScore) -> None:
    test = Sprt(elo0=0, elo1=10)
    lines = sentences(played, test)
    assert lines[0] == "2 pairs by points of ada: 0: 0, ½: 1, 1: 0, 1½: 0, 2: 1"
    assert "1 game without its partner says nothing of the difference" in lines
    assert any(line.startswith("SPRT 0 against 10 normalised Elo: LLR ") for line in lines)
    assert "   1  no result: aborted" in lines
    assert "   1  bob won: time" in lines
    assert "1 game repeats another one move by move" in lines
    assert progress_line(played, test).startswith("ada against bob +2 =1 -2, Elo +88.7")


def test_a_game_lost_by_a_program_that_failed_is_no_resignation_like_others() -> None:
    played = MatchScore(names=("ada", "bob"))
    for number, reason in enumerate(("ada (White) resigned", "ada (Black) resigned: its program failed")):
        played.add(FinishedGame(number, number + 1, number, 1 - number, "resignation", reason))
    assert sentences(played, None)[-2:] == [
        "   1  bob won: resignation", "   1  bob won: resignation, its program failed"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("accept H1", "accept H1: a difference of 10 fits the games, 0 does not"),
        ("accept H0", "accept H0: a difference of 0 fits the games, 10 does not"),
        ("", "not decided"),
    ],
)
def test_a_verdict_is_said(played: MatchScore, verdict: Any, words: str) -> None:
    played.verdict = verdict
    assert any(words in line for line in sentences(played, Sprt(elo0=0, elo1=10)))


@pytest.mark.parametrize(
    ("counts", "low", "high", "sentence"),
    [
        ((0, 0, 0, 0, 10), 194, None, "ada is at least 194 Elo better (95 %)"),
        ((10, 0, 0, 0, 0), None, -194, "bob is at least 194 Elo better (95 %)"),
        ((0, 0, 0, 1, 40), 434, None, "ada is at least 434 Elo better (95 %)"),
        ((0, 0, 0, 0, 1), -748, None, "too few games for an interval"),
        ((0, 0, 1, 0, 0), None, None, "too few games for an interval"),
        ((0, 0, 3, 4, 8), 115, 445, ""),
        ((0, 0, 0, 0, 0), None, None, ""),
    ],
)
def test_an_interval_with_one_side_says_at_least_what(
    counts: Any, low: float | None, high: float | None, sentence: str
) -> None:
    played = MatchScore(names=("ada", "bob"), pairs=Pairs(counts))
    row = player_rows(played)[0]
    assert (row["elo_low"], row["elo_high"]) == (pytest.approx(low, abs=1), pytest.approx(high, abs=1))
    assert (row["plus_minus"] is None) == (low is None or high is None)
    lines = sentences(played, None)
    assert interval_note(played).endswith(sentence)
    assert (interval_note(played) in lines) == bool(sentence)


@pytest.mark.parametrize(("counts", "words"), [((0, 0, 0, 0, 1), "all won"), ((1, 0, 0, 0, 0), "all lost")])
def test_all_games_won_or_lost_give_no_elo_yet(counts: Any, words: str) -> None:
    assert f"Elo unknown ({words})," in progress_line(MatchScore(names=("ada", "bob"), pairs=Pairs(counts)), None)


def test_nothing_played_or_half_a_pair_says_nothing_of_the_difference() -> None:
    empty, half = MatchScore(names=("ada", "bob")), MatchScore(names=("ada", "bob"))
    half.add(a_game(0, 0))
    assert progress_line(half, None) == "ada against bob +1 =0 -0"
    assert empty.first_mover is None
    assert [row["elo"] for row in player_rows(empty)] == [0.0, 0.0]
    assert sentences(empty, None) == ["0 pairs by points of ada: 0: 0, ½: 0, 1: 0, 1½: 0, 2: 0"]
