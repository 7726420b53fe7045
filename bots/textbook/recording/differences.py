"""What only one of two searches of the same tree visited, and why.

    compared = compare(first, second, ("minimax", "alphabeta-failhard"))
    compared.parts[0].why   -> "alphabeta-failhard cut at 3 after 1 (value -3, window [0, inf]); minimax had none"

A node is the way of moves to it, so the order of the moves and searching again make no other nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.recording.drawing import number
from tabiya.bots.textbook.recording.recording import Recording

MOST_PARTS = 500
FULL = (-INFINITY, INFINITY)


@dataclass(frozen=True, slots=True)
class Part:
    """A subtree that only one search visited. by: 0 the first, 1 the second.

    way: the moves to its root.  nodes: in it.  visit: of its root, in the search that visited it.  parent: the visit of
    the node above in the other search.  why: one sentence.
    """

    by: int
    way: tuple[str, ...]
    nodes: int
    visit: int
    parent: int
    why: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """both: nodes that both visited.  only: those that one visited.  again: visits of nodes that it had visited before.

    parts: the subtrees, those with most nodes first, MOST_PARTS at most.
    """

    both: int
    only: tuple[int, int]
    again: tuple[int, int]
    parts: tuple[Part, ...]


def compare(first: Recording, second: Recording, names: tuple[str, str]) -> Comparison:
    """The two searches, of the same root. names: what the sentences call them."""
    walk = _Walk((first, second), names)
    both, parts = walk.compare()
    only = tuple(sum(part.nodes for part in parts if part.by == by) for by in (0, 1))
    again = tuple(len(recording) - both - alone for recording, alone in zip((first, second), only, strict=True))
    parts.sort(key=lambda part: -part.nodes)
    return Comparison(both, (only[0], only[1]), (again[0], again[1]), tuple(parts[:MOST_PARTS]))


class _Walk:
    """Goes through both trees at once, from the root down."""

    def __init__(self, recordings: tuple[Recording, Recording], names: tuple[str, str]) -> None:
        self._recordings, self._names = recordings, names

    def compare(self) -> tuple[int, list[Part]]:
        """How many nodes both visited, and the subtrees of one."""
        both, parts = 0, list[Part]()
        waiting: list[tuple[tuple[str, ...], list[int], list[int]]] = [((), [0], [0])]
        while waiting:
            way, *visits = waiting.pop()
            both += 1
            below = [_by_move(recording, each) for recording, each in zip(self._recordings, visits, strict=True)]
            for move in {**below[0], **below[1]}:
                if move in below[0] and move in below[1]:
                    waiting.append(((*way, move), below[0][move], below[1][move]))
                else:
                    by = int(move in below[1])
                    parts.append(self._part(by, (*way, move), below[by][move], visits))
        return both, parts

    def _part(self, by: int, way: tuple[str, ...], roots: list[int], above: Sequence[list[int]]) -> Part:
        nodes = _distinct(self._recordings[by], roots)
        return Part(by, way, nodes, roots[0], above[1 - by][-1], self._why(by, way, above))

    def _why(self, by: int, way: tuple[str, ...], above: Sequence[list[int]]) -> str:
        """Why the other search did not try the last move of this way."""
        other, visit = self._recordings[1 - by], above[1 - by][-1]
        name, one = self._names[1 - by], self._names[by]
        at = " ".join(way[:-1]) or "the root"
        children = list(other.below(visit))
        if not children:
            return f"{name} took the value of {at} as it stands and looked no further"
        *_, last = children
        window = other.seen_by(visit)[:2]
        cut = f"{name} cut at {at} after {other.move_of(last)} (value {number(other.seen_by(last)[2])}"
        mine = self._recordings[by].seen_by(above[by][0])[:2]
        if window != FULL or mine != window:
            cut += f", window {_shown(window)}; {one} had {_shown(mine)})"
        else:
            cut += ")"
        return f"{cut}{self._tried(by, way[-1], above)}"

    def _tried(self, by: int, move: str, above: Sequence[list[int]]) -> str:
        """The remark, if at the first visit that tried this move the move that cut was tried later or not at all."""
        mine, other = self._recordings[by], self._recordings[1 - by]
        *_, last = other.below(above[1 - by][-1])
        orders = ([mine.move_of(child) for child in mine.below(visit)] for visit in above[by])
        order = next(order for order in orders if move in order)
        cutter = other.move_of(last)
        if cutter in order and order.index(cutter) > order.index(move):
            return f"; {self._names[by]} tried {cutter} later"
        return ""


def _by_move(recording: Recording, visits: list[int]) -> dict[str, list[int]]:
    """The visits right below some visits of one node, by move."""
    found: dict[str, list[int]] = {}
    for visit in visits:
        for below in recording.below(visit):
            found.setdefault(recording.move_of(below), []).append(below)
    return found


def _distinct(recording: Recording, roots: list[int]) -> int:
    """The number of different nodes in the subtrees of these visits."""
    if len(roots) == 1 and not any(_again(recording, roots[0])):
        return recording.sizes[roots[0]]
    waiting, nodes = [roots], 0
    while waiting:
        nodes += 1
        waiting += _by_move(recording, waiting.pop()).values()
    return nodes


def _again(recording: Recording, root: int) -> Iterator[bool]:
    """Whether a visit of the subtree is of a node that had been visited."""
    return (recording.is_again(visit) for visit in range(root + 1, root + recording.sizes[root]))


def _shown(window: tuple[int, int]) -> str:
    return f"[{number(window[0])}, {number(window[1])}]"
