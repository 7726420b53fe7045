"""`tabiya review MATCH`: which moves a match was lost by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from tabiya.api_client.api import Api
from tabiya.api_client.settings import client_settings
from tabiya.cli.games import COMPILING_ENGINES, the_game
from tabiya.cli.options import SERVER_OPTION
from tabiya.cli.output import FORMAT_OPTION, Format, note_if_slow, show, show_json
from tabiya.cli.stores import on_store
from tabiya.errors import UserError, user_errors
from tabiya.protocol.printable import printable

if TYPE_CHECKING:
    from tabiya.review.judge import JudgedMove
    from tabiya.storage.store import Store

USUAL_NODES = 20_000  # a game of chess takes some seconds
COLUMNS = {
    "ply": "ply",
    "player": "player",
    "move": "move",
    "value": "then",
    "cost": "cost",
    "best": "better",
    "best_value": "value",
    "line": "how it goes on",
}
SPARE = (("line",),)


def review(
    match: int = typer.Argument(help="Number of the match.", min=1),
    most: int = typer.Option(3, "--most", help="How many moves of each player are shown.", min=1, max=1_000),
    nodes: int = typer.Option(USUAL_NODES, "--nodes", help="How long the engine looks at each position.", min=100),
    server: str | None = SERVER_OPTION,
    database: str | None = typer.Option(None, "--database", "-d", help="Read a database instead of asking a server."),
    form: Format = FORMAT_OPTION,
) -> None:
    """Show the moves that a match was lost by: what each cost, what was better, and how that goes on.

    Every position is judged by the playing engine with so many nodes. A cost is in points: 1.00 turns a won game into a
    lost one. `then` and `value` are the position after the move and after the better one, as the player sees them.
    """
    from tabiya.games.errors import GameError
    from tabiya.review.judge import costliest, graph, judge

    if server is not None and database is not None:
        raise UserError("a match comes from a server or from a database, not from both")
    found = _from_store(database, match) if database is not None else _from_server(server, match)
    judged: list[JudgedMove] = []
    with user_errors(GameError), note_if_slow(COMPILING_ENGINES) as enough:
        game = the_game(found["game"])
        for move in judge(game, found["start"], found["moves"], nodes):
            enough()
            judged.append(move)
    rows = [_row(move, found["players"]) for seat in (0, 1) for move in costliest(judged, seat, most)]
    if form is Format.JSON:
        show_json(found | {"chances": [round(move.chances, 3) for move in judged], "judged": judged})
        return
    if form is Format.TABLE:
        one, two = found["players"]
        typer.echo(printable(f"match {match}: {found['game']}, {one} against {two}, {found['result']}"))
        typer.echo(printable(f"chances of {one} before each move, in tenths: {graph(judged)}"))
        if not rows:
            typer.echo("no move cost anything that the engine can see")
            return
    show(rows, COLUMNS, form, SPARE)


def _row(move: JudgedMove, players: list[str]) -> dict[str, Any]:
    return {
        "ply": move.ply,
        "player": players[move.seat],
        "move": move.move,
        "value": move.value,
        "cost": f"{move.cost:.2f}",
        "best": move.best,
        "best_value": move.best_value,
        "line": " ".join(move.line),
    }


def _from_server(server: str | None, number: int) -> dict[str, Any]:
    match = Api(client_settings(server)).get(f"/api/matches/{number}")
    result = match["result"]
    return {
        "match": number,
        "game": match["game"],
        "players": [seat["bot"] for seat in match["seats"]],
        "result": (result["reason"] or result["ending"].replace("_", " ")) if result else match["status"],
        "start": match["start"],
        "moves": [move["move"] for move in match["moves"]],
    }


def _from_store(database: str, number: int) -> dict[str, Any]:
    async def read(store: Store) -> dict[str, Any]:
        from tabiya.storage.records import MatchId

        match = await store.match(MatchId(number))
        if match is None:
            raise UserError(f"there is no match {number} in {database}")
        result = match.result
        return {
            "match": number,
            "game": match.game,
            "players": [seat.bot for seat in match.seats],
            "result": (result.reason or result.ending.replace("_", " ")) if result else match.status,
            "start": match.start_text,
            "moves": [move.text for move in await store.moves(MatchId(number))],
        }

    return on_store(database, read)
