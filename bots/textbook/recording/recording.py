"""A search as columns, one row for each visit in the order of the visits.

    recorder = Recorder()
    run_listing(listing, node, depth, observers=[recorder])
    recording = recorder.recording(of_mover=listing.of_mover)

A search of n visits has 2n steps: each visit begins at one and ends at another. Between them lie those below it, so
the order of the visits and their plies say everything: `entered`, `finished` and `at` count it out.
"""

from __future__ import annotations

import json
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from tabiya.bots.textbook.node import Node
from tabiya.bots.textbook.order import Ordered
from tabiya.bots.textbook.tree import Tree

LOOK = 1024  # visits between two calls of `go_on`
# array types and what JavaScript calls them, widest first so that every column begins at a multiple of its width
COLUMNS = {
    "alpha": ("i", "Int32"),
    "beta": ("i", "Int32"),
    "value": ("i", "Int32"),
    "number": ("i", "Int32"),
    "move": ("H", "Uint16"),
    "left_count": ("H", "Uint16"),
    "left_moves": ("H", "Uint16"),
    "ply": ("B", "Uint8"),
    "seat": ("B", "Uint8"),
    "over": ("B", "Uint8"),
}


class Stopped(Exception):
    """The recording is no longer wanted."""


class Step(NamedTuple):
    """What happens at a step: the visit begins, or ends with its value."""

    visit: int
    is_end: bool


class Counts(NamedTuple):
    """What was counted by a step, as `Counter` counts."""

    nodes: int
    leaves: int
    cuts: int
    unseen: int
    researches: int


@dataclass(slots=True)
class Recorder:
    """An observer that keeps every visit. go_on: called now and then with their number; False ends the search."""

    go_on: Callable[[int], bool] | None = None
    columns: dict[str, array[int]] = field(
        default_factory=lambda: {name: array(kind) for name, (kind, _) in COLUMNS.items() if name != "left_moves"}
    )
    _moves: dict[str, int] = field(default_factory=dict)
    _left: dict[int, list[int]] = field(default_factory=dict)
    _open: list[int] = field(default_factory=list)

    def enter(self, node: Node, alpha: int, beta: int) -> None:
        """A visit begins. Raises Stopped."""
        columns, visit = self.columns, len(self.columns["ply"])
        if self.go_on is not None and visit % LOOK == 0 and not self.go_on(visit):
            raise Stopped
        plain = node.node if isinstance(node, Ordered) else node
        columns["ply"].append(len(self._open))
        columns["move"].append(self._move(node.move))
        columns["seat"].append(node.seat)
        columns["over"].append(node.over)
        columns["number"].append(plain.number if isinstance(plain, Tree) else -1)
        columns["alpha"].append(alpha)
        columns["beta"].append(beta)
        columns["value"].append(0)
        columns["left_count"].append(0)
        self._open.append(visit)

    def leave(self, node: Node, value: int) -> None:
        """The value of the innermost open visit is known."""
        self.columns["value"][self._open.pop()] = value

    def cut(self, node: Node, move: str, left: Sequence[str]) -> None:
        """Some moves are not looked at."""
        visit = self._open[-1]
        self.columns["left_count"][visit] = len(left)
        self._left[visit] = [self._move(text) for text in left]

    def _move(self, text: str) -> int:
        return self._moves.setdefault(text, len(self._moves))

    def recording(self, *, of_mover: bool) -> Recording:
        """What was recorded. of_mover: whether windows and values are those of the side to move, or of Max."""
        left_moves = array("H", [move for visit in sorted(self._left) for move in self._left[visit]])
        return Recording(tuple(self._moves), self.columns | {"left_moves": left_moves}, of_mover)


class Recording:
    """A finished search. Columns by name, a number for each visit:

    alpha, beta: the window it began with, and value: what it returned, all from the listing's view (`seen_by`).
    number: of the node in an explicit tree, else -1.  move: index into `moves`.  ply: from the root on.
    seat: who is to move.  over: whether the game has ended there.  left_count: moves that were not looked at;
    left_moves: those moves, one visit after the other, the only column of another length.
    """

    def __init__(self, moves: tuple[str, ...], columns: dict[str, array[int]], of_mover: bool) -> None:
        """moves: texts that the columns number."""
        self.moves, self.columns, self.of_mover = moves, columns, of_mover
        self.ply, self.value, self.left_count = columns["ply"], columns["value"], columns["left_count"]

    def __len__(self) -> int:
        return len(self.ply)

    @property
    def steps(self) -> int:
        """Steps from 0 on."""
        return 2 * len(self)

    @cached_property
    def sizes(self) -> array[int]:
        """Visits below each one, itself included."""
        sizes, waiting = array("i", [1]) * len(self), list[int]()
        for visit in range(len(self) - 1, -1, -1):  # the children of a visit are the last ones that wait
            while waiting and self.ply[waiting[-1]] > self.ply[visit]:
                sizes[visit] += sizes[waiting.pop()]
            waiting.append(visit)
        return sizes

    def below(self, visit: int) -> Iterator[int]:
        """The visits right below one, in order; a move that was searched again comes twice."""
        at, end = visit + 1, visit + self.sizes[visit]
        while at < end:
            yield at
            at += self.sizes[at]

    def path(self, visit: int) -> list[int]:
        """From the root to a visit."""
        path, at = list[int](), 0
        while at <= visit:
            path.append(at)
            if at == visit:
                break
            at = next(child for child in self.below(at) if visit < child + self.sizes[child])
        return path

    def left(self, visit: int) -> list[str]:
        """The moves that were not looked at below a visit."""
        start = self._left_starts[visit]
        return [self.moves[move] for move in self.columns["left_moves"][start : start + self.left_count[visit]]]

    @cached_property
    def _left_starts(self) -> array[int]:
        return _sums(self.left_count)

    def move_of(self, visit: int) -> str:
        """The move that led there, "" at the root."""
        return self.moves[self.columns["move"][visit]]

    def is_again(self, visit: int) -> bool:
        """Whether its parent had searched the same move before."""
        return bool(self._again[visit])

    @cached_property
    def _again(self) -> bytearray:
        again, tried = bytearray(len(self)), list[set[int]]()
        for visit, ply in enumerate(self.ply):
            del tried[ply:]
            move = self.columns["move"][visit]
            again[visit] = bool(tried) and move in tried[-1]
            if tried:
                tried[-1].add(move)
            tried.append(set())
        return again

    def seen_by(self, visit: int, *, mover: bool = False) -> tuple[int, int, int]:
        """Alpha, beta and value of a visit from the view of Max, or of the side to move there."""
        alpha, beta, value = (self.columns[name][visit] for name in ("alpha", "beta", "value"))
        turned = self.columns["seat"][visit] == 1 and self.of_mover != mover
        return (-beta, -alpha, -value) if turned else (alpha, beta, value)

    # --- steps

    def entered(self, visit: int) -> int:
        """The step at which a visit begins: all before it have begun, and ended unless they are above it."""
        return 2 * visit - self.ply[visit]

    def finished(self, visit: int) -> int:
        """The step at which it ends."""
        return 2 * (visit + self.sizes[visit]) - 1 - self.ply[visit]

    def at(self, step: int) -> Step:
        """What happens at a step. Raises IndexError."""
        if not 0 <= step < self.steps:
            raise IndexError(f"the search has the steps 0 to {self.steps - 1}, not {step}")
        last = bisect_right(range(len(self)), step, key=self.entered) - 1  # the last visit that has begun
        ends = step - self.entered(last)
        return Step(last, False) if ends == 0 else Step(self.path(last)[-ends], True)

    def counts(self, step: int) -> Counts:
        """What had been counted when that step was done."""
        visit, is_end = self.at(step)
        last = bisect_right(range(len(self)), step, key=self.entered) - 1
        ended = self.ply[last] - self.ply[visit] + 1 if is_end else 0
        path = self.path(last)
        still_open = path[: len(path) - ended]
        leaves, cuts, unseen, again = self._sums
        return Counts(
            nodes=last + 1,
            leaves=leaves[last + 1] - sum(self.sizes[each] == 1 for each in still_open),
            cuts=cuts[last + 1] - sum(self.left_count[each] > 0 for each in still_open),
            unseen=unseen[last + 1] - sum(self.left_count[each] for each in still_open),
            researches=again[last + 1],
        )

    @cached_property
    def _sums(self) -> tuple[array[int], array[int], array[int], array[int]]:
        cuts = (count > 0 for count in self.left_count)
        return _sums(size == 1 for size in self.sizes), _sums(cuts), _sums(self.left_count), _sums(self._again)

    # --- as bytes

    def packed(self, about: dict[str, Any]) -> bytes:
        """The recording for a page: a line of JSON, then its columns compressed (zlib) one after the other.

        about: what else the line says.
        """
        shapes = [[name, kind, len(self.columns[name])] for name, (_, kind) in COLUMNS.items()]
        head = about | {"visits": len(self), "of_mover": self.of_mover, "moves": self.moves, "columns": shapes}
        columns = b"".join(self.columns[name].tobytes() for name in COLUMNS)
        return json.dumps(head, separators=(",", ":")).encode() + b"\n" + zlib.compress(columns, 1)


def _sums(numbers: Any) -> array[int]:
    """The sum of all numbers before each one, and of all."""
    sums, total = array("i", [0]), 0
    for number in numbers:
        total += number
        sums.append(total)
    return sums
