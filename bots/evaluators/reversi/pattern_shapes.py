"""The shapes that the evaluation looks at: groups of squares, each with a weight for every way it can be occupied.

A shape lies on the board several times, turned and mirrored, and has the same weights everywhere. Its squares are
digits to the base 3, the first the lowest: 0 empty, 1 the mover's, 2 the opponent's. That number is its place among the
shape's weights; shapes follow one another, and phases of the game after them.
"""

from __future__ import annotations

from typing import NamedTuple


class Shape(NamedTuple):
    """start: place of its first weight within a phase.  lies: the squares of each of its places on the board."""

    name: str
    start: int
    lies: tuple[tuple[int, ...], ...]

    @property
    def size(self) -> int:
        """How many weights it has."""
        return 3 ** len(self.lies[0])


def turned_board(square: int, how: int) -> int:
    """Where a square goes: how & 4 exchanges rows and columns, then & 2 turns the rows over, & 1 the columns."""
    row, column = divmod(square, 8)
    if how & 4:
        row, column = column, row
    return 8 * (7 - row if how & 2 else row) + (7 - column if how & 1 else column)


def _row(number: int) -> tuple[int, ...]:
    return tuple(range(8 * number, 8 * number + 8))


FIRSTS = {
    "edge and X squares": (*_row(0), 9, 14),
    "corner": (0, 1, 2, 8, 9, 10, 16, 17, 18),
    "corner of two by five": (*range(5), *range(8, 13)),
    "second row": _row(1),
    "third row": _row(2),
    "fourth row": _row(3),
    **{f"diagonal of {n}": tuple(8 * (8 - n) + 9 * i for i in range(n)) for n in (8, 7, 6, 5, 4)},
}


def _lies(first: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Each place once: places with the same squares in another order are the same place."""
    found: dict[frozenset[int], tuple[int, ...]] = {}
    for how in range(8):
        squares = tuple(turned_board(square, how) for square in first)
        found.setdefault(frozenset(squares), squares)
    return tuple(found.values())


def _shapes() -> tuple[Shape, ...]:
    found: list[Shape] = []
    for name, first in FIRSTS.items():
        start = found[-1].start + found[-1].size if found else 0
        found.append(Shape(name, start, _lies(first)))
    return tuple(found)


SHAPES = _shapes()
SHAPE_WEIGHTS = SHAPES[-1].start + SHAPES[-1].size
# after them, weights that are multiplied with a number: the mover's replies, the opponent's, the empty squares beside
# discs of each, and 1
NUMBERS = ("replies", "answers", "open to the mover", "open to the opponent", "one")
STRIDE = SHAPE_WEIGHTS + len(NUMBERS)

# a phase ends with so many empty squares
PHASE_ENDS = (48, 44, 40, 36, 32, 28, 24, 20, 16, 0)
PHASES = len(PHASE_ENDS)


def phase_of(empty: int) -> int:
    """The phase of a position with `empty` empty squares."""
    return next(phase for phase, end in enumerate(PHASE_ENDS) if empty >= end)


def mirrored_squares(shape: Shape) -> tuple[int, ...] | None:
    """The order of digits that gives the same shape seen in a mirror; None if it has no mirror but itself."""
    first = shape.lies[0]
    for how in range(1, 8):
        squares = tuple(turned_board(square, how) for square in first)
        if set(squares) == set(first) and squares != first:
            return tuple(squares.index(square) for square in first)
    return None
