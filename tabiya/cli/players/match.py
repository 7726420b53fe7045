"""`tabiya match PLAYER PLAYER`: many games between two players, without a server of one's own."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tabiya.cli.affinity import cores_for
from tabiya.cli.games import COMPILING_ENGINES, OPENINGS_OPTION
from tabiya.cli.options import (
    FILE_SIZE_OPTION,
    MEMORY_OPTION,
    ON_FAILURE_OPTION,
    SANDBOX_HELP,
    OnFailure,
    sandbox_from,
)
from tabiya.cli.options_file import CONFIG_OPTION
from tabiya.cli.output import FORMAT_OPTION, Format, note, note_if_slow, show, show_json
from tabiya.cli.players.many_games import listener_of, plan_of, plays_to_end
from tabiya.cli.progress import bars, facts_table
from tabiya.cli.rule_options import DRAW_OPTION, MAX_MOVES_OPTION, RESIGN_OPTION, read_sprt
from tabiya.cli.workers import WORKERS_OPTION, SpreadFacts, with_spread
from tabiya.errors import INTERRUPTED, UserError, user_errors
from tabiya.loaded_game import game_named
from tabiya.protocol.printable import printable
from tabiya.sandbox.option import SandboxOption

if TYPE_CHECKING:
    from tabiya.bots.client.events import EventTexts, Listener
    from tabiya.match.executors.spread import Spread
    from tabiya.match.plan import MatchPlan
    from tabiya.match.score import MatchScore
    from tabiya.match.tally import OnGameOver
    from tabiya.server.ratings.sprt import Sprt

COLUMNS = {
    "player": "player",
    "games": "games",
    "wins": "won",
    "draws": "drawn",
    "losses": "lost",
    "points": "points",
    "elo": "Elo",
    "plus_minus": "±",
    "normalised_elo": "nElo",
    "superiority": "better, %",
    "mean_ms": "ms a move",
    "longest_ms": "longest",
    "time_losses": "on time",
    "illegal_losses": "illegal",
    "deaths": "crashes",
    "emergency_moves": "not own",
}
SPARE = (
    ("emergency_moves",),
    ("illegal_losses", "deaths"),
    ("normalised_elo",),
    ("time_losses",),
    ("mean_ms", "longest_ms"),
)


class Order(StrEnum):
    """In which order the openings of a file are played."""

    SEQUENTIAL = "sequential"
    RANDOM = "random"


NOT_BETTER = 3  # an exit status: 1 and 2 say that nothing was played
BETTER = "accept H1"
SHOWN_S = 0.1  # how often progress is shown, at most
SPRT_HELP = (
    "Stop when the sequential test has a result: elo0=0 elo1=5, optionally alpha=0.05 beta=0.05 "
    "model=normalized|logistic."
)


def match(
    first: str = typer.Argument(help="A PLAYER, such as my_bot.py:MyBot."),
    second: str = typer.Argument(help="Another PLAYER, such as alphabeta:4 or uci:stockfish."),
    game: str = typer.Option(..., "--game", "-g", help="Name of the game."),
    games: int = typer.Option(20, "--games", "-n", help="Number of games; an odd number is rounded up.", min=1),
    time_control: str = typer.Option("10+0.1", "--time", "-t", help="Time control of the games."),
    concurrency: int = typer.Option(
        0, "--concurrency", "-j", help="Games at the same time; 0: half the number of cores.", min=0, max=64
    ),
    workers: str = WORKERS_OPTION,
    sprt: list[str] = typer.Option([], "--sprt", help=SPRT_HELP),
    require_better: bool = typer.Option(
        False, "--require-better", help="Exit status 3 unless --sprt accepts that the first player is better."
    ),
    draw: str = DRAW_OPTION,
    resign: str = RESIGN_OPTION,
    max_moves: int = MAX_MOVES_OPTION,
    endings: bool = typer.Option(
        False, "--endings", help="End games whose result our tables know: chess with at most four men."
    ),
    option: list[str] = typer.Option([], "--option", "-o", help="Option of the game, as NAME=VALUE."),
    openings: str = OPENINGS_OPTION,
    openings_order: Order = typer.Option(
        Order.SEQUENTIAL, "--openings-order", help="Order of a file's openings: as written, or shuffled by the seed."
    ),
    openings_plies: int = typer.Option(
        0,
        "--openings-plies",
        help="Plies per opening of a .pgn or .bin file; 0: all, or 8 for .bin.",
        min=0,
    ),
    seed: int = typer.Option(0, "--seed", help="Seed of the openings and of the players' random numbers."),
    database: str = typer.Option("memory:", "--database", "-d", help="Database for the games; not stored by default."),
    resume: bool = typer.Option(False, "--resume", help="Continue the last such match in the database."),
    pgn: Path | None = typer.Option(None, "--pgn", help="Write the games to this new PGN file, pairs together."),
    restart: bool = typer.Option(False, "--restart", help="Restart engines for each game."),
    affinity: bool = typer.Option(False, "--affinity", help="Give each engine its own core (Linux)."),
    export: Path | None = typer.Option(None, "--export", help="Write everything to this new file, a JSON line a game."),
    on_failure: OnFailure = ON_FAILURE_OPTION,
    sandbox: SandboxOption | None = typer.Option(None, "--sandbox", help=SANDBOX_HELP),
    memory: int = MEMORY_OPTION,
    file_size: int = FILE_SIZE_OPTION,
    form: Format = FORMAT_OPTION,
    config: Path | None = CONFIG_OPTION,
) -> None:
    """Play pairs of games, each pair from one opening with seats swapped, and say which PLAYER is better."""
    from tabiya.bots.client.events import EventTexts
    from tabiya.bots.evaluators.known_result import knows_results
    from tabiya.bots.players.catalogue import evaluator_for
    from tabiya.bots.players.spec import PlayerError
    from tabiya.match.player_terms import terms_of, time_controls
    from tabiya.match.score import MatchScore
    from tabiya.protocol.time_control import TimeControlError
    from tabiya.storage.address import parse_address
    from tabiya.storage.errors import CannotOpen

    with user_errors(CannotOpen):
        address = parse_address(database)
    if resume and address.kind == "memory":
        raise UserError("--resume needs the database of the match: --database FILE")
    if resume and address.kind == "sqlite" and not address.path.exists():  # otherwise an empty one would be created
        raise UserError(f"there is nothing to resume in {address}: there is no such file")
    if require_better and not sprt:
        raise UserError("--require-better needs a test, such as --sprt elo0=0 elo1=20")
    if pgn is not None and pgn == export:
        raise UserError("--pgn and --export need a file each")
    if workers and concurrency:
        raise UserError("--workers already sets how many games run at once; leave --concurrency out")
    test, pairs = read_sprt(sprt), (games + 1) // 2
    if affinity and (workers or sandbox is not None):
        raise UserError("--affinity is for engines of this process; leave --workers and --sandbox out")
    slots = min(concurrency or max(1, (os.cpu_count() or 2) // 2), 2 * pairs)
    with user_errors(PlayerError, TimeControlError):
        players = terms_of(first), terms_of(second)
        controls = time_controls(players, time_control)
        if any(own.book for own in players) and (workers or sandbox is not None):
            raise UserError("book= is for engines of this process; leave --workers and --sandbox out")
        cores = cores_for([own.player for own in players], slots) if affinity else ()
    plan = plan_of(
        (players[0].player, players[1].player), game, pairs, time_control, option=option, openings=openings, seed=seed,
        rules=(draw, resign, max_moves), on_failure=on_failure, workers=workers,
        loads=sandbox in (None, SandboxOption.NONE), concurrency=slots, database=database, sprt=test, resume=resume,
        sandbox=sandbox_from(sandbox, memory, file_size), shuffled=openings_order is Order.RANDOM,
        plies=openings_plies,
        restarts=tuple(restart if own.restarts is None else own.restarts for own in players),
        cores=cores, endings=endings,
    )  # fmt: skip
    if endings and not knows_results(evaluator_for(game_named(game))):
        raise UserError(f"--endings: there is no table of endings for {game}")
    one, other = players
    plan = replace(plan, time_control=controls, books=(one.book, other.book), names=(one.name, other.name))
    played, texts = MatchScore(), EventTexts(sys.stderr.isatty())
    try:
        finished = _play(plan, played, texts, pgn, export, workers)
    except (UserError, SystemExit) as end:
        if played.games:  # such as a full disk or SIGTERM after hours: the games that were played count
            _show(played, texts, test, form)
            if isinstance(end, UserError) and address.kind != "memory":
                kept = "1 game is" if len(played.games) == 1 else f"{len(played.games)} games are"
                end.args = (f"{end}; {kept} kept, and --resume goes on with them",)
        raise
    if played.games:
        _show(played, texts, test, form)
    if not finished:
        stored = any(played.names) and address.kind != "memory"
        note("tabiya: stopped" + ("; the same command with --resume goes on" if stored else ""))
        raise typer.Exit(INTERRUPTED)
    if require_better and played.verdict != BETTER:
        raise typer.Exit(NOT_BETTER)


def _play(
    plan: MatchPlan, played: MatchScore, texts: EventTexts, pgn: Path | None, export: Path | None, workers: str
) -> bool:
    """Play to the end; False when it was stopped by Ctrl-C. Raises UserError."""
    from tabiya.match.game_files import GameFiles

    try:
        with GameFiles(plan, pgn, export) as files, note_if_slow(COMPILING_ENGINES) as enough:
            listener = listener_of(texts, enough)
            if workers:
                return plays_to_end(_play_on_workers(workers, plan, played, listener, files.keep, enough))
            return plays_to_end(_play_here(plan, played, listener, files.keep, enough))
    except OSError as error:
        raise UserError(f"{error.filename or 'a file'} cannot be written: {error.strerror}") from None


async def _play_here(
    plan: MatchPlan, played: MatchScore, listener: Listener, keep: OnGameOver, enough: Callable[[], None]
) -> None:
    from tabiya.match.run import play

    with bars() as progress:
        shower = _table_printer(plan, enough, lambda line, done: progress.set(0, line, done, plan.games))
        await play(plan, played, listener, shower, keep)


async def _play_on_workers(
    workers: str, plan: MatchPlan, played: MatchScore, listener: Listener, keep: OnGameOver, enough: Callable[[], None]
) -> None:
    from tabiya.match.run_on_workers import play_on

    async def work(spread: Spread) -> None:
        facts = SpreadFacts(spread)

        def show(line: str, done: int) -> None:
            table.set(facts.facts(done - played.resumed) | {"score": line}, done, plan.games)

        await play_on(spread, plan, played, listener, _table_printer(plan, enough, show), keep)

    with facts_table() as table:
        await with_spread(workers, work)


def _table_printer(
    plan: MatchPlan, enough: Callable[[], None], show: Callable[[str, int], None]
) -> Callable[[MatchScore], None]:
    """Shows the score of the match, a few times a second at most. show: takes a line and the number of games."""
    from tabiya.match.report import progress_line

    last = [0.0]

    def shown(played: MatchScore) -> None:
        now, done = time.monotonic(), len(played.games)
        if done:
            enough()
        if now - last[0] >= SHOWN_S or done == plan.games or played.verdict:
            last[0] = now
            show(printable(progress_line(played, plan.sprt)) if done else "", done)

    return shown


def _show(played: MatchScore, texts: EventTexts, test: Sprt | None, form: Format) -> None:
    from tabiya.match.report import match_values, player_rows, sentences

    rows = player_rows(played)
    if form is Format.JSON:
        games = [_game(game) for _, game in sorted(played.games.items())]
        values = {"players": rows, "match": match_values(played, test), "games": games, "failures": texts.failures}
        show_json(values)
        return
    show(rows, COLUMNS, form, SPARE)
    if form is Format.TABLE:
        for line in sentences(played, test):
            typer.echo(printable(line))


def _game(game: Any) -> dict[str, Any]:
    return {
        "number": game.number + 1,
        "match": game.match,
        "first_seat": game.first_seat,
        "score": game.score,
        "ending": game.ending,
        "reason": game.reason,
        "plies": game.plies,
    }
