"""Which evaluator plays which game, and the graded opponents of each. The only list here that spells games' names.

Loads no compiler; an evaluator's module is imported when it is first asked for. A package that brings a game brings its
evaluator by an entry point of the same name: `connect4 = "tabiya_connect4.evaluator:ConnectFourEvaluator"`.
"""

from __future__ import annotations

import functools
import importlib
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, NamedTuple

from tabiya.games.registry import names

if TYPE_CHECKING:
    from tabiya.bots.evaluators.base import Evaluator
    from tabiya.games.rules import Rules

EVALUATORS = {
    "nim": "tabiya.bots.evaluators.nim:NimEvaluator",
    "tictactoe": "tabiya.bots.evaluators.mnk.evaluator:MnkEvaluator",
    "connect5": "tabiya.bots.evaluators.mnk.evaluator:MnkEvaluator",
    "reversi": "tabiya.bots.evaluators.reversi.evaluator:ReversiEvaluator",
    "chess": "tabiya.bots.evaluators.chess.evaluator:ChessEvaluator",
    "chess960": "tabiya.bots.evaluators.chess960:Chess960Evaluator",
}
ENTRY_POINTS = "tabiya.evaluators"
PLAYERS_ENTRY_POINTS = "tabiya.players"
CHESS, CHESS960 = "chess", "chess960"
UCI_GAMES = (CHESS, CHESS960)  # the second with UCI_Chess960, or the variant fischerandom of xboard's protocol
ENGINE_GAMES = {  # what engines of each protocol play
    "uci": UCI_GAMES,
    "nboard": ("reversi",),
    "xboard": UCI_GAMES,
    "gtp": ("reversi", "connect5"),
    "gomocup": ("connect5",),
}
PERFECT_NIM, PERFECT_NIM_GAMES = "perfect-nim", ("nim",)  # the player without search


class Level(NamedTuple):
    """One graded opponent of one game.

    name: as in the PLAYER grammar.  player: the same player without the name.  about: a few words for people.
    elo: the `UCI_Elo` of Stockfish that it is even with (docs/measurements/strength.md); None: not measured.
    """

    name: str
    player: str
    about: str
    elo: int | None = None


RANDOM = Level("random", "random", "any legal move")
GREEDY = Level("greedy", "greedy", "the best position after its own move, no search")
SEARCHES = "the playing engine, near-equal moves at random,"
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
        Level("hard", "pvs:8?margin=10", f"{SEARCHES} 8 plies"),
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

LEVELS[CHESS960] = tuple(level._replace(elo=None) for level in LEVELS[CHESS])

USUAL_LEVELS = (
    RANDOM,
    GREEDY,
    Level("easy", "alphabeta:2", "sees two plies"),
    Level("medium", "pvs:4?margin=10", f"{SEARCHES} 4 plies"),
    Level("hard", "pvs:6?margin=10", f"{SEARCHES} 6 plies"),
    STRONG,
)
"""Of a game that a package brings."""


def levels_of(game: str) -> tuple[Level, ...]:
    """The levels of a game, weakest first."""
    return LEVELS.get(game, USUAL_LEVELS)


def level_names() -> tuple[str, ...]:
    """The names of all levels, each once, weakest first as far as games agree."""
    return tuple(dict.fromkeys(level.name for levels in LEVELS.values() for level in levels))


def level_games(name: str) -> tuple[str, ...]:
    """The games that have a level of this name."""
    return tuple(game for game in names() if any(level.name == name for level in levels_of(game)))


@functools.cache
def package_players() -> dict[str, EntryPoint]:
    """The players that installed packages bring, by name; nothing of them is loaded."""
    return {point.name: point for point in entry_points(group=PLAYERS_ENTRY_POINTS)}


@functools.cache
def evaluator_for(game: Rules) -> Evaluator:
    """The evaluator of `game`, or one that knows only its rules."""
    from tabiya.bots.evaluators.base import bound

    rules = type(game)
    found = _named_evaluator(game.name)
    evaluator_class = found if found is not None and issubclass(found, rules) else _plain_evaluator(game)
    return bound(evaluator_class, game)


def _named_evaluator(name: str) -> type[Evaluator] | None:
    if name not in EVALUATORS:
        points = tuple(entry_points(group=ENTRY_POINTS, name=name))
        return points[0].load() if points else None
    module, _, evaluator = EVALUATORS[name].partition(":")
    found: type[Evaluator] = getattr(importlib.import_module(module), evaluator)
    return found


def _plain_evaluator(game: Rules) -> type[Evaluator]:
    """An evaluator without evaluation, for a game that has none."""
    from tabiya.bots.evaluators.base import Evaluator
    from tabiya.bots.evaluators.python_game import PythonGameEvaluator
    from tabiya.games.python_game import PythonGame

    rules = type(game)
    if issubclass(rules, PythonGame):
        return PythonGameEvaluator
    names = {"__module__": rules.__module__, "width": game.max_moves}
    return type(f"{rules.__qualname__}WithoutEvaluation", (Evaluator, rules), names)
