"""What bots and spectators are told of a match."""

import pytest

from tabiya.protocol.codec import Encoding, decode_server, encode
from tabiya.protocol.messages import Clocks, History, MoveAccount, MoveInfo, Refused, Turn
from tabiya.server.core.effects import SaveResult, SendDrawOffered, SendMatchEnded, SendRefusal, SendTurn
from tabiya.server.core.events import Aborted, DrawOffered, Event, MatchOpened, MoveArrived, Resigned
from tabiya.server.core.messages import (
    draw_offered_message,
    ended_message,
    refused_message,
    started_message,
    turn_message,
    watching_message,
)
from tabiya.storage.records import FailureRecord
from tests.server.core.fakes import LEGAL, MS, S, Table, table, waiting_match

NAMES = ("ann", "bob")


def last_turn(made: Table) -> Turn:
    """The message for the last turn that was asked for."""
    return turn_message(made.match, made.of_kind(SendTurn)[-1])


def test_a_turn_holds_all_that_is_needed_to_answer() -> None:
    made = table("40/60+0.5", opening=("a", "b"), network_ns=(40 * MS, 0), illegal_limit=5)
    made.arrive("x", S)
    made.play("c", 2 * S)
    made.arrive("x", 3 * S)
    made.arrive("x", 3 * S)
    made.do(DrawOffered(0, 3, 3 * S))
    made.play("a", 4 * S)
    assert last_turn(made) == Turn(
        match=7,
        game="fake",
        position="first 0 after abca",
        seat=0,
        ply=4,
        last_move="a",
        legal_moves=LEGAL,
        history=History(position="first 0", moves=("a", "b", "c", "a")),
        clock_ms=Clocks(you=58_540, opponent=58_500),
        time_control="40/60+0.5",
        increment_ms=500,
        moves_to_go=39,
        move_limit_ms=58_540,
        draw_offered=False,
        illegal_moves=1,
        illegal_limit=5,
        last_move_account=MoveAccount(server_ms=0, network_ms=40, think_ms=2_000, credit_ms=40),
    )


def test_the_first_turn_has_no_past_and_one_without_a_clock_has_the_stall_limit() -> None:
    made = table("none")
    turn = last_turn(made)
    assert (turn.ply, turn.last_move, turn.last_move_account) == (0, None, None)
    assert (turn.clock_ms, turn.move_limit_ms, turn.time_control) == (None, 600_000, "none")
    assert turn_message(made.match, made.of_kind(SendTurn)[-1], legal_moves=False).legal_moves is None


def test_the_news_of_the_beginning_names_the_opening() -> None:
    match = waiting_match(opening=("a", "b"))
    started = started_message(match, 1, NAMES, {"columns": 3}, rated=True, tournament="cup")
    assert (started.position, started.opening, started.seat) == ("first 0", ("a", "b"), 1)
    assert (started.names, started.options, started.rated, started.tournament) == (NAMES, {"columns": 3}, True, "cup")


def test_the_news_of_the_end_is_told_to_each_seat() -> None:
    made = table("60+0")
    made.play("a", S)
    made.do(Resigned(1, 2 * S))
    made.save(3 * S)
    (reported,) = made.of_kind(SendMatchEnded)
    first, second = (ended_message(made.match, seat, reported.result) for seat in (0, 1))
    assert (first.result, first.winner, first.score, second.score) == ("1-0", 0, 1.0, 0.0)
    assert (first.ending, first.reason, first.plies, first.last_move) == ("resignation", "bob (Black) resigned", 1, "a")
    assert first.clock_ms == (59_000, 59_000)
    assert first.last_move_account == MoveAccount(server_ms=0, network_ms=0, think_ms=1_000, credit_ms=0)
    assert second.last_move_account is None


def test_a_program_that_failed_is_the_reason_of_its_resignation_and_its_error_is_saved_and_told_to_nobody() -> None:
    made = table("60+0")
    (save,) = made.do(Resigned(1, S, "an IndexError"))
    made.save(S)
    (reported,) = made.of_kind(SendMatchEnded)
    assert reported.result.reason == "bob (Black) resigned: its program failed"
    assert isinstance(save, SaveResult)
    assert save.failure == FailureRecord(match_id=made.match.terms.match_id, seat=1, text="an IndexError")
    received = [ended_message(made.match, seat, reported.result) for seat in (0, 1)]
    assert "IndexError" not in repr([reported, *received, watching_message(made.match, NAMES, S)])


@pytest.mark.parametrize(
    ("ends", "text", "score"),
    [
        (MoveArrived(0, "win", 0, S, S), "1-0", 1.0),
        (MoveArrived(0, "lose", 0, S, S), "0-1", 0.0),
        (MoveArrived(0, "draw", 0, S, S), "1/2-1/2", 0.5),
        (Aborted("the room is closing", S), "*", None),
    ],
)
def test_results_are_written_as_chess_players_do(ends: Event, text: str, score: float | None) -> None:
    made = table("none")
    made.do(ends)
    made.save(S)
    ended = ended_message(made.match, 0, made.of_kind(SendMatchEnded)[0].result)
    assert (ended.result, ended.score, ended.clock_ms) == (text, score, None)


def test_spectators_see_the_committed_state() -> None:
    made = table("60+0")
    made.do(MoveArrived(0, "a", 0, 2 * S, 2 * S, info={"depth": 4, "pv": ["a", "b"]}))
    unsaved = watching_message(made.match, NAMES, 3 * S)
    assert (unsaved.moves, unsaved.thinking_ms, unsaved.clock_ms) == ((), 0, (60_000, 60_000))
    made.save(3 * S)
    seen = watching_message(made.match, NAMES, 4 * S, "cup")
    assert (seen.moves, seen.ply, seen.to_move, seen.last_move) == (("a",), 1, 1, "a")
    assert (seen.clock_ms, seen.thinking_ms, seen.tournament) == ((58_000, 60_000), 1_000, "cup")
    assert seen.info == MoveInfo(depth=4, pv=("a", "b"))


def test_spectators_see_how_it_ended() -> None:
    made = table("10+0")
    made.arrive("a", 11 * S)
    made.save(12 * S)
    seen = watching_message(made.match, NAMES, 13 * S)
    assert (seen.result, seen.ending, seen.to_move, seen.clock_ms) == ("0-1", "time", None, (0, 10_000))
    assert seen.reason.startswith("ann (White) ran out of time")


@pytest.mark.parametrize("encoding", list(Encoding))
def test_every_message_passes_the_codec(encoding: Encoding) -> None:
    made = Table(waiting_match(opening=("a",)))
    started = started_message(made.match, 0, NAMES, {}, rated=False)
    made.do(MatchOpened(0, network_ns=(40 * MS, 0)))
    turn = last_turn(made)
    (refusal,) = made.arrive("x", S)
    assert isinstance(refusal, SendRefusal)
    refused = refused_message(made.match, refusal)
    assert refused == Refused(
        code="illegal_move", message="'x' is not legal", about="move", match=7, ply=1, illegal_left=1
    )
    made.do(DrawOffered(0, 1, S))
    made.play("b", S)
    offered = draw_offered_message(made.match, made.of_kind(SendDrawOffered)[0])
    assert (offered.match, offered.ply) == (7, 2)
    made.play("win", S)
    ended = ended_message(made.match, 1, made.of_kind(SendMatchEnded)[0].result)
    for message in (started, turn, refused, offered, ended, watching_message(made.match, NAMES, S)):
        assert decode_server(encode(message, encoding), encoding) == message
