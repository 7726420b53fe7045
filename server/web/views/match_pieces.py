"""The pieces of a match's page that its stream brings, rendered by the macros with which the page is rendered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment

from tabiya.server.web.schemas.live_moves import PagePieces
from tabiya.server.web.schemas.responses import MatchDetail, MoveLine
from tabiya.server.web.views.match_scores import reported_chances, svg_point


class MatchPieces:
    """Renders pieces. Its methods may run in a thread."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._macros: Any = None

    def macros(self) -> Any:
        """The page's macros; they are compiled when first asked for, which takes 50 ms."""
        if self._macros is None:
            self._macros = self._environment.get_template("match_parts.html").module
        return self._macros

    def of_move(self, match: MatchDetail, move: MoveLine) -> PagePieces:
        """The pieces that a move adds."""
        macros, chances = self.macros(), reported_chances([move], move.seat)
        column = point_text = ""
        for ply, chance in chances.items():
            column, point_text = macros.column(ply, f"{chance:.2f}"), svg_point(ply, chance)
        bar = "" if move.opening else macros.bar(move)
        row = "".join(map(str.strip, macros.row(match, move, None).splitlines()))
        return PagePieces(row=row, bar=str(bar), column=str(column), point=point_text)

    def end(self, match: MatchDetail) -> dict[str, str]:
        """The piece below the last move."""
        return {"last": str(self.macros().last_row(match))}

    def of_end(self, match: MatchDetail, tally: Sequence[str]) -> dict[str, str]:
        """The parts that change when a match ends or freezes."""
        players = {f"player-{seat}": str(self.macros().player(match, seat, tally[seat])) for seat in (0, 1)}
        head, facts = str(self.macros().head(match)), str(self.macros().facts(match))
        return self.end(match) | players | {"head": head, "facts": facts}
