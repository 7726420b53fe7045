"""Our words in Lichess's, without a server."""

from __future__ import annotations

import asyncio

import pytest

from tabiya.games.endings import Ending
from tabiya.lichess.app import START_GAP_S, lines
from tabiya.lichess.feed import MOST_LINES, Feed
from tabiya.lichess.forms import STATUS_NUMBERS, USUAL_START, initial_fen, profile, speed, status_of, time_control, user
from tabiya.lichess.game import Game
from tabiya.protocol.messages import Clocks, History, MatchEnded, MatchStarted, Turn
from tabiya.protocol.time_control import parse
from tests.virtual_time import virtual_time

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


def game(seat: int = 0, **begun: object) -> Game:
    """A match that has just begun."""
    usual: dict[str, object] = {"game": "chess", "position": USUAL_START, "time_control": "60+1", "rated": True}
    reported = usual | begun
    players = (user("ada", 1_500, 0), user("bea", 1_612, 40))
    message = MatchStarted(match=7, seat=seat, names=("ada", "bea"), **reported)  # type: ignore[arg-type]
    return Game(message, players, 1_000)


def turn(ply: int, last_move: str | None, position: str = USUAL_START, **more: object) -> Turn:
    """A turn of that ply."""
    reported: dict[str, object] = {
        "match": 7,
        "game": "chess",
        "position": position,
        "seat": ply % 2,
        "ply": ply,
        "last_move": last_move,
        "history": History(position=position),
        "clock_ms": Clocks(you=59_000, opponent=58_000),
        "time_control": "60+1",
        "move_limit_ms": 59_000,
    }
    return Turn(**(reported | more))  # type: ignore[arg-type]


def test_every_ending_has_a_status_that_lichess_knows() -> None:
    statuses = {ending: status_of(ending, 0) for ending in Ending}
    assert set(statuses.values()) <= STATUS_NUMBERS.keys()
    assert statuses[Ending.CHECKMATE] == "mate"
    assert statuses[Ending.ILLEGAL_MOVES] == "unknownFinish"
    assert status_of(Ending.FIFTY_MOVES, None) == "draw"
    assert status_of(Ending.ABORTED, None) == "aborted"


@pytest.mark.parametrize(
    ("text", "called", "reported"),
    [
        ("1+0.1", "bullet", {"type": "clock", "limit": 1, "increment": 0.1, "show": "0.0166667+0.1"}),
        ("180+2", "blitz", {"type": "clock", "limit": 180, "increment": 2, "show": "3+2"}),
        ("600", "rapid", {"type": "clock", "limit": 600, "increment": 0, "show": "10+0"}),
        ("3600", "classical", {"type": "clock", "limit": 3_600, "increment": 0, "show": "60+0"}),
        ("40/60", "bullet", {"type": "unlimited"}),
        ("2/move", "bullet", {"type": "unlimited"}),
        ("none", "bullet", {"type": "unlimited"}),
    ],
)
def test_time_controls_have_a_class_and_a_form(text: str, called: str, reported: dict[str, object]) -> None:
    assert (speed(parse(text)), time_control(text)) == (called, reported)


def test_an_opening_is_moves_already_played_and_another_start_is_from_position() -> None:
    assert game(opening=("e2e4",)).state()["moves"] == "e2e4"
    full = game(position=AFTER_E4).full()
    assert (full["initialFen"], full["variant"]["key"]) == (AFTER_E4, "fromPosition")
    assert initial_fen("chess", USUAL_START) == "startpos"


def test_chess960_is_a_variant_with_its_start_and_a_rating_of_its_own() -> None:
    played = game(game="chess960")
    full, summary = played.full(), played.summary()
    assert (full["initialFen"], full["variant"]["key"], full["speed"]) == (USUAL_START, "chess960", "bullet")
    assert (full["perf"], summary["perf"], summary["speed"]) == ({"name": "Chess960"}, "chess960", "bullet")
    assert summary["variant"] == full["variant"]
    perfs = profile("ada", {"chess": (1_500, 0), "chess960": (1_700, 40)})["perfs"]
    assert [(perfs[kind]["rating"], perfs[kind]["prov"]) for kind in ("blitz", "chess960")] == [
        (1_500, True),
        (1_700, False),
    ]


def test_the_clock_shows_what_is_left_of_it_until_the_server_says() -> None:
    played = game()
    assert played.turn(turn(0, None), 5_000)
    played.played("e2e4", 7_500, offers_draw=True)
    state = played.state()
    assert (state["wtime"], state["btime"], state["wdraw"]) == (59_000 - 2_500 + 1_000, 58_000, True)


def test_a_match_without_clocks_shows_the_limit_of_the_move() -> None:
    played = game(time_control="2/move")
    assert played.turn(turn(0, None, clock_ms=None, move_limit_ms=2_000), 0)
    assert (played.state()["wtime"], played.state()["btime"]) == (2_000, 2_000)


def test_a_move_that_was_not_taken_is_taken_back_and_missing_moves_are_noticed() -> None:
    played = game()
    played.played("e2e4", 0, offers_draw=False)
    assert played.turn(turn(0, None), 0)
    assert played.moves == []
    assert not played.turn(turn(4, "e7e5"), 0)


def test_the_end_has_the_moves_that_counted() -> None:
    played = game()
    played.played("e2e4", 0, offers_draw=False)
    ended = MatchEnded(
        match=7, game="chess", seat=0, result="0-1", winner=1, score=0.0, ending="time", position=USUAL_START,
        last_move=None, plies=0, clock_ms=(0, 60_000),
    )  # fmt: skip
    played.ended(ended)
    assert played.state() | {"moves": "", "status": "outoftime", "winner": "black", "wtime": 0} == played.state()


@virtual_time
async def test_games_that_begin_at_once_are_told_one_after_the_other() -> None:
    feed = Feed()
    for kind in ("gameStart", "gameStart", "challenge"):
        feed.put({"type": kind})
    feed.end()
    sent_s = [asyncio.get_running_loop().time() async for _ in lines(feed)]
    assert [round(at_s - sent_s[0], 3) for at_s in sent_s] == [0, START_GAP_S, 2 * START_GAP_S]


@virtual_time
async def test_a_slow_reader_of_a_stream_is_cut() -> None:
    feed = Feed()
    for number in range(2 * MOST_LINES):
        feed.put({"number": number})
    lines = [await feed.next(1) for _ in range(MOST_LINES + 1)]
    assert lines[-2:] == [{"number": MOST_LINES - 1}, None]
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(feed.next(0), 1)
