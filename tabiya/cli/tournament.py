"""`tabiya tournament`: create, start, follow and end tournaments on a running server."""

from __future__ import annotations

import time
from typing import Any

import typer

from tabiya.cli.api import Api
from tabiya.cli.errors import UserError
from tabiya.cli.output import FORMAT_OPTION, Format, show, show_json, table
from tabiya.cli.settings import OPERATOR_OPTION, SERVER_OPTION, client_settings

app = typer.Typer(help="Tournaments: create, start, status, pause, cancel, list.", no_args_is_help=True)

LIST_COLUMNS = {
    "id": "tournament",
    "name": "name",
    "game": "game",
    "status": "status",
    "entrants": "bots",
    "progress": "games",
    "leader": "ahead",
}
SPARE_IN_LIST = (("leader",), ("entrants",), ("status",))
LOOK_S = 1.0
OVER = ("ended", "cancelled")
TOURNAMENT_ARGUMENT = typer.Argument(help="Number of the tournament.", min=1)


@app.command()
def create(
    game: str = typer.Argument(help="Name of the game."),
    bots: list[str] = typer.Argument(help="Names of the bots, two or more; they must have connected once."),
    name: str = typer.Option("", "--name", help="Name of the tournament."),
    rounds: int = typer.Option(1, "--rounds", help="How often every two meet, each time for two games.", min=1),
    time_control: str = typer.Option("", "--time", "-t", help="Time control; the server's usual one if not given."),
    option: list[str] = typer.Option([], "--option", "-o", help="Option of the game, as NAME=VALUE."),
    concurrency: int = typer.Option(0, "--concurrency", "-j", help="Games at once; 0: one for each core.", min=0),
    no_show: float = typer.Option(60.0, "--no-show", help="Seconds after which an absent bot is withdrawn.", min=1),
    seed: int | None = typer.Option(None, "--seed", help="Seed of the openings."),
    start_now: bool = typer.Option(True, "--start/--no-start", help="Start at once."),
    rated: bool = typer.Option(True, "--rated/--unrated", help="Whether the games count for the ratings."),
    wait: bool = typer.Option(False, "--wait", help="Follow it to its end."),
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Create a round robin: every two bots meet for two games from the same opening, seats changed."""
    api = Api(client_settings(server, operator_token=operator_token))
    order = {
        "name": name or f"{game} {time.strftime('%Y-%m-%d %H:%M')}",
        "game": game,
        "bots": bots,
        "time_control": time_control,
        "rounds": rounds,
        "options": dict(_option(text) for text in option),
        "concurrency": concurrency,
        "no_show_s": no_show,
        "rated": rated,
        "seed": seed,
        "start": start_now,
    }
    made = api.post("/api/tournaments", order)
    typer.echo(f"tournament {made['id']} ({made['name']}) is {made['status']}: {made['total']} games")
    if wait:
        follow(api, [made["id"]])
        show_tournament(api.get(f"/api/tournaments/{made['id']}"))


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UserError(f"an option is NAME=VALUE, not {text!r}")
    return name, value


@app.command("list")
def list_tournaments(server: str | None = SERVER_OPTION, form: Format = FORMAT_OPTION) -> None:
    """List tournaments, the newest first."""
    rows = Api(client_settings(server)).get("/api/tournaments")["tournaments"]
    if rows or form is not Format.TABLE:
        show([row | _progress(row) for row in rows], LIST_COLUMNS, form, SPARE_IN_LIST)
    else:
        typer.echo("no tournaments yet")


def _progress(row: dict[str, Any]) -> dict[str, Any]:
    leaders = ", ".join(f"{leader['bot']} {leader['points']:g}" for leader in row["leaders"][:3])
    return {"progress": f"{row['played']}/{row['total']}", "leader": leaders}


@app.command()
def status(
    tournament: int = TOURNAMENT_ARGUMENT,
    wait: bool = typer.Option(False, "--wait", help="Follow it to its end."),
    server: str | None = SERVER_OPTION,
    form: Format = FORMAT_OPTION,
) -> None:
    """Show a tournament: crosstable, progress, how its games ended."""
    api = Api(client_settings(server))
    if wait:
        follow(api, [tournament])
    found = api.get(f"/api/tournaments/{tournament}")
    if form is Format.JSON:
        show_json(found)
    elif form is Format.CSV:
        rows, columns = crosstable_rows(found)
        show(rows, columns, form)
    else:
        show_tournament(found)


def show_tournament(found: dict[str, Any]) -> None:
    """Print a tournament for people."""
    head = f"tournament {found['id']}: {found['name']}, {found['game']}, {found['time_control']}"
    running = f", {found['running']} running" if found["running"] else ""
    rows, columns = crosstable_rows(found)
    title = f"{head}\n{found['status']}, {found['played']} of {found['total']} games{running}\n\n"
    against = tuple(key for key in columns if key.startswith("n"))
    table(rows, columns, title=title, spare=(("sonneborn_berger",), against, ("wins", "draws", "losses")))
    endings = ", ".join(f"{count} by {ending.replace('_', ' ')}" for ending, count in found["endings"].items())
    if endings:
        typer.echo(f"how games ended: {endings}\n")


def crosstable_rows(found: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The crosstable as rows and columns; entrants stand across in the order of the lines."""
    lines = found["lines"]
    columns = {"rank": "#", "bot": "bot"} | {f"n{line['number']}": str(at) for at, line in enumerate(lines, 1)}
    columns |= {"points": "points", "played": "games", "wins": "won", "draws": "drawn", "losses": "lost"}
    columns |= {"sonneborn_berger": "SB"}
    rows = []
    for at, line in enumerate(lines, 1):
        name = f"{at}. {line['bot']}" + (" (withdrawn)" if line["withdrawn"] else "")
        row = {key: line[key] for key in ("rank", "played", "wins", "draws", "losses")}
        row |= {"bot": name, "points": f"{line['points']:g}", "sonneborn_berger": f"{line['sonneborn_berger']:g}"}
        for other in lines:
            score = line["against"][other["number"]]
            own = other["number"] == line["number"]
            row[f"n{other['number']}"] = "*" if own else f"{score['points']:g}/{score['games']}" if score else ""
        rows.append(row)
    return rows, columns


@app.command()
def start(
    tournament: int = TOURNAMENT_ARGUMENT,
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Start a created tournament, or go on with a paused one (operator)."""
    _command(tournament, "start", server, operator_token)


@app.command()
def pause(
    tournament: int = TOURNAMENT_ARGUMENT,
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Start no further games; those that run go on (operator)."""
    _command(tournament, "pause", server, operator_token)


@app.command()
def cancel(
    tournament: int = TOURNAMENT_ARGUMENT,
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """End a tournament as it stands (operator)."""
    _command(tournament, "cancel", server, operator_token)


def _command(tournament: int, word: str, server: str | None, operator_token: str | None) -> None:
    api = Api(client_settings(server, operator_token=operator_token))
    found = api.post(f"/api/tournaments/{tournament}/{word}", {})
    typer.echo(f"tournament {found['id']} ({found['name']}) is {found['status']}")


def add_to(parent: typer.Typer) -> None:
    """Register the commands."""
    parent.add_typer(app, name="tournament")


def follow(api: Api, tournaments: list[int]) -> None:
    """Show progress until all are over: bars on a terminal, a line now and then elsewhere."""
    from tabiya.cli.progress import bars

    with bars() as progress:
        left = list(tournaments)
        while left:
            for number in list(left):
                found = api.get(f"/api/tournaments/{number}")
                progress.set(number, found["name"], found["played"], found["total"])
                if found["status"] in OVER:
                    left.remove(number)
            if left:
                time.sleep(LOOK_S)
