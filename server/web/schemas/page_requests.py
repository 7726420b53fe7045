"""Query models of pages, beyond those of the API."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from tabiya.server.web.schemas.requests import Name, RequestModel, SuperiorityQuery

Rows = Literal["some", "all"]
PageNumber = Annotated[int, Meta(ge=1, le=1_000_000)]
SortedBy = Literal["rank", "bot", "rating", "interval", "performance", "score", "games", "wins"]


class StandingsPageQuery(SuperiorityQuery, frozen=True, kw_only=True):
    """The page of the standings.

    page, rows: which part of the table, or all of it.  search: only names that contain this.
    limit: bots in the matrix below.  order: `turned` is the column's own order from the end.  pool: only this one.
    against, version: the row that the others are compared with.
    """

    page: PageNumber = 1
    rows: Rows = "some"
    search: Name = ""
    limit: Annotated[int, Meta(ge=1, le=200)] = 12
    sort: SortedBy = "rank"
    order: Literal["usual", "turned"] = "usual"
    pool: PageNumber | None = None
    against: Name = ""
    version: Name = ""


class BotsPageQuery(RequestModel, frozen=True, kw_only=True):
    """The page of all bots. here: only those that are connected; the others as above."""

    page: PageNumber = 1
    rows: Rows = "some"
    search: Name = ""
    here: bool = False


class TournamentsPageQuery(RequestModel, frozen=True, kw_only=True):
    """The list of tournaments. search: only those with this in their name or in the game's; page: as above."""

    page: PageNumber = 1
    search: Name = ""


class TournamentPageQuery(TournamentsPageQuery, frozen=True, kw_only=True):
    """The page of a tournament. search: only these bots.  of: only the games of these two entrants, as `3-11`.

    rows, games, rounds: all of the table, of the games, of the rounds.
    """

    rows: Rows = "some"
    games: Rows = "some"
    rounds: Rows = "some"
    of: Annotated[str, Meta(pattern=r"^([0-9]{1,4}-[0-9]{1,4})?$")] = ""


class SeasonsPageQuery(RequestModel, frozen=True, kw_only=True):
    """The page of a game's seasons. season: this one instead of the newest."""

    season: PageNumber | None = None


class BotPageQuery(RequestModel, frozen=True, kw_only=True):
    """The page of a bot. game: in detail; that with most rated games where none is named."""

    game: Name = ""
    opponents: Rows = "some"


class HeadToHeadPageQuery(RequestModel, frozen=True, kw_only=True):
    """The page of two bots."""

    game: Name = ""
    first: Name = ""
    second: Name = ""
