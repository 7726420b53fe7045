"""Our games as games of OpenSpiel. Importing this registers each as `tabiya_` and its name, if its moves name places.

import pyspiel
import tabiya.research.openspiel

state = pyspiel.load_game("tabiya_reversi").new_initial_state()
state.apply_action(state.legal_actions()[0])

Actions and observations are numbered and shaped as in `Encoding`. Options of a game's start are parameters, with a
semicolon where ours have a comma: `tabiya_connect5(columns=9,rows=9)`, `tabiya_nim(heaps=1;2;3)`.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.observation import IIGObserverForPublicInfoGame

from tabiya.games.contract import Game
from tabiya.games.errors import GameError
from tabiya.games.registry import load_game, names, title
from tabiya.research.encoding import Encoding


class SpielGame(pyspiel.Game):  # type: ignore[misc]  # it has no types
    """One of our games, played by our rules."""

    name: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        """params: options of the start. Raises OptionError."""
        given = {name: _with(value, ";", ",") for name, value in (params or {}).items()}
        self.start = load_game(self.name).start(given)
        self.encoding = Encoding(self.start)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.encoding.actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.start.game.max_plies,
        )
        super().__init__(_type_of(self.name), info, params or {})

    def new_initial_state(self) -> SpielState:
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Who sees positions; with perfect recall, the moves that led to them."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return SpielObserver(self.encoding)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position with its history."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.position, self.encoding = game.start, game.encoding

    def current_player(self) -> int:
        """The seat to move, or the terminal player id."""
        return pyspiel.PlayerId.TERMINAL if self.is_terminal() else self.position.to_move

    def _legal_actions(self, player: int) -> list[int]:
        return [int(action) for action in np.flatnonzero(self.encoding.mask(self.position))]

    def _apply_action(self, action: int) -> None:
        self.position = self.position.play(self.encoding.move(self.position, action))

    def _action_to_string(self, player: int, action: int) -> str:
        return self.encoding.move(self.position, action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.position.outcome() is not None

    def returns(self) -> list[float]:
        """1 and -1 by seat for a win; zeros for a draw, and while the game goes on."""
        outcome = self.position.outcome()
        if outcome is None or outcome.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if outcome.winner == 0 else [-1.0, 1.0]

    def __str__(self) -> str:
        return self.position.text()


class SpielObserver:
    """What `open_spiel.python.observation` wants: a tensor, views of it by name, and ways to fill it."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self.tensor = np.zeros(int(np.prod(encoding.shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(encoding.shape)}

    def set_from(self, state: SpielState, player: int) -> None:
        """See the position; both players see the same."""
        self.dict["observation"][:] = self._encoding.observe(state.position)

    def string_from(self, state: SpielState, player: int) -> str:
        """The position as text."""
        return state.position.text()


@functools.cache
def _type_of(name: str) -> Any:
    kind = pyspiel.GameType
    return kind(
        short_name=f"tabiya_{name}",
        long_name=f"{title(name)} (Tabiya)",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={option.name: _with(option.default, ",", ";") for option in load_game(name).options},
    )


def _with(value: Any, old: str, new: str) -> Any:
    """The value of a parameter, in whose text a comma would end it."""
    return value.replace(old, new) if isinstance(value, str) else value


def game_class(name: str) -> type[SpielGame]:
    """A game's own class. OpenSpiel would destroy anything but a class after Python's end, and the process with it."""
    metaclass: Any = type(SpielGame)
    made: type[SpielGame] = metaclass(f"SpielGame_{name}", (SpielGame,), {"name": name})
    return made


def register() -> None:
    """Register with OpenSpiel all games that can be loaded and whose moves name places."""
    for name in names():
        with contextlib.suppress(GameError):
            if type(load_game(name)).places is not Game.places:
                pyspiel.register_game(_type_of(name), game_class(name))


register()
