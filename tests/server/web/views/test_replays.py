"""Replays: the same positions as playing move by move, whatever is asked for first."""

from __future__ import annotations

from random import Random

import pytest

from tabiya.games.errors import GameError
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tabiya.server.web.views import replays
from tabiya.server.web.views.replays import ReplayCache, expected_line

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


def test_an_expected_line_is_told_as_far_as_it_can_be_played() -> None:
    game = load_game("chess")
    start = game.start()
    line = expected_line(game, start, ["e2e4", "e7e5", "g1f3", "e1e8", "b8c6"])
    assert [move.readable for move in line] == ["e4", "e5", "Nf3"]
    assert [*line[0].mark] == [51, 71, 51, 51]  # from the middle of e2 to that of e4
    assert expected_line(game, start, ["e2e4"], seat=1)[0].mark[:2] == (41, 21)
    assert [*expected_line(game, start, [7, "e2e4"])] == []
    assert len(expected_line(game, start, ["g1f3", "g8f6", "f3g1", "f6g8"] * 5)) == replays.MAX_LINE
    assert [[*move.mark] for move in expected_line(GAME, GAME.start(), ["b2"])] == [[19, 19]]


def test_a_match_is_filmed_from_both_sides_and_the_film_goes_on_with_it() -> None:
    game, moves = load_game("chess"), ("e2e4", "e7e5", "g1f3")
    kept, start = ReplayCache(), game.start()
    with kept.replay(1, game.name, start.text(), moves[:1]) as replay:
        assert len(replay.sequence(game, 0).frames) == 2
    with kept.replay(1, game.name, start.text(), moves) as replay:
        for seat in (0, 1):
            sequence, position = replay.sequence(game, seat), start
            for ply, move in enumerate((*moves, "")):
                assert sequence.picture(ply) == game.svg(position, seat)
                position = position.play(move) if move else position
        assert [counted.tally for counted in replay.counted(game)] == [("", "")] * 4
