"""Failures of saving: which matches wait, since when, and why. Logged once, not for each match."""

from __future__ import annotations

import logging

from tabiya.server.transport.base import Clock
from tabiya.storage.records import MatchId

log = logging.getLogger("tabiya.match")

NS = 1_000_000_000


class Outage:
    """The saves that have failed and are tried again.

    why: what is wrong, in the store's words; empty while all is well.
    """

    def __init__(self, now_ns: Clock) -> None:
        self._now_ns = now_ns
        self._waiting: set[MatchId] = set()
        self._since_ns = 0
        self.why = ""

    def __bool__(self) -> bool:
        return bool(self._waiting)

    @property
    def waiting(self) -> int:
        """How many matches wait."""
        return len(self._waiting)

    @property
    def seconds(self) -> float:
        """For how long nothing could be saved; 0 while all is well."""
        return (self._now_ns() - self._since_ns) / NS if self._waiting else 0.0

    @property
    def sentence(self) -> str:
        """The sentence for people; empty while all is well."""
        if not self._waiting:
            return ""
        many = f"{len(self._waiting)} matches wait" if len(self._waiting) > 1 else "one match waits"
        return (
            f"The server cannot save: {self.why}. No clock runs in what waits for it ({many}); play goes on by itself."
        )

    def failed(self, match_id: MatchId, why: str) -> bool:
        """A save has failed and will be tried again; whether it is the first time for this match in this outage."""
        if why != self.why or not self._waiting:
            log.error("saving fails, beginning with match %d: %s", match_id, why, extra={"match": match_id})
        if not self._waiting:
            self._since_ns = self._now_ns()
        self.why = why
        is_new = match_id not in self._waiting
        self._waiting.add(match_id)
        return is_new

    def over(self, match_id: MatchId) -> None:
        """The match no longer waits: it is saved, or has nothing left to save."""
        self._waiting.discard(match_id)
        if not self._waiting and self.why:
            log.warning("saving works again, after %.1f s", (self._now_ns() - self._since_ns) / NS)
            self.why = ""
