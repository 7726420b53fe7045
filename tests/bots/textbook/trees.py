"""What the tests of the textbooks share: seeded trees, and what a search of one looked at."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tabiya.bots.textbook.catalogue import LISTINGS, Fail, Horizon, Listing
from tabiya.bots.textbook.node import INFINITY, Node
from tabiya.bots.textbook.random_trees import ragged_tree, random_tree
from tabiya.bots.textbook.tree import Tree

SEED = 2008
SEARCHING = tuple(listing for listing in LISTINGS if listing.looks in (Horizon.TO_DEPTH, Horizon.TO_THE_END))
GENERAL = tuple(listing for listing in SEARCHING if not listing.precludes)
WINDOWED = tuple(listing for listing in GENERAL if listing.fail is not Fail.EXACT)
EXHAUSTIVE = tuple(listing for listing in GENERAL if listing.fail is Fail.EXACT)


def even_trees(count: int, seed: int = SEED, most: int = 20) -> Iterator[Tree]:
    """Trees whose leaves are equally deep, either seat to move at the root."""
    draw = random.Random(seed)
    for number in range(count):
        yield random_tree(draw, draw.randint(2, 4), draw.randint(1, 4), most, seat=number % 2)


def uneven_trees(count: int, seed: int = SEED, most: int = 20) -> Iterator[Tree]:
    """Trees with leaves at every depth, either seat to move at the root."""
    draw = random.Random(seed)
    for number in range(count):
        yield ragged_tree(draw, 4, 5, most, seat=number % 2)


def windows(draw: random.Random, most: int = 20) -> tuple[int, int]:
    """A narrow window about the values of those trees: alpha < beta."""
    alpha = draw.randint(-most - 2, most)
    return alpha, alpha + draw.randint(1, 8)


@dataclass(slots=True)
class Seen:
    """An observer that keeps everything, by node number: the windows, the values, the order, what was cut."""

    visited: list[int] = field(default_factory=list)
    windows: dict[int, tuple[int, int]] = field(default_factory=dict)
    values: dict[int, int] = field(default_factory=dict)
    left: dict[int, list[int]] = field(default_factory=dict)

    def enter(self, node: Node, alpha: int, beta: int) -> None:
        number = number_of(node)
        self.visited.append(number)
        self.windows[number] = (alpha, beta)

    def leave(self, node: Node, value: int) -> None:
        self.values[number_of(node)] = value

    def cut(self, node: Node, move: str, left: Sequence[str]) -> None:
        self.left[number_of(node)] = [number_of(node.play(other)) for other in left]


def number_of(node: Node) -> int:
    assert isinstance(node, Tree)
    return node.number


def seen(listing: Listing, tree: Tree, window: tuple[int, int] = (-INFINITY, INFINITY)) -> Seen:
    """What the listing saw of the whole tree."""
    observer = Seen()
    listing.search(tree, tree.height(), *window, observer=observer)
    return observer
