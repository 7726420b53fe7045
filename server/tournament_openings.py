"""The openings of a tournament: one for each meeting, distinct until exhausted, the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from games.openings import Opening, distinct_openings
from games.registry import load_game
from storage.records import TournamentRecord


class Openings:
    """Drawn when they are needed: a draw takes about a millisecond, and all at once they would hold up every clock."""

    def __init__(self, record: TournamentRecord) -> None:
        """The openings of this tournament's game, options and seed."""
        self._draws = self._of(record)
        self._drawn = list[Opening]()

    @staticmethod
    def _of(record: TournamentRecord) -> Iterator[Opening]:
        return distinct_openings(load_game(record.game), record.seed, record.settings.get("options", {}))

    def draw(self, meetings: int) -> None:
        """Have those of the first `meetings` meetings ready; after a restart that may take seconds."""
        self._drawn += islice(self._draws, max(0, meetings - len(self._drawn)))

    def of(self, meeting: int) -> Opening:
        """The opening of this meeting's two games."""
        self.draw(meeting + 1)
        return self._drawn[meeting % len(self._drawn)]
