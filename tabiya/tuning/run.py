"""Playing a run of `tabiya tune`: one iteration after the other, each kept before the next begins."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace

from tabiya.bots.client.events import Listener
from tabiya.match.executors.spread import Spread
from tabiya.match.plan import MatchPlan
from tabiya.match.score import MatchScore
from tabiya.match.tally import Tally
from tabiya.server.core.adjudication import Adjudication
from tabiya.server.ratings.pairs import Pairs
from tabiya.tuning.spsa import perturbation, updated
from tabiya.tuning.state import TuningState
from tabiya.tuning.terms import Terms

PlayPairs = Callable[[MatchPlan], Awaitable[Pairs]]
"""Plays all pairs of a plan; the result is by the points of its first player."""


async def tune(
    state: TuningState, plan: MatchPlan, play: PlayPairs, progress: Callable[[TuningState], None] = lambda state: None
) -> None:
    """Play the rest of the run. plan: what the games of all iterations have in common.

    progress: called after each iteration. What was played of one that is cut off is played again by the next run, with
    the same values. Raises what `play` raises, PlayerError, OSError.
    """
    terms = state.terms
    while not state.is_over:
        number = len(state.iterations)
        sides = perturbation(terms.parameters, terms.gains, state.values, number, terms.seed)
        pairs = await play(terms.plan(number, sides, plan))
        state.add(updated(terms.parameters, terms.gains, state.values, number, sides.signs, lead_of(pairs)), pairs)
        progress(state)


async def try_bounds(terms: Terms, plan: MatchPlan, play: PlayPairs) -> None:
    """Play one move with all MINs against all MAXs: programs reject bad values only when started. Raises as `play`."""
    low, high = zip(*((parameter.low, parameter.high) for parameter in terms.parameters), strict=True)
    players = terms.player_with(low), terms.player_with(high)
    await play(replace(plan, players=players, pairs=1, adjudication=Adjudication(maxmoves=1)))


async def play_on(spread: Spread, plan: MatchPlan, listener: Listener, waiting: Callable[[], None]) -> Pairs:
    """Play all pairs of a plan with an executor.

    listener: called with problems of a player.  waiting: called now and then.  Raises MatchFailed.
    """
    tally = Tally(plan, MatchScore(), lambda number, record, moves: None)
    async with aclosing(spread.pairs(plan, range(plan.pairs))) as pairs:
        async for played in pairs:
            waiting()
            if played is None:
                continue
            for note in played.notes:
                listener(note.event)
            for number, game in enumerate(played.games, 2 * played.pair):
                assert game.record.result is not None
                tally.count(number, game.record, game.record.result, game.moves)
    return tally.score.pairs


def lead_of(pairs: Pairs) -> int:
    """Games that the first player has won, less those that it has lost."""
    return sum(count * (place - 2) for place, count in enumerate(pairs.counts))
