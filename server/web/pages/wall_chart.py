"""The wall chart of a Swiss: for each bot its opponents and results, round by round."""

from __future__ import annotations

from typing import NamedTuple

from tabiya.server.web.pages.rounds import ShownPairing, shown_pairings
from tabiya.server.web.schemas.tournament_responses import TournamentDetail
from tabiya.server.web.views.presentation import format_points


class ChartCell(NamedTuple):
    """One round of one bot.

    mark: `won`, `even`, `lost`, `running`, `open`, `bye`, or `none` where the bot did not take part.
    score: as players write it, empty without one.  opponent: number of the entrant.  words: the same as a sentence.
    """

    mark: str
    score: str = ""
    opponent: int | None = None
    words: str = ""


NOTHING = ChartCell("none")
Chart = dict[int, tuple[ChartCell, ...]]


def wall_chart(tournament: TournamentDetail) -> Chart:
    """For each entrant's number its cells, one for each round that has pairings."""
    pairings = shown_pairings(tournament)
    paired = 1 + max((each.line.round for each in pairings), default=-1)
    cells: dict[tuple[int, int], ChartCell] = {}
    for bye in tournament.byes:
        words = f"{bye.bot}: bye{' on request' * bye.requested}, {format_points(bye.points)}"
        cells[bye.number, bye.round] = ChartCell("bye", format_points(bye.points), None, words)
    for each in pairings:
        for side in (0, 1):
            player = each.line.players[side]
            if player is not None:
                cells[player, each.line.round] = _cell(each, side)
    numbers = (line.number for line in tournament.lines)
    return {number: tuple(cells.get((number, at), NOTHING) for at in range(paired)) for number in numbers}


def _cell(pairing: ShownPairing, side: int) -> ChartCell:
    own, other = pairing.line.points[side], pairing.line.points[1 - side]
    opponent, bots = pairing.line.players[1 - side], (pairing.line.bots[side], pairing.line.bots[1 - side])
    words = f"{bots[0]} against {bots[1]}: {format_points(own)} to {format_points(other)}"
    if pairing.state != "over":
        return ChartCell("running" if pairing.state == "running" else "open", "", opponent, f"{words}, {pairing.state}")
    if own == other:
        # both have nothing if both have forfeited everything
        return ChartCell("even", "½", opponent, words) if own else ChartCell("lost", "0", opponent, words)
    return ChartCell("won", "1", opponent, words) if own > other else ChartCell("lost", "0", opponent, words)
