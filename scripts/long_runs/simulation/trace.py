"""What happened in a run, in order: for its digest and for finding the cause of a failure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any


class Trace:
    """Events with their times, kept in order and formatted when they are read."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self.events: list[tuple[float, tuple[Any, ...]]] = []

    def __call__(self, *event: Any) -> None:
        """One more event."""
        self.events.append((self._now_s(), event))

    def lines(self, last: int | None = None) -> list[str]:
        """The events, or the last of them, a line each."""
        chosen = self.events if last is None else self.events[-last:]
        return [f"{at_s:.6f} {' '.join(map(str, event))}" for at_s, event in chosen]

    def digest(self) -> str:
        """Equal for two runs in which the same happened at the same times."""
        return hashlib.blake2b("\n".join(self.lines()).encode(), digest_size=16).hexdigest()
