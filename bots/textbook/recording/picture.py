"""A recorded search as a picture (SVG), drawn as the books draw trees.

The root is on top. Max is a square, Min is round, a leaf has no edge; the name, or the move, is above a node and the
window below it. What was cut off is struck out, the principal variation is thick, what is not visited yet is faint.
The words are those of the text (drawing.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tabiya.bots.textbook.catalogue import Fail
from tabiya.bots.textbook.recording.drawing import MAX_AND_MIN, Drawing, number
from tabiya.bots.textbook.recording.folding import ShownChildren, opened_nodes
from tabiya.bots.textbook.recording.painting import PaintedNode, Shape, painted
from tabiya.bots.textbook.tree import Tree

MOST_PLACES = 120
SIGNS = (
    ("<=", "\N{LESS-THAN OR EQUAL TO}"),
    (">=", "\N{GREATER-THAN OR EQUAL TO}"),
    ("inf", "\N{INFINITY}"),
    ("-", "\N{MINUS SIGN}"),
)
SQUARE, ROUND, BAR = "\N{WHITE SQUARE}", "\N{WHITE CIRCLE}", "\N{BOX DRAWINGS HEAVY HORIZONTAL}"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def picture(drawing: Drawing, line: Sequence[str], heading: Sequence[str], most: int = MOST_PLACES) -> str:
    """The SVG document. line: the principal variation, marked at the end.  heading: lines above it.

    most: so many nodes are drawn at most, about; the others are folded, and it says how many.
    """
    things = _Things(drawing, line, most)
    root = things.node(0)
    hidden = len(drawing.recording) - sum(thing.is_node for thing in root.all())
    note = f"{hidden:,} of {len(drawing.recording):,} nodes are not drawn, only counted"
    return painted(root, [*heading, *([note] if hidden else ())], _legend(drawing, bool(things.best)))


def tree_picture(tree: Tree) -> str:
    """A drawn tree as it is before any search: with its leaves, and a box to write in for each other node."""
    return painted(_unsearched(tree), (), " \N{MIDDLE DOT} ".join(_sides(MAX_AND_MIN)), f"the tree {tree}")


def _unsearched(tree: Tree) -> PaintedNode:
    shape = Shape.LEAF if tree.over else (Shape.MAX, Shape.MIN)[tree.seat]
    value = "" if tree.value is None else typeset(number(tree.value))
    return PaintedNode(below=list(map(_unsearched, tree.children)), name=f"#{tree.number}", value=value, shape=shape)


def _sides(names: tuple[str, str]) -> list[str]:
    return [f"{SQUARE} {names[0]}", f"{ROUND} {names[1]}"]


def _legend(drawing: Drawing, has_line: bool) -> str:
    signs = _sides(drawing.style.sides)
    if drawing.listing.fail is not Fail.EXACT:
        signs += ["[alpha, beta] at the beginning", typeset("<= >= bounds")]
    if any(drawing.recording.left_count):
        signs.append("// cut off")
    return "  \N{MIDDLE DOT}  ".join([*signs, f"{BAR * 2} principal variation"] if has_line else signs)


class _Things:
    """The nodes of a drawing as what is painted."""

    def __init__(self, drawing: Drawing, line: Sequence[str], most: int) -> None:
        self._drawing, self._recording = drawing, drawing.recording
        is_whole = drawing.step is None
        self.best = frozenset(_followed(drawing, line) if is_whole and line else ())
        self._here = None if drawing.step is None else self._recording.at(drawing.step).visit
        way = self.best if self._here is None else self._recording.path(self._here)
        self._opened = opened_nodes(self._recording, frozenset(way), most)

    def node(self, visit: int) -> PaintedNode:
        """A visit with all that is shown below it."""
        drawing, opened = self._drawing, self._opened.get(visit)
        seat = self._recording.columns["seat"][visit]
        return PaintedNode(
            below=list(self._below(visit, opened)),
            name=drawing.name(visit) + (" again" if self._recording.is_again(visit) else ""),
            value=typeset(drawing.value(visit).removeprefix("= ")),
            window=typeset(drawing.window(visit)) if drawing.has_begun(visit) else "",
            shape=(Shape.MAX, Shape.MIN)[seat] if drawing.is_inner(visit) else Shape.LEAF,
            is_faint=not drawing.has_begun(visit),
            is_best=visit in self.best,
            is_here=visit == self._here,
        )

    def _below(self, visit: int, opened: ShownChildren | None) -> Iterator[PaintedNode]:
        is_faint = not self._drawing.has_begun(visit)
        if opened is None:
            if self._drawing.is_inner(visit):
                yield PaintedNode(name=f"{self._recording.sizes[visit] - 1:,}", shape=Shape.TRIANGLE, is_faint=is_faint)
            return
        yield from map(self.node, opened.visits)
        if opened.more:
            yield PaintedNode(name=f"{opened.more:,} more", is_faint=is_faint)
        is_over = self._drawing.has_ended(visit)
        for text in self._drawing.left(visit) if opened.named else [f"{opened.left:,} moves"]:
            name, _, value = text.partition(" ") if opened.named else (text, "", "")
            value = ELLIPSIS if value.startswith("[") else typeset(value)
            yield PaintedNode(name=name, value=value, is_struck=is_over, is_faint=not is_over)


def _followed(drawing: Drawing, line: Sequence[str]) -> Iterator[int]:
    """The visits of a line of moves, the last one of a move that was searched again."""
    visit = 0
    yield visit
    for move in line:
        below = [each for each in drawing.recording.below(visit) if drawing.recording.move_of(each) == move]
        if not below:
            return
        visit = below[-1]
        yield visit


def typeset(text: str) -> str:
    """Numbers and bounds with the signs of printed ones."""
    for plain, sign in SIGNS:
        text = text.replace(plain, sign)
    return text
