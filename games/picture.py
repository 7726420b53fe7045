"""Pictures of positions as SVG documents: what the boards share, and the drawing as text for a game without its own.

A picture is a whole document with a view box and, usually, no fixed size. It uses presentation attributes only (no
style sheet, no script, no reference to anything outside), so it shows the same everywhere and passes the strictest
content policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import NamedTuple

LETTERS = "abcdefghijklmnopqrstuvwxyz"
INK, MUTED, PAPER, FRAME = "#2b2a27", "#7d7464", "#fbf7ee", "#e9dfcb"
EMPTY = "empty"
LAST = "#f2c14e"  # marks the last move
SANS = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def document(title: str, width: float, height: float, parts: Iterable[str], *, sized: bool = False) -> str:
    """The SVG document of that view box; `title` is what a screen reader says. sized: a unit is a pixel."""
    body = "\n".join(parts)
    size = f' width="{number(width)}" height="{number(height)}"' if sized else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}"{size} role="img">\n'
        f"<title>{escape(title)}</title>\n{body}\n</svg>\n"
    )


def number(value: float) -> str:
    """A coordinate without needless digits."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def tag(name: str, **attributes: float | str) -> str:
    """An empty element; underscores in attribute names become hyphens: stroke_width."""
    return f"<{name}{_attributes(attributes)}/>"


def group(parts: Iterable[str], **attributes: float | str) -> str:
    """Elements that have attributes in common, named as in `tag`."""
    return f"<g{_attributes(attributes)}>{''.join(parts)}</g>"


def text(x: float, y: float, content: str, size: float, **attributes: float | str) -> str:
    """A piece of text centred on (x, y) unless told otherwise."""
    usual = {"text_anchor": "middle", "dominant_baseline": "central", "font_family": SANS, "fill": INK} | attributes
    place: dict[str, float | str] = {"x": x, "y": y, "font_size": size}
    return f"<text{_attributes(place | usual)}>{escape(content)}</text>"


def _attributes(attributes: dict[str, float | str]) -> str:
    return "".join(
        f' {name.replace("_", "-")}="{escape(value if isinstance(value, str) else number(value))}"'
        for name, value in attributes.items()
    )


class Place(NamedTuple):
    """A place of a picture that a person can point at, in the picture's units.

    name: in the game's notation. A move that a person can point out is the names of one or two places, one after the
    other, and nothing or a letter of its kind after them.  content: what stands there, in words.
    """

    name: str
    x: float
    y: float
    width: float
    height: float
    content: str = ""


def places_of(move: str, places: Mapping[str, Place]) -> tuple[Place, ...]:
    """The one or two places that a move names; none for a pass. places: of the picture, by name."""
    if move in places:
        return (places[move],)
    for end in range(len(move) - 1, 0, -1):
        rest = move[end:] if move[end:] in places else move[end:-1]
        if move[:end] in places and rest in places:
            return places[move[:end]], places[rest]
    return ()


class Board:
    """A frame with columns lettered from a and rows numbered from 1 around cells of ten units each."""

    CELL = 10.0

    def __init__(self, columns: int, rows: int, *, downwards: bool = False, turned: bool = False) -> None:
        """downwards: row 1 is the top one, as in reversi.  turned: seen from the opposite side."""
        self.columns, self.rows, self._downwards, self._turned = columns, rows, downwards, turned
        self.margin = 6.0 if columns > 4 else 4.0
        self.width = columns * self.CELL + 2 * self.margin
        self.height = rows * self.CELL + 2 * self.margin

    def corner(self, column: int, row: int) -> tuple[float, float]:
        """Upper left corner of a cell; column and row from 0."""
        down = row if self._downwards != self._turned else self.rows - 1 - row
        column = self.columns - 1 - column if self._turned else column
        return self.margin + column * self.CELL, self.margin + down * self.CELL

    def centre(self, column: int, row: int) -> tuple[float, float]:
        """Middle of a cell."""
        x, y = self.corner(column, row)
        return x + self.CELL / 2, y + self.CELL / 2

    def places(self, contents: Mapping[tuple[int, int], str]) -> tuple[Place, ...]:
        """All cells, row by row. contents: in words, by column and row; all others are empty."""
        return tuple(
            Place(
                f"{LETTERS[column]}{row + 1}",
                *self.corner(column, row),
                self.CELL,
                self.CELL,
                contents.get((column, row), EMPTY),
            )
            for row in range(self.rows)
            for column in range(self.columns)
        )

    def frame(self, fill: str = FRAME) -> list[str]:
        """The board's edge with letters below and above and numbers on both sides."""
        parts = [tag("rect", width=self.width, height=self.height, rx=2.5, fill=fill)]
        edge, size = self.margin / 2, 0.56 * self.margin
        for column in range(self.columns):
            x = self.centre(column, 0)[0]
            parts += [text(x, y, LETTERS[column], size, fill=MUTED) for y in (edge, self.height - edge)]
        for row in range(self.rows):
            y = self.centre(0, row)[1]
            parts += [text(x, y, str(row + 1), size, fill=MUTED) for x in (edge, self.width - edge)]
        return parts

    def ground(self, fill: str) -> str:
        """The area of all cells in one colour."""
        width, height = self.columns * self.CELL, self.rows * self.CELL
        return tag("rect", x=self.margin, y=self.margin, width=width, height=height, fill=fill)

    def lines(self, stroke: str, width: float) -> str:
        """The lines between the cells and around them."""
        right, bottom = self.width - self.margin, self.height - self.margin
        down = [f"M{number(x)} {number(self.margin)}V{number(bottom)}" for x in self._steps(self.columns)]
        across = [f"M{number(self.margin)} {number(y)}H{number(right)}" for y in self._steps(self.rows)]
        return tag("path", d="".join(down + across), stroke=stroke, stroke_width=width, fill="none")

    def _steps(self, count: int) -> list[float]:
        return [self.margin + self.CELL * step for step in range(count + 1)]

    def mark(self, column: int, row: int, fill: str = LAST, opacity: float = 0.55) -> str:
        """A cell in another colour."""
        x, y = self.corner(column, row)
        return tag("rect", x=x, y=y, width=self.CELL, height=self.CELL, fill=fill, fill_opacity=opacity)


def piece_document(name: str, ground: str, parts: Iterable[str]) -> str:
    """A piece on a cell of its own, drawn around (5, 5)."""
    return document(
        name, Board.CELL, Board.CELL, [tag("rect", width=Board.CELL, height=Board.CELL, fill=ground), *parts]
    )


def square_of(move: str) -> tuple[int, int]:
    """Column and row, from 0, of a move or square such as `b2` or `k15`."""
    return LETTERS.index(move[0]), int(move[1:]) - 1


def text_picture(title: str, drawing: str) -> str:
    """The drawing for a terminal as an SVG document, character by character."""
    lines = drawing.splitlines() or [""]
    width, height = 6.4 * max(map(len, lines)) + 12, 12.0 * len(lines) + 12
    parts = [tag("rect", width=width, height=height, rx=4, fill=FRAME)]
    for row, line in enumerate(lines):
        shown = line.replace(" ", "\N{NO-BREAK SPACE}")
        parts.append(text(6, 12 + 12 * row, shown, 10, text_anchor="start", font_family=MONO))
    return document(title, width, height, parts)
