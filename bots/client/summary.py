"""What came out of a run of a bot."""

from __future__ import annotations

from typing import NamedTuple


class Summary(NamedTuple):
    """Results of a run. Matches without a score were aborted, or ended while the bot was disconnected."""

    name: str = ""
    won: int = 0
    drawn: int = 0
    lost: int = 0
    without_score: int = 0

    @property
    def played(self) -> int:
        """Number of matches."""
        return self.won + self.drawn + self.lost + self.without_score

    def counting(self, score: float | None) -> Summary:
        """The summary with one more match."""
        kind = {1.0: "won", 0.5: "drawn", 0.0: "lost"}.get(-1.0 if score is None else score, "without_score")
        return self._replace(**{kind: getattr(self, kind) + 1})

    def __str__(self) -> str:
        rest = f", {self.without_score} without a score" if self.without_score else ""
        return f"{self.name}: {self.won} won, {self.drawn} drawn, {self.lost} lost{rest}"
