"""Entrants with hosted programs: they need not be connected, and are started when they have a game.

Who keeps such programs gives the manager of tournaments his `HostedPrograms`, and asks it which games wait for them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from tabiya.server.sessions.session import BotSession
from tabiya.storage.records import BotId


class Entrant(NamedTuple):
    """A bot that can enter a tournament. version: of its program."""

    bot_id: BotId
    name: str
    version: str


class HostedPrograms(Protocol):
    """The interface from a tournament to hosted programs."""

    def able(self, game: str) -> dict[BotId, Entrant]:
        """The bots whose programs are started when they have a game."""

    def may_begin(self, bot: BotId) -> bool:
        """Whether a connected bot may be given a game: a program that is about to end may not."""


class NoPrograms:
    """`HostedPrograms` of a server without any."""

    def able(self, game: str) -> dict[BotId, Entrant]:
        """Empty: no programs are hosted."""
        return {}

    def may_begin(self, bot: BotId) -> bool:
        """Always: every connected bot may be given a game."""
        return True


def everybody(sessions: Iterable[BotSession], programs: HostedPrograms, game: str) -> list[Entrant]:
    """The bots that are connected and play the game, and those whose programs are started for it, by their ids."""
    there = [Entrant(each.bot.id, each.name, each.version) for each in sessions if each.plays(game)]
    return sorted((programs.able(game) | {entrant.bot_id: entrant for entrant in there}).values())
