"""The line of one bot in good and bad times: delays, pieces, messages sent twice or late."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

REPEATED_S, HELD_BACK_S = 0.6, 0.25  # at most


class LinkModel:
    """The line of one bot. base_s, jitter_s: of each direction.  rough: a number from 0 to 1, more in bad times."""

    def __init__(self, draw: Random, now_s: Callable[[], float], base_s: float, jitter_s: float, rough: float) -> None:
        self._draw, self._now_s, self.base_s, self.jitter_s = draw, now_s, base_s, jitter_s
        self.rough = self.usually_rough = rough
        self.slow_until_s = 0.0
        self.slow_s = 0.0
        self.parted_until_s = 0.0

    def delay_s(self) -> float:
        """How long the next bytes take; a partition holds them until it is over."""
        now_s = self._now_s()
        delay_s = self.base_s + self._draw.random() * self.jitter_s
        if now_s < self.slow_until_s:
            delay_s += self._draw.random() * self.slow_s
        return max(0.0, self.parted_until_s - now_s) + delay_s

    @property
    def usual_s(self) -> float:
        """How long it takes there and back in good times, at most."""
        return 2 * (self.base_s + self.jitter_s)

    def mishap(self) -> tuple[float | None, float | None]:
        """After how long a message is said again; for how long it is held back, others going first."""
        if not self.rough:
            return None, None
        again_s = self._draw.random() * REPEATED_S if self._draw.random() < self.rough else None
        later_s = self._draw.random() * HELD_BACK_S if self._draw.random() < self.rough else None
        return again_s, later_s

    def parts(self, data: bytes) -> list[bytes]:
        """The bytes as they travel."""
        if len(data) > 1 and self._draw.random() < 0.05 + self.rough:
            place = self._draw.randrange(1, len(data))
            return [data[:place], data[place:]]
        return [data]
