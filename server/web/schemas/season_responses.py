"""Response models for seasons."""

from __future__ import annotations

from typing import Annotated

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.responses import ResponseModel


class SeasonLine(ResponseModel, frozen=True, kw_only=True):
    """A season in a list."""

    season: Annotated[int, doc("Its number.")]
    game: Annotated[str, doc("Name of the game.")]
    name: Annotated[str, doc("Its name.")]
    began_at: Annotated[float, doc("Seconds since 1970.")]
    ended_at: Annotated[float | None, doc("Seconds since 1970; null before the end.")]
    size: Annotated[int, doc("Bots per division.")]
    moving: Annotated[
        int, doc("How many bots move up and down between two divisions, never more than half a division.")
    ]


class SeasonList(ResponseModel, frozen=True, kw_only=True):
    """The seasons of a server."""

    seasons: Annotated[tuple[SeasonLine, ...], doc("Newest first.")]


class SeasonPlace(ResponseModel, frozen=True, kw_only=True):
    """A bot in a division; numbers count this season's games within the division."""

    bot: Annotated[str, doc("Its name.")]
    rating: Annotated[float | None, doc("Elo; the average of its division is 1500; null without a game.")]
    plus_minus: Annotated[float | None, doc("Half the width of its 95 % interval.")]
    games: Annotated[int, doc("Games with a result.")]
    wins: Annotated[int, doc("Games won.")]
    draws: Annotated[int, doc("Games drawn.")]
    losses: Annotated[int, doc("Games lost.")]
    goes: Annotated[str, doc("`up` or `down`, if the season ended now or has ended; else empty.")]


class SeasonTables(SeasonLine, frozen=True, kw_only=True):
    """A season with its divisions."""

    divisions: Annotated[tuple[tuple[SeasonPlace, ...], ...], doc("Highest division first, each in its order.")]
