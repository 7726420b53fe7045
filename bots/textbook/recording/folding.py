"""The nodes of a recorded search that a picture shows, up to a limit; the rest is folded and counted.

What is marked (the principal variation, the current node) is always there; then level after level, from left to right.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from tabiya.bots.textbook.recording.recording import Recording

MOST_BELOW = 12  # shown of one node's children
MOST_LEFT = 3  # moves not looked at that are named one by one


@dataclass(frozen=True, slots=True)
class ShownChildren:
    """The children shown below a node: visits, how many `more` are hidden, and moves `left` unseen."""

    visits: list[int]
    more: int
    left: int

    @property
    def named(self) -> bool:
        """Whether the moves not looked at are shown one by one; else they take one place together."""
        return self.left <= MOST_LEFT

    @property
    def size(self) -> int:
        """Places that it takes."""
        return len(self.visits) + (self.more > 0) + (self.left if self.named else 1)


def opened_nodes(recording: Recording, marked: Collection[int], most: int) -> Mapping[int, ShownChildren]:
    """The shown children by visit, at most `most` places in all. marked: visits that are shown in any case."""
    width = max(2, min(MOST_BELOW, most // (len(marked) + 1)))
    opened, room = dict[int, ShownChildren](), most - 1
    waiting, first = deque([0]), set(marked)
    for visit in sorted(first):
        if recording.sizes[visit] > 1:
            opened[visit] = _opened(recording, visit, first, width)
            room -= opened[visit].size
    while waiting:
        visit = waiting.popleft()
        if visit not in opened and recording.sizes[visit] > 1:
            below = _opened(recording, visit, first, width)
            if below.size > room:
                break
            opened[visit] = below
            room -= below.size
        waiting.extend(opened[visit].visits if visit in opened else ())
    return opened


def _opened(recording: Recording, visit: int, marked: Collection[int], width: int) -> ShownChildren:
    below, left = list(recording.below(visit)), recording.left_count[visit]
    shown = below if len(below) <= width else [*below[: width - 1], *(v for v in below[width - 1 :] if v in marked)]
    return ShownChildren(shown, len(below) - len(shown), left)
