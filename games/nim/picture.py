"""The heaps of Nim as a picture: a row of counters each, those taken drawn as outlines, the last move marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from tabiya.games.board_setup import BoardSetup, ShownBoard
from tabiya.games.nim.text import LARGEST_HEAP, MOST_HEAPS, Reading, read_position, write_position
from tabiya.games.picture import (
    EMPTY,
    FRAME,
    INK,
    LAST,
    LETTERS,
    MUTED,
    PAPER,
    Place,
    document,
    piece_document,
    tag,
    text,
)

PER_ROW, FEWEST = 21, 7  # counters in one row at most; the picture is at least so many wide
STEP, LEFT, RIGHT, EDGE = 10.0, 14.0, 16.0, 5.0
COUNTER, RIM, TAKEN = "#d9822b", "#a85f17", "#c9bda6"
OBJECT = "object"
ROOM = (7, 14, 21, 42, LARGEST_HEAP)  # counters for which there is room while heaps are set up


def picture(position: ShownBoard) -> str:
    """The SVG document. Heaps keep the places they had at the start of the game."""
    start, now = read_position(position.start_text), read_position(position.text())
    columns = _columns(start.heaps)
    taken_from, taken = _last(position)
    width, y, rows = LEFT + columns * STEP + RIGHT, EDGE, list[str]()
    for heap, (first, left) in enumerate(zip_longest(start.heaps, now.heaps, fillvalue=0)):
        marked = range(left, left + taken) if heap == taken_from else range(0)
        rows += _heap(heap, first, left, marked, columns, y)
        y += _height(first, columns)
    height = y + EDGE + 5
    ground = [
        tag("rect", width=width, height=height, rx=3, fill=FRAME),
        tag("rect", x=2, y=2, width=width - 4, height=y + EDGE - 4, rx=2, fill=PAPER),
    ]
    rule = "who takes the last one loses" if now.misere else "who takes the last one wins"
    sizes = ", ".join(map(str, now.heaps))
    return document(
        f"{position.game.title}, heaps of {sizes}; {rule}",
        width,
        height,
        [*ground, *rows, text(width / 2, height - 3.6, rule, 3.6, fill=MUTED)],
    )


def places(position: ShownBoard) -> tuple[Place, ...]:
    """A counter stands for the move that takes it and all after it in its heap; while heaps are set up, for itself."""
    if isinstance(position, BoardSetup):
        return tuple(_room(position))
    start, now = read_position(position.start_text), read_position(position.text())
    columns, top, found = _columns(start.heaps), EDGE, list[Place]()
    for heap, (first, left) in enumerate(zip(start.heaps, now.heaps, strict=True)):
        for i in range(left):
            x, y = _corner(i, columns, top)
            taken = f"takes {left - i} of {left}"
            found.append(Place(f"{LETTERS[heap]}{left - i}", x, y, STEP, STEP, taken))
        top += _height(first, columns)
    return tuple(found)


def _columns(heaps: Sequence[int]) -> int:
    return min(PER_ROW, max(FEWEST, *heaps))


def _height(counters: int, columns: int) -> float:
    return STEP * max(1, -(-counters // columns))


def _corner(counter: int, columns: int, top: float) -> tuple[float, float]:
    return LEFT + STEP * (counter % columns), top + STEP * (counter // columns)


def with_room(now: Reading) -> str:
    """The same heaps with room for more objects, and for one more heap, as a position text."""
    heaps = [next(room for room in ROOM if room > heap or room == LARGEST_HEAP) for heap in (*now.heaps, 0)]
    return write_position(now._replace(heaps=tuple(heaps[:MOST_HEAPS])))


def _room(board: BoardSetup) -> Iterator[Place]:
    room, now = read_position(board.start_text), read_position(board.text())
    columns, top = _columns(room.heaps), EDGE
    for heap, (most, held) in enumerate(zip_longest(room.heaps, now.heaps, fillvalue=0)):
        for i in range(most):
            content = OBJECT if i < held else EMPTY
            yield Place(f"{LETTERS[heap]}{i + 1}", *_corner(i, columns, top), STEP, STEP, content)
        top += _height(most, columns)


def object_picture() -> str:
    """One object."""
    return piece_document(OBJECT, PAPER, [_counter(STEP / 2, STEP / 2)])


def _last(position: ShownBoard) -> tuple[int, int]:
    """Heap and number of the last move; heap -1 before the first."""
    move = position.last_move
    return (LETTERS.index(move[0]), int(move[1:])) if move else (-1, 0)


def _heap(heap: int, first: int, left: int, marked: range, columns: int, top: float) -> list[str]:
    """One heap: its letter, its counters in rows of `columns`, how many are left."""
    middle = top + STEP / 2
    letter = text(LEFT / 2 + 1, middle, LETTERS[heap], 6, fill=INK, font_weight="bold")
    parts = [letter, text(LEFT + columns * STEP + RIGHT / 2 - 1, middle, str(left), 6, fill=INK)]
    for i in range(first):
        x, y = (at + STEP / 2 for at in _corner(i, columns, top))
        parts.append(_counter(x, y) if i < left else _gap(x, y, LAST if i in marked else "none"))
    return parts


def _counter(x: float, y: float) -> str:
    return tag("circle", cx=x, cy=y, r=3.9, fill=COUNTER, stroke=RIM, stroke_width=0.6)


def _gap(x: float, y: float, fill: str = "none") -> str:
    return tag("circle", cx=x, cy=y, r=3.7, fill=fill, fill_opacity=0.6, stroke=TAKEN, stroke_width=0.5)
