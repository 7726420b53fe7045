"""`info` and `bestmove` lines."""

from __future__ import annotations

from collections.abc import Iterator

from tabiya.bots.search.limits import SearchResult
from tabiya.bots.search.scores import WON, plies_to_end


def info_lines(found: SearchResult, fullness: float) -> Iterator[str]:
    """One line for each of the best lines. fullness: of the table, 0 to 1."""
    spent_ms = round(found.time_s * 1000)
    speed = round(found.nodes / found.time_s) if found.time_s > 0 else 0
    work = f"nodes {found.nodes} nps {speed} hashfull {round(1000 * fullness)} time {spent_ms}"
    for number, line in enumerate(found.lines, 1):
        yield (
            f"info depth {found.depth} seldepth {max(found.depth, found.deepest)} multipv {number} "
            f"score {score_text(line.value)} {work} pv {' '.join(line.pv)}"
        )


def score_text(value: int) -> str:
    """`cp` in hundredths of the game's unit, `mate` in moves, negative for the side that loses.

    `mate 0`: has lost already. `mate 1`, the least for a winner, stands also for has won already.
    """
    distance = plies_to_end(value)
    if distance is not None:
        moves = (distance + 1) // 2
        return f"mate {max(1, moves) if value > 0 else -moves}"
    if abs(value) > WON:  # won by so many whole units
        margin = 100 * (abs(value) - int(WON))
        return f"cp {margin if value > 0 else -margin}"
    return f"cp {value}"


def best_line(found: SearchResult) -> str:
    """The answer, with the reply that is expected if one is."""
    expected = f" ponder {found.pv[1]}" if len(found.pv) > 1 else ""
    return f"bestmove {found.move}{expected}"
