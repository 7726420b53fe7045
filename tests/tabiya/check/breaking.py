"""Where bots that break a rule are entered, with the scenarios that they must fail."""

from __future__ import annotations

from collections.abc import Callable

from tests.tabiya.check.good_bot import GoodBot

BROKEN: dict[type[GoodBot], frozenset[str]] = {}


def breaks(*scenarios: str) -> Callable[[type[GoodBot]], type[GoodBot]]:
    """Enters a bot with the scenarios it fails."""

    def enter(bot: type[GoodBot]) -> type[GoodBot]:
        BROKEN[bot] = frozenset(scenarios)
        return bot

    return enter
