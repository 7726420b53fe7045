"""Replays: the same positions as playing move by move, whatever is asked for first."""

from __future__ import annotations

from random import Random

import pytest

from tabiya.games.errors import GameError
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tabiya.server.web.pages.charts import HEIGHT, thinking_chart
from tabiya.server.web.schemas.responses import MoveLine
from tabiya.server.web.views import replays
from tabiya.server.web.views.replays import ReplayCache
from tests.present import present

GAME = load_game("tictactoe")
START = GAME.start().text()
MOVES = ("a1", "a2", "b1", "b2", "c1")


def positions(moves: tuple[str, ...]) -> list[Position]:
    chain = [GAME.start()]
    for move in moves:
        chain.append(chain[-1].play(move))
    return chain


def test_every_picture_is_that_of_the_position_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "MAX_CHECKPOINTS", 2)
    kept, expected = ReplayCache(), [GAME.svg(position) for position in positions(MOVES)]
    plies = [*range(6), *range(6)]
    Random(7).shuffle(plies)
    for ply in plies:
        assert GAME.svg(kept.position(1, GAME.name, START, MOVES, ply)) == expected[ply]


def test_a_long_game_keeps_few_positions() -> None:
    game = load_game("nim")
    position = game.start({"heaps": "63,63,63"})
    replay = replays.Replay(position, game.readable_move)
    moves = [f"{heap}1" for heap in "abc" for _ in range(63)]
    replay.extend(moves)
    assert len(replay._checkpoints) <= replays.MAX_CHECKPOINTS + 1
    for ply in (0, 1, 62, 63, 64, 100, 188, 189):
        assert replay.position(ply).moves == tuple(moves[:ply])


def test_a_match_that_goes_on_is_continued_and_another_one_begun_anew() -> None:
    kept = ReplayCache()
    assert kept.shown(1, GAME.name, START, MOVES[:2]).position == positions(MOVES[:2])[-1].text()
    assert kept.shown(1, GAME.name, START, MOVES).readable == MOVES
    assert kept.shown(1, GAME.name, START, MOVES[:2]).readable == MOVES[:2]
    other = ("b2", "a1")
    assert kept.shown(1, GAME.name, START, other).position == positions(other)[-1].text()


def test_whose_turn_it_is_ends_with_the_game() -> None:
    assert ReplayCache().shown(1, GAME.name, START, MOVES[:3]).to_move == 1
    assert ReplayCache().shown(1, GAME.name, START, MOVES).to_move is None


def test_moves_that_are_not_legal_are_an_error_and_leave_nothing_behind() -> None:
    kept = ReplayCache()
    with pytest.raises(GameError):
        kept.shown(1, GAME.name, START, ("a1", "a1"))
    assert kept.shown(1, GAME.name, START, MOVES).readable == MOVES


def test_so_many_matches_are_kept_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "MAX_MATCHES", 3)
    kept = ReplayCache()
    for number in range(10):
        kept.shown(number, GAME.name, START, MOVES)
    assert [number for number, _ in kept._kept] == [7, 8, 9]


def line(ply: int, think_ms: float, *, opening: bool = False) -> MoveLine:
    return MoveLine(
        ply=ply,
        seat=ply % 2,
        move="a1",
        readable="a1",
        opening=opening,
        clock_ms=None,
        think_ms=think_ms,
        credit_ms=0,
        network_ms=0,
        server_ms=0,
        standstill_ms=0,
        claimed_ms=None,
        forgiven_ms=0,
        illegal_moves=0,
        draw_offer=None,
        info=None,
        sent_at=None,
        at=0,
    )


def test_the_chart_has_the_first_players_bars_upwards_and_the_longest_to_the_edge() -> None:
    assert thinking_chart([]) is None
    assert thinking_chart([line(0, 0, opening=True)]) is None
    chart = present(thinking_chart([line(0, 0, opening=True), line(1, 50), line(2, 100), line(3, 0)]))
    assert chart.longest_ms == 100
    assert [(bar.ply, bar.top, bar.height) for bar in chart.bars] == [
        (1, HEIGHT, HEIGHT / 2),
        (2, 0, HEIGHT),
        (3, HEIGHT, 0.6),
    ]
