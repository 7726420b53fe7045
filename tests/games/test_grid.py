"""Games on a board of cells: one size, or several in one class."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest

from tabiya.games.contract import Option
from tabiya.games.errors import PositionError
from tabiya.games.grid import GridGame, grid_state


class Cells(GridGame):
    """A board without rules."""

    state = grid_state(3, 2)
    columns, rows, symbols = 3, 2, "XO"
    seat_colours = ("black", "white")
    pieces = MappingProxyType({"X": "cross", "O": "nought"})


class Sized(Cells):
    state = grid_state(3, 2, ("columns", np.int64), ("rows", np.int64))
    options = (Option("columns", 3, "", 1, 3), Option("rows", 2, "", 1, 2))


class Square(Cells):
    columns = rows = 3
    state = grid_state(3, 3, ("columns", np.int64), ("rows", np.int64))
    options = (Option("size", 3, "cells a side", 2, 3),)


ONE, SEVERAL, SQUARE = Cells("cells", "Cells"), Sized("sized", "Sized"), Square("square", "Square")


@pytest.mark.parametrize(
    ("options", "size"),
    [({}, (3, 2)), ({"columns": 3, "rows": 1}, (3, 1)), ({"columns": 1}, (1, 2))],
)
def test_a_board_begins_with_the_size_of_its_options(options: dict[str, int], size: tuple[int, int]) -> None:
    assert SEVERAL.size_of(SEVERAL.start_state(options)) == size
    assert ONE.size_of(ONE.start_state({})) == (3, 2)
    assert SQUARE.size_of(SQUARE.start_state({"size": 2})) == (2, 2)


def test_a_text_says_the_size_and_the_drawing_has_it() -> None:
    state = SEVERAL.read_cells("-X/O- O")
    assert (SEVERAL.size_of(state), list(state.cells), state.side) == ((2, 2), [2, 0, 0, 1, 0, 0], 1)
    assert SEVERAL.draw(state) == " 2 . X\n 1 O .\n   a b"
    assert SEVERAL.put_piece("-X/O- O", "b1", "X") == "-X/OX O"
    assert SEVERAL.put_piece("-X X", "a1", "O") == "OX X"
    shown = SEVERAL.parse_setup("-X/O- O")
    assert [place.name for place in SEVERAL.places(shown)] == ["a1", "b1", "a2", "b2"]
    assert SEVERAL.svg(shown).count("<circle") == 2


@pytest.mark.parametrize(
    ("game", "text", "sentence"),
    [
        (ONE, "-- X", "a board has 2 rows of 3 cells, not 1 of 2"),
        (SEVERAL, "----/---- X", "a board has 1 to 2 rows of 1 to 3 cells, not 2 of 4"),
        (SEVERAL, " X", "1 to 2 rows of 1 to 3 cells, not 1 of 0"),
        (SQUARE, "--- X", "a board has 2 to 3 rows of as many cells, not 1 of 3"),
        (SEVERAL, "--/--- X", "equally long"),
    ],
)
def test_a_size_that_the_game_does_not_have_is_refused(game: GridGame, text: str, sentence: str) -> None:
    with pytest.raises(PositionError, match=sentence):
        game.read_cells(text)
