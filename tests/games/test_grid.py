"""Games on a board of cells: one size, or several in one class."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from tabiya.games.board_setup import ShownBoard
from tabiya.games.compiled.jit import in_python
from tabiya.games.contract import Option
from tabiya.games.errors import PositionError
from tabiya.games.grid import GridGame, Number, grid_state
from tabiya.games.picture import Place


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


class Counted(Cells):
    state = grid_state(3, 2, numbers=2)
    numbers = (Number("stones in hand", 9, 12), Number("if one is taken now", 0, 1))


class Corners(Cells):
    """Moves name two of the six cells alone."""

    def places(self, position: ShownBoard, seat: int = 0) -> tuple[Place, ...]:
        return tuple(place for place in super().places(position, seat) if place.name in ("c1", "a2"))


COUNTED, CORNERS = Counted("counted", "Counted"), Corners("corners", "Corners")
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
        (ONE, "---/--- X 1", "behind who is to move stand: nothing"),
        (
            COUNTED,
            "---/--- X 9",
            r"behind who is to move stand: stones in hand \(0 to 12\), if one is taken now \(0 to 1\)",
        ),
        (COUNTED, "---/--- X 13 0", "0 to 12"),
        (COUNTED, "---/--- X -1 0", "0 to 12"),
        (COUNTED, "---/--- X \u0663 0", "0 to 12"),
    ],
)
def test_a_size_or_a_number_that_the_game_does_not_have_is_refused(game: GridGame, text: str, sentence: str) -> None:
    with pytest.raises(PositionError, match=sentence):
        game.read_cells(text)


def test_numbers_of_a_position_stand_in_its_text_and_its_drawing() -> None:
    start = COUNTED.start_state({})
    assert list(start.numbers) == [9, 0]
    text = "--X/O-- O 12 1"
    state, out = COUNTED.parse_state(text), np.zeros(40, np.uint8)
    assert bytes(out[: in_python(Counted.write_state)(COUNTED, state, out)]).decode() == text
    assert len(text) == COUNTED.max_text
    assert COUNTED.draw(state).splitlines()[-2:] == ["   12 stones in hand", "   1 if one is taken now"]
    assert COUNTED.with_mover(text, 0) == "--X/O-- X 12 1"
    assert COUNTED.placed(text, "a1", "X") == "--X/X-- O 12 1"


def test_positions_with_other_numbers_are_other_positions() -> None:
    states = [COUNTED.parse_state(f"--X/O-- O {numbers}") for numbers in ("3 0", "3 1", "2 1")]
    with np.errstate(over="ignore"):
        assert len({int(in_python(Counted.key)(COUNTED, state)) for state in states}) == 3
    assert [COUNTED.same(states[0], state) for state in states] == [True, False, False]


def test_a_record_with_another_count_of_numbers_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match=r"Wrong\.numbers are 0; its grid_state has numbers=1"):
        type("Wrong", (Cells,), {"state": grid_state(3, 2, numbers=1)})


def test_places_may_leave_cells_out() -> None:
    assert list(CORNERS.cell_numbers(["c1", "a2"])) == [2, 3]


@pytest.mark.parametrize(("game", "text"), [(ONE, "--X/O-- O"), (SEVERAL, "-X/O- O"), (SQUARE, "--X/---/O-- X")])
def test_a_position_is_written_as_it_is_read(game: Cells, text: str) -> None:
    out = np.zeros(game.max_text, np.uint8)
    assert bytes(out[: in_python(type(game).write_state)(game, game.read_cells(text), out)]).decode() == text


@pytest.mark.parametrize(("game", "text", "name"), [(ONE, "---/--- X", "b2"), (SEVERAL, "--/-- X", "a3")])
def test_a_move_is_the_name_of_one_or_two_cells(game: Cells, text: str, name: str) -> None:
    state, out = game.read_cells(text), np.zeros(4, np.uint8)
    writes = in_python(type(game).write_move)
    assert bytes(out[: writes(game, state, 4, out, 0)]).decode() == name
    assert bytes(out[: writes(game, state, (1 + 1) * 6 + 4, out, 0)]).decode() == f"b1{name}"


def test_texts_that_a_class_writes_itself_are_its_own() -> None:
    class Letters(Cells):
        columns, max_text = 3, 70

        def write_move(self, state: Any, move: int, out: Any, at: int) -> Any:
            return at

    assert Letters.write_move(Letters("letters", "Letters"), None, 0, None, 7) == 7
    assert Letters.max_text == 70
