"""A gateway's link to the host in the same process: plain calls, nothing encoded or lost."""

from __future__ import annotations

from collections.abc import Callable

from tabiya.protocol.codec import CodecError
from tabiya.server.cluster.host_dispatcher import HostDispatcher
from tabiya.server.cluster.messages import (
    ConnectionIdentified,
    ConnectionLost,
    ConnectionOpened,
    GatewayItem,
    MessageReceived,
)
from tabiya.server.cluster.received_moves import ReceivedMoves
from tabiya.server.transport.websocket import WebsocketConnection, decoded


class InProcessHostLink:
    """In place of a `HostLink`. The host has the websockets themselves, and answers on them."""

    silent_beats = number = 0

    def __init__(
        self,
        host: int,
        handler: HostDispatcher,
        most_bytes: int,
        connection: Callable[[int], WebsocketConnection | None],
        introduce: Callable[[InProcessHostLink], None],
    ) -> None:
        """connection: the one of a number.  most_bytes: of a message.  introduce: as of `HostLink`."""
        self.host, self._handler, self._most_bytes, self._connection = host, handler, most_bytes, connection
        self._connections: dict[int, WebsocketConnection] = {}
        self._moves = ReceivedMoves(handler)
        introduce(self)

    def put(self, item: GatewayItem, size: int = 0) -> None:
        """Pass an item to the host that it cannot observe itself."""
        match item:
            case MessageReceived():
                self._message_received(item)
            case ConnectionOpened():
                if (opened := self._connection(item.connection)) is not None:
                    self._connections[item.connection] = opened
                    self._handler.opened(opened)
            case ConnectionIdentified():
                if (known := self._connections.get(item.connection)) is not None:
                    self._handler.introduced(known, item.bot_id, item.name, legal_moves=item.legal_moves)
            case ConnectionLost():
                if (gone := self._connections.pop(item.connection, None)) is not None:
                    self._handler.closed(gone)

    def _message_received(self, item: MessageReceived) -> None:
        if (connection := self._connections.get(item.connection)) is None:
            return
        try:
            message = decoded(item.data, item.is_text, connection.encoding, self._most_bytes)
        except CodecError as error:
            if not self._moves.is_duplicate(item, error.move):
                self._handler.unreadable(connection, error, item.read_ns)
        else:
            if not self._moves.is_duplicate(item, message):
                self._handler.received(connection, message, item.read_ns)

    def beat(self) -> None:
        """Nothing: both are in one process."""

    def end(self) -> None:
        """The server has ended the host, whose process ends by itself."""
