"""Absent entrants, and entrants that lose game after game by their own fault."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from tabiya.storage.records import BotId, MatchRecord, ResultRecord, TournamentEntry

OWN_FAULT = frozenset({"time", "stall", "illegal_moves", "abandoned"})
"""Endings that count as a strike against the loser."""


class AbsenceTracker:
    """Since when each entrant has been absent. Times in seconds of any clock."""

    def __init__(self) -> None:
        self._since_s: dict[int, float] = {}

    def absent_too_long(
        self, entries: Iterable[TournamentEntry], is_present: Callable[[BotId], bool], now_s: float, most_s: float
    ) -> list[TournamentEntry]:
        """Entrants that have been absent for `most_s` or longer; must be called regularly."""
        gone = []
        for entry in entries:
            if is_present(entry.bot_id):
                self._since_s.pop(entry.number, None)
            elif now_s - self._since_s.setdefault(entry.number, now_s) >= most_s:
                gone.append(entry)
        return gone

    def forget(self, entry: TournamentEntry) -> None:
        """Wait for an absent entrant from the beginning."""
        self._since_s.pop(entry.number, None)


class StrikeCounter:
    """How many games in a row each bot has lost by its own fault; any other ending resets its count."""

    def __init__(self) -> None:
        self._in_a_row: defaultdict[BotId, int] = defaultdict(int)

    def count(self, match: MatchRecord, result: ResultRecord) -> None:
        """Count an ended match; an aborted one is ignored."""
        if result.ending == "aborted":
            return
        for seat, player in enumerate(match.seats):
            struck = result.winner == 1 - seat and result.ending in OWN_FAULT
            self._in_a_row[player.bot_id] = self._in_a_row[player.bot_id] + 1 if struck else 0

    def forget(self, bot_id: BotId) -> None:
        """Remove a bot's strikes."""
        self._in_a_row.pop(bot_id, None)

    def count_all(self, matches: Iterable[MatchRecord], since: Mapping[BotId, float] | None = None) -> None:
        """Count all stored matches with a result, in the order in which they ended.

        since: when bots came back that had been withdrawn; what had ended by then counts no more against them.
        """
        returns = sorted((since or {}).items(), key=lambda one: one[1])
        ended = [(match.result.ended_at, match.id, match) for match in matches if match.result is not None]
        # by end and not by number: strikes are losses in a row, and games of one bot can overlap
        for ended_at, _, match in sorted(ended, key=lambda row: row[:2]):
            assert match.result is not None
            while returns and returns[0][1] < ended_at:
                self.forget(returns.pop(0)[0])
            self.count(match, match.result)
        for bot_id, _ in returns:
            self.forget(bot_id)

    def over_limit(self, entries: Iterable[TournamentEntry], most: int) -> list[TournamentEntry]:
        """Entrants with at least `most` strikes in a row; empty if `most` is 0."""
        return [entry for entry in entries if most and self._in_a_row[entry.bot_id] >= most]
