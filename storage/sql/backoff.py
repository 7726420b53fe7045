"""Exponential back-off between attempts to write to a database that failed."""

from __future__ import annotations

FIRST_S = 0.1
MOST_S = 1.0
"""The longest pause; the server retries a failed save after pauses of its own, and longer ones would add to them."""


class Backoff:
    """Doubles the pause with every failure in a row.  Times are seconds of one clock, given by the caller."""

    def __init__(self) -> None:
        self._pause_s = 0.0
        self._until = 0.0

    def failed(self, now: float) -> None:
        """Remember a failure."""
        self._pause_s = min(MOST_S, max(FIRST_S, 2 * self._pause_s))
        self._until = now + self._pause_s

    def succeeded(self) -> None:
        """Forget the failures."""
        self._pause_s = self._until = 0.0

    def left_s(self, now: float) -> float:
        """Seconds until the next attempt may be made; 0 for at once."""
        return max(0.0, self._until - now)
