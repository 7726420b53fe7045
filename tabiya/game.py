"""The names to write a game of your own with; needs the `engine` extra. docs/how-to/add-a-game.md

    from tabiya.game import registered

    GAME = registered("Connect Four", "tabiya_connect4.rules", "ConnectFour")

A name is loaded when it is first used: listing games loads no compiler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tabiya.bots.evaluators.base import Evaluator
    from tabiya.games.board_setup import BoardSetup, ShownBoard
    from tabiya.games.compiled.bits import ONE, ZERO, U, bit, lsb, mix, msb, popcount
    from tabiya.games.compiled.decimal import write_number
    from tabiya.games.compiled.jit import in_python, njit
    from tabiya.games.contract import EdgeCase, Game, Option, OptionValue
    from tabiya.games.endings import Ending
    from tabiya.games.errors import OptionError, PositionError
    from tabiya.games.grid import GridGame, Number, grid_state, write_cell, write_grid, write_sized_grid
    from tabiya.games.picture import Board, Place, document, tag, text
    from tabiya.games.position import Position
    from tabiya.games.python_game import PythonGame
    from tabiya.games.registry import registered
    from tabiya.games.rules import DRAW, ONGOING, SEAT_0_WINS, SEAT_1_WINS, Outcome, State

_HOMES = {
    "tabiya.bots.evaluators.base": ("Evaluator",),
    "tabiya.games.board_setup": ("BoardSetup", "ShownBoard"),
    "tabiya.games.compiled.bits": ("ONE", "ZERO", "U", "bit", "lsb", "mix", "msb", "popcount"),
    "tabiya.games.compiled.decimal": ("write_number",),
    "tabiya.games.compiled.jit": ("in_python", "njit"),
    "tabiya.games.contract": ("EdgeCase", "Game", "Option", "OptionValue"),
    "tabiya.games.endings": ("Ending",),
    "tabiya.games.errors": ("OptionError", "PositionError"),
    "tabiya.games.grid": ("GridGame", "Number", "grid_state", "write_cell", "write_grid", "write_sized_grid"),
    "tabiya.games.picture": ("Board", "Place", "document", "tag", "text"),
    "tabiya.games.position": ("Position",),
    "tabiya.games.python_game": ("PythonGame",),
    "tabiya.games.registry": ("registered",),
    "tabiya.games.rules": ("DRAW", "ONGOING", "SEAT_0_WINS", "SEAT_1_WINS", "Outcome", "State"),
}

__all__ = [
    "DRAW",
    "ONE",
    "ONGOING",
    "SEAT_0_WINS",
    "SEAT_1_WINS",
    "ZERO",
    "Board",
    "BoardSetup",
    "EdgeCase",
    "Ending",
    "Evaluator",
    "Game",
    "GridGame",
    "Number",
    "Option",
    "OptionError",
    "OptionValue",
    "Outcome",
    "Place",
    "Position",
    "PositionError",
    "PythonGame",
    "ShownBoard",
    "State",
    "U",
    "bit",
    "document",
    "grid_state",
    "in_python",
    "lsb",
    "mix",
    "msb",
    "njit",
    "popcount",
    "registered",
    "tag",
    "text",
    "write_cell",
    "write_grid",
    "write_number",
    "write_sized_grid",
]

if not TYPE_CHECKING:  # otherwise every misspelt name would have the type Any

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        for home, its_names in _HOMES.items():
            if name in its_names:
                return getattr(import_module(home), name)
        raise AttributeError(f"module 'tabiya.game' has no attribute {name!r}")
