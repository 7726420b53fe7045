"""The windows counted by the word equal those counted one cell after the other."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from tabiya.bots.evaluators.mnk.lines import (
    OPEN,
    STEPS,
    answers_to_open_threes,
    count_windows,
    has_double,
    near_stones,
    write_cells,
)
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.kernels import called

pytestmark = pytest.mark.slow
near_stones, count_windows, write_cells = called(near_stones), called(count_windows), called(write_cells)
answers_to_open_threes, has_double = called(answers_to_open_threes), called(has_double)
SIZES = [(3, 3, 3), (5, 5, 5), (15, 15, 5), (20, 20, 5), (7, 20, 5), (20, 6, 5)]
Cells = dict[tuple[int, int], str]
Window = tuple[int, int, int, int]  # its first cell's column and row, and the step to the next


def random_board(columns: int, rows: int, k: int, seed: int) -> Position:
    """A board with random stones of equal number, no line finished."""
    draw, game = random.Random(seed), load_game("tictactoe" if k == 3 else "connect5")
    while True:
        stones = draw.randrange(0, columns * rows // 4 + 1)
        cells = list("X" * stones + "O" * stones + "-" * (columns * rows - 2 * stones))
        draw.shuffle(cells)
        position = (
            game.parse(f"{columns}x{rows}x{k} {''.join(cells)} {'XO'[seed % 2]}")
            if not lined(cells, columns, k)
            else None
        )
        if position is not None:
            return position


def lined(cells: list[str], columns: int, k: int) -> bool:
    board = read(cells, columns)
    return any(set(window) in ({"X"}, {"O"}) for _, window in windows(board, k))


def read(cells: list[str] | str, columns: int) -> Cells:
    return {(i % columns, i // columns): stone for i, stone in enumerate(cells)}


def windows(board: Cells, k: int) -> list[tuple[Window, str]]:
    """Every k cells in a row: (x, y, dx, dy) and the stones."""
    found = []
    for x, y in board:
        for dx, dy in STEPS:
            cells = [(x + i * dx, y + i * dy) for i in range(k)]
            if all(cell in board for cell in cells):
                found.append(((x, y, dx, dy), "".join(board[cell] for cell in cells)))
    return found


@pytest.mark.parametrize(("columns", "rows", "k"), SIZES)
def test_windows_pairs_and_winning_cells_are_those_of_a_plain_count(columns: int, rows: int, k: int) -> None:
    for seed in range(20):
        position = random_board(columns, rows, k, seed)
        counts, winning = count_windows(position.state)
        board = read(position.text().split()[1], columns)
        for who, stone in enumerate(seats(position)):
            mine = lacking(board, k, stone)
            expected = Counter(mine.values())
            assert [counts[who, m] for m in range(1, k)] == [expected[m] for m in range(1, k)], (seed, who)
            assert counts[who, OPEN] == len(pairs(board, mine)), (seed, who)
            assert written(winning[who], position) == empty_cells(board, [w for w, m in mine.items() if m == 1], k)


@pytest.mark.parametrize(("columns", "rows", "k"), SIZES)
def test_answers_to_open_threes_are_those_of_a_plain_count(columns: int, rows: int, k: int) -> None:
    some = 0
    for seed in range(40):
        position = random_board(columns, rows, k, seed)
        cells = answers_to_open_threes(position.state)
        board = read(position.text().split()[1], columns)
        mine, theirs = (lacking(board, k, stone) for stone in seats(position))
        fours = empty_cells(board, [window for window, missing in mine.items() if missing == 2], k)
        threes = [empty_cells(board, [*pair], k) for pair in pairs(board, theirs)]
        if threes:
            answers = fours | set.intersection(*threes)
            assert written(cells, position) in ([answers] if answers else threes), seed
            some += 1
    assert some > 5 or min(columns, rows) < 7


@pytest.mark.parametrize(("columns", "rows", "k"), SIZES)
def test_doubles_are_those_of_a_plain_count(columns: int, rows: int, k: int) -> None:
    seen = set()
    for seed in range(60):
        position = random_board(columns, rows, k, seed)
        board = read(position.text().split()[1], columns)
        mine = lacking(board, k, seats(position)[0])
        by_step = list[tuple[set[tuple[int, int]], set[tuple[int, int]]]]()
        for step in STEPS:
            along = {window: missing for window, missing in mine.items() if window[2:] == step}
            fours = empty_cells(board, [window for window, missing in along.items() if missing == 2], k)
            of_both = [
                empty_cells(board, [one], k) & empty_cells(board, [other], k) for one, other in pairs(board, along, 3)
            ]
            by_step.append((fours, set().union(*of_both)))
        expected = any(by_step[i][0] & (by_step[j][0] | by_step[j][1]) for i in range(4) for j in range(4) if i != j)
        assert bool(has_double(position.state)) == expected, seed
        seen.add(expected)
    assert seen == {False, True} or columns == rows == k


def seats(position: Position) -> str:
    """The stones of who moves and of who does not."""
    return "XO" if position.to_move == 0 else "OX"


def lacking(board: Cells, k: int, stone: str) -> dict[Window, int]:
    """The windows that only `stone` is in, and how many it lacks."""
    return {at: k - w.count(stone) for at, w in windows(board, k) if set(w) <= {stone, "-"} and stone in w}


def pairs(board: Cells, mine: dict[Window, int], missing: int = 2) -> list[tuple[Window, Window]]:
    """Windows that lack so many stones and begin on none, each with the next one if that lacks as many."""
    both = [((x, y, dx, dy), (x + dx, y + dy, dx, dy)) for (x, y, dx, dy) in mine if board[x, y] == "-"]
    return [pair for pair in both if mine[pair[0]] == mine.get(pair[1]) == missing]


def written(words: np.ndarray[tuple[int, ...], np.dtype[np.uint64]], position: Position) -> set[tuple[int, int]]:
    moves, columns = np.zeros(400, np.int32), int(position.state.columns)
    count = write_cells(words, position.state, moves)
    assert len(set(moves[:count].tolist())) == count
    return {(cell % columns, cell // columns) for cell in moves[:count].tolist()}


def empty_cells(board: Cells, some: list[Window], k: int) -> set[tuple[int, int]]:
    """Where nobody stands in these windows."""
    cells = {(x + i * dx, y + i * dy) for (x, y, dx, dy) in some for i in range(k)}
    return {cell for cell in cells if board[cell] == "-"}


@pytest.mark.parametrize(("columns", "rows", "k"), [size for size in SIZES if size[0] * size[1] > 36])
def test_cells_near_stones_are_those_within_two_columns_and_rows(columns: int, rows: int, k: int) -> None:
    for seed in range(20):
        position = random_board(columns, rows, k, seed)
        near = near_stones(position.state, 2)
        board = read(position.text().split()[1], columns)
        stones = [cell for cell, stone in board.items() if stone != "-"]
        expected = {
            (x, y)
            for (x, y), stone in board.items()
            if stone == "-" and any(max(abs(x - sx), abs(y - sy)) <= 2 for sx, sy in stones)
        }
        assert written(near, position) == expected
