"""Positions of all games for the tests of book forms and twins."""

from __future__ import annotations

import functools

from tabiya.bots.textbook.board import Board, LeafEvaluator
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.bots.textbook.node import Wins
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.bots.positions import unfinished

SEED = 211
# plies that leave a book form fast enough for a test
DEPTHS = {"nim": 3, "tictactoe": 4, "connect5": 1, "reversi": 3, "chess": 2, "chess960": 2}


@functools.cache
def positions(name: str, count: int = 6) -> tuple[Position, ...]:
    """Unfinished positions, as many of one seat as of the other."""
    return unfinished(name, count, SEED)


def leaf_evaluator_for(
    name: str, grain: int = 1, quiescence: bool = False, wins: Wins = Wins.SOONER, near: bool = False
) -> LeafEvaluator:
    """The game's own evaluation."""
    return LeafEvaluator(book_evaluator(load_game(name)), grain, quiescence, wins, near)


def board(name: str, text: str | None = None, leaf_evaluator: LeafEvaluator | None = None) -> Board:
    """A position by its text, the start without one."""
    game = load_game(name)
    return Board(game.parse(text) if text else game.start(), leaf_evaluator or leaf_evaluator_for(name))
