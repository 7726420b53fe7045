"""`tabiya review`: which moves a match, or all the games of a bot, were lost by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from msgspec.structs import asdict

from tabiya.cli.games import COMPILING_ENGINES
from tabiya.cli.options import SERVER_OPTION
from tabiya.cli.output import FORMAT_OPTION, Format, note, note_if_slow, show, show_json
from tabiya.cli.players.game_sources import FoundGame, games_in_files, games_of_bot, seat_of, stored_game
from tabiya.cli.players.review_cache import ReviewCache
from tabiya.cli.progress import bars
from tabiya.errors import UserError, user_errors
from tabiya.games.errors import shown
from tabiya.loaded_game import game_named
from tabiya.protocol.printable import printable
from tabiya.review.judged_by import USUAL_NODES

if TYPE_CHECKING:
    from tabiya.server.archive.reviews import JudgedMove

Judgements = list[tuple["FoundGame", "tuple[JudgedMove, ...]"]]

LONGEST_NUMBER = 19  # digits: what a database can number
MOST_OF_ONE, MOST_OF_SET = 3, 10
MOST_HELP = f"Number of moves to show; 0: {MOST_OF_ONE} per player for one match, {MOST_OF_SET} for several games."
NOTHING = "no move cost anything that the engine can see"
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
    what: str = typer.Argument(
        "", metavar="[WHAT]", help="Number of a match, or a file or folder with JSON lines or PGN."
    ),
    bot: str | None = typer.Option(None, "--bot", "-b", help="Only this bot's moves; without WHAT: in all its games."),
    last: int = typer.Option(20, "--last", help="Review only this many newest games.", min=1, max=200),
    workers: int = typer.Option(2, "--workers", help="Games reviewed at the same time.", min=1, max=256),
    most: int = typer.Option(0, "--most", help=MOST_HELP, min=0, max=1_000),
    nodes: int = typer.Option(USUAL_NODES, "--nodes", help="Nodes that the engine searches per position.", min=100),
    server: str | None = SERVER_OPTION,
    database: str | None = typer.Option(
        None, "--database", "-d", help="Read this database instead of asking a server."
    ),
    form: Format = FORMAT_OPTION,
) -> None:
    """Show the worst moves of a match or of a bot's games: what each cost, and a better move.

    The playing engine evaluates every position with --nodes nodes. A cost is in points: 1.00 turns a won game into a
    lost one. `then` and `value` are the player's values after the move and after the better move.
    """
    games, cache = _games(what, bot, last, server, database), ReviewCache(database, nodes)
    if len(games) == 1:
        _review_one(games[0], bot, most or MOST_OF_ONE, cache, nodes, form)
    else:
        _review_set(games, bot, most or MOST_OF_SET, _judged(games, cache, nodes, workers), form)


def _games(what: str, bot: str | None, last: int, server: str | None, database: str | None) -> list[FoundGame]:
    """The games that are meant, at least one. Raises UserError."""
    if not what:
        if bot is None:
            raise UserError("name a match by its number, a file, a folder, or a bot with --bot")
        games = games_of_bot(bot, last, server, database)
    elif what.isascii() and what.isdigit() and len(what) < LONGEST_NUMBER:
        games = [stored_game(int(what), server, database)]
        if bot is not None and seat_of(games[0], bot) is None:
            raise UserError(f"{shown(bot)} has not played match {what}")
    elif server is not None or database is not None:
        raise UserError(f"a match of a server or database is named by its number, not {what!a}")
    else:
        games = games_in_files(Path(what), bot, last)
    if not games:
        raise UserError(f"there is no game{f' of {shown(bot)}' if bot is not None else ''} to review")
    return games


def _review_one(found: FoundGame, bot: str | None, most: int, cache: ReviewCache, nodes: int, form: Format) -> None:
    from tabiya.review.judge import graph
    from tabiya.server.archive.reviews import costliest

    judged = cache.read([found]).get(found.match)
    if judged is None:
        judged = _judge(found, nodes)
        cache.keep([(found, judged)])
    chosen = judged[found.opening_plies :]
    rows = [_row(move, found.players) for seat in _seats(found, bot) for move in costliest(chosen, seat, most)]
    if form is Format.JSON:
        show_json(asdict(found) | {"chances": [round(move.chances, 3) for move in judged], "judged": judged})
        return
    if form is Format.TABLE:
        one, two = found.players
        typer.echo(printable(f"match {found.match}: {found.game}, {one} against {two}, {found.result}"))
        typer.echo(printable(f"chances of {one} before each move, in tenths: {graph(judged)}"))
        if not rows:
            typer.echo(NOTHING)
            return
    show(rows, COLUMNS, form, SPARE)


def _judge(found: FoundGame, nodes: int) -> tuple[JudgedMove, ...]:
    from tabiya.games.errors import GameError
    from tabiya.review.judge import judge

    judged: list[JudgedMove] = []
    with user_errors(GameError), note_if_slow(COMPILING_ENGINES) as enough:
        for move in judge(game_named(found.game), found.start, found.moves, nodes):
            enough()
            judged.append(move)
    return tuple(judged)


def _review_set(games: list[FoundGame], bot: str | None, most: int, judgements: Judgements, form: Format) -> None:
    """The costliest moves of all the games together, the worst first."""
    from tabiya.server.archive.reviews import costliest

    costly: list[tuple[JudgedMove, FoundGame]] = []
    for game, judged in judgements:
        chosen = judged[game.opening_plies :]
        costly += [(move, game) for seat in _seats(game, bot) for move in costliest(chosen, seat, most)]
    costly.sort(key=lambda one: (-one[0].cost, one[1].match, one[0].ply))
    rows = [{"match": game.match} | _row(move, game.players) for move, game in costly[:most]]
    if form is Format.TABLE:
        whose = bot if bot is not None else "all players"
        typer.echo(printable(f"{len(games)} games: the moves that cost {whose} most"))
        if not rows:
            typer.echo(NOTHING)
            return
    show(rows, {"match": "match"} | COLUMNS, form, SPARE)


def _judged(games: list[FoundGame], cache: ReviewCache, nodes: int, workers: int) -> Judgements:
    """Each game with its judged moves, those judged before first; what cannot be judged is noted."""
    from tabiya.processes.parallel import parallel_processes
    from tabiya.review.judge_set import GameToJudge, judge_set

    kept = cache.read(games)
    judgements = [(game, kept[game.match]) for game in games if game.match in kept]
    games = [game for game in games if game.match not in kept]
    found: Judgements = []
    with (
        bars() as progress,
        note_if_slow(COMPILING_ENGINES) as enough,
        parallel_processes(workers, "--workers") as executor,
    ):
        wanted = [GameToJudge(game.game, game.start, game.moves) for game in games]
        for done, (number, judged) in enumerate(judge_set(wanted, nodes, executor), start=1):
            enough()
            progress.set(0, "judged", done, len(games))
            if isinstance(judged, str):
                note(printable(f"match {games[number].match} is left out: {judged}"))
            else:
                found.append((games[number], judged))
    cache.keep(found)
    return judgements + found


def _seats(game: FoundGame, bot: str | None) -> tuple[int, ...]:
    """The seats whose moves are shown: the bot's, or both."""
    if bot is None:
        return 0, 1
    seat = seat_of(game, bot)
    return () if seat is None else (seat,)


def _row(move: JudgedMove, players: tuple[str, str]) -> dict[str, Any]:
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
