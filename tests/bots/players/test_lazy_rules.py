"""A match goes on: its position is made from the one before, and is the same as from the beginning."""

from __future__ import annotations

import random

import pytest

from tabiya.bots.players import lazy_rules
from tabiya.bots.players.lazy_rules import MOST_KEPT, position_of, request_at
from tabiya.games.errors import IllegalMove
from tabiya.games.position import Position
from tabiya.games.registry import load_game

ROOKS = "4k3/8/8/3r4/8/8/2R5/4K3 w - - 0 1"


def shuffled(count: int, seed: int) -> list[str]:
    """So many moves without captures, legal from ROOKS on."""
    draw, position, moves = random.Random(seed), load_game("chess").parse(ROOKS), list[str]()
    while len(moves) < count:
        move = draw.choice(position.legal_moves())
        after = position.play(move)
        if after.outcome() is None and after.text().lower().count("r") == 2:
            position = after
            moves.append(move)
    return moves


def afresh(moves: list[str]) -> Position:
    position = load_game("chess").parse(ROOKS)
    for move in moves:
        position = position.play(move)
    return position


def test_a_position_that_goes_on_from_the_last_one_is_the_same_as_from_the_beginning() -> None:
    moves = shuffled(30, 5)
    for end in (0, 2, 4, 30, 30):
        found, expected = position_of("chess", ROOKS, moves[:end]), afresh(moves[:end])
        assert (found.text(), found.moves, found.history()) == (expected.text(), expected.moves, expected.history())
        assert found.earlier_keys == expected.earlier_keys
        assert found.repetitions() == expected.repetitions()


def test_only_what_is_new_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    moves, played, play = shuffled(12, 6), list[str](), Position.play
    position_of("chess", ROOKS, moves[:10])

    def noted(position: Position, move: str) -> Position:
        played.append(move)
        return play(position, move)

    monkeypatch.setattr(Position, "play", noted)
    position_of("chess", ROOKS, moves)
    assert played == moves[10:]


def test_another_match_from_the_same_position_and_a_move_taken_back_are_not_mixed_up() -> None:
    for moves in (shuffled(8, 7), shuffled(8, 8), shuffled(4, 8), []):
        assert position_of("chess", ROOKS, tuple(moves)).text() == afresh(moves).text()


def test_an_illegal_move_is_refused_and_spoils_nothing() -> None:
    moves = shuffled(6, 9)
    position_of("chess", ROOKS, moves)
    with pytest.raises(IllegalMove):
        position_of("chess", ROOKS, [*moves, "a1a1"])
    assert position_of("chess", ROOKS, moves).text() == afresh(moves).text()


def test_not_more_positions_are_kept_than_a_process_plays_matches() -> None:
    for number in range(2 * MOST_KEPT):
        position_of("nim", load_game("nim").start({"heaps": f"{number % 60 + 1},{number // 60 + 1}"}).text(), [])
    assert len(lazy_rules._latest) <= MOST_KEPT


def test_a_question_about_a_position_leads_back_to_it() -> None:
    position = afresh(shuffled(9, 9))
    asked = request_at(position, match=7, budget_s=1.5, seed=3)
    assert position_of(asked.game, asked.history_position, asked.history_moves).text() == position.text()
    assert (asked.match, asked.seat, asked.ply, asked.budget_s, asked.seed) == (7, 1, 9, 1.5, 3)
    assert (asked.position, asked.last_move) == (position.text(), position.last_move)
    assert asked.legal_moves == position.legal_moves()
