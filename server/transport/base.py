"""The interface between the server and its transport: websockets, or memory in tests.

A transport decodes frames, stamps when their bytes were read, and calls the `MessageHandler`. The server answers
through the `Connection`. Nothing here waits: `send` queues, and a peer that does not read is closed by its transport.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from tabiya.protocol.codec import CodecError
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.messages import ClientMessage, ServerMessage

Clock = Callable[[], int]
"""Monotonic time in nanoseconds, read now, with the zero of the event loop's own clock."""


READ_CYCLE_S = 0.002
"""A timer this far ahead rings after every connection has been read once more.

Not less, because uvloop runs what is due before it reads and counts in whole milliseconds: a timer of one can be due at
once.
"""


class Connection(Protocol):
    """One connection to one peer."""

    @property
    def id(self) -> str:
        """Name of this connection in the log."""

    @property
    def address(self) -> str:
        """Where the peer is, for limits and the log."""

    @property
    def is_loopback(self) -> bool:
        """Whether the peer is on this machine."""

    @property
    def opened_ns(self) -> int:
        """When it was opened, on the server's clock."""

    @property
    def round_trip_ns(self) -> int:
        """Shortest of the last eight measured round trips; 0 on loopback or while unmeasured.

        None counts as longer than the kernel's own measure, where the system tells it.
        """

    @property
    def backlog(self) -> int:
        """Bytes queued that the peer has not taken."""

    def send(self, message: ServerMessage) -> None:
        """Queue a message; messages arrive in order or the connection ends. Never blocks, never raises."""

    def flush(self) -> None:
        """Write queued frames now instead of at the end of this loop turn. Never raises."""

    def written(self, match: int, ply: int, callback: Callable[[int], None]) -> None:
        """Flush, and call back once the turn of this match and ply, which was sent last, is with the network.

        callback: takes the server's clock then; never called if the connection ends before.
        """

    def after_reads(self, callback: Callable[[], None]) -> None:
        """Call back once everything that has arrived from the peer by now has been handed on."""

    def close(self, code: CloseCode, reason: str) -> None:
        """Close the connection after what is queued; `MessageHandler.closed` follows once."""


class InProcess:
    """A `Connection` whose peer is in this process has written and read all there is."""

    opened_ns = 0  # of messages that replace each other

    def written(self, match: int, ply: int, callback: Callable[[int], None]) -> None:
        """See `Connection.written`."""
        callback(round(asyncio.get_running_loop().time() * 1e9))

    def after_reads(self, callback: Callable[[], None]) -> None:
        """See `Connection.after_reads`."""
        asyncio.get_running_loop().call_later(READ_CYCLE_S, callback)


class MessageHandler(Protocol):
    """The server as a transport calls it; all methods run on the event loop."""

    def opened(self, connection: Connection) -> None:
        """A handshake is complete."""

    def received(self, connection: Connection, message: ClientMessage, arrived_ns: int) -> None:
        """A message whose bytes were read at `arrived_ns` (the server's clock)."""

    def unreadable(self, connection: Connection, error: CodecError, arrived_ns: int) -> None:
        """A frame, read at `arrived_ns`, that is no message; or a move that counts but for its `info`."""

    def process_paused(self, since_ns: int, until_ns: int) -> None:
        """The process did not run in this time (the server's clock): nothing could be read."""

    def closed(self, connection: Connection) -> None:
        """The connection is gone; called once, after the last `received`."""
