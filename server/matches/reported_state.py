"""The state of a match as another process has reported it, and what its clocks show since."""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.protocol.messages import Watching


class ReportedState:
    """reported_s: when it was, by the time of the loop, if a clock runs since.  frozen: by an error of the server."""

    __slots__ = ("frozen", "reported_s", "watching")

    def __init__(self, watching: Watching, reported_s: float | None, *, frozen: bool) -> None:
        self.watching, self.reported_s, self.frozen = watching, reported_s, frozen

    def at(self, now_s: float) -> Watching:
        """The state to show at this time of the loop."""
        if self.reported_s is None:
            return self.watching
        since_ms = max(0, round(1000 * (now_s - self.reported_s)))
        return replace(self.watching, thinking_ms=self.watching.thinking_ms + since_ms)
