"""`Executor`: plays pairs somewhere. The coordinator gives it as many as it has room for.

played = await executor.play(plan, 7)               # pair 7 of the plan: both games, with all their moves
"""

from __future__ import annotations

from typing import Protocol

from tabiya.match.pairs import PairPlayer, PlayedPair, answer, pair_openings
from tabiya.match.plan import MatchPlan

MOST_LOST = 3
"""A pair with which this many workers were lost is not given to another."""


class Executor(Protocol):
    """Pairs may be of any plans; a worker that plays the next pair of the same plan has nothing to start."""

    @property
    def workers(self) -> int:
        """How many are there now."""

    @property
    def cores(self) -> int:
        """How many pairs can be played at the same time now; it may change at any time."""

    @property
    def at_once(self) -> int:
        """How many pairs are to be out with it: not fewer than it plays at the same time."""

    async def play(self, plan: MatchPlan, pair: int) -> PlayedPair:
        """Play a pair, again if its worker is lost. Cancelled, it may still be played, but its result is dropped.

        pair: from 0.  Of the plan count players, game, time control, options, seed, adjudication, openings, emergency
        moves and sandbox.  Raises MatchFailed.
        """

    async def close(self) -> None:
        """Leave nothing running here."""


class LocalExecutor:
    """Plays in this process, as `tabiya match` does without workers; players think in processes of their own."""

    def __init__(self, at_once: int) -> None:
        self.workers, self.at_once, self.cores = 1, at_once, at_once
        self._player = PairPlayer(at_once)

    async def play(self, plan: MatchPlan, pair: int) -> PlayedPair:
        """See `Executor.play`."""
        return (await answer(self._player, plan, pair, pair_openings(plan, pair))).pair_by("this process")

    async def close(self) -> None:
        """See `Executor.close`."""
        await self._player.close()
