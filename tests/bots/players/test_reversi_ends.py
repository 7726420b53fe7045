"""The last empty squares of reversi are solved exactly, as a few lines of Python on `Position` solve them."""

from __future__ import annotations

import random

import pytest

from bots.engine.engine import Engine
from bots.players.catalogue import brain_for
from bots.search.searcher import Search, Searcher
from bots.search.values import WON
from games.position import Position
from games.registry import load_game

pytestmark = pytest.mark.slow


def late_positions(empties: int, count: int, seed: int) -> list[Position]:
    """Positions of random games with so many empty squares, the game not over."""
    draw, found = random.Random(seed), list[Position]()
    while len(found) < count:
        position = load_game("reversi").start()
        while position.outcome() is None and position.text().count("-") > empties:
            position = position.play(draw.choice(position.legal_moves()))
        if position.outcome() is None:
            found.append(position)
    return found


def best_margin(position: Position, low: int = -65, high: int = 65) -> int:
    """The disc difference of perfect play for the side to move, empty squares going to the winner."""
    if position.outcome() is not None:
        squares = position.text()[:64]
        mine, theirs = ("X", "O") if position.to_move == 0 else ("O", "X")
        lead, empty = squares.count(mine) - squares.count(theirs), squares.count("-")
        return lead + empty if lead > 0 else lead - empty if lead < 0 else 0
    for move in position.legal_moves():
        low = max(low, -best_margin(position.play(move), -high, -low))
        if low >= high:
            break
    return low


def margin(value: int) -> int:
    return 0 if value == 0 else value - int(WON) if value > 0 else value + int(WON)


@pytest.mark.parametrize("empties", [1, 4, 6, 7])
def test_every_search_deep_enough_finds_the_exact_margin(empties: int) -> None:
    brain = brain_for(load_game("reversi"))
    engines: list[Engine | Searcher] = [
        Engine(brain, table_mb=1),
        *(Searcher(brain, algorithm) for algorithm in Search),
    ]
    for position in late_positions(empties, 6, seed=61):
        exact = best_margin(position)
        for engine in engines:
            found = engine.search(position, depth=2 * empties)
            assert margin(found.value) == exact, position
            assert found.exact


def test_the_playing_engine_solves_twelve_empties_whatever_depth_it_is_given() -> None:
    playing = Engine(brain_for(load_game("reversi")))
    plain = Searcher(brain_for(load_game("reversi")), Search.ALPHABETA)
    for position in late_positions(9, 4, seed=62):
        solved = playing.search(position, depth=1)
        assert solved.exact
        assert solved.value == plain.search(position, depth=18).value
    for position in late_positions(12, 3, seed=63):
        assert playing.search(position, depth=1).exact
