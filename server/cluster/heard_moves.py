"""What a host has heard of a gateway's bots, so that a move that is passed on twice is carried out once."""

from __future__ import annotations

from typing import Protocol

from tabiya.protocol.messages import ClientMessage, Move
from tabiya.server.cluster.messages import MessageReceived

MOST_KEPT = 16_384  # moves, the last of each bot in each match


class MovesAwaited(Protocol):
    """Knows which moves are awaited."""

    def waits_for(self, match_id: int, ply: int) -> bool:
        """Whether a match is played here, and waits for the move of this ply."""


class HeardMoves:
    """Those of one link."""

    def __init__(self, awaited: MovesAwaited) -> None:
        self._awaited = awaited
        self._read_ns: dict[tuple[int, int], int] = {}  # by connection and match: when the last one was read

    def is_doubled(self, item: MessageReceived, message: ClientMessage | None) -> bool:
        """Whether a message was heard before, when it was passed on the first time; else it is kept in mind.

        message: None for what is none.  A move that came while no match waited for it was not heard.
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
