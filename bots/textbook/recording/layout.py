"""Where the nodes of a drawn tree stand: every node above the middle of its children, no two of one row overlapping.

Subtrees are fitted together from the left and from the right, and stand in the middle of both, so that a mirrored tree
has the mirrored drawing (Kennedy 1996, see docs/sources.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Self

Outline = list[tuple[float, float]]
"""The left and right edge of a subtree in each of its rows, from its root's middle."""


@dataclass(slots=True)
class Box:
    """Something of a width in a row of a tree. x: its middle, from the left edge of the whole, once it is placed."""

    width: float = 0.0
    below: Sequence[Self] = ()
    x: float = 0.0
    row: int = 0
    _shift: float = field(default=0.0, repr=False)  # of the middle, from the parent's

    def all(self) -> Iterator[Self]:
        """It and all below it."""
        yield self
        for box in self.below:
            yield from box.all()


def place(root: Box, gap: float) -> tuple[float, int]:
    """Give every box its x and its row; the width and the number of rows. gap: between neighbours."""
    outline = _outline(root, gap)
    left, right = min(edges[0] for edges in outline), max(edges[1] for edges in outline)
    _set(root, -left, 0)
    return right - left, len(outline)


def _set(box: Box, x: float, row: int) -> None:
    box.x, box.row = x, row
    for below in box.below:
        _set(below, x + below._shift, row + 1)


def _outline(box: Box, gap: float) -> Outline:
    outlines = [_outline(below, gap) for below in box.below]
    from_left = _fitted(outlines, gap)
    from_right = [-x for x in reversed(_fitted([_mirrored(outline) for outline in reversed(outlines)], gap))]
    shifts = [(a + b) / 2 for a, b in zip(from_left, from_right, strict=True)]
    middle = (shifts[0] + shifts[-1]) / 2 if shifts else 0.0
    rows: Outline = []
    for below, outline, shift in zip(box.below, outlines, shifts, strict=True):
        below._shift = shift - middle
        rows = _merged(rows, [(left + below._shift, right + below._shift) for left, right in outline])
    return [(-box.width / 2, box.width / 2), *rows]


def _fitted(outlines: Sequence[Outline], gap: float) -> list[float]:
    """Where each subtree stands if all are pushed to the left; the first at 0."""
    shifts, rows = list[float](), Outline()
    for outline in outlines:
        touching = zip(rows, outline, strict=False)
        shift = max((right - left + gap for (_, right), (left, _) in touching), default=0.0)
        shifts.append(shift)
        rows = _merged(rows, [(left + shift, right + shift) for left, right in outline])
    return shifts


def _mirrored(outline: Outline) -> Outline:
    return [(-right, -left) for left, right in outline]


def _merged(left: Outline, right: Outline) -> Outline:
    """The outline of both, the second one standing to the right."""
    both = [(a[0], b[1]) for a, b in zip(left, right, strict=False)]
    return both + left[len(both) :] + right[len(both) :]
