"""Wins by fours are those that a search without the shared code finds, and hold against every reply."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import pytest

from tabiya.bots.players.api import MatchInfo
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.players.search_player import EnginePlayer
from tabiya.bots.search.limits import StopToken
from tabiya.bots.search.scores import MATE
from tabiya.bots.solvers.mnk.solver import ThreatSolver
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.bots.requests import request_at

STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
Board = dict[tuple[int, int], str]
# scattered stones; X is to move and wins in 13 plies
THIRTEEN = "g12 g7 h8 l12 i12 f8 k5 f7 e5 l11 l6 f12 l4 j11 h10 e9 h6 e11 e7 d6"
# X is to move and wins in 3 plies if there is a seventh row
STONES = "-------O------X------OO---OOXO-X------O-------XX--X---X-X----O-----O-O--X--O--------XOX-X-"
SIX_ROWS, SEVEN_ROWS = f"15x6x5 {STONES} X", f"15x7x5 {STONES}{'-' * 15} X"


def solver(name: str = "connect5") -> ThreatSolver:
    return ThreatSolver(evaluator_for(load_game(name)))


def played(seed: int, columns: int = 9) -> Position:
    """A position after random moves, nobody has won."""
    draw, game = random.Random(seed), load_game("connect5")
    while True:
        position = game.start({"columns": columns, "rows": columns})
        for _ in range(draw.randrange(12, 36)):
            if position.outcome() is None:
                position = position.play(draw.choice(position.legal_moves()))
        if position.outcome() is None:
            return position


def board_of(position: Position) -> tuple[Board, str]:
    size, stones, side = position.text().split()
    columns = int(size.split("x")[0])
    return {(i % columns, i // columns): stone for i, stone in enumerate(stones)}, side


def wins_at(board: Board, side: str) -> list[tuple[int, int]]:
    """The cells on which `side` makes five in a row."""

    def length(x: int, y: int, dx: int, dy: int) -> int:
        found = 0
        while board.get((x + dx * (found + 1), y + dy * (found + 1))) == side:
            found += 1
        return found

    return [
        (x, y)
        for (x, y), stone in board.items()
        if stone == "-" and any(1 + length(x, y, dx, dy) + length(x, y, -dx, -dy) >= 5 for dx, dy in STEPS)
    ]


def plain_plies(board: Board, side: str, fours: int) -> int | None:
    """In how many plies `side` wins by at most so many fours, each tried on every cell."""
    other = "XO"["XO".index(side) - 1]
    if wins_at(board, side):
        return 1
    threats = wins_at(board, other)
    if fours == 0 or len(threats) > 1:
        return None
    best: int | None = None
    for cell in threats or [cell for cell, stone in board.items() if stone == "-"]:
        after = board | {cell: side}
        answers = wins_at(after, side)
        plies: int | None = 3 if len(answers) > 1 else None
        if len(answers) == 1:
            rest = plain_plies(after | {answers[0]: other}, side, fours - 1)
            plies = None if rest is None else rest + 2
        if plies is not None and (best is None or plies < best):
            best = plies
    return best


def plies_by_fours(position: Position, most: int) -> int:
    """The answer of the plain search: the fewest fours; 0 if none."""
    board, side = board_of(position)
    return next((plies for fours in range(most + 1) if (plies := plain_plies(board, side, fours))), 0)


@pytest.mark.slow
def test_wins_by_fours_are_those_of_a_plain_search() -> None:
    asked, lengths = solver(), set()
    for seed in range(60):
        position = played(seed)
        found = asked.search(position)
        if found.depth <= 7:
            assert found.depth == plies_by_fours(position, 3), (seed, position.text())
        lengths.add(found.depth)
    assert {0, 1, 3, 5} <= lengths


def after(moves: str) -> Position:
    position = load_game("connect5").start()
    for move in moves.split():
        position = position.play(move)
    return position


def replies(position: Position, forced: str) -> Iterator[Position]:
    """What the defender can do instead of the forced move."""
    for move in position.legal_moves():
        if move != forced:
            yield position.play(move)


def test_a_deep_win_holds_against_every_other_reply() -> None:
    position = after(THIRTEEN)
    found = solver().search(position)
    assert found.depth == len(found.pv) == 13
    assert found.value == MATE - 13
    for i in range(0, found.depth - 1, 2):
        position = position.play(found.pv[i])
        for other in replies(position, found.pv[i + 1]):
            assert other.outcome() is None
            assert wins_at(*board_of(other))
        position = position.play(found.pv[i + 1])
    outcome = position.play(found.pv[-1]).outcome()
    assert outcome is not None
    assert outcome.winner == 0


def test_the_player_says_so_at_once() -> None:
    position = after(THIRTEEN)
    player = EnginePlayer(time_s=0.5)
    player.new_match(MatchInfo(match=1, game="connect5"))
    thought = player.choose(request_at(position))
    assert thought.text == "won in 13 plies"
    assert thought.nodes is not None
    assert thought.nodes < 5_000


def test_where_nothing_wins_or_limits_come_first_it_says_nothing() -> None:
    asked = solver()
    for found in (asked.search(load_game("connect5").start()), asked.search(after(THIRTEEN), nodes=1)):
        assert (found.depth, found.value, len(found.pv)) == (0, 0, 1)
    stop = StopToken()
    stop.stop()
    assert asked.search(after(THIRTEEN), stop=stop).depth == 0
    asked.forget()
    assert asked.search(after(THIRTEEN)).depth == 13


def test_what_is_remembered_of_one_board_is_not_believed_of_a_larger_one() -> None:
    small, large = (load_game("connect5").parse(text) for text in (SIX_ROWS, SEVEN_ROWS))
    asked = solver()
    assert asked.search(small).depth == 0
    assert asked.search(large).depth == plies_by_fours(large, 1) == 3


def test_it_is_not_asked_where_lines_are_short() -> None:
    assert solver("tictactoe").expected_s(load_game("tictactoe").start()) == math.inf
    assert solver().expected_s(load_game("connect5").start()) == 0
