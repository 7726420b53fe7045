"""Divisions of the next season: promotion and relegation by rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

Divisions = tuple[tuple[str, ...], ...]


def movers(divisions: Sequence[Sequence[object]], at_most: int) -> list[int]:
    """How many change places between each division and the next: never more than half of the smaller one."""
    return [min(at_most, len(upper) // 2, len(lower) // 2) for upper, lower in pairwise(divisions)]


def next_divisions(last: Sequence[Sequence[str]], here: Iterable[str], *, size: int, moving: int) -> Divisions:
    """The divisions of the next season, each from its strongest member on.

    last: those of the season before, each in its final order.  here: who plays on, newcomers in their order.
    Between two divisions the last `moving` and the first change places. Who has left is replaced from below; newcomers
    begin at the bottom.  A division has `size` members; a last one of a single member joins the one above.
    """
    changing = movers(last, moving)
    order: list[str] = []
    for number, division in enumerate(last):
        relegated = last[number - 1][len(last[number - 1]) - changing[number - 1] :] if number else ()
        promoted = last[number + 1][: changing[number]] if number < len(changing) else ()
        up, down = changing[number - 1] if number else 0, changing[number] if number < len(changing) else 0
        order += [*relegated, *division[up : len(division) - down], *promoted]
    present = dict.fromkeys(here)
    order = [name for name in order if name in present]
    order += [name for name in present if name not in set(order)]
    found = [tuple(order[start : start + size]) for start in range(0, len(order), size)]
    if len(found) > 1 and len(found[-1]) == 1:
        found[-2:] = [found[-2] + found[-1]]
    return tuple(found)
