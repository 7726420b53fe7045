"""The windows counted by the word equal those counted one cell after the other."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from bots.players.mnk_lines import COUNTS, OPEN, STEPS, WORDS, near_stones, scan, write_cells
from games.position import Position
from games.registry import load_game
from tests.kernels import called

pytestmark = pytest.mark.slow
near_stones, scan, write_cells = called(near_stones), called(scan), called(write_cells)
SIZES = [(3, 3, 3), (5, 5, 5), (15, 15, 5), (20, 20, 5), (7, 20, 5), (20, 6, 5)]
Cells = dict[tuple[int, int], str]


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


def windows(board: Cells, k: int) -> list[tuple[tuple[int, int, int, int], str]]:
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
        counts, winning = np.zeros((2, COUNTS), np.int64), np.zeros((2, WORDS), np.uint64)
        scan(position.state, counts, winning)
        board = read(position.text().split()[1], columns)
        for who, stone, other in ((0, *"XO"), (1, *"OX")) if position.to_move == 0 else ((0, *"OX"), (1, *"XO")):
            mine = {at: k - w.count(stone) for at, w in windows(board, k) if other not in w and stone in w}
            expected = Counter(mine.values())
            assert [counts[who, m] for m in range(1, k)] == [expected[m] for m in range(1, k)], (seed, who)
            pairs = sum(lack == 2 and mine.get((x + dx, y + dy, dx, dy)) == 2 for (x, y, dx, dy), lack in mine.items())
            assert counts[who, OPEN] == pairs, (seed, who)
            assert written(winning[who], position) == winning_cells(board, mine, k), (seed, who)


def written(words: np.ndarray[tuple[int, ...], np.dtype[np.uint64]], position: Position) -> set[tuple[int, int]]:
    moves, columns = np.zeros(400, np.int32), int(position.state.columns)
    count = write_cells(words, position.state, moves)
    assert len(set(moves[:count].tolist())) == count
    return {(cell % columns, cell // columns) for cell in moves[:count].tolist()}


def winning_cells(board: Cells, mine: dict[tuple[int, int, int, int], int], k: int) -> set[tuple[int, int]]:
    lines = [[(x + i * dx, y + i * dy) for i in range(k)] for (x, y, dx, dy), lack in mine.items() if lack == 1]
    return {cell for line in lines for cell in line if board[cell] == "-"}


@pytest.mark.parametrize(("columns", "rows", "k"), [size for size in SIZES if size[0] * size[1] > 36])
def test_cells_near_stones_are_those_within_two_columns_and_rows(columns: int, rows: int, k: int) -> None:
    for seed in range(20):
        position = random_board(columns, rows, k, seed)
        near = np.zeros(WORDS, np.uint64)
        near_stones(position.state, near, 2)
        board = read(position.text().split()[1], columns)
        stones = [cell for cell, stone in board.items() if stone != "-"]
        expected = {
            (x, y)
            for (x, y), stone in board.items()
            if stone == "-" and any(max(abs(x - sx), abs(y - sy)) <= 2 for sx, sy in stones)
        }
        assert written(near, position) == expected
