"""Minimax, alpha-beta and PVS on nested lists, written without the listings: the exercises' answers must be theirs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

INF = 10**6


def minimax(tree: Any, is_max: bool) -> int:
    if isinstance(tree, int):
        return tree
    values = [minimax(child, not is_max) for child in tree]
    return max(values) if is_max else min(values)


def numbered(tree: Any, is_max: bool, number: int = 0) -> list[tuple[int, Any, bool]]:
    """Every node with its number, in the order of a full search, and whether Max is to move."""
    found = [(number, tree, is_max)]
    for child in tree if isinstance(tree, list) else []:
        found += numbered(child, not is_max, number + len(found))
    return found


def leaves(tree: Any) -> list[int]:
    return [node for _, node, _ in numbered(tree, True) if isinstance(node, int)]


def best_first(tree: Any, is_max: bool) -> Any:
    if isinstance(tree, int):
        return tree
    ordered = sorted(tree, key=lambda child: minimax(child, not is_max), reverse=is_max)
    return [best_first(child, not is_max) for child in ordered]


@dataclass
class Walk:
    """A search in Max's view that remembers every node it enters, by number, with its window."""

    hard: bool = False
    null_windows: bool = False
    entered: list[tuple[int, int, int]] = field(default_factory=list)

    def search(self, tree: Any, is_max: bool, low: int = -INF, high: int = INF, number: int = 0) -> int:
        self.entered.append((number, low, high))
        if isinstance(tree, int):
            return tree
        best, raised, at = (-INF if is_max else INF), False, number + 1
        for child in tree:
            value = self._child(child, is_max, low, high, at, raised)
            at += len(numbered(child, True))
            best = max(best, value) if is_max else min(best, value)
            if (value >= high) if is_max else (value <= low):
                break
            if is_max and value > low:
                low, raised = value, True
            if not is_max and value < high:
                high, raised = value, True
        return min(max(best, low), high) if self.hard else best

    def _child(self, child: Any, is_max: bool, low: int, high: int, at: int, raised: bool) -> int:
        if self.null_windows and raised:
            null = (low, low + 1) if is_max else (high - 1, high)
            value = self.search(child, not is_max, *null, at)
            if not low < value < high:
                return value
        return self.search(child, not is_max, low, high, at)

    def seen(self, tree: Any) -> list[int]:
        """The leaves that were looked at, from left to right."""
        numbers = {number for number, _, _ in self.entered}
        return [node for number, node, _ in numbered(tree, True) if isinstance(node, int) and number in numbers]
