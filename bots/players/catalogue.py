"""Which brain plays which game, and the graded opponents of each. The only list here that spells games' names.

Loads no compiler; a brain's module is imported when it is first asked for.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tabiya.bots.evaluators.base import Brain
    from tabiya.games.contract import Game

BRAINS = {
    "nim": "tabiya.bots.evaluators.nim:NimBrain",
    "tictactoe": "tabiya.bots.evaluators.mnk.evaluator:MnkBrain",
    "connect5": "tabiya.bots.evaluators.mnk.evaluator:MnkBrain",
    "reversi": "tabiya.bots.evaluators.reversi.evaluator:ReversiBrain",
    "chess": "tabiya.bots.evaluators.chess.evaluator:ChessBrain",
}
UCI_GAMES = ("chess",)  # what engines of the two protocols play
NBOARD_GAMES = ("reversi",)
PERFECT_NIM, PERFECT_NIM_GAMES = "perfect-nim", ("nim",)  # the player without search


class Level(NamedTuple):
    """One graded opponent of one game.

    name: as in the PLAYER grammar.  player: the same player without the name.  about: a few words for people.
    elo: the `UCI_Elo` of Stockfish that it is even with, as docs/strength.md has it, None where that was not measured.
    """

    name: str
    player: str
    about: str
    elo: int | None = None


RANDOM = Level("random", "random", "any legal move")
GREEDY = Level("greedy", "greedy", "the best position after its own move, no search")
SEARCHES = "the playing engine, near-equal moves by lot,"
STRONG = Level("strong", "pvs", "the playing engine, as deep as its clock allows")

# weakest first
LEVELS: dict[str, tuple[Level, ...]] = {
    "nim": (
        RANDOM,
        GREEDY,
        Level("easy", "alphabeta:3", "sees three plies"),
        Level("medium", "alphabeta:7", "sees seven plies"),
        Level("perfect", PERFECT_NIM, "the XOR rule"),
    ),
    "tictactoe": (
        RANDOM,
        GREEDY,
        Level("easy", "alphabeta:2", "sees two plies"),
        Level("perfect", "alphabeta:9", "sees the whole game"),
    ),
    "connect5": (
        RANDOM,
        GREEDY,
        Level("easy", "pvs:2?margin=10", f"{SEARCHES} 2 plies"),
        Level("medium", "pvs:4?margin=10", f"{SEARCHES} 4 plies"),
        Level("hard", "pvs:6?margin=10", f"{SEARCHES} 6 plies"),
        STRONG,
    ),
    "reversi": (
        RANDOM,
        Level("mobility", "mobility", "leaves the opponent the fewest moves, no search"),
        GREEDY,
        Level("easy", "alphabeta:2", "sees two plies"),
        Level("medium", "pvs:5?margin=50", f"{SEARCHES} 5 plies"),
        Level("hard", "pvs:8?margin=30", f"{SEARCHES} 8 plies"),
        STRONG,
    ),
    "chess": (
        RANDOM,
        GREEDY,
        Level("easy", "alphabeta:2", "sees two plies"),
        Level("casual", "pvs:2?margin=30", f"{SEARCHES} 2 plies", elo=1480),
        Level("medium", "pvs:4?margin=20", f"{SEARCHES} 4 plies", elo=1630),
        Level("hard", "pvs:6?margin=15", f"{SEARCHES} 6 plies", elo=1840),
        Level("expert", "pvs:8?margin=10", f"{SEARCHES} 8 plies", elo=1980),
        STRONG,
    ),
}


@functools.cache
def brain_for(game: Game) -> Brain:
    """What the search needs of `game`: its brain, or one that knows the rules and nothing else."""
    from tabiya.bots.evaluators.base import bound

    rules = type(game)
    found = _named_brain(game.name)
    brain_class = found if found is not None and issubclass(found, rules) else _plain_brain(game)
    return bound(brain_class, game)


def _named_brain(name: str) -> type[Brain] | None:
    if name not in BRAINS:
        return None
    module, _, brain = BRAINS[name].partition(":")
    found: type[Brain] = getattr(importlib.import_module(module), brain)
    return found


def _plain_brain(game: Game) -> type[Brain]:
    """A brain without evaluation for a game that nobody has written one for."""
    from tabiya.bots.evaluators.base import Brain

    rules = type(game)
    names = {"__module__": rules.__module__, "width": game.max_moves}
    return type(f"{rules.__qualname__}WithoutEvaluation", (Brain, rules), names)
