"""A policy, trained anywhere, as a bot: `run(PolicyBot(policy, "…"), "HOST:PORT", seek="…")`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.turn import Turn
from tabiya.games.registry import load_game
from tabiya.research.encoding import Array, Encoding

Policy = Callable[[Array, Array], Any]


class PolicyBot(Bot):
    """Plays what `policy(observation, action_mask)` says: the number of an action, as in the game's environment.

    options: of the start whose board the policy was trained on.  Raises UnknownGame and OptionError.
    """

    def __init__(self, policy: Policy, game: str, name: str = "policy", **options: object) -> None:
        self.name, self.games, self._policy = name, (game,), policy
        self._encoding = Encoding(load_game(game).start(options))

    def choose(self, turn: Turn) -> str:
        """The move of the policy's action. Raises EncodingError if it is not legal."""
        position = turn.position()
        return self._encoding.move(
            position, self._policy(self._encoding.observe(position), self._encoding.mask(position))
        )
