"""All that is tried, in its order: what comes later may rely on what came before."""

from __future__ import annotations

from collections.abc import Sequence

from tabiya.check.scenario import Scenario
from tabiya.check.scenarios import connecting, order, returning, turns, words

FIRST: tuple[Scenario, ...] = connecting.FIRST


def rest(games: Sequence[str]) -> tuple[Scenario, ...]:
    """What is tried once the bot's games are known."""
    return (
        *turns.FIRST,
        *order.SCENARIOS[:1],
        *(scenario for game in games for scenario in turns.turns_of(game)),
        *turns.ANY_GAME,
        *words.SCENARIOS,
        *order.SCENARIOS[1:],
        *map(turns.whole_game_of, games),
        *connecting.LAST,
        *returning.SCENARIOS,
        *returning.EXTRAS,
        *returning.LAST,
        *order.LAST,
    )
