"""Sessions of users who signed in on the pages: a secret in the browser's cookie, its hash in the store.

A session is worth what the token was that it began with: it ends when the token is replaced or the bot is shut out.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from tabiya.server.accounts.accounts import Accounts, NotAdmitted, hash_token, new_token
from tabiya.storage.records import BotRecord, SessionRecord
from tabiya.storage.store import Store

SESSION_S = 30 * 24 * 3600.0


class WebSession(NamedTuple):
    """Who has signed in. bot: None for the server's own operator."""

    bot: BotRecord | None


class WebSessions:
    """Sessions of one server."""

    def __init__(self, store: Store, accounts: Accounts) -> None:
        self._store, self._accounts = store, accounts

    async def open(self, token: str) -> tuple[str, WebSession]:
        """A new session with its secret. Raises NotAdmitted."""
        bot = await self._accounts.owner(token)
        if bot is None and not await self._accounts.is_operator(token):
            raise NotAdmitted("no account has this token")
        secret, now = new_token(), time.time()
        await self._store.open_session(
            SessionRecord(
                secret_hash=hash_token(secret),
                bot_id=bot.id if bot else None,
                created_at=now,
                expires_at=now + SESSION_S,
            )
        )
        return secret, WebSession(bot)

    async def find(self, secret: str) -> WebSession | None:
        """The session of a secret; None if there is none, or it has run out."""
        found = await self._store.session(hash_token(secret)) if secret else None
        if found is None or found.expires_at <= time.time():
            return None
        return WebSession(await self._store.bot(found.bot_id) if found.bot_id is not None else None)

    async def close(self, secret: str) -> None:
        """End a session, if there is one."""
        await self._store.close_session(hash_token(secret))
