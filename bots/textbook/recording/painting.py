"""A tree drawn as SVG: boxes, edges and texts in their colours, on a white background.

With the background the picture is the same in light and dark notebooks, on slides and printed. What differs in
colour differs in shape or line, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape

from tabiya.bots.textbook.recording.layout import Box, place
from tabiya.games.picture import INK, LAST, MONO, PAPER, document, group, number, tag

MUTED, CUT, BEST = "#635c50", "#8a3a12", "#0b625e"
LETTER = 0.61  # width of a letter by its height, where all are equally wide
VALUE, NAME, WINDOW = 13.0, 11.0, 9.5  # heights of letters
BOX, LEAST, PADDING = 24.0, 28.0, 14.0  # a box: its height, its least width, and room beside its text
ROW, ABOVE, BELOW = 92.0, 14.0, 15.0  # from row to row; room for the name above a box and for the window below it
GAP, MARGIN, LINE = 12.0, 16.0, 17.0
FAINT = 0.35

Attributes = dict[str, float | str]


class Shape(StrEnum):
    """The shape around a value, or in place of nodes that are only counted."""

    MAX = "max"
    MIN = "min"
    LEAF = "leaf"
    TRIANGLE = "triangle"
    NOTHING = "nothing"


EDGES: dict[str, Attributes] = {
    "plain": {"stroke": MUTED, "stroke_width": 1.2},
    "cut": {"stroke": CUT, "stroke_width": 1.2, "stroke_dasharray": "4 3"},
    "best-edge": {"stroke": BEST, "stroke_width": 3.4},
    "slash": {"stroke": CUT, "stroke_width": 1.8},
}
KINDS: dict[str, Attributes] = EDGES | {
    "here": {"fill": LAST},
    "best": {"stroke": BEST, "stroke_width": 5},
    Shape.MAX: {"fill": "#dbe7f3", "stroke": "#2166ac", "stroke_width": 1.4},
    Shape.MIN: {"fill": "#f8dfd6", "stroke": "#b8432b", "stroke_width": 1.4},
    Shape.LEAF: {"fill": "#efe9db"},
    Shape.TRIANGLE: {"fill": "none", "stroke": MUTED, "stroke_width": 1.2},
    "value": {"font_size": VALUE, "font_weight": "bold", "fill": INK},
    "name": {"font_size": NAME, "fill": INK},
    "window": {"font_size": WINDOW, "fill": MUTED},
    "struck": {"font_size": NAME, "fill": CUT, "text_decoration": "line-through"},
}


@dataclass(slots=True)
class PaintedNode(Box):
    """A node, a move that was not looked at, or a triangle that stands for nodes that are not drawn."""

    name: str = ""
    value: str = ""
    window: str = ""
    shape: Shape = Shape.NOTHING
    is_struck: bool = False
    is_faint: bool = False
    is_best: bool = False
    is_here: bool = False

    def measure(self) -> None:
        """Set its width to that of its widest part."""
        texts = ((self.name, NAME), (self.window, WINDOW), (self.value, NAME))
        self.width = max(self.box_width, *(_width(text, size) for text, size in texts))

    @property
    def is_node(self) -> bool:
        """Whether it is a node of its own."""
        return self.shape in (Shape.MAX, Shape.MIN, Shape.LEAF)

    @property
    def box_width(self) -> float:
        """Of the shape around the value."""
        return max(LEAST, _width(self.value, VALUE) + PADDING) if self.is_node else 0.0


def _width(text: str, size: float) -> float:
    return len(text) * LETTER * size


def painted(root: PaintedNode, heading: Sequence[str], foot: str, title: str = "") -> str:
    """The SVG document. heading: lines above the tree, the first one bold.  foot: the line below it.

    title: what a screen reader says; the heading if there is none.
    """
    for thing in root.all():
        thing.measure()
    width, rows = place(root, GAP)
    lines = [*((text, VALUE) for text in heading[:1]), *((text, NAME) for text in (*heading[1:], foot))]
    whole = max(width, *(_width(text, size) for text, size in lines)) + 2 * MARGIN
    top = MARGIN + LINE * len(heading) + GAP
    foot_y = top + ROW * (rows - 1) + ABOVE + BOX + BELOW + 2 * LINE
    sheet = _Sheet((whole - width) / 2, top)
    for thing in root.all():
        sheet.add(thing)
    heads = [_letters(MARGIN, MARGIN + LINE * (at + 0.5), text) for at, text in enumerate(heading)]
    parts = [
        tag("rect", width=whole, height=foot_y + MARGIN, rx=6, fill=PAPER),
        group(sheet.parts(), text_anchor="middle", font_family=MONO),
        group(heads[:1], font_size=VALUE, font_weight="bold", font_family=MONO, fill=INK),
        group([*heads[1:], _letters(MARGIN, foot_y, foot)], font_size=NAME, font_family=MONO, fill=MUTED),
    ]
    return document(title or ". ".join(heading), whole, foot_y + MARGIN, parts, sized=True)


def _letters(x: float, baseline: float, content: str) -> str:
    return f'<text x="{_near(x)}" y="{_near(baseline)}">{escape(content)}</text>' if content else ""


def _near(value: float) -> str:
    return number(round(value, 1))


class _Sheet:
    """What is painted, by kind; kinds are painted one over the other in the order of the tables."""

    def __init__(self, left: float, top: float) -> None:
        self._left, self._top = left, top
        self._painted: dict[tuple[str, bool], list[str]] = defaultdict(list)

    def add(self, thing: PaintedNode) -> None:
        """Paint a thing, and the edges to what is below it."""
        x, y = self._left + thing.x, self._top + thing.row * ROW
        kind = "struck" if thing.is_struck else "name"
        if thing.is_node:
            self._add_box(thing, x, y + ABOVE)
        elif thing.shape is Shape.TRIANGLE:
            self._put(thing.shape, thing, tag("path", d=f"M{_near(x)} {_near(y)}l8 13h-16z"))
            y += ABOVE  # its name is below it
        self._put(kind, thing, _letters(x, y + ABOVE - 5, thing.name))
        self._put(kind, thing, "" if thing.is_node else _letters(x, y + ABOVE + 9, thing.value))
        end = y + ABOVE + BOX + (BELOW if thing.window else 2)
        for below in thing.below:
            self._add_edge(thing, below, x, end)

    def _add_box(self, thing: PaintedNode, x: float, y: float) -> None:
        width = thing.box_width
        round_by = {Shape.MAX: 0.0, Shape.MIN: BOX / 2}.get(thing.shape, 3.0)
        box = _box(x, y, width, round_by)
        if thing.is_here:
            self._put("here", thing, _box(x, y, width, round_by, 6.0))
        if thing.is_best:
            self._put("best", thing, box)
        self._put(thing.shape, thing, box)
        self._put("value", thing, _letters(x, y + BOX / 2 + VALUE * 0.36, thing.value))
        self._put("window", thing, _letters(x, y + BOX + 11, thing.window))

    def _add_edge(self, thing: PaintedNode, below: PaintedNode, x: float, y: float) -> None:
        to_x, to_y = self._left + below.x, self._top + below.row * ROW - 1
        kind = "cut" if below.is_struck else "best-edge" if thing.is_best and below.is_best else "plain"
        self._put(kind, below, f"M{_near(x)} {_near(y)}L{_near(to_x)} {_near(to_y)}")
        if below.is_struck:
            middle, height = x + (to_x - x) * 0.65, y + (to_y - y) * 0.65
            for shift in (-2.5, 2.5):
                self._put("slash", below, f"M{_near(middle + shift - 3)} {_near(height + 5)}l6 -10")

    def _put(self, kind: str, thing: PaintedNode, part: str) -> None:
        self._painted[kind, thing.is_faint].append(part)

    def parts(self) -> Iterator[str]:
        """The elements, the lowest first."""
        for kind, attributes in KINDS.items():
            for is_faint in (True, False):
                parts = self._painted.get((kind, is_faint), [])
                if any(parts):
                    shown = attributes | ({"opacity": FAINT} if is_faint else {})
                    yield tag("path", d="".join(parts), **shown) if kind in EDGES else group(parts, **shown)


def _box(x: float, y: float, width: float, round_by: float, more: float = 0.0) -> str:
    """A rectangle around the middle x, its upper edge at y, larger by `more` on each side."""
    place = {"x": x - width / 2 - more, "y": y - more, "width": width + 2 * more, "height": BOX + 2 * more}
    shape = {name: round(value, 1) for name, value in place.items()}
    return tag("rect", **shape, **({"rx": round_by + more} if round_by else {}))
