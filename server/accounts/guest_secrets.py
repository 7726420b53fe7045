"""Secrets by which bots without a token prove who they are after a reconnection; `hello` asks for one.

Kept in memory only: after a restart nobody is connected, and the first guest to ask for a name gets it.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable
from typing import NamedTuple

from tabiya.server.accounts.names import same_name
from tabiya.storage.records import BotId

SECRET_BYTES = 16


class _Guest(NamedTuple):
    bot_id: BotId
    secret: str


class GuestSecrets:
    """The guests with a secret that are connected, or away from a match that still runs."""

    def __init__(self, plays: Callable[[BotId], bool]) -> None:
        """plays: whether a match of this bot runs."""
        self._plays = plays
        self._guests: dict[str, _Guest] = {}

    def welcome(self, name: str, bot_id: BotId, shown: str | None) -> str:
        """The secret for the bot welcomed under a name; empty if it did not ask for one (shown is None)."""
        if shown is None:
            self._guests.pop(same_name(name), None)
            return ""
        if not self.is_known(name, shown):
            self._guests[same_name(name)] = _Guest(bot_id, secrets.token_urlsafe(SECRET_BYTES))
        return self._guests[same_name(name)].secret

    def is_known(self, name: str, shown: str) -> bool:
        """Whether this is the secret of the guest of this name."""
        guest = self._guests.get(same_name(name))
        return guest is not None and hmac.compare_digest(guest.secret.encode(), shown.encode(errors="surrogatepass"))

    def is_held(self, name: str) -> bool:
        """Whether the name is kept for a guest with a secret who plays a match, connected or away."""
        guest = self._guests.get(same_name(name))
        return guest is not None and self._plays(guest.bot_id)

    def left(self, name: str) -> None:
        """A guest is gone; its secret is forgotten unless it has a match to come back to."""
        if not self.is_held(name):
            self._guests.pop(same_name(name), None)
