"""Endings of three and four men: found again by plain sets, by the rules of the game, and won by the engine."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from scripts.endgames.check import check, set_up
from scripts.endgames.games import best_defence, fen_of, play
from scripts.endgames.jit import njit
from scripts.endgames.retrograde import STARTS, solve
from tabiya.bots.engine.engine import Engine
from tabiya.bots.evaluators.chess.bitbase import FILE, result_of
from tabiya.bots.evaluators.chess.endgame_index import TABLES
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.games.chess.board import STATE
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tabiya.games.rules import DRAW

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

Plain = tuple[int, int, int, int]  # side to move, White's king, Black's, White's man
STEPS = {
    "R": ((1, 0), (-1, 0), (0, 1), (0, -1)),
    "B": ((1, 1), (1, -1), (-1, 1), (-1, -1)),
    "N": ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)),
}
STEPS["Q"] = STEPS["K"] = STEPS["R"] + STEPS["B"]


@functools.cache
def line(square: int, step: tuple[int, int], far: bool) -> tuple[int, ...]:
    """The squares from one on in a direction, or the first alone."""
    found = list[int]()
    x, y = square % 8 + step[0], square // 8 + step[1]
    while 0 <= x < 8 and 0 <= y < 8 and (far or not found):
        found.append(8 * y + x)
        x, y = x + step[0], y + step[1]
    return tuple(found)


@functools.cache
def king_steps(square: int) -> frozenset[int]:
    return frozenset(goal for step in STEPS["K"] for goal in line(square, step, False))


@functools.cache
def attacked(letter: str, square: int, blocker: int) -> frozenset[int]:
    """What White's man attacks; blocker: the square of White's king. Black's king shields nothing."""
    if letter == "P":
        return frozenset(goal for step in ((-1, 1), (1, 1)) for goal in line(square, step, False))
    found = set()
    for step in STEPS[letter]:
        for goal in line(square, step, letter in "QRB"):
            found.add(goal)
            if goal == blocker:
                break
    return frozenset(found)


def white_moves(letter: str, white: int, black: int, man: int) -> Iterator[tuple[str, int, int]]:
    """What White's man is afterwards, White's king, its man."""
    for king in king_steps(white) - king_steps(black) - {man, black}:
        yield letter, king, man
    if letter == "P":
        if man + 8 not in (white, black):
            if man > 47:
                yield from ((kind, white, man + 8) for kind in "QRBN")
            else:
                yield letter, white, man + 8
            if man < 16 and man + 16 not in (white, black):
                yield letter, white, man + 16
        return
    for step in STEPS[letter]:
        for goal in line(man, step, letter in "QRB"):
            if goal in (white, black):
                break
            yield letter, white, goal


def seen(letter: str, side: int, white: int, black: int, man: int) -> Plain:
    """The same position with White's king on the left half, without pawns in the lower one, too."""
    turn = (7 if white % 8 > 3 else 0) ^ (56 if letter != "P" and white > 31 else 0)
    return side, white ^ turn, black ^ turn, man ^ turn


def all_positions(letter: str) -> Iterator[Plain]:
    """Every position as `seen` has it."""
    for white in (square for square in range(64) if square % 8 < 4 and (letter == "P" or square < 32)):
        for black in set(range(64)) - king_steps(white) - {white}:
            for man in set(range(8, 56) if letter == "P" else range(64)) - {white, black}:
                yield 1, white, black, man
                if black not in attacked(letter, man, white):
                    yield 0, white, black, man


@functools.cache
def plain_wins(letter: str) -> tuple[frozenset[Plain], frozenset[Plain]]:
    """All positions of White's king and this man against a king, and those that White wins."""
    positions = frozenset(all_positions(letter))
    before, left, won = defaultdict[Plain, list[Plain]](list), dict[Plain, int](), list[Plain]()
    for here in positions:
        side, white, black, man = here
        if side == 0:
            for kind, king, at in white_moves(letter, white, black, man):
                after = seen(kind, 1, king, black, at)
                if kind == letter:
                    before[after].append(here)
                elif after in plain_wins(kind)[1]:
                    won.append(here)
            continue
        hit = attacked(letter, man, white)
        steps = king_steps(black) - king_steps(white) - {white} - hit
        left[here] = len(steps)
        if not steps and black in hit:
            won.append(here)
        for goal in steps - {man}:  # else bare kings
            before[seen(letter, 0, white, goal, man)].append(here)
    found = set[Plain]()
    while won:
        here = won.pop()
        if here not in found:
            found.add(here)
            for earlier in before[here]:
                left[earlier] = left.get(earlier, 1) - 1
                if left[earlier] <= 0:
                    won.append(earlier)
    return positions, frozenset(found)


@njit
def results(table: Any, positions: Any, records: Any, found: Any) -> None:
    squares = np.full(4, -1)
    for i in range(len(positions)):
        squares[:3] = positions[i, 1:]
        set_up(table, positions[i, 0], squares, records[0])
        found[i] = result_of(records[0])


@pytest.mark.parametrize("letter", list("QRBNP"))
def test_with_three_men_every_position_is_what_a_plain_search_back_from_the_mates_finds(letter: str) -> None:
    positions, won = plain_wins(letter)
    listed, found = sorted(positions), np.zeros(len(positions), np.int64)
    records = np.zeros(1, STATE).view(np.recarray)
    results(TABLES.index(f"K{letter}K"), np.array(listed), records, found)
    assert [result == 0 for result in found.tolist()] == [position in won for position in listed]
    assert set(found.tolist()) <= {0, DRAW}
    assert (letter in "QRP") == bool(won)


@functools.cache
def values() -> Any:
    """Of the tables up to king and pawn against king."""
    return solve(["KPK"])


def longest(name: str) -> int:
    """The most moves that White, to move, needs to win."""
    table = TABLES.index(name)
    to_move = values()[STARTS[table] : (STARTS[table] + STARTS[table + 1]) // 2]
    return int(to_move[to_move % 2 == 0].max()) // 2


def test_the_longest_mates_are_as_long_as_published() -> None:
    assert [longest(name) for name in ("KQK", "KRK", "KPK")] == [10, 16, 28]


def test_values_agree_with_the_rules_and_with_the_file_and_what_does_not_is_found() -> None:
    for name, compared, wrong in check(values(), every=13, first=5, names=("KQK", "KRK", "KPK")):
        assert (compared > 1_000, wrong) == (True, []), name
    spoiled = values().copy()
    spoiled[STARTS[1] + np.flatnonzero(spoiled[STARTS[1] : STARTS[2]] == 9)[0]] = 11
    assert [bool(wrong) for _, _, wrong in check(spoiled, names=("KRK",))] == [True]


def test_the_engine_mates_against_the_defence_that_lasts_longest() -> None:
    engine, table = Engine(evaluator_for(load_game("chess")), table_mb=4), TABLES.index("KRK")
    to_move = values()[STARTS[table] : (STARTS[table] + STARTS[table + 1]) // 2]
    start = load_game("chess").parse(fen_of(table, int(np.flatnonzero(to_move == 32)[0])))
    won, moves = play(engine, start, 2_000, best_defence(values()))
    assert won
    assert moves < 30


@pytest.mark.parametrize(
    "start",
    [
        pytest.param("7k/8/8/8/8/8/8/KBN5 w - - 0 1", id="bishop and knight"),
        pytest.param("8/8/3k4/8/2r5/8/8/1KQ5 w - - 0 1", id="queen against rook"),
        pytest.param("8/8/8/3k4/4p3/8/8/R1K5 w - - 0 1", id="rook against pawn"),
    ],
)
def test_the_engine_wins_hard_endings_from_another_that_searches_as_far(start: str) -> None:
    first, second = (Engine(evaluator_for(load_game("chess")), table_mb=4) for _ in range(2))

    def defend(position: Position) -> str:
        return second.search(position, nodes=2_000).move

    assert play(first, load_game("chess").parse(start), 10_000, defend)[0]


def test_the_file_is_small() -> None:
    assert FILE.stat().st_size < 11_000_000
