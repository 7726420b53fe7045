"""Position texts of the m,n,k games, such as `3x3x3 X---O---- X`.

That is columns x rows x k, the cells from a1 row by row from row 1 up (`X`, `O`, `-`), and the side to move.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tabiya.games.errors import PositionError, shown

SIZE = re.compile(r"([1-9][0-9]?)x([1-9][0-9]?)x([1-9][0-9]?)")


class Layout(NamedTuple):
    """The numbers of a board: columns, rows, and how many in a row win."""

    columns: int
    rows: int
    k: int

    def __str__(self) -> str:
        return f"{self.columns}x{self.rows}x{self.k}"


def read_layout(title: str, text: str, usual: Layout, largest: int) -> tuple[Layout, str, int]:
    """The layout, the cells and the seat to move of a board's text, legal or not. Raises PositionError.

    largest: the longest side allowed; 0 allows only the usual board.
    """
    parts = text.split(" ")
    if len(parts) != 3:
        raise PositionError(
            f"a position of {title} is three words, such as {shown(_example(usual))}, not {shown(text)}"
        )
    layout = _check_size(title, parts[0], usual, largest)
    return layout, _check_cells(title, parts[1], layout), _side(parts[2])


def _example(layout: Layout) -> str:
    return f"{layout} {'-' * 4}... X"


def _check_size(title: str, text: str, usual: Layout, largest: int) -> Layout:
    match = SIZE.fullmatch(text)
    if not match:
        raise PositionError(f"a position of {title} begins with its size, such as {usual}, not {shown(text)}")
    layout = Layout(*map(int, match.groups()))
    if layout != usual and not (
        largest and usual.k <= layout.columns <= largest and usual.k <= layout.rows <= largest and layout.k == usual.k
    ):
        allowed = f"{usual.k} to {largest} columns and rows with k = {usual.k}" if largest else f"only {usual}"
        raise PositionError(f"{title} is not played on {layout} (allowed: {allowed})")
    return layout


def _side(text: str) -> int:
    if text not in ("X", "O"):
        raise PositionError(f"the side to move is X or O, not {shown(text)}")
    return "XO".index(text)


def _check_cells(title: str, cells: str, layout: Layout) -> str:
    if len(cells) != layout.columns * layout.rows or set(cells) - set("XO-"):
        raise PositionError(
            f"a {layout} board of {title} is {layout.columns * layout.rows} of the characters X, O and -, "
            f"not {len(cells)}: {shown(cells)}"
        )
    return cells


def check_counts(cells: str, side: int) -> None:
    """Check that the seats have placed their stones in turn. Raises PositionError."""
    mover, other = ("X", "O") if side == 0 else ("O", "X")
    ahead = cells.count(other) - cells.count(mover)
    if ahead not in (0, 1):
        raise PositionError(
            f"with {mover} to move, {other} has as many stones as {mover} or one more, not "
            f"{cells.count(other)} against {cells.count(mover)}"
        )


def lines(cells: str, layout: Layout) -> set[str]:
    """The stones (`X`, `O`) that have a line of k or more."""
    columns, rows, k = layout
    found = set()
    for cell, stone in enumerate(cells):
        if stone == "-":
            continue
        column, row = cell % columns, cell // columns
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            end_column, end_row = column + (k - 1) * dx, row + (k - 1) * dy
            if end_column < columns and 0 <= end_row < rows:
                step = dx + dy * columns
                if all(cells[cell + i * step] == stone for i in range(k)):
                    found.add(stone)
    return found
