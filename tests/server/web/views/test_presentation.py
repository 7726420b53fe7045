"""Words and numbers for people."""

from __future__ import annotations

import pytest
from msgspec import structs

from tabiya.games.endings import Ending
from tabiya.server.web.schemas.responses import MatchSeat
from tabiya.server.web.views import presentation
from tabiya.storage.records import MatchId, ResultRecord


def result(ending: str, winner: int | None) -> ResultRecord:
    return ResultRecord(match_id=MatchId(1), winner=winner, ending=ending, remaining_us=(0, 0), ended_at=0.0)


def test_every_ending_has_a_label_and_a_sentence() -> None:
    assert set(presentation.LABELS) == set(Ending)
    assert set(presentation.WON) | set(presentation.DRAWN) == set(Ending)


@pytest.mark.parametrize("ending", sorted(presentation.WON))
def test_a_win_names_winner_and_loser(ending: str) -> None:
    for winner in (0, 1):
        text = presentation.result_sentence(result(ending, winner), ("{ada}", "bob"))
        assert "{ada}" in text
        assert "bob" in text
        assert not text.endswith(".")
    assert presentation.result_sentence(result(ending, 0), ("a", "b")) == presentation.result_sentence(
        result(ending, 1), ("b", "a")
    )


def test_a_program_that_failed_is_no_player_who_resigned() -> None:
    resigned = result(Ending.RESIGNATION, 1)
    failed = structs.replace(resigned, reason="ada (X) resigned: its program failed")
    assert presentation.how_ended(resigned) == "resigned"
    assert presentation.how_ended(failed) == "program failed"
    assert presentation.result_sentence(failed, ("ada", "bob")) == "the program of ada failed, so bob wins"


@pytest.mark.parametrize("ending", sorted(presentation.DRAWN))
def test_a_draw_names_both(ending: str) -> None:
    text = presentation.result_sentence(result(ending, None), ("ada", "bob"))
    assert "ada" in text
    assert "bob" in text


def test_an_ending_of_tomorrow_is_told_in_its_own_word() -> None:
    assert presentation.ending_label("sudden_rain") == "sudden rain"
    assert presentation.result_sentence(result("sudden_rain", 0), ("ada", "bob")) == "ada won against bob: sudden rain"
    assert (
        presentation.result_sentence(result("sudden_rain", None), ("ada", "bob"))
        == "a draw between ada and bob: sudden rain"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(40, "40 s"), (720, "12 min"), (12_000, "3 h 20 min"), (172_799, "2 days"), (604_800, "7 days")],
)
def test_a_rough_duration_is_in_the_unit_in_which_one_would_say_it(seconds: float, text: str) -> None:
    assert presentation.rough_duration(seconds) == text


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (0.5, "½"), (1, "1"), (1.5, "1½"), (12.5, "12½")])
def test_points_are_written_as_players_do(value: float, text: str) -> None:
    assert presentation.format_points(value) == text


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (None, "-"),
        (0, "0.0"),
        (-5, "0.0"),
        (12_340, "12.3"),
        (59_999, "59.9"),
        (60_000, "1:00"),
        (3_723_000, "1:02:03"),
    ],
)
def test_a_clock_shows_tenths_in_the_last_minute(ms: float | None, text: str) -> None:
    assert presentation.format_clock(ms) == text


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0.0 ms"), (0.44, "0.4 ms"), (412.4, "412 ms"), (999.4, "999 ms"), (999.6, "1.00 s"), (125_400, "2 min 5 s")],
)
def test_a_duration_has_a_unit_that_fits(ms: float, text: str) -> None:
    assert presentation.format_duration(ms) == text


def test_instants_are_written_for_machines_people_and_transcripts() -> None:
    assert presentation.iso_time(1_750_000_000.125) == "2025-06-15T15:06:40Z"
    assert presentation.format_date_time(1_750_000_000.125) == "2025-06-15 15:06 UTC"


def test_counts_have_their_noun() -> None:
    assert presentation.count_noun(1, "game") == "1 game"
    assert presentation.count_noun(1_204, "game") == "1,204 games"
    assert presentation.count_noun(0, "match", "matches") == "0 matches"


@pytest.mark.parametrize(
    ("info", "text"),
    [
        ({}, ""),
        ({"depth": 9, "score": -50, "nodes": 1}, "depth 9, -0.50, 1 node"),
        ({"pv": ["a1"] * 20}, " ".join(["a1"] * 8)),
        ({"depth": "9", "score": None, "nodes": [], "pv": "a1", "text": 7}, ""),
    ],
)
def test_what_a_bot_says_is_told_as_far_as_it_makes_sense(info: dict[str, object], text: str) -> None:
    assert presentation.bot_info_text(info) == text


def test_a_rule_of_adjudication_is_told_whole() -> None:
    rule = {
        "draw": {"movenumber": 40, "movecount": 8, "score": 10},
        "resign": {"movecount": 3, "score": 600, "twosided": True},
        "maxmoves": 200,
    }
    assert presentation.adjudication_text(rule) == (
        "lost when a player judges its position -6.00 or worse and the opponent its own +6.00 or better for 3 moves; "
        "drawn when both judge it level within 0.10 for 8 moves each, from move 40 on; drawn after 200 moves each"
    )
    assert presentation.adjudication_text({"draw": {"movecount": 1, "score": 0}}) == (
        "drawn when both judge it level within 0.00 for 1 move each"
    )


def test_names_and_quotes_are_kept_apart_in_a_sentence_and_run_nowhere() -> None:
    seats = [MatchSeat(bot=bot, version="", seat="White") for bot in ("ada", "ada <b>")]
    printed = presentation.isolate_names("ada <b> beat ada", seats)
    assert printed == "<bdi>ada &lt;b&gt;</bdi> beat <bdi>ada</bdi>"
    assert (
        presentation.isolate_quotes('status is "\u05d0 <1>"; no')
        == "status is <bdi>&#34;\u05d0 &lt;1&gt;&#34;</bdi>; no"
    )
