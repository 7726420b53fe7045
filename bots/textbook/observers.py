"""Observers that count what a listing visits, and find its line. recording/recording.py keeps the whole search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tabiya.bots.textbook.node import INFINITY, Node


class TooBig(ValueError):
    """The tree has more nodes than were allowed."""


@dataclass(slots=True)
class Counter:
    """Counts. A node is one call for one position, so a node that is searched again counts again.

    leaves: nodes below which none was visited.  cuts: nodes left with moves not looked at; unseen: those moves.
    researches: nodes searched a second time below the same parent.  limit: raises TooBig beyond so many nodes.
    """

    limit: int | None = None
    nodes: int = 0
    leaves: int = 0
    cuts: int = 0
    unseen: int = 0
    researches: int = 0
    _open: list[set[str]] = field(default_factory=list)  # by open node: the moves below it that were entered

    def enter(self, node: Node, alpha: int, beta: int) -> None:
        """Count the node. Raises TooBig."""
        self.nodes += 1
        if self.limit is not None and self.nodes > self.limit:
            raise TooBig(f"the search visits more than {self.limit} nodes")
        if self._open:
            self.researches += node.move in self._open[-1]
            self._open[-1].add(node.move)
        self._open.append(set())

    def leave(self, node: Node, value: int) -> None:
        """Count it as a leaf if it was one."""
        self.leaves += not self._open.pop()

    def cut(self, node: Node, move: str, left: Sequence[str]) -> None:
        """Count the cut-off."""
        self.cuts += 1
        self.unseen += len(left)


@dataclass(slots=True)
class _Open:
    """A node on the way: the best value so far for its mover, and the line that goes with it."""

    seat: int
    best: int
    line: tuple[str, ...] = ()
    tried: str = ""  # the last move below it ...
    before: tuple[int, tuple[str, ...]] = (0, ())  # ... and best and line before that


@dataclass(slots=True)
class Line:
    """The principal variation, as 001 collects it: at every node the last move that raised the value.

    of_mover: the listing's values are those of the side to move (negamax), not those of Max.
    resets: the listing forgets the bound it was given (004 as printed).
    """

    of_mover: bool
    resets: bool = False
    line: tuple[str, ...] = ()
    _path: list[_Open] = field(default_factory=list)

    def enter(self, node: Node, alpha: int, beta: int) -> None:
        """A node begins with what its mover can have already: alpha."""
        mine = alpha if self.of_mover or node.seat == 0 else -beta
        if self._path:
            parent = self._path[-1]
            if parent.tried == node.move:  # searched again: the first answer was none
                parent.best, parent.line = parent.before
            parent.tried, parent.before = node.move, (parent.best, parent.line)
        self._path.append(_Open(node.seat, -INFINITY if self.resets else mine))

    def leave(self, node: Node, value: int) -> None:
        """The parent's line goes through here if the value raises the parent's best."""
        line = self._path.pop().line
        if not self._path:
            self.line = line
            return
        parent = self._path[-1]
        turned = parent.seat != node.seat if self.of_mover else parent.seat == 1
        mine = -value if turned else value
        if mine > parent.best:
            parent.best, parent.line = mine, (node.move, *line)

    def cut(self, node: Node, move: str, left: Sequence[str]) -> None:
        """The line does not change."""
