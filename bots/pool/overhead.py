"""The overhead of a move, which the clock counts: processes, network, a busy machine."""

from __future__ import annotations

from collections import deque

from tabiya.protocol.messages import MoveAccount

DEFAULT_S = 0.002  # before anything is known: about what it is on a machine with nothing else to do
MOVES_KEPT = 16  # moves, of all matches: they share the machine and the connection


class Overhead:
    """Learned from what the server charges for each move and what the player says that it thought."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=MOVES_KEPT)
        self._replies: dict[int, tuple[int, float]] = {}

    @property
    def seconds(self) -> float:
        """The mean overhead of the last moves, expected for each move to come."""
        return sum(self._last) / len(self._last) if self._last else DEFAULT_S

    def replied(self, match: int, ply: int, time_ms: float | None) -> None:
        """The player has answered. time_ms: its thinking, None for a player that does not say."""
        if time_ms is None:
            self.forget(match)
        else:
            self._replies[match] = (ply, time_ms)

    def charged(self, match: int, ply: int, account: MoveAccount | None) -> None:
        """A turn has come with the server's account of this bot's last move; a repeated turn is ignored."""
        before = self._replies.get(match)
        if account is None or before is None or before[0] == ply:
            return
        del self._replies[match]
        self._last.append(max(0.0, account.think_ms - account.credit_ms - before[1]) / 1000)

    def forget(self, match: int) -> None:
        """The match is over."""
        self._replies.pop(match, None)
