"""One listing run on one node: its result and its counts."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from tabiya.bots.textbook.catalogue import Answer, Horizon, Listing
from tabiya.bots.textbook.instrument import CompositeObserver, Observer
from tabiya.bots.textbook.node import INFINITY, Node
from tabiya.bots.textbook.observers import Counter, Line
from tabiya.bots.textbook.order import Guess, Ordered, Ordering, Sorting


@dataclass(frozen=True, slots=True)
class Report:
    """value: for the side to move.  line: the principal variation; empty where no move raised the value.

    nodes, leaves, cuts, unseen, researches: see `Counter`; summed over all iterations.  quiet: positions visited by
    quiescence, on top of the nodes.  depth: plies.
    """

    value: int
    line: tuple[str, ...]
    depth: int
    nodes: int
    leaves: int
    cuts: int
    unseen: int
    researches: int
    quiet: int
    time_s: float

    @property
    def move(self) -> str | None:
        """The move it would play; None if it found none better than losing."""
        return self.line[0] if self.line else None


@dataclass(frozen=True, slots=True)
class SearchSetup:
    """How a listing is run: the order of the moves, and whether it deepens iteratively.

    guess ITERATION implies them.
    """

    guess: Guess = Guess.NONE
    sorting: Sorting = field(default_factory=Sorting)
    iterate: bool = False

    def depths(self, depth: int) -> Iterable[int]:
        """The depths searched one after another."""
        return range(1, depth + 1) if self.iterate or self.guess is Guess.ITERATION else (depth,)


PLAIN_SETUP = SearchSetup()


def run_listing(
    listing: Listing,
    node: Node,
    depth: int,
    setup: SearchSetup = PLAIN_SETUP,
    window: tuple[int, int] = (-INFINITY, INFINITY),
    limit: int | None = None,
    observers: Iterable[Observer] = (),
) -> Report:
    """Search `node` as the book does, and count.

    window: for the side to move.  limit: raises TooBig beyond so many nodes.  observers: of the last iteration.
    """
    begun = time.perf_counter()
    counter, line, ordering = Counter(limit), _line_of(listing), Ordering(setup.guess, setup.sorting)
    quiet = node.quiet_visits()
    answer, depth = Answer(0, ()), listing.plies(depth)
    for plies in setup.depths(depth):
        ordering.depth, ordering.line = plies, line.line
        line = _line_of(listing)
        observer = CompositeObserver((counter, line, ordering, *(observers if plies == depth else ())))
        answer = listing.answer(_root(node, plies, ordering), plies, *window, observer=observer)
    return Report(
        value=answer.value,
        line=line.line or answer.moves[:1],
        depth=depth,
        nodes=counter.nodes,
        leaves=counter.leaves,
        cuts=counter.cuts,
        unseen=counter.unseen,
        researches=counter.researches,
        quiet=node.quiet_visits() - quiet,
        time_s=time.perf_counter() - begun,
    )


def best_moves(listing: Listing, node: Node, depth: int, limit: int | None = None) -> tuple[str, ...]:
    """All the moves that reach the value of `node`: each is searched with the full window.  Raises TooBig."""
    if listing.looks is Horizon.AT_MOVES:
        return listing.answer(node, depth).moves
    counter, root = Counter(limit), _root(node, depth, None)
    children = {move: root.play(move) for move in root.moves()}
    values = {
        move: _child_value(listing, child, depth - 1, counter) * (1 if child.seat == root.seat else -1)
        for move, child in children.items()
    }
    return tuple(move for move, value in values.items() if value == max(values.values()))


def _child_value(listing: Listing, child: Node, depth: int, counter: Counter) -> int:
    return child.eval() if listing.looks is Horizon.ONE_PLY else listing.search(child, depth, observer=counter)


def _line_of(listing: Listing) -> Line:
    return Line(listing.of_mover, listing.resets)


def _root(node: Node, plies: int, ordering: Ordering | None) -> Node:
    """The node to start from: it ends at the horizon for listings without a depth, its moves come in order."""
    root = node.rooted(plies)
    return root if ordering is None or ordering.guess is Guess.NONE else Ordered(root, ordering)
