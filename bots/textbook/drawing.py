"""A search drawn as the books draw it: every node with its window and value, a stroke through what was cut off.

    A Max [-inf, inf] = 6
    +---- B Min [-inf, inf] = 6
    |     +---- #2 [-inf, inf] = 6
    ...
          `-//- G

A value outside the window is a bound: `<= 4` says no more than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tabiya.bots.textbook.catalogue import Fail, Listing
from tabiya.bots.textbook.node import INFINITY, Node
from tabiya.bots.textbook.observers import Visit
from tabiya.bots.textbook.order import Ordered
from tabiya.bots.textbook.tree import Tree

MAX_AND_MIN = ("Max", "Min")
SEEN, STRUCK = "---- ", "-//- "


class View(StrEnum):
    """Whose view windows and values are drawn from."""

    MAX = "max"  # as tree diagrams show them
    MOVER = "mover"  # as a negamax function sees them: each node from its own side


@dataclass(frozen=True, slots=True)
class Style:
    """sides: what the two seats are called.  labels: nodes of an explicit tree that the book has named."""

    view: View = View.MAX
    sides: tuple[str, str] = MAX_AND_MIN
    labels: Mapping[int, str] = field(default_factory=dict)


def draw(root: Visit, listing: Listing, style: Style) -> Iterator[str]:
    """The lines of the drawing, one for each visit and for each move that was not looked at."""
    yield _head(root, listing, style, again=False)
    yield from _below(root, listing, style, "")


def lines_of(root: Visit) -> int:
    """How many lines the drawing has."""
    return 1 + len(root.left) + sum(map(lines_of, root.below))


def _below(visit: Visit, listing: Listing, style: Style, indent: str) -> Iterator[str]:
    last = len(visit.below) + len(visit.left) - 1
    moves = [below.node.move for below in visit.below]
    for at, below in enumerate(visit.below):
        corner = "`" if at == last else "+"
        again = below.node.move in moves[:at]
        yield indent + corner + SEEN + _head(below, listing, style, again)
        yield from _below(below, listing, style, indent + ("      " if at == last else "|     "))
    for at, move in enumerate(visit.left, start=len(visit.below)):
        yield indent + ("`" if at == last else "+") + STRUCK + _unseen(visit.node, move, style)


def _head(visit: Visit, listing: Listing, style: Style, again: bool) -> str:
    words = [name_of(visit.node, style)]
    if visit.below or visit.left:
        words.append(style.sides[visit.node.seat])
    turned = visit.node.seat == 1 and listing.of_mover != (style.view is View.MOVER)
    alpha, beta, value = (-visit.beta, -visit.alpha, -visit.value) if turned else (visit.alpha, visit.beta, visit.value)
    sign = "="
    if listing.fail is not Fail.EXACT:
        words.append(f"[{number(alpha)}, {number(beta)}]")
        if visit.below:
            sign = "<=" if value <= alpha else ">=" if value >= beta else "="
    return " ".join([*words, sign, number(value), *(["(again)"] if again else [])])


def name_of(node: Node, style: Style) -> str:
    """What a node is called: its label, its number in an explicit tree, else the move that led to it."""
    plain = node.node if isinstance(node, Ordered) else node
    if isinstance(plain, Tree):
        return style.labels.get(plain.number, f"#{plain.number}")
    return plain.move or "root"


def _unseen(node: Node, move: str, style: Style) -> str:
    plain = node.node if isinstance(node, Ordered) else node
    if not isinstance(plain, Tree):
        return move
    child = plain.play(move)
    return name_of(child, style) + ("" if child.value is None and child.over else f" {child}")


def number(value: int) -> str:
    """A value or a bound, infinity by that name."""
    if abs(value) >= INFINITY:
        return "inf" if value > 0 else "-inf"
    return str(value)
