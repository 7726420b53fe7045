"""A player that an installed package brings."""

from __future__ import annotations

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.failure import failure_of
from tabiya.bots.players.catalogue import package_players
from tabiya.bots.players.spec import PlayerError, PlayerSpec, quoted
from tabiya.games.registry import package_of


def bot_of_package(spec: PlayerSpec) -> Bot:
    """The bot that the package's entry point makes, called with the text behind the colon where there is one.

    Raises PlayerError: it cannot be loaded, fails, or makes no bot.
    """
    point, (_, colon, argument) = package_players()[spec.name], spec.text.partition(":")
    whose = f"the player {quoted(spec.text)} of {package_of(point)}"
    try:
        bot = point.load()(*([argument] if colon else []))
    except Exception as error:
        failure = failure_of(error, point.value)
        raise PlayerError(f"{whose} cannot be made: {failure.error}", failure) from None
    if not isinstance(bot, Bot):
        raise PlayerError(f"{whose} is not a tabiya.Bot: {point.value} makes {type(bot).__name__}")
    return bot
