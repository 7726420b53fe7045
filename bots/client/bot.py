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
    """Derive your bot from this class and write `choose`. Every method may be an `async def`.

    name: the name on the server; the class's name if empty.  version: each version has its own rating.
    games: games it can play; empty for any.
    needs_rules: whether to load the rules of its games before it connects, if they are installed, so that the
    first `turn.position()` costs no clock time. A bot that never calls it starts faster with False.
    needs_legal_moves: whether the server sends the list of legal moves in every turn.
    """

    name: str = ""
    version: str = ""
    games: tuple[str, ...] = ()
    needs_rules: bool = True
    needs_legal_moves: bool = True

    def choose(self, turn: Turn) -> Answer | Awaitable[Answer]:
        """Return the move as text, or a `Choice`.

        A plain method runs in its own thread and may compute for long; an `async def` runs in the event loop
        and must not block it. With several matches it is called for several turns at the same time.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method choose(self, turn)")

    def match_started(self, match: MatchStarted) -> Awaitable[None] | None:
        """A match on a server begins (not in `tabiya match`); called before its first `choose`."""

    def match_ended(self, match: MatchEnded) -> Awaitable[None] | None:
        """A match has ended; `match.reason` says how."""

    def opponent_offers_draw(self, turn: Turn) -> bool | Awaitable[bool]:
        """Whether to accept the opponent's draw offer. Called before `choose`, on the clock."""
        return False

    def accepts_challenge(self, challenge: Challenged) -> bool | Awaitable[bool]:
        """Whether to accept another bot's challenge."""
        return True

    def prepare(self, games: tuple[str, ...]) -> Awaitable[None] | None:
        """Prepare before the bot connects; no clock runs yet. games: those it plays and seeks, empty for any."""
        if self.needs_rules and lazy_rules.have_rules():
            lazy_rules.warm(games)
        return None

    def close(self) -> Awaitable[None] | None:
        """Release what `prepare` acquired; called once, when the bot stops for any reason."""


def name_of(bot: Bot) -> str:
    """The name to send: the bot's own, or that of its class."""
    called = type(bot).__name__
    return bot.name or called.lstrip("_") or called  # a server takes no name that begins with a mark
