"""`tabiya standings`: the ratings of a game, from a running server or straight from a database."""

from __future__ import annotations

from typing import Any

import typer

from tabiya.cli.api import Api
from tabiya.cli.games import the_game
from tabiya.cli.output import FORMAT_OPTION, Format, show, table
from tabiya.cli.settings import SERVER_OPTION, client_settings

COLUMNS = {
    "rank": "#",
    "bot": "bot",
    "version": "version",
    "rating": "rating",
    "plus_minus": "± 95 %",
    "games": "games",
    "wins": "won",
    "draws": "drawn",
    "losses": "lost",
    "score": "score",
    "lost_how": "lost by",
}
SPARE = (("wins", "draws", "losses"), ("lost_how",), ("version",))


def standings(
    game: str | None = typer.Argument(None, help="Name of the game; every game with results if none is named."),
    server: str | None = SERVER_OPTION,
    database: str | None = typer.Option(None, "--database", "-d", help="Read this database instead of a server."),
    form: Format = FORMAT_OPTION,
) -> None:
    """Show the standings: joint ratings over all rated games with 95 % intervals."""
    found = _from_database(database, game) if database else _from_server(Api(client_settings(server)), game)
    if form is not Format.TABLE:
        rows = [{"game": one["game"], **row, "lost_how": lost_how(row)} for one in found for row in one["rows"]]
        show(rows, {"game": "game", **COLUMNS}, form)
        return
    shown = [one for one in found if one["rows"]]
    for one in shown:
        show_standings(one)
    if not shown:
        typer.echo(f"no rated games{f' of {game}' if game else ''} yet")


def show_standings(standings_of_game: dict[str, Any]) -> None:
    """Print one game's standings as a table."""
    rows = [shown_row(row) for row in standings_of_game["rows"]]
    columns = dict(COLUMNS)
    if not any(row["version"] for row in rows):
        del columns["version"]
    games = standings_of_game["games"]
    title = f"{standings_of_game['game']}: {games} rated game{'' if games == 1 else 's'}\n\n"
    table(rows, columns, title=title, spare=SPARE)


def shown_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row as people read it."""
    return row | {
        "rating": round(row["rating"]),
        "plus_minus": round(row["plus_minus"]),
        "score": f"{row['score']:.1%}",
        "lost_how": lost_how(row),
    }


def lost_how(row: dict[str, Any]) -> str:
    """How often a bot lost in which way."""
    return ", ".join(f"{ending.replace('_', ' ')} {count}" for ending, count in row["lost_by"].items())


def _from_server(api: Api, game: str | None) -> list[dict[str, Any]]:
    games = [game] if game else api.get("/api/server")["games"]
    return [api.get(f"/api/standings/{name}") for name in games]


def _from_database(url: str, game: str | None) -> list[dict[str, Any]]:
    import msgspec

    from games.registry import names
    from server.standings import read_standings
    from storage.open import open_store
    from tabiya.cli.database import run_on_store

    wanted = [the_game(game).name] if game else list(names())

    async def work() -> list[dict[str, Any]]:
        store = await open_store(url, create=False)
        try:
            return [msgspec.to_builtins(await read_standings(store, name)) for name in wanted]
        finally:
            await store.close()

    return run_on_store(work())


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(standings)
