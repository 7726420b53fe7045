"""`tabiya standings`: the ratings of a game, from a running server or straight from a database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from tabiya.api_client.api import Api
from tabiya.api_client.settings import client_settings
from tabiya.cli.games import time_control_from
from tabiya.cli.options import SERVER_OPTION
from tabiya.cli.output import FORMAT_OPTION, Format, note
from tabiya.cli.remote.standings_tables import has_content, show_matrices, show_pairs, show_ratings
from tabiya.cli.stores import on_store
from tabiya.errors import UserError, user_errors
from tabiya.games.errors import shown
from tabiya.loaded_game import game_named
from tabiya.protocol.printable import printable

if TYPE_CHECKING:
    from tabiya.storage.store import Store

MATRIX, MOST = 15, 200  # bots across a terminal, and for programs


@dataclass(frozen=True, slots=True)
class StandingsQuery:
    """The request. anchors: `NAME=RATING,NAME=RATING`.  limit: of the matrix; 0 for none.  pair: two bots.

    time: as the API takes it, empty for all time controls.  chosen: which games: `since`, `until`, `among`, `options`
    as the API takes them.
    """

    pooled: bool
    anchors: str
    time: str
    limit: int
    pair: tuple[str, str] | None
    chosen: dict[str, str]


def standings(
    game: str | None = typer.Argument(None, help="Name of the game [every game with results]."),
    pooled: bool = typer.Option(False, "--pooled/--versions", help="Rate all versions of a bot together, or each one."),
    time: str = typer.Option(
        "", "--time", "-t", help="Only games with this time control, such as 60+0.5.", metavar="CONTROL"
    ),
    since: str = typer.Option("", "--since", help="Only games that ended on this day or later.", metavar="YYYY-MM-DD"),
    until: str = typer.Option(
        "", "--until", help="Only games that ended on this day or earlier.", metavar="YYYY-MM-DD"
    ),
    among: str = typer.Option("", "--among", help="Only games between these bots.", metavar="BOT,BOT,…"),
    option: list[str] = typer.Option(
        [], "--option", "-o", help="Only games with this rules option, NAME=VALUE; may be repeated."
    ),
    anchor: list[str] = typer.Option([], "--anchor", help="Fix a bot's rating, NAME=RATING; may be repeated."),
    los: bool = typer.Option(False, "--los", help="Show the probability that each bot is better than each other bot."),
    head_to_head: tuple[str, str] | None = typer.Option(
        None, "--head-to-head", metavar="BOT BOT", help="Compare two bots by their own games and by all games."
    ),
    server: str | None = SERVER_OPTION,
    database: str | None = typer.Option(
        None, "--database", "-d", help="Read this database instead of asking a server."
    ),
    form: Format = FORMAT_OPTION,
) -> None:
    """Show ratings from all rated games, with 95 % intervals."""
    given = {"since": since, "until": until, "among": among, "options": " ".join(option)}
    chosen = {name: value for name, value in given.items() if value}
    if head_to_head and (los or pooled or anchor or time or chosen):
        raise UserError("--head-to-head counts all games of whole bots: leave out options that select or weigh games")
    limit = (MATRIX if form is Format.TABLE else MOST) if los else 0
    asked = StandingsQuery(
        pooled, _anchors(anchor), time_control_from(time) if time else "", limit, head_to_head, chosen
    )
    found = (
        _from_database(database, game, asked) if database else _from_server(Api(client_settings(server)), game, asked)
    )
    if head_to_head:
        show_pairs(found, form)
    elif los:
        show_matrices(found, form)
    else:
        show_ratings(found, form)
    if form is Format.TABLE and not any(map(has_content, found)):
        named = f"{f' of {game}' if game else ''}{f' with {asked.time}' if asked.time else ''}"
        named += " as asked for" if chosen else ""
        between = f" connect {head_to_head[0]} and {head_to_head[1]}" if head_to_head else ""
        typer.echo(printable(f"no rated games{named}{between} yet"))
        note("(bots without a token are rated in tournaments only, unless the server runs with --rate-guests)")


def _anchors(given: list[str]) -> str:
    """The anchors in one text. Raises UserError."""
    from tabiya.server.ratings.anchors import AnchorError, read_anchors

    text = ",".join(given)
    with user_errors(AnchorError):
        read_anchors(text)
    return text


def _from_server(api: Api, game: str | None, asked: StandingsQuery) -> list[dict[str, Any]]:
    games = [game] if game else api.get("/server")["games"]
    return [_asked_of(api, f"/standings/{name}", asked) for name in games]


def _asked_of(api: Api, path: str, asked: StandingsQuery) -> Any:
    if asked.pair:
        return api.get(f"{path}/head-to-head", first=asked.pair[0], second=asked.pair[1])
    query: dict[str, object] = {"pooled": "true"} if asked.pooled else {}
    query |= {name: value for name, value in (("anchors", asked.anchors), ("time", asked.time)) if value}
    query |= asked.chosen
    return api.get(f"{path}/superiority", limit=asked.limit, **query) if asked.limit else api.get(path, **query)


def _from_database(url: str, game: str | None, asked: StandingsQuery) -> list[dict[str, Any]]:
    import msgspec

    from tabiya.games.registry import names
    from tabiya.server.ratings.anchors import read_anchors
    from tabiya.server.standings import StandingsCache, View
    from tabiya.server.standings.selection import SelectionError, read_selection

    wanted = [game_named(game).name] if game else list(names())
    anchors = tuple(sorted(read_anchors(asked.anchors).items()))
    with user_errors(SelectionError):
        views = {
            name: View(asked.pooled, anchors, asked.time or None, read_selection(name, **asked.chosen))
            for name in wanted
        }

    async def read(store: Store) -> list[dict[str, Any]]:
        cache = StandingsCache(store)
        if asked.pair:
            bots = [await store.bot_by_name(name) for name in asked.pair]
            first, second = [_known(name, bot) for name, bot in zip(asked.pair, bots, strict=True)]
            found: list[Any] = [await cache.head_to_head(name, first, second) for name in wanted]
        elif asked.limit:
            found = [await cache.superiority(name, asked.limit, views[name]) for name in wanted]
        else:
            found = [await cache.standings(name, views[name]) for name in wanted]
        return [msgspec.to_builtins(one) for one in found]

    return on_store(url, read)


def _known(name: str, bot: Any) -> str:
    if bot is None:
        raise UserError(f"there is no bot {shown(name)}")
    return str(bot.name)
