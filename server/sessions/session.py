"""Who is connected: one `Peer` per welcomed bot, found by connection and by bot."""

from __future__ import annotations

from tabiya.protocol.messages import Hello
from tabiya.server.accounts.names import same_name
from tabiya.server.transport.base import Connection
from tabiya.storage.records import BotId, BotRecord, MatchId


class Peer:
    """A welcomed bot on its present connection.

    matches: running matches it has a seat in, frozen ones left out: they take no time of the bot's.
    """

    def __init__(self, connection: Connection, bot: BotRecord, hello: Hello, *, authenticated: bool) -> None:
        self.connection, self.bot, self.authenticated = connection, bot, authenticated
        self.version = hello.version
        self.games = frozenset(hello.games)
        self.wants_legal_moves = hello.legal_moves
        self.most_matches = hello.max_matches
        self.matches: set[MatchId] = set()
        self.bad_messages = 0
        self.told_of_info = False  # that its `info` was bad; once on a connection is enough

    @property
    def name(self) -> str:
        """The name given in `welcome`."""
        return self.bot.name

    def plays(self, game: str) -> bool:
        """Whether it has said that it can play `game`, or said nothing."""
        return not self.games or game in self.games


class Directory:
    """All peers, one per bot."""

    def __init__(self) -> None:
        self._by_connection: dict[Connection, Peer] = {}
        self._by_bot: dict[BotId, Peer] = {}
        self._by_name: dict[str, Peer] = {}

    def __len__(self) -> int:
        return len(self._by_bot)

    def add(self, peer: Peer) -> Peer | None:
        """Enter a peer; returns the one it replaces, whose connection is forgotten at once."""
        older = self._by_bot.get(peer.bot.id)
        if older is not None:
            self._by_connection.pop(older.connection, None)
        self._by_connection[peer.connection] = peer
        self._by_bot[peer.bot.id] = peer
        self._by_name[same_name(peer.name)] = peer
        return older

    def remove(self, connection: Connection) -> Peer | None:
        """Forget a connection; returns its peer if it was the present one of its bot."""
        peer = self._by_connection.pop(connection, None)
        if peer is not None:
            del self._by_bot[peer.bot.id]
            del self._by_name[same_name(peer.name)]
        return peer

    def at(self, connection: Connection) -> Peer | None:
        """The peer on this connection."""
        return self._by_connection.get(connection)

    def of(self, bot_id: BotId) -> Peer | None:
        """The peer of this bot, None while it is not connected."""
        return self._by_bot.get(bot_id)

    def named(self, name: str) -> Peer | None:
        """The connected peer of this name, upper and lower case alike."""
        return self._by_name.get(same_name(name))

    def all(self) -> tuple[Peer, ...]:
        """Everybody."""
        return tuple(self._by_bot.values())

    def has_guest(self, name: str) -> bool:
        """Whether a bot of this name is connected without a token; nobody can prove to be the same."""
        peer = self.named(name)
        return peer is not None and not peer.authenticated
