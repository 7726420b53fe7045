"""By how much the time planned for a move is stretched or cut, from how the iterations went."""

from __future__ import annotations

# All numbers here were chosen, not tuned; the switch `patience` as a whole is measured by `tabiya bench ablation`.
# by how many iterations in turn the best move has been the same, the last for all longer
STEADY = (1.6, 1.25, 1.0, 0.85, 0.75)
FALL, MOST_FALL = 100.0, 0.6  # hundredths that the value fell by for one more share, and the most of these
EFFORT_START, EFFORT_SLOPE = 1.45, 0.75  # less the more of an iteration's nodes went into its best move
LEAST, MOST = 0.45, 2.5


class TimeScaling:
    """Follows the iterations of one search: time goes from easy moves to hard ones, as chess programs do it."""

    def __init__(self) -> None:
        self.factor = 1.0  # by which to multiply the planned time
        self._move, self._value, self._steady = -1, 0, 0

    def after(self, move: int, value: int, effort: float) -> None:
        """One more iteration has ended. effort: which part of its nodes went into its best move, 0 to 1."""
        self._steady = self._steady + 1 if move == self._move else 0
        fallen = max(0, self._value - value) if self._move != -1 else 0
        factor = STEADY[min(self._steady, len(STEADY) - 1)]
        factor *= 1 + min(fallen / FALL, MOST_FALL)
        factor *= EFFORT_START - EFFORT_SLOPE * effort
        self.factor = max(LEAST, min(factor, MOST))
        self._move, self._value = move, value
