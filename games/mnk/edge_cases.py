"""Turns of the m,n,k games that players get wrong, as positions of the size at hand."""

from __future__ import annotations

from tabiya.games.contract import EdgeCase
from tabiya.games.mnk.text import Layout


def edge_cases_of(usual: Layout, largest: int) -> tuple[EdgeCase, ...]:
    """The edge cases of a game.  largest: the longest side that may be asked for; 0 for a fixed board."""
    cells = usual.columns * usual.rows
    found = (
        EdgeCase("the second player is the first to move", f"{usual} {'X'.center(cells, '-')} O"),
        EdgeCase("one cell is left", f"{usual} {_last_cell(usual)} X"),
    )
    if not largest:
        return found
    wide = Layout(largest, usual.k, usual.k)
    return (
        *found,
        EdgeCase("the board is as large as it may be", _empty(Layout(largest, largest, usual.k))),
        EdgeCase("the board is not square", _empty(wide)),
    )


def _empty(layout: Layout) -> str:
    return f"{layout} {'-' * (layout.columns * layout.rows)} X"


def _last_cell(layout: Layout) -> str:
    """A board of odd sides without a line of three, full but for the last cell in which X would stand."""
    stones = ["XO"[(column + row // 2) % 2] for row in range(layout.rows) for column in range(layout.columns)]
    at = max(cell for cell, stone in enumerate(stones) if stone == "X")
    return "".join("-" if cell == at else stone for cell, stone in enumerate(stones))
