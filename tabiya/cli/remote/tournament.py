"""`tabiya tournament`: create, start, follow and end tournaments on a running server."""

from __future__ import annotations

import secrets
import time
from typing import Any

import msgspec
import typer

from tabiya.api_client.api import Api
from tabiya.api_client.settings import client_settings
from tabiya.cli.games import OPENINGS_OPTION, openings_from, openings_read_from, option_from
from tabiya.cli.options import OPERATOR_OPTION, SERVER_OPTION
from tabiya.cli.output import FORMAT_OPTION, Format, counted, note, show, show_json
from tabiya.cli.remote.crosstable import show_tournament
from tabiya.cli.remote.export import export_tournament
from tabiya.cli.remote.grades import grades
from tabiya.cli.rule_options import (
    DRAW_OPTION,
    MAX_MOVES_OPTION,
    RESIGN_OPTION,
    read_adjudication,
)
from tabiya.errors import UserError, user_errors
from tabiya.server.web.views.crosstable_rows import MOST_IN_FILE, crosstable_rows

app = typer.Typer(
    help="Tournaments: create, change, start, enter, withdraw, bye, status, grades, pause, cancel, list.",
    no_args_is_help=True,
)

LIST_COLUMNS = {
    "id": "tournament",
    "name": "name",
    "game": "game",
    "format": "format",
    "status": "status",
    "entrants": "bots",
    "progress": "games",
    "leader": "ahead",
}
SPARE_IN_LIST = (("leader",), ("format",), ("entrants",), ("status",))
POLL_S = 1.0
OVER = ("ended", "cancelled")
TOURNAMENT_ARGUMENT = typer.Argument(help="Number of the tournament.", min=1)
app.command("export")(export_tournament)
app.command("grades")(grades)


@app.command()
def create(
    game: str = typer.Argument(help="Name of the game."),
    bots: list[str] = typer.Argument(None, help="Names of the bots; each must have connected once."),
    name: str = typer.Option("", "--name", help="Name of the tournament."),
    form: str = typer.Option(
        "round_robin", "--format", "-f", help="round_robin, gauntlet, swiss, knockout, ladder or sprt."
    ),
    rounds: int | None = typer.Option(
        None,
        "--rounds",
        help="Rounds of a Swiss; in other formats how often two bots meet, for two games each time.",
        min=1,
    ),
    time_control: str = typer.Option("", "--time", "-t", help="Time control [the server's default]."),
    option: list[str] = typer.Option([], "--option", "-o", help="Option of the game, as NAME=VALUE."),
    openings: str = OPENINGS_OPTION,
    concurrency: int = typer.Option(
        0, "--concurrency", "-j", help="Games at the same time; 0: one per core for all tournaments together.", min=0
    ),
    per_bot: int = typer.Option(1, "--per-bot", help="Games per bot at the same time.", min=1),
    absence_timeout: float = typer.Option(
        60.0, "--absence-timeout", help="Withdraw a bot that is absent for this many seconds.", min=1
    ),
    max_forfeits: int = typer.Option(
        3,
        "--max-forfeits",
        help="Withdraw a bot after this many losses in a row by time, by illegal moves or by leaving; 0: never.",
        min=0,
    ),
    illegal_limit: int = typer.Option(
        3, "--illegal-limit", help="Illegal move with this number loses the game.", min=1
    ),
    draw: str = DRAW_OPTION,
    resign: str = RESIGN_OPTION,
    max_moves: int = MAX_MOVES_OPTION,
    enter_all: bool = typer.Option(
        False, "--enter-all", help="Enter all bots that play the game: connected bots and uploaded programs."
    ),
    late_entry: float = typer.Option(
        0.0, "--late-entry", help="With --enter-all: enter new bots for this many seconds after the start.", min=0
    ),
    start_in: float | None = typer.Option(
        None, "--start-in", help="Start automatically after this many seconds.", min=0
    ),
    duration_s: float = typer.Option(0.0, "--duration", help="Ladder: seconds in which new pairings are made.", min=0),
    games: int = typer.Option(0, "--games", help="Ladder, SPRT: maximum number of games.", min=0),
    seeding: str = typer.Option("listed", "--seeding", help="Order of strength: listed, random or rating."),
    challengers: int = typer.Option(
        1, "--challengers", help="Gauntlet: how many of the first bots are challengers.", min=1
    ),
    staff: list[str] = typer.Option(
        [],
        "--staff",
        help="Gauntlet: staff bot for grading, BOT=POINTS@PERCENT-PERCENT.",
    ),
    tie_breaks: int = typer.Option(2, "--tie-breaks", help="Knockout: extra mini-matches after a tie.", min=0),
    third_place: bool = typer.Option(True, "--third-place/--no-third-place", help="Knockout: play for third place."),
    elo0: float = typer.Option(0.0, "--elo0", help="SPRT: Elo difference that is too small."),
    elo1: float = typer.Option(10.0, "--elo1", help="SPRT: Elo difference that is wanted."),
    alpha: float = typer.Option(0.05, "--alpha", help="SPRT: risk of accepting elo1 wrongly."),
    beta: float = typer.Option(0.05, "--beta", help="SPRT: risk of accepting elo0 wrongly."),
    normalised: bool = typer.Option(True, "--normalised/--logistic", help="SPRT: unit of the Elo bounds."),
    seed: int | None = typer.Option(None, "--seed", help="Seed of the openings."),
    start_now: bool = typer.Option(True, "--start/--no-start", help="Start immediately."),
    rated: bool = typer.Option(True, "--rated/--unrated", help="Count the games for the ratings."),
    key: str = typer.Option(
        "", "--key", help="Key of this request: repeated with the same key, it creates no second tournament."
    ),
    follow_to_end: bool = typer.Option(False, "--follow", help="Show progress until the end."),
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Create a tournament; two bots always meet for two games from one opening, with seats swapped."""
    api = Api(client_settings(server, operator_token=operator_token))
    grading = read_grading(staff)
    order = {
        "name": name or f"{game} {time.strftime('%Y-%m-%d %H:%M')}",
        "game": game,
        "format": form,
        "bots": [*(one["bot"] for one in grading), *(bots or [])],
        "time_control": time_control,
        "rounds": rounds,
        "options": dict(map(option_from, option)),
        "openings": openings_from(openings, game, seed),
        "concurrency": concurrency,
        "per_bot": per_bot,
        "no_show_s": absence_timeout,
        "strikes": max_forfeits,
        "illegal_limit": illegal_limit,
        "adjudication": msgspec.to_builtins(read_adjudication(draw, resign, max_moves)),
        "everyone": enter_all,
        "late_s": late_entry,
        "starts_at": None if start_in is None else time.time() + start_in,
        "duration_s": duration_s,
        "games": games,
        "seeding": seeding,
        "challengers": len(grading) or challengers,
        "grading": grading,
        "tie_breaks": tie_breaks,
        "third_place": third_place,
        "elo0": elo0,
        "elo1": elo1,
        "alpha": alpha,
        "beta": beta,
        "normalised": normalised,
        "rated": rated,
        "seed": seed,
        "start": start_now,
        "key": key or secrets.token_hex(16),  # so that post_once may give the order again
    }
    with openings_read_from(openings):
        made = api.post_once("/tournaments", order)
    games_in_all = counted(made["total"], "game") if made["total"] else counted(made["entrants"], "bot")
    typer.echo(f"tournament {made['id']} ({made['name']}) is {made['status']}: {games_in_all}")
    _note_warnings(made)
    if follow_to_end:
        follow(api, [made["id"]])
        show_tournament(api.get(f"/tournaments/{made['id']}"))


def read_grading(texts: list[str]) -> list[dict[str, Any]]:
    """The points against each challenger, as a tournament order holds them. Raises UserError."""
    from tabiya.classroom.staff import StaffError, read_staff

    with user_errors(StaffError):
        staff = read_staff(texts)
    bounds = ("points", "nothing_to", "all_from")
    return [{"bot": one.player} | {key: getattr(one, key) for key in bounds} for one in staff]


@app.command()
def change(
    tournament: int = TOURNAMENT_ARGUMENT,
    name: str | None = typer.Option(None, "--name", help="Its name."),
    time_control: str | None = typer.Option(None, "--time", "-t", help="Time control of games that have not begun."),
    rounds: int | None = typer.Option(
        None, "--rounds", help="Rounds; after the start only of a Swiss, and not fewer than are paired.", min=1
    ),
    concurrency: int | None = typer.Option(
        None,
        "--concurrency",
        "-j",
        help="Games at the same time; 0: one per core for all tournaments together.",
        min=0,
    ),
    per_bot: int | None = typer.Option(None, "--per-bot", help="Games per bot at the same time.", min=1),
    absence_timeout: float | None = typer.Option(
        None, "--absence-timeout", help="Withdraw a bot that is absent for this many seconds.", min=1
    ),
    max_forfeits: int | None = typer.Option(
        None,
        "--max-forfeits",
        help="Withdraw a bot after this many losses in a row by time, by illegal moves or by leaving; 0: never.",
        min=0,
    ),
    late_entry: float | None = typer.Option(
        None, "--late-entry", help="With --enter-all: enter new bots for this many seconds after the start.", min=0
    ),
    start_in: float | None = typer.Option(
        None, "--start-in", help="Start automatically after this many seconds.", min=0
    ),
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Change name or settings of a tournament; games that have begun stay as they are (operator)."""
    changed = {
        "name": name,
        "time_control": time_control,
        "rounds": rounds,
        "concurrency": concurrency,
        "per_bot": per_bot,
        "no_show_s": absence_timeout,
        "strikes": max_forfeits,
        "late_s": late_entry,
        "starts_at": None if start_in is None else time.time() + start_in,
    }
    order = {field: value for field, value in changed.items() if value is not None}
    if not order:
        raise UserError("name what to change, such as --name or --time; `tabiya tournament change --help` lists all")
    found = _order(tournament, "change", server, operator_token, **order)
    typer.echo(f"tournament {found['id']} ({found['name']}) is changed")


@app.command()
def enter(
    tournament: int = TOURNAMENT_ARGUMENT,
    bots: list[str] = typer.Argument(help="Names of the bots."),
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Enter bots, or bring withdrawn ones back; an ended round robin or gauntlet then goes on (operator)."""
    found = _order(tournament, "enter", server, operator_token, bots=bots)
    typer.echo(
        f"tournament {found['id']} ({found['name']}) has {counted(found['entrants'], 'bot')} and is {found['status']}"
    )
    _note_warnings(found)


@app.command()
def withdraw(
    tournament: int = TOURNAMENT_ARGUMENT,
    bot: str = typer.Argument(help="Name of the bot."),
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Withdraw a bot; it forfeits its games that have not begun (operator)."""
    found = _order(tournament, "withdraw", server, operator_token, bot=bot)
    typer.echo(f"{bot} is withdrawn from tournament {found['id']} ({found['name']})")


@app.command("list")
def list_tournaments(server: str | None = SERVER_OPTION, form: Format = FORMAT_OPTION) -> None:
    """List tournaments, newest first."""
    rows = list(Api(client_settings(server)).listed("tournaments"))
    if rows or form is not Format.TABLE:
        show([row | _progress(row) for row in rows], LIST_COLUMNS, form, SPARE_IN_LIST)
    else:
        typer.echo("no tournaments yet")


def _progress(row: dict[str, Any]) -> dict[str, Any]:
    leaders = ", ".join(f"{leader['bot']} {leader['points']:g}" for leader in row["leaders"][:3])
    progress = f"{row['played']}/{row['total']}" if row["total"] else f"{row['played']}"
    return {"progress": progress, "leader": leaders, "format": row["format_title"]}


@app.command()
def status(
    tournament: int = TOURNAMENT_ARGUMENT,
    follow_to_end: bool = typer.Option(False, "--follow", help="Show progress until the end."),
    server: str | None = SERVER_OPTION,
    form: Format = FORMAT_OPTION,
) -> None:
    """Show a tournament: crosstable, progress, how games ended."""
    api = Api(client_settings(server))
    if follow_to_end:
        follow(api, [tournament])
    found = api.get(f"/tournaments/{tournament}")
    if form is Format.JSON:
        show_json(found)
    elif form is Format.CSV:
        rows, columns = crosstable_rows(found, MOST_IN_FILE)
        show(rows, columns, form)
    else:
        show_tournament(found)


@app.command()
def bye(
    tournament: int = TOURNAMENT_ARGUMENT,
    bot: str = typer.Argument(help="Name of the bot."),
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Give a bot a bye (half a point) in the next round of a Swiss (operator)."""
    found = _order(tournament, "bye", server, operator_token, bot=bot)
    typer.echo(f"{bot} has a bye in the next round of tournament {found['id']} ({found['name']})")


@app.command()
def start(
    tournament: int = TOURNAMENT_ARGUMENT,
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Start a tournament, or resume a paused one (operator)."""
    _change_status(tournament, "start", server, operator_token)


@app.command()
def pause(
    tournament: int = TOURNAMENT_ARGUMENT,
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """Start no new games; running games continue (operator)."""
    _change_status(tournament, "pause", server, operator_token)


@app.command()
def cancel(
    tournament: int = TOURNAMENT_ARGUMENT,
    server: str | None = SERVER_OPTION,
    operator_token: str | None = OPERATOR_OPTION,
) -> None:
    """End a tournament now, with its results so far (operator)."""
    _change_status(tournament, "cancel", server, operator_token)


def _order(tournament: int, word: str, server: str | None, operator_token: str | None, **body: object) -> Any:
    """Send an order about a tournament and return the server's answer."""
    return Api(client_settings(server, operator_token=operator_token)).post(f"/tournaments/{tournament}/{word}", body)


def _change_status(tournament: int, word: str, server: str | None, operator_token: str | None) -> None:
    found = _order(tournament, word, server, operator_token)
    typer.echo(f"tournament {found['id']} ({found['name']}) is {found['status']}")
    _note_warnings(found)


def _note_warnings(answer: dict[str, Any]) -> None:
    """answer: to an order; a server of before warns of nothing."""
    for sentence in answer.get("warnings", ()):
        note(f"tabiya: {sentence}")


def follow(api: Api, tournaments: list[int]) -> None:
    """Show progress until all are over: bars on a terminal, a line now and then elsewhere."""
    from tabiya.cli.progress import bars

    with bars() as progress:
        left = list(tournaments)
        while left:
            # the list is short; a tournament with all its games can be half a megabyte
            found = {line["id"]: line for line in api.get("/tournaments")["tournaments"]}
            for number in list(left):
                line = found[number] if number in found else api.get(f"/tournaments/{number}")
                progress.set(number, line["name"], line["played"], line["total"])
                if line["status"] in OVER:
                    left.remove(number)
            if left:
                time.sleep(POLL_S)
