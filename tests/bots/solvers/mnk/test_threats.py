"""Wins by fours and threes hold against every defence, as judged without the shared code."""

from __future__ import annotations

import functools
import math
import random

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
# X is to move and wins by threes, too; taken from games of the engine against itself
BY_THREES = {
    15: "k5 h6 k7 k6 j8 i8 k8 e9 l8 i9 h10 e10",
    11: "j7 h6 i8 h8 g9 f9 h9 k9 i9 g10 h10 j10",
}
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


def wins_beside(board: Board, side: str, cell: tuple[int, int]) -> set[tuple[int, int]]:
    """The cells on which `side` completes one of the windows through `cell` once it has a stone there."""
    found = set()
    for dx, dy in STEPS:
        for start in range(-4, 1):
            window = [(cell[0] + i * dx, cell[1] + i * dy) for i in range(start, start + 5)]
            stones = [side if at == cell else board.get(at) for at in window]
            if stones.count(side) == 4 and "-" in stones:
                found.add(window[stones.index("-")])
    return found


def plain_win(board: Board, side: str, plies: int) -> bool:
    """Whether `side`, to move, can have a line in so many plies (odd) whatever the other does: every move is tried."""
    other = "XO"["XO".index(side) - 1]
    if plies == 1 or wins_at(board, side):
        return bool(wins_at(board, side))
    threats, empty = wins_at(board, other), {cell for cell, stone in board.items() if stone == "-"}
    if len(threats) > 1:
        return False
    for cell in threats or empty:
        lines = wins_beside(board, side, cell)
        if plies == 3 and len(lines) < 2:
            continue
        replies = lines or empty - {cell}
        if all(plain_win(board | {cell: side, reply: other}, side, plies - 2) for reply in replies):
            return True
    return False


@pytest.mark.slow
def test_wins_are_true_on_small_boards_and_those_by_fours_are_found() -> None:
    asked, lengths = solver(), set[int]()
    for seed in range(40):
        position = played(seed, columns=8)
        found = asked.search(position)
        lengths.add(found.depth)
        assert plain_win(*board_of(position), 3) == (0 < found.depth <= 3), (seed, position.text())
        assert found.depth != 5 or plain_win(*board_of(position), 5), (seed, position.text())
        assert found.depth or not plies_by_fours(position, 3), (seed, position.text())
        if found.depth > 5:
            check_win(asked, position, found.depth)
    assert {0, 1, 3, 5} <= set(lengths)
    assert max(lengths) > 10


def after(moves: str) -> Position:
    position = load_game("connect5").start()
    for move in moves.split():
        position = position.play(move)
    return position


def check_win(asked: ThreatSolver, position: Position, most: int) -> None:
    """The mover wins in `most` plies at most: its moves are the solver's, the replies are all that there are."""
    found = asked.search(position)
    assert 0 < found.depth <= most, position.text()
    assert found.value == MATE - found.depth
    after = position.play(found.pv[0])
    outcome = after.outcome()
    if outcome is not None:
        assert outcome.winner == position.to_move
        return
    board, other = board_of(after)
    side = "XO"["XO".index(other) - 1]
    assert not wins_at(board, other)
    lines, empty = wins_at(board, side), [cell for cell, stone in board.items() if stone == "-"]
    makers = [cell for cell in empty if len(wins_beside(board, side, cell)) > 1]
    for reply in empty:
        if any(cell != reply for cell in lines):
            continue  # the line is made at once
        answered = board | {reply: other}
        if not wins_beside(answered, other, reply) and any(
            cell != reply and len(wins_beside(answered, side, cell)) > 1 for cell in makers
        ):
            continue  # a four at two ends, and the other has none
        check_win(asked, after.play(f"{chr(97 + reply[0])}{reply[1] + 1}"), most - 2)


@pytest.mark.slow
@pytest.mark.parametrize("moves", [THIRTEEN, *BY_THREES.values()])
def test_a_deep_win_holds_against_every_reply(moves: str) -> None:
    asked, position = solver(), after(moves)
    found = asked.search(position)
    assert len(found.pv) == found.depth > 10
    check_win(asked, position, found.depth)
    outcome = functools.reduce(Position.play, found.pv, position).outcome()
    assert outcome is not None
    assert outcome.winner == 0


@pytest.mark.slow
def test_moves_that_are_left_out_lose_and_others_are_left() -> None:
    asked, position = solver(), after(BY_THREES[11] + " a1")  # O is to move, and X would win
    safe = [line.pv[0] for line in asked.search(position).lines]
    assert "l5" in safe
    losing = [move for move in position.legal_moves() if move not in safe]
    assert 0 < len(safe) < len(losing)
    for move in losing[::20]:
        check_win(asked, position.play(move), 15)
    assert asked.search(load_game("connect5").start()).lines == ()


def test_the_player_says_so_at_once() -> None:
    position = after(THIRTEEN)
    player = EnginePlayer(time_s=0.5)
    player.new_match(MatchInfo(match=1, game="connect5"))
    thought = player.choose(request_at(position))
    assert thought.text == "won in 13 plies"
    assert thought.nodes is not None
    assert thought.nodes < 5_000


def test_where_nothing_wins_or_limits_come_first_it_says_nothing() -> None:
    asked, deep = solver(), after(BY_THREES[15])
    for found in (asked.search(load_game("connect5").start()), asked.search(deep, nodes=1)):
        assert (found.depth, found.value, len(found.pv)) == (0, 0, 1)
    stop = StopToken()
    stop.stop()
    assert asked.search(deep, stop=stop).depth == 0
    asked.forget()
    nodes = asked.search(deep).nodes
    assert asked.search(deep).nodes < nodes  # what was proved is remembered ...
    asked.forget()
    assert asked.search(deep).nodes == nodes  # ... until it is to be forgotten


def test_what_is_remembered_of_one_board_is_not_believed_of_a_larger_one() -> None:
    small, large = (load_game("connect5").parse(text) for text in (SIX_ROWS, SEVEN_ROWS))
    asked = solver()
    assert asked.search(small).depth == 0
    assert asked.search(large).depth == plies_by_fours(large, 1) == 3


def test_it_is_not_asked_where_lines_are_short() -> None:
    assert solver("tictactoe").expected_s(load_game("tictactoe").start()) == math.inf
    assert solver().expected_s(load_game("connect5").start()) == 0
