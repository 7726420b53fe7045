"""Every game as an AEC environment of PettingZoo.

environment = env("…")                      # with PettingZoo's usual wrappers
environment.reset()
for agent in environment.agent_iter():
    observation, reward, termination, truncation, _ = environment.last()
    over = termination or truncation
    environment.step(None if over else environment.action_space(agent).sample(observation["action_mask"]))
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from tabiya.games.registry import load_game
from tabiya.research.encoding import Encoding

AGENTS = ["player_0", "player_1"]


def env(game: str, render_mode: str | None = None, **options: object) -> AECEnv:
    """The game's environment with PettingZoo's usual wrappers: an illegal move loses, the order of calls is checked.

    options: of the game's start.  Raises UnknownGame and OptionError.
    """
    raw: Any = GameEnv(game, render_mode, **options)
    illegal: Any = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(illegal))


class GameEnv(AECEnv):  # type: ignore[misc]  # it has no types
    """One game without wrappers: `step` raises EncodingError for an illegal move.

    Agent `player_0` has seat 0. An observation is a dict: `observation`, int8[rows, columns, planes], and
    `action_mask`, int8[actions], both as in `Encoding`. The reward at the end is 1, 0 or -1.
    """

    def __init__(self, game: str, render_mode: str | None = None, **options: object) -> None:
        super().__init__()
        self._start = load_game(game).start(options)
        self.encoding = Encoding(self._start)
        self.position = self._start
        self.metadata = {"name": f"tabiya_{game}_v0", "render_modes": ["ansi"], "is_parallelizable": False}
        self.render_mode = render_mode
        self.possible_agents = AGENTS[:]

    @functools.cache  # noqa: B019  # PettingZoo wants the same object each time
    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Zeros and ones in both parts."""
        return spaces.Dict(
            {
                "observation": spaces.Box(0, 1, self.encoding.shape, np.int8),
                "action_mask": spaces.Box(0, 1, (self.encoding.actions,), np.int8),
            }
        )

    @functools.cache  # noqa: B019
    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The numbers of moves."""
        return spaces.Discrete(self.encoding.actions)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game: from the position text `options["position"]` if there is one. There is no chance to seed."""
        text = (options or {}).get("position")
        self.position = self._start if text is None else self._start.game.parse(text)  # type: ignore[attr-defined]
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self.position.to_move]

    def observe(self, agent: str) -> dict[str, Any]:
        """The position; only the side to move has legal moves."""
        mask = self.encoding.mask(self.position)
        if agent != self.possible_agents[self.position.to_move]:
            mask[:] = 0
        return {"observation": self.encoding.observe(self.position), "action_mask": mask}

    def step(self, action: Any) -> None:
        """Play the move of this number. Raises EncodingError if it is not legal."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self.position = self.position.play(self.encoding.move(self.position, action))
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        outcome = self.position.outcome()
        if outcome is not None:
            self.terminations = dict.fromkeys(self.agents, True)
            if outcome.winner is not None:
                self.rewards = dict.fromkeys(self.agents, -1.0) | {self.agents[outcome.winner]: 1.0}
        self.agent_selection = self.agents[self.position.to_move]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The drawing of the position, with render_mode "ansi"."""
        return str(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is held."""

    def __str__(self) -> str:
        return str(self.metadata["name"])
