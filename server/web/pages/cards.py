"""Pictures of a match or a table for links to it (Open Graph), as SVG and as PNG."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import resvg_py

from tabiya.games.picture import FRAME, INK, MUTED, PAPER, document, tag, text
from tabiya.protocol.printable import printable
from tabiya.server.web.schemas.responses import LiveState, MatchLine
from tabiya.server.web.views.presentation import count_noun

WIDTH, HEIGHT, MARGIN, BOARD = 1200, 630, 40, 550
ACCENT = "#0b625e"
FONT = Path(__file__).parent / "fonts" / "DejaVuSans-Bold.ttf"
LAST_IN_FONT = "\u06ff"  # of the scripts that it has; others come from the fonts of the system, if it has them
WIDE, NARROW = frozenset("MWmw@%"), frozenset(" '!().,-:Iijlft|")
SMALLEST = 26.0
ROWS = 6  # of a table


class CardRow(NamedTuple):
    """One row of a table."""

    rank: int
    name: str
    value: str


def match_card(match: MatchLine, state: LiveState, board: str, server: str) -> str:
    """The SVG document of a match. board: that of its position, seat 0 below."""
    left = MARGIN + BOARD + MARGIN
    parts = [board.replace("<svg ", f'<svg x="{MARGIN}" y="{MARGIN}" width="{BOARD}" height="{BOARD}" ', 1)]
    parts.append(_line(f"{match.title}, {match.time_control}", left, 70, 30, fill=MUTED))
    for seat, y in ((1, 190), (0, 450)):
        won = state.result is not None and state.result.winner == seat
        parts.append(
            _line(match.seats[seat].seat + (" ✓ won" if won else ""), left, y - 52, 26, fill=ACCENT if won else MUTED)
        )
        parts.append(_line(match.seats[seat].bot, left, y, 54))
    if state.result is not None:
        parts.append(_line(state.result.result, left, 300, 76, fill=ACCENT))
    else:
        parts.append(_line(f"{state.status}, {count_noun(state.ply, 'move')}", left, 300, 40, fill=ACCENT))
    return _document(f"{match.seats[0].bot} against {match.seats[1].bot}", parts, left, server)


def table_card(title: str, under: str, rows: Sequence[CardRow], server: str) -> str:
    """The SVG document of a table: its first rows."""
    parts = [_line(title, MARGIN, 85, 56), _line(under, MARGIN, 150, 30, fill=MUTED)]
    for i, row in enumerate(rows[:ROWS]):
        y = 225 + 62 * i
        parts.append(tag("path", d=f"M{MARGIN} {y - 31}H{WIDTH - MARGIN}", stroke=FRAME, stroke_width=2))
        parts.append(text(MARGIN + 50, y, str(row.rank), 34, text_anchor="end", font_weight="bold", fill=MUTED))
        parts.append(_line(row.name, MARGIN + 80, y, 38, width=760))
        parts.append(text(WIDTH - MARGIN, y, row.value, 38, text_anchor="end", font_weight="bold", fill=ACCENT))
    return _document(title, parts, MARGIN, server)


def png(svg: str) -> bytes:
    """The picture as a PNG of 1200 x 630. Takes a tenth of a second: call it in a thread. Raises ValueError."""
    known = all(character <= LAST_IN_FONT or unicodedata.category(character)[0] not in "LM" for character in svg)
    return resvg_py.svg_to_bytes(
        svg_string=svg, skip_system_fonts=known, font_files=[str(FONT)], width=WIDTH, height=HEIGHT
    )


def _document(title: str, parts: Iterable[str], left: float, server: str) -> str:
    ground = tag("rect", width=WIDTH, height=HEIGHT, fill=PAPER)
    return document(printable(title), WIDTH, HEIGHT, [ground, *parts, _line(server, left, HEIGHT - 32, 26, fill=MUTED)])


def _line(content: str, x: float, y: float, size: float, *, width: float | None = None, fill: str = INK) -> str:
    """A line of text: in a smaller font if it is long, cut if that would be too small. width: its maximum."""
    content, width = printable(content), WIDTH - MARGIN - x if width is None else width
    size = max(min(size, width / (sum(_widths(content)) or 1)), min(size, SMALLEST))
    room = width / size
    if sum(_widths(content)) > room:
        while sum(_widths(content)) > room - 1:
            content = content[:-1]
        content += "…"
    return text(x, y, content, size, text_anchor="start", font_weight="bold", fill=fill)


def _widths(content: str) -> Iterator[float]:
    """How wide each character is at most, in font sizes."""
    for character in content:
        if unicodedata.east_asian_width(character) in "WF" or character in WIDE:
            yield 1.12
        else:
            yield 0.46 if character in NARROW else 0.87 if character.isupper() else 0.72
