"""A recorded search drawn as the books draw it: every node with its window and value, a stroke through what was cut.

    A Max [-inf, inf] = 6
    +---- B Min [-inf, inf] = 6
    |     +---- #2 [-inf, inf] = 6
    ...
          `-//- G

A value outside the window is a bound: `<= 4` says no more than that. `Drawing` has the words, which are those of the
picture (picture.py), too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tabiya.bots.textbook.catalogue import Fail, Listing
from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.recording.recording import Recording
from tabiya.bots.textbook.tree import Tree

MAX_AND_MIN = ("Max", "Min")
SEEN, STRUCK = "---- ", "-//- "


class View(StrEnum):
    """The side from whose view windows and values are shown."""

    MAX = "max"  # as tree diagrams show them
    MOVER = "mover"  # as a negamax function sees them: each node from its own side


@dataclass(frozen=True, slots=True)
class Style:
    """sides: what the two seats are called.  tree: the explicit one that was searched.  labels: its named nodes."""

    view: View = View.MAX
    sides: tuple[str, str] = MAX_AND_MIN
    tree: Tree | None = None
    labels: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drawing:
    """The texts at each visit. step: shows the search up to this step; None: all of it."""

    recording: Recording
    listing: Listing
    style: Style = field(default_factory=Style)
    step: int | None = None

    # --- what there is

    def has_begun(self, visit: int) -> bool:
        """Whether the node is drawn."""
        return self.step is None or self.recording.entered(visit) <= self.step

    def has_ended(self, visit: int) -> bool:
        """Whether its value is known."""
        return self.step is None or self.recording.finished(visit) <= self.step

    def is_inner(self, visit: int) -> bool:
        """Whether anything was visited below it."""
        return self.recording.sizes[visit] > 1

    def below(self, visit: int) -> list[int]:
        """The visits right below it that are drawn."""
        return [below for below in self.recording.below(visit) if self.has_begun(below)]

    def left(self, visit: int) -> list[str]:
        """The names of what will not be looked at below it; in an explicit tree with what stands there."""
        moves, node = self.recording.left(visit), self._node(visit)
        return moves if node is None else [self._unseen(node.play(move)) for move in moves]

    def _node(self, visit: int) -> Tree | None:
        node = self.style.tree
        for each in self.recording.path(visit)[1:] if node is not None else ():
            node = node.play(self.recording.move_of(each)) if node is not None else None
        return node

    def _unseen(self, node: Tree) -> str:
        return self._called(node.number) + ("" if node.value is None and node.over else f" {node}")

    # --- what is said

    def name(self, visit: int) -> str:
        """What the node is called: its label, its number in an explicit tree, else the move that led to it."""
        number = self.recording.columns["number"][visit]
        return self._called(number) if number >= 0 else self.recording.move_of(visit) or "root"

    def _called(self, number: int) -> str:
        return self.style.labels.get(number, f"#{number}")

    def side(self, visit: int) -> str:
        """Who is to move at an inner node, "" at a leaf."""
        return self.style.sides[self.recording.columns["seat"][visit]] if self.is_inner(visit) else ""

    def window(self, visit: int) -> str:
        """The window that it was searched with, "" where there is none."""
        alpha, beta, _ = self._numbers(visit)
        return "" if self.listing.fail is Fail.EXACT else f"[{number(alpha)}, {number(beta)}]"

    def value(self, visit: int) -> str:
        """The sign and the value, such as `<= 4`; "" before it is known."""
        alpha, beta, value = self._numbers(visit)
        bounded = self.listing.fail is not Fail.EXACT and self.is_inner(visit)
        sign = "=" if not bounded else "<=" if value <= alpha else ">=" if value >= beta else "="
        return f"{sign} {number(value)}" if self.has_ended(visit) else ""

    def _numbers(self, visit: int) -> tuple[int, int, int]:
        return self.recording.seen_by(visit, mover=self.style.view is View.MOVER)

    def words(self, visit: int) -> str:
        """All of it in a line."""
        again = "(again)" if self.recording.is_again(visit) else ""
        parts = self.name(visit), self.side(visit), self.window(visit), self.value(visit), again
        return " ".join(filter(None, parts))

    # --- as text

    def lines(self) -> Iterator[str]:
        """The drawing as text, a line for each visit and for each move that was not looked at."""
        yield self.words(0)
        yield from self._lines_below(0, "")

    def _lines_below(self, visit: int, indent: str) -> Iterator[str]:
        below, left = self.below(visit), self.left(visit) if self.has_ended(visit) else []
        last = len(below) + len(left) - 1
        for at, each in enumerate(below):
            yield indent + _corner(at == last) + SEEN + self.words(each)
            yield from self._lines_below(each, indent + ("      " if at == last else "|     "))
        for at, name in enumerate(left, start=len(below)):
            yield indent + _corner(at == last) + STRUCK + name


def _corner(is_last: bool) -> str:
    return "`" if is_last else "+"


def number(value: int) -> str:
    """A value or a bound, infinity by that name."""
    if abs(value) >= INFINITY:
        return "inf" if value > 0 else "-inf"
    return str(value)
