"""The order in which moves are tried, as a parameter of every listing: `Ordered(node, Ordering(...))`.

A guess scores the moves of a node, a sorting brings them into order: all of them, from a heap as they are needed, or
only the best few. Killers and history learn from cut-offs, so a guess is an observer too.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tabiya.bots.textbook.node import Node


class Guess(StrEnum):
    """How the moves are guessed to be ordered."""

    NONE = "none"  # as the rules generate them, or as the tree is written
    EVALUATION = "evaluation"  # the evaluation after the move (000)
    CAPTURES = "captures"  # noisy moves before quiet ones
    ITERATION = "iteration"  # the principal variation of the search one ply less deep
    KILLER = "killer"  # moves that cut in other nodes of the same ply, the last two of them
    HISTORY = "history"  # moves that cut anywhere, weighted by the square of the depth left


@dataclass(frozen=True, slots=True)
class Sorting:
    """How the moves are sorted. best: only so many come to the front, the rest keep their order; 0: all.

    heap: taken from a heap one by one, so that a cut-off saves the rest of the work; the order is the same.
    """

    best: int = 0
    heap: bool = False

    def __post_init__(self) -> None:
        if self.best < 0 or (self.best and self.heap):
            raise ValueError("a sorting takes all moves, or from a heap, or the best 1, 2, 3, ...")

    def order(self, moves: Sequence[str], scores: Sequence[int]) -> Iterable[str]:
        """The moves, best first; equal scores keep their order."""
        if self.heap:
            return _from_heap(moves, scores)
        first = sorted(range(len(moves)), key=lambda i: -scores[i])
        if self.best:
            first = first[: self.best]
            first += [i for i in range(len(moves)) if i not in first]
        return [moves[i] for i in first]


def _from_heap(moves: Sequence[str], scores: Sequence[int]) -> Iterator[str]:
    heap = [(-score, i) for i, score in enumerate(scores)]
    heapq.heapify(heap)
    while heap:
        yield moves[heapq.heappop(heap)[1]]


@dataclass(slots=True)
class Ordering:
    """A guess with its memory. depth: plies of the running search.  line: the last iteration's, for ITERATION."""

    guess: Guess = Guess.NONE
    sorting: Sorting = field(default_factory=Sorting)
    depth: int = 0
    line: tuple[str, ...] = ()
    _killers: dict[int, tuple[str, ...]] = field(default_factory=lambda: defaultdict(tuple))
    _history: dict[tuple[int, str], int] = field(default_factory=lambda: defaultdict(int))

    def scores(self, ordered: Ordered, moves: Sequence[str]) -> list[int]:
        """How early each move is to be tried: higher is earlier."""
        node = ordered.node
        match self.guess:
            case Guess.EVALUATION:
                after = map(node.play, moves)
                return [each.estimate() if each.seat == node.seat else -each.estimate() for each in after]
            case Guess.CAPTURES:
                captures = set(node.captures())
                return [int(move in captures) for move in moves]
            case Guess.ITERATION:
                following = self.line[: node.ply] == ordered.path
                return [int(following and self.line[node.ply : node.ply + 1] == (move,)) for move in moves]
            case Guess.KILLER:
                newest_last = self._killers[node.ply][::-1]
                return [newest_last.index(move) + 1 if move in newest_last else 0 for move in moves]
            case Guess.HISTORY:
                return [self._history[node.seat, move] for move in moves]
            case _:
                return [0] * len(moves)

    def enter(self, node: Node, alpha: int, beta: int) -> None:
        """Nothing to learn."""

    def leave(self, node: Node, value: int) -> None:
        """Nothing to learn."""

    def cut(self, node: Node, move: str, left: Sequence[str]) -> None:
        """Remember the move that cut."""
        killers = self._killers[node.ply]
        if killers[:1] != (move,):
            self._killers[node.ply] = (move, *killers)[:2]
        self._history[node.seat, move] += (self.depth - node.ply) ** 2


class Ordered:
    """A node whose moves come in the order of a guess; everything else is as it was."""

    __slots__ = ("node", "ordering", "path")

    def __init__(self, node: Node, ordering: Ordering, path: tuple[str, ...] = ()) -> None:
        """path: the moves from the root to here."""
        self.node, self.ordering, self.path = node, ordering, path

    @property
    def seat(self) -> int:
        """Who is to move."""
        return self.node.seat

    @property
    def takes_turns(self) -> bool:
        """Whether players always take turns."""
        return self.node.takes_turns

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.node.over

    @property
    def ply(self) -> int:
        """Plies below the root."""
        return self.node.ply

    @property
    def move(self) -> str:
        """The move that led here."""
        return self.node.move

    def moves(self) -> Iterable[str]:
        """The moves, the most promising first."""
        moves = list(self.node.moves())
        return self.ordering.sorting.order(moves, self.ordering.scores(self, moves))

    def play(self, move: str) -> Ordered:
        """The position after the move, ordered likewise."""
        return Ordered(self.node.play(move), self.ordering, (*self.path, move))

    def analysis(self) -> int:
        """The value for seat 0."""
        return self.node.analysis()

    def eval(self) -> int:
        """The value for the side to move."""
        return self.node.eval()

    def estimate(self) -> int:
        """A cheap value for the side to move."""
        return self.node.estimate()

    def gain(self, move: str) -> int:
        """What the move changes."""
        return self.node.gain(move)

    def captures(self) -> Iterable[str]:
        """The noisy moves."""
        return self.node.captures()

    def rooted(self, horizon: int) -> Ordered:
        """The same position as the root of a search."""
        return Ordered(self.node.rooted(horizon), self.ordering)

    def quiet_visits(self) -> int:
        """Positions that quiescence has looked at so far."""
        return self.node.quiet_visits()
