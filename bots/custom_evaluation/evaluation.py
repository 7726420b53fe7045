"""A user-defined evaluation outside of games, for tuning: compiled once, asked with any values of its parameters.

corners = Evaluation("corners.py:Corners")
corners.give(corner=250)
corners.value(position), corners.search(position, nodes=5_000).move
"""

from __future__ import annotations

from collections.abc import Callable

from tabiya.bots.custom_evaluation.compile import CustomEvaluator
from tabiya.bots.custom_evaluation.parameter_binding import ParameterBound
from tabiya.bots.custom_evaluation.parameters import ParameterValues
from tabiya.bots.custom_evaluation.player import compile_for, print_to_stderr
from tabiya.bots.engine.engine import Engine
from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.players.from_file import load_custom_evaluator
from tabiya.bots.players.spec import PlayerError, PlayerKind, parse_player
from tabiya.bots.search.kernel_calls import evaluation_of
from tabiya.bots.search.limits import SearchResult
from tabiya.games.position import Position
from tabiya.games.registry import load_game

TABLE_MB = 4.0


def custom_evaluator_from(player: str, game: str = "") -> tuple[CustomEvaluator, str, ParameterValues]:
    """An author's class, the name of its game, and the values of its parameters that the text gives.

    player, game: as for `Evaluation`.  Raises PlayerError.
    """
    spec = parse_player(player)
    custom = load_custom_evaluator(spec.path, spec.name) if spec.kind is PlayerKind.FILE else None
    if custom is None:
        raise PlayerError(f"{player} is not a class that derives from a game's evaluator")
    if game not in custom.games and (game or len(custom.games) > 1):
        raise PlayerError(f"{spec.name} plays {', '.join(custom.games)}; name one of them, not {game!r}")
    return custom, game or custom.games[0], custom.parameters.read(spec.options)


def evaluator_from(
    player: str, game: str = "", report: Callable[[str], None] = print_to_stderr
) -> tuple[CustomEvaluator, Evaluator]:
    """An author's class, and the evaluator that it makes for a game, compiled, with the values that the text gives.

    player, game: as for `Evaluation`.  report: is called with what does not compile.
    Raises PlayerError.
    """
    custom, name, values = custom_evaluator_from(player, game)
    compile_for(custom, name, report)
    return custom, custom.evaluator_of(load_game(name), values)


class Evaluation:
    """A user-defined evaluation and its parameters, for one thread at a time."""

    def __init__(self, player: str, game: str = "") -> None:
        """player: as everywhere, without depth or time.  game: needed where the class knows several.

        Raises PlayerError. What cannot be compiled is called in Python, which is said on standard error.
        """
        self._custom, self._evaluator = evaluator_from(player, game)
        self._game = game or self._custom.games[0]
        self._engine: Engine | None = None

    @property
    def parameters(self) -> ParameterValues:
        """All, with the values that they have now, as JSON has them: numbers and lists. `give` takes them back."""
        evaluator = self._evaluator
        return evaluator.parameters.plain(evaluator.parameter_record) if isinstance(evaluator, ParameterBound) else {}

    def give(self, **values: object) -> None:
        """Other values from now on; those that are not given stay. Raises PlayerError, and then nothing is changed."""
        self._custom.parameters.check(values)
        if isinstance(self._evaluator, ParameterBound):
            self._evaluator.give(values)

    def value(self, position: Position) -> int:
        """What it says of a position in which the game goes on.

        Raises ValueError for a position of another game, and what the author's methods raise.
        """
        self._check(position)
        found = int(evaluation_of(self._evaluator, position.state))
        self._custom.raise_callback_error()
        return found

    def search(self, position: Position, *, depth: int | None = None, nodes: int | None = None) -> SearchResult:
        """What the engine finds with it, nothing remembered from before.

        Raises ValueError as Engine.search does, for a position of another game, and when there is no limit.
        """
        self._check(position)
        if depth is None and nodes is None:
            raise ValueError("a search needs a limit: depth=PLIES or nodes=NUMBER")
        if self._engine is None:
            self._engine = Engine(self._custom.for_engine(self._evaluator, position.game), table_mb=TABLE_MB)
        found = self._engine.search(position, depth=depth, nodes=nodes)
        self._custom.raise_callback_error()
        return found

    def _check(self, position: Position) -> None:
        if position.game.name != self._game:
            raise ValueError(f"{self._custom.name} plays {self._game} here, not {position.game.name}")
