"""The bracket of a knockout for its page: each round is a column with a place for every tie, and lines join them."""

from __future__ import annotations

from typing import NamedTuple

from tabiya.server.web.pages.rounds import ShownPairing, shown_pairings
from tabiya.server.web.schemas.tournament_responses import TournamentDetail


class Slot(NamedTuple):
    """One place of a column. pairing: None where nobody plays.  on_the_way: the champion came through here."""

    pairing: ShownPairing | None
    on_the_way: bool

    @property
    def classes(self) -> str:
        """How the place and the lines at it are drawn."""
        if self.pairing is None:
            return "slot empty"
        line = self.pairing.line
        words = ["slot"]
        words += ["known"] * (None not in line.players or line.winner is not None)
        words += ["decided"] * (line.winner is not None)
        words += ["bye"] * (line.note == "bye")
        words += ["way"] * self.on_the_way
        return " ".join(words)


class Column(NamedTuple):
    """One round."""

    title: str
    slots: tuple[Slot, ...]


class Bracket(NamedTuple):
    """The whole bracket. champion: its name, empty before it is decided.  third: the match for the third place."""

    columns: tuple[Column, ...]
    champion: str
    third: ShownPairing | None


def bracket_of(tournament: TournamentDetail) -> Bracket:
    """The bracket of a knockout. A column has half as many places as the one before, the last one has one."""
    placed = {(each.line.round, each.line.slot): each for each in shown_pairings(tournament)}
    last = len(tournament.round_titles) - 1
    final = placed.get((last, 0))
    champion = final.line.winner if final else None
    columns = []
    for number, title in enumerate(tournament.round_titles):
        slots = [placed.get((number, slot)) for slot in range(2 ** (last - number))]
        way = [champion is not None and each is not None and each.line.winner == champion for each in slots]
        columns.append(Column(title, tuple(map(Slot, slots, way))))
    name = "" if final is None or champion is None else final.line.bots[final.line.players.index(champion)]
    return Bracket(tuple(columns), name, placed.get((last, 1)))
