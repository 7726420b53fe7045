"""How long one player took for its moves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class MoveTimes:
    """How long one player took for its moves, as the server's clock has it, in microseconds."""

    moves: int = 0
    total_us: int = 0
    longest_us: int = 0

    def add(self, think_us: int) -> None:
        """Count one move."""
        self.moves += 1
        self.total_us += think_us
        self.longest_us = max(self.longest_us, think_us)

    @property
    def mean_ms(self) -> float | None:
        """None without moves."""
        return self.total_us / self.moves / 1000 if self.moves else None

    @property
    def longest_ms(self) -> float | None:
        """None without moves."""
        return self.longest_us / 1000 if self.moves else None
