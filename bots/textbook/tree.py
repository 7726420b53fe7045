"""Explicit trees, as the books draw them: `parse_tree("[[9, 8, 7], [6, 5, 4]]")`.

A whole number is a leaf with its value for Max (seat 0), a list an inner node with its children in order, and `null`
a leaf whose value nobody knows: a search that looks at it anyway fails. Moves are "1", "2", ... from the left, and
nodes have the numbers that 001 writes into its figure: 0 for the root, then in the order of a full search.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tabiya.bots.textbook.node import INFINITY

LONGEST_TEXT = 2_000_000
MOST_NODES = 200_000
DEEPEST = 60
MOST_VALUE = INFINITY - 1


class TreeError(ValueError):
    """The text is no tree, or the tree was asked for what it does not have."""


class Tree:
    """One node. Made by `parse_tree`, `leaf` and `branch`."""

    __slots__ = ("children", "move", "number", "ply", "seat", "value")

    def __init__(self, children: Sequence[Tree], value: int | None) -> None:
        self.children, self.value = tuple(children), value
        self.move, self.ply, self.seat, self.number = "", 0, 0, 0

    @property
    def takes_turns(self) -> bool:
        """Always: drawn trees have no seats of their own."""
        return True

    @property
    def over(self) -> bool:
        """Whether this is a leaf: what the books call terminal."""
        return not self.children

    def moves(self) -> tuple[str, ...]:
        """The numbers of the children from 1 on, none at a leaf."""
        return tuple(child.move for child in self.children)

    def play(self, move: str) -> Tree:
        """The child of that number. Raises TreeError if there is none."""
        if not move.isdecimal() or not 1 <= int(move) <= len(self.children):
            raise TreeError(f"node {self.number} has the moves 1 to {len(self.children)}, not {move!r}")
        return self.children[int(move) - 1]

    def analysis(self) -> int:
        """The leaf's value for Max. Raises TreeError at an inner node and at a leaf without a value."""
        if self.children:
            raise TreeError(f"node {self.number} has children, so it has no value of its own: search deeper")
        if self.value is None:
            raise TreeError(f"the search looked at node {self.number}, a leaf whose value is not given")
        return self.value

    def eval(self) -> int:
        """The leaf's value for the side to move. Raises TreeError."""
        return self.analysis() if self.seat == 0 else -self.analysis()

    def gain(self, move: str) -> int:
        """The value of that child, a leaf, for the side to move here. Raises TreeError."""
        return -self.play(move).eval()

    def captures(self) -> tuple[str, ...]:
        """A drawn tree has no noisy moves."""
        return ()

    def estimate(self) -> int:
        """The leaf's value for the side to move. Raises TreeError: an inner node has none."""
        return self.eval()

    def rooted(self, horizon: int) -> Tree:
        """The tree itself: it ends at its leaves."""
        return self

    def quiet_visits(self) -> int:
        """None: a leaf is a leaf."""
        return 0

    def nodes(self) -> Iterator[Tree]:
        """The node and all below it, in the order of their numbers."""
        yield self
        for child in self.children:
            yield from child.nodes()

    def size(self) -> int:
        """Nodes of the whole tree."""
        return 1 + sum(child.size() for child in self.children)

    def leaves(self) -> int:
        """Leaves of the whole tree."""
        return sum(child.leaves() for child in self.children) if self.children else 1

    def height(self) -> int:
        """Plies from here to the deepest leaf."""
        return 1 + max(child.height() for child in self.children) if self.children else 0

    def is_even(self) -> bool:
        """Whether all leaves are equally deep."""
        return len({child.height() for child in self.children}) <= 1 and all(c.is_even() for c in self.children)

    def is_decided(self) -> bool:
        """Whether every leaf that has a value is won, drawn or lost: 1, 0 or -1."""
        return all(c.is_decided() for c in self.children) if self.children else self.value in (None, -1, 0, 1)

    def __str__(self) -> str:
        if self.children:
            return f"[{','.join(map(str, self.children))}]"
        return "null" if self.value is None else str(self.value)

    def __repr__(self) -> str:
        return f"<Tree {self}>"


def leaf(value: int | None) -> Tree:
    """A tree of one node."""
    return Tree((), value)


def branch(children: Sequence[Tree]) -> Tree:
    """A tree of a new root over the given ones."""
    return Tree(children, None)


def numbered(tree: Tree, seat: int = 0) -> Tree:
    """The tree itself, numbered from its root on. seat: who is to move at the root."""
    _number(tree, "", 0, seat, 0)
    return tree


def _number(tree: Tree, move: str, ply: int, seat: int, number: int) -> int:
    tree.move, tree.ply, tree.seat, tree.number = move, ply, seat, number
    for index, child in enumerate(tree.children, start=1):
        number = _number(child, str(index), ply + 1, 1 - seat, number + 1)
    return number


def parse_tree(text: str, seat: int = 0) -> Tree:
    """The tree that nested lists describe. seat: who is to move at the root.  Raises TreeError."""
    if len(text) > LONGEST_TEXT:
        raise TreeError(f"a tree is at most {LONGEST_TEXT} characters long, not {len(text)}")
    try:
        read = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply or a number too long"
        raise TreeError(f"a tree is nested lists of whole numbers such as [[9,8,7],[6,5,4]]: {reason}") from None
    return numbered(_read(read, 0, [0]), seat)


def _read(read: Any, ply: int, seen: list[int]) -> Tree:
    seen[0] += 1
    if seen[0] > MOST_NODES:
        raise TreeError(f"a tree has at most {MOST_NODES} nodes")
    if ply > DEEPEST:
        raise TreeError(f"a tree is at most {DEEPEST} plies deep")
    if isinstance(read, list):
        if not read:
            raise TreeError("an inner node needs at least one child; write a leaf as a number, or null if unknown")
        return branch([_read(child, ply + 1, seen) for child in read])
    if read is None:
        return leaf(None)
    if isinstance(read, bool) or not isinstance(read, int):
        raise TreeError(f"a leaf is a whole number or null, not {json.dumps(read)[:40]}")
    if abs(read) > MOST_VALUE:
        raise TreeError(f"a leaf is a whole number from -{MOST_VALUE} to {MOST_VALUE}, not {str(read)[:40]}")
    return leaf(read)
