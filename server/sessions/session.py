"""The bots that are connected: one `BotSession` for each, found by connection, by bot and by name."""

from __future__ import annotations

from typing import Any

from tabiya.protocol.codes import RefusalCode
from tabiya.protocol.messages import Hello
from tabiya.server.accounts.names import same_name
from tabiya.server.sessions.active_match import ActiveMatch
from tabiya.server.transport.base import Connection
from tabiya.storage.records import BotId, BotRecord, MatchId


class BotSession:
    """A welcomed bot on its present connection.

    matches: the running matches it plays, each with its seat; frozen ones left out: they take no time of the bot's.
    """

    def __init__(self, connection: Connection, bot: BotRecord, hello: Hello, *, authenticated: bool) -> None:
        self.connection, self.bot, self.authenticated = connection, bot, authenticated
        self.version = hello.version
        self.games = frozenset(hello.games)
        self.wants_legal_moves = hello.legal_moves
        self.max_matches = hello.max_matches
        self.matches: dict[MatchId, tuple[ActiveMatch, int]] = {}
        self.bad_messages = 0
        self.warned_of_info = False  # that its `info` was bad; once on a connection is enough

    @property
    def name(self) -> str:
        """The name given in `welcome`."""
        return self.bot.name

    @property
    def log_fields(self) -> dict[str, object]:
        """Its fields in lines of the log (server/logs.py)."""
        return {"connection": self.connection.id, "bot": self.name, "bot_id": self.bot.id}

    def plays(self, game: str) -> bool:
        """Whether its hello names `game`, or names no games."""
        return not self.games or game in self.games


class SessionTable:
    """All connected bots, one session each."""

    def __init__(self) -> None:
        self._by_connection: dict[Connection, BotSession] = {}
        self._by_bot: dict[BotId, BotSession] = {}
        self._by_name: dict[str, BotSession] = {}

    def __len__(self) -> int:
        return len(self._by_bot)

    def add(self, session: BotSession) -> BotSession | None:
        """Enter a session; returns the bot's earlier one, whose connection is forgotten at once."""
        older = self._by_bot.get(session.bot.id)
        if older is not None:
            self._by_connection.pop(older.connection, None)
        self._by_connection[session.connection] = session
        self._by_bot[session.bot.id] = session
        self._by_name[same_name(session.name)] = session
        return older

    def remove(self, connection: Connection) -> BotSession | None:
        """Forget a connection; returns its session if it was the present one of its bot."""
        session = self._by_connection.pop(connection, None)
        if session is not None:  # a connection that was replaced is known no more, and its end is not the bot's
            del self._by_bot[session.bot.id]
            del self._by_name[same_name(session.name)]
        return session

    def by_connection(self, connection: Connection) -> BotSession | None:
        return self._by_connection.get(connection)

    def by_bot(self, bot_id: BotId) -> BotSession | None:
        """The session of this bot, None while it is not connected."""
        return self._by_bot.get(bot_id)

    def by_name(self, name: str) -> BotSession | None:
        """The session of the bot of this name, upper and lower case alike."""
        return self._by_name.get(same_name(name))

    def all(self) -> tuple[BotSession, ...]:
        return tuple(self._by_bot.values())

    def has_guest(self, name: str) -> bool:
        """Whether a bot of this name is connected without a token. A new connection cannot prove to be the same bot."""
        session = self.by_name(name)
        return session is not None and not session.authenticated


class RefusalError(Exception):
    """A message cannot be carried out; nothing has changed. about: fields of `refused` that say what it was about."""

    def __init__(self, code: RefusalCode, text: str, **about: Any) -> None:
        super().__init__(text)
        self.code, self.about = code, about
