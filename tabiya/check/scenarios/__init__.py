"""All scenarios in their order: later ones may rely on earlier ones."""

from __future__ import annotations

from collections.abc import Sequence

from tabiya.check.scenario import Scenario
from tabiya.check.scenarios import connecting, reconnecting, turn_order, turns, unknown_messages

FIRST: tuple[Scenario, ...] = connecting.FIRST


def rest(games: Sequence[str], *, connection: bool = True) -> tuple[Scenario, ...]:
    """Scenarios to run once the bot's games are known. connection: also those of lost connections."""
    broken = (*connecting.LAST, *reconnecting.SCENARIOS, *reconnecting.EXTRAS, *reconnecting.LAST)
    return (
        *turns.FIRST,
        *turn_order.SCENARIOS[:1],  # next-match: all that follows begins match after match on one connection
        *(scenario for game in games for scenario in turns.turns_of(game)),
        *turns.ANY_GAME,
        *unknown_messages.SCENARIOS,
        *turn_order.SCENARIOS[1:],
        *map(turns.whole_game_of, games),
        *(broken if connection else ()),
        *turn_order.LAST,
    )
