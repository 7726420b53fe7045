"""`Bot`: the class that a bot's author derives from; one method is enough.

class First(Bot):
    def choose(self, turn):
        return turn.legal_moves[0]
"""

from __future__ import annotations

from collections.abc import Awaitable

from tabiya.bots.client.choice import Choice
from tabiya.bots.client.turn import Turn
from tabiya.bots.players import lazy_rules
from tabiya.protocol.messages import Challenged, MatchEnded, MatchStarted

Answer = str | Choice


class Bot:
    """Derive from it and write `choose`. Every method may also be written as `async def`.

    name: as the server shall show it; the class's name if empty.  version: each version is rated separately.
    games: games it can play; empty for any.
    needs_rules: whether the rules of its games are loaded before it connects, if they are installed, so that the
    first `turn.position()` costs no time on the clock. A bot that never calls it starts faster without.
    needs_legal_moves: whether the server shall list the legal moves in every turn.
    """

    name: str = ""
    version: str = ""
    games: tuple[str, ...] = ()
    needs_rules: bool = True
    needs_legal_moves: bool = True

    def choose(self, turn: Turn) -> Answer | Awaitable[Answer]:
        """The move to play: its text, or a `Choice` for more.

        A plain method runs in a thread, so it may think as long as it likes; an `async def` runs in the event loop
        and must not block it. With several matches at once it is called for several turns at the same time.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method choose(self, turn)")

    def match_started(self, match: MatchStarted) -> Awaitable[None] | None:
        """A match begins. Called before its first `choose`."""

    def match_ended(self, match: MatchEnded) -> Awaitable[None] | None:
        """A match has ended; `match.reason` says how."""

    def opponent_offers_draw(self, turn: Turn) -> bool | Awaitable[bool]:
        """Whether to accept the draw that the opponent offers. Asked before `choose`, on the clock."""
        return False

    def accepts_challenge(self, challenge: Challenged) -> bool | Awaitable[bool]:
        """Whether to play the match that another bot asks for."""
        return True

    def prepare(self, games: tuple[str, ...]) -> Awaitable[None] | None:
        """Get ready before the bot connects; no clock runs yet. games: those it plays and seeks, empty for any."""
        if self.needs_rules and lazy_rules.have_rules():
            lazy_rules.warm(games)
        return None

    def close(self) -> Awaitable[None] | None:
        """Give back what `prepare` took; called once, when the bot stops for whatever reason."""


def name_of(bot: Bot) -> str:
    """The name to send: the bot's own, or that of its class."""
    called = type(bot).__name__
    return bot.name or called.lstrip("_") or called  # a server takes no name that begins with a mark
