"""The names to write your own evaluation with; needs the `engine` extra. docs/how-to/your-own-evaluation.md

from tabiya.evaluators import evaluator, popcount, squares

CORNERS = squares("a1 h1 a8 h8")

class Corners(evaluator("reversi")):
    def evaluate(self, state):
        corners = popcount(state.mine & CORNERS) - popcount(state.theirs & CORNERS)
        return super().evaluate(state) + 300 * corners
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tabiya.bots.custom_evaluation.bits import lsb, msb, popcount
from tabiya.games.compiled.bits import ONE, ZERO, U

if TYPE_CHECKING:
    from tabiya.bots.custom_evaluation.evaluation import Evaluation

__all__ = ["ONE", "ZERO", "U", "evaluation", "evaluator", "lsb", "msb", "popcount", "squares"]


def evaluator(game: str) -> Any:
    """The class of the engine's own evaluation of a game, to derive yours from. Raises UnknownGame."""
    from tabiya.bots.players.catalogue import evaluator_for
    from tabiya.games.registry import load_game

    return type(evaluator_for(load_game(game)))


def evaluation(player: str, game: str = "") -> Evaluation:
    """The evaluation `my.py:Class`, to be asked and tuned; see bots/custom_evaluation/evaluation.py. Raises ValueError.

    game: needed where the class knows several.
    """
    from tabiya.bots.custom_evaluation.evaluation import Evaluation

    return Evaluation(player, game)


def squares(names: str) -> Any:
    """A set (uint64, bit 0 = a1, bit 63 = h8) of squares of an 8x8 board: `squares("a1 h8")`."""
    found = 0
    for name in names.split():
        if len(name) != 2 or name[0] not in "abcdefgh" or name[1] not in "12345678":
            raise ValueError(f"a square is a letter a to h and a digit 1 to 8, not {name!r}")
        # the whole sum is the number of the bit: a shift binds looser than + and -
        found |= 1 << "abcdefgh".index(name[0]) + 8 * int(name[1]) - 8
    return U(found)
