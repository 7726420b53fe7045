"""The moves that a host has received from a gateway, so that a move that arrives twice is played once."""

from __future__ import annotations

from typing import Protocol

from tabiya.protocol.messages import ClientMessage, Move
from tabiya.server.cluster.messages import MessageReceived

MOST_KEPT = 16_384  # moves, the last of each bot in each match


class AwaitedMoves(Protocol):
    """Knows which moves are awaited."""

    def waits_for(self, match_id: int, ply: int) -> bool:
        """Whether a match is played here, and waits for the move of this ply."""


class ReceivedMoves:
    """The received moves of one link."""

    def __init__(self, awaited: AwaitedMoves) -> None:
        self._awaited = awaited
        self._read_ns: dict[tuple[int, int], int] = {}  # by connection and match: when the last one was read

    def is_duplicate(self, item: MessageReceived, message: ClientMessage | None) -> bool:
        """Whether a message was received before; if not, remember it.

        message: None if unreadable. A move for which no match waited does not count as received.
        """
        if not isinstance(message, Move):
            return False
        is_awaited, key = self._awaited.waits_for(message.match, message.ply), (item.connection, message.match)
        if item.passed_on and not (is_awaited and self._read_ns.get(key) != item.read_ns):
            return True
        if is_awaited:
            self._read_ns[key] = item.read_ns
            if len(self._read_ns) > MOST_KEPT:
                del self._read_ns[next(iter(self._read_ns))]
        return False
