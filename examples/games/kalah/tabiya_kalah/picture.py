"""Drawing and picture of Kalah: South's row below, the pits of who is to move are those that one clicks."""

from __future__ import annotations

from tabiya.game import Place, State, document, tag, text

PIT = 12.0  # a pit's width


def drawing(state: State) -> str:
    """For terminals: South's letters stand below its pits, North counts its own from the right."""
    south = " ".join(f"{seeds:2}" for seeds in state.rows[0, : state.store])
    north = " ".join(f"{seeds:2}" for seeds in state.rows[1, : state.store][::-1])
    middle = f"{state.rows[1, state.store]:2} {' ' * len(south)} {state.rows[0, state.store]:2}"
    return f"   {north}\n{middle}\n   {south}\n    {'  '.join('abcdef'[: state.store])}"


def pits_of(state: State) -> tuple[Place, ...]:
    """The pits of who is to move."""
    row, top = state.rows[state.side], PIT * (1 - state.side)
    corners = [PIT * (1 + pit if state.side == 0 else state.store - pit) for pit in range(state.store)]
    return tuple(Place("abcdef"[pit], x, top, PIT, PIT, f"{row[pit]} seeds") for pit, x in enumerate(corners))


def picture(title: str, state: State, colours: tuple[str, str]) -> str:
    """The SVG document; the bowls of who is to move have a lighter ground."""
    width, parts = PIT * (state.store + 2), []
    for seat, row in enumerate(state.rows):
        for bowl in range(state.store + 1):
            x = PIT * (bowl + 1.5) if seat == 0 else width - PIT * (bowl + 1.5)
            y = PIT if bowl == state.store else PIT * (1.5 - seat)
            fill = "#fffdf6" if seat == state.side else "#e9dfcb"
            parts.append(tag("circle", cx=x, cy=y, r=5.2, fill=fill, stroke=colours[seat], stroke_width=0.8))
            parts.append(text(x, y, str(row[bowl]), 5))
            parts.append(text(x, y + 3.7, "abcdef "[bowl if bowl < state.store else 6], 2.4))
    return document(title, width, 2 * PIT, parts)
