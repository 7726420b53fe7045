"""The state of a match as another process has told it, and what its clocks show since."""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.protocol.messages import Watching


class ToldState:
    """came_s: when it was told, by the loop's time, if a clock runs since.  frozen: by an error of the server."""

    __slots__ = ("came_s", "frozen", "watching")

    def __init__(self, watching: Watching, came_s: float | None, *, frozen: bool) -> None:
        self.watching, self.came_s, self.frozen = watching, came_s, frozen

    def at(self, now_s: float) -> Watching:
        """What is to be shown at this time of the loop."""
        if self.came_s is None:
            return self.watching
        since_ms = max(0, round(1000 * (now_s - self.came_s)))
        return replace(self.watching, thinking_ms=self.watching.thinking_ms + since_ms)
