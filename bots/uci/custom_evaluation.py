"""An author's evaluation in the UCI program: compiled after `uciok`, its parameters offered as options."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tabiya.bots.custom_evaluation.compile_errors import explain
from tabiya.bots.custom_evaluation.evaluation import custom_evaluator_from
from tabiya.bots.custom_evaluation.parameter_binding import ParameterBound
from tabiya.bots.custom_evaluation.parameters import ParameterError
from tabiya.bots.custom_evaluation.player import compile_for
from tabiya.bots.engine.engine import Engine
from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.players.spec import PlayerError
from tabiya.bots.uci.options import COMMON, MOST_NUMBER, Option
from tabiya.games.contract import Game

TAKEN = {option.name.casefold() for option in COMMON}


class CustomEvaluation:
    """The evaluation that the program uses in place of the game's own."""

    def __init__(self, player: str, game: str = "") -> None:
        """player: as everywhere, without depth or time.  game: needed where the class knows several.

        Raises PlayerError.
        """
        self._custom, self.game, self._values = custom_evaluator_from(player, game)
        self._evaluator: Evaluator | ParameterBound | None = None
        self.name = self._custom.name
        self.options = tuple(self._offered())

    def _offered(self) -> Iterable[Option]:
        """Whole numbers as such, all others as text; none whose name is that of an option of every game."""
        parameters = self._custom.parameters
        record = parameters.record()
        parameters.write(record, self._values)
        for name, value in parameters.values(record).items():
            if name.casefold() in TAKEN:
                continue
            if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MOST_NUMBER:
                yield Option(name, "spin", value, -MOST_NUMBER, MOST_NUMBER)
            else:
                yield Option(name, "string", parameters.text(name, value))

    def evaluator_of(self, game: Game, report: Callable[[str], None]) -> Evaluator:
        """The compiled evaluator with the parameters that are set. report: called with what is not compiled.

        Raises PlayerError.
        """
        compile_for(self._custom, game.name, report)
        self._evaluator = evaluator = self._custom.evaluator_of(game, self._values)
        try:
            played = self._custom.for_engine(evaluator, game)
            Engine(played, table_mb=1).search(game.start(), depth=1, lines=2)
        except Exception as error:  # with other values than the class's own it may raise what it did not when compiled
            raise PlayerError(self.failure(error)) from error
        return played

    def set(self, name: str, text: str) -> None:
        """Give a parameter another value. Not while a search runs. Raises ValueError, one sentence."""
        try:
            self._values |= self._custom.parameters.read([(name, text)])
        except ParameterError as error:
            raise ValueError(str(error)) from None
        if isinstance(self._evaluator, ParameterBound):
            self._evaluator.give(self._values)

    def complaint(self) -> str:
        """The error that a method called in Python has raised since the last call; empty if none."""
        try:
            self._custom.raise_callback_error()
        except Exception as error:  # whatever the author's code raises
            return self.failure(error)
        return ""

    def failure(self, error: Exception) -> str:
        """The text for the author of an error in the class's methods."""
        return f"{self.name} fails: {explain(error)}"
