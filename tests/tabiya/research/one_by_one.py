"""Games stepped all at once, compared with the same games played one by one by the referee's positions."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tabiya.games.position import Position
from tabiya.games.rules import Outcome
from tabiya.research.batch_env import Batch, BatchEnv
from tabiya.research.encoding import Encoding

GAMES, STEPS, LOOK = 6, 150, 7  # each of so many steps is looked at closely


def rewards_of(outcome: Outcome | None) -> list[float]:
    if outcome is None or outcome.winner is None:
        return [0, 0]
    return [1, -1] if outcome.winner == 0 else [-1, 1]


class OneByOne:
    """What a batch must say, by the rules as the referee has them."""

    def __init__(self, start: Position, autoreset: bool) -> None:
        self.start, self.encoding, self.autoreset = start, Encoding(start), autoreset
        self.positions = [start] * GAMES

    def compare(self, environment: BatchEnv, now: Batch, actions: Any, *, closely: bool) -> None:
        """Play the same actions, by their texts, and compare all that is said."""
        for number, before in enumerate(self.positions):
            outcome = before.outcome()
            if outcome is None:
                move = self.encoding.move(before, actions[number])
                position = before.play(move)
                outcome = position.outcome()
                assert environment.moves[number].decode() == move
                assert now.rewards[number].tolist() == rewards_of(outcome)
                assert now.done[number] == (outcome is not None)
            else:
                position = before
                assert (now.rewards[number].tolist(), now.done[number]) == ([0, 0], True)
            if outcome is not None:
                assert environment.outcome(number) == outcome
                position = self.start if self.autoreset else position
            self.positions[number] = position
            assert environment.plies[number] == position.ply
            assert environment.states[number].tobytes() == position.state.tobytes()
            assert now.to_move[number] == position.to_move
            if closely:
                assert np.array_equal(now.masks[number], self.encoding.mask(position))
                assert np.array_equal(now.observations[number], self.encoding.observe(position))


def compared(game: str, seed: int, *, autoreset: bool) -> None:
    """Play random games both ways. Half of the actions are drawn by the environment, half from its masks."""
    environment, draw = BatchEnv(game, autoreset=autoreset), random.Random(seed)
    alone, now = OneByOne(environment.start, autoreset), environment.reset(GAMES, seed)
    for step in range(STEPS):
        if step % 2:
            actions = environment.random_actions()
        else:
            legal = [np.flatnonzero(mask).tolist() for mask in now.masks]
            actions = np.array([draw.choice(numbers or [-1]) for numbers in legal])
        now = environment.step(actions)
        alone.compare(environment, now, actions, closely=step % LOOK == 0)
