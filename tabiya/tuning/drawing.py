"""The course of a run as a picture: each parameter's value over the iterations, between its bounds."""

from __future__ import annotations

from collections.abc import Sequence

from tabiya.games.picture import INK, MUTED, PAPER, document, number, tag, text
from tabiya.tuning.spsa import Parameter
from tabiya.tuning.state import TuningState
from tabiya.tuning.terms import written_number

WIDTH, LEFT, RIGHT = 720.0, 80.0, 80.0  # of the picture; of the room for bounds, and for the last value
ROW, GAP, TOP, BOTTOM = 84.0, 28.0, 60.0, 8.0  # a name is drawn in the gap above its row
LINE, FIELD = "#2166ac", "#ffffff"
MOST_POINTS = 480  # of a line: one for each unit of its width
SMALL, USUAL = 11.0, 13.0


def values_picture(state: TuningState) -> str:
    """The SVG document; a run that is not over ends where it is."""
    terms = state.terms
    height = TOP + len(terms.parameters) * (ROW + GAP) + BOTTOM
    title = f"tabiya tune {terms.player}: {len(state.iterations)} of {terms.gains.iterations} iterations"
    parts = [
        tag("rect", width=WIDTH, height=height, fill=PAPER),
        text(LEFT, 20, title, USUAL, text_anchor="start", font_weight="bold"),
    ]
    for at, parameter in enumerate(terms.parameters):
        course = [parameter.start, *(iteration.values[at] for iteration in state.iterations)]
        parts += _row(parameter, course, terms.gains.iterations, TOP + at * (ROW + GAP))
    y = height - BOTTOM - GAP / 2
    parts += [
        text(LEFT, y, "0", SMALL, fill=MUTED),
        text(WIDTH - RIGHT, y, str(terms.gains.iterations), SMALL, fill=MUTED),
    ]
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, y, "iterations", SMALL, fill=MUTED))
    return document(title, WIDTH, height, parts, sized=True)


def _row(parameter: Parameter, course: Sequence[float], iterations: int, top: float) -> list[str]:
    """One parameter: a field from MIN to MAX, its start as a broken line, its course."""

    def at(value: float) -> float:
        return top + ROW * (parameter.high - value) / (parameter.high - parameter.low)

    right, beside = WIDTH - RIGHT, LEFT - 8
    every = max(1, len(course) // MOST_POINTS)
    places = sorted({*range(0, len(course), every), len(course) - 1})
    points = " ".join(
        f"{number(LEFT + (right - LEFT) * place / iterations)},{number(at(course[place]))}" for place in places
    )
    now, start = course[-1], at(parameter.start)
    return [
        tag("rect", x=LEFT, y=top, width=right - LEFT, height=ROW, fill=FIELD, stroke=MUTED, stroke_width=0.6),
        tag("line", x1=LEFT, y1=start, x2=right, y2=start, stroke=MUTED, stroke_width=1, stroke_dasharray="4 3"),
        tag("polyline", points=points, fill="none", stroke=LINE, stroke_width=1.8, stroke_linejoin="round"),
        text(LEFT, top - 10, parameter.name, USUAL, text_anchor="start", fill=INK),
        text(beside, top + 6, written_number(parameter, parameter.high), SMALL, text_anchor="end", fill=MUTED),
        text(beside, top + ROW - 6, written_number(parameter, parameter.low), SMALL, text_anchor="end", fill=MUTED),
        text(
            right + 8, at(now), written_number(parameter, parameter.nearest(now)), USUAL, text_anchor="start", fill=LINE
        ),
    ]
