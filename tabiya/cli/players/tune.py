"""`tabiya tune PLAYER`: good values for the numbers of an engine, found by games of the engine against itself."""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tabiya.cli.games import COMPILING_ENGINES, OPENINGS_OPTION
from tabiya.cli.options import ON_FAILURE_OPTION, OnFailure
from tabiya.cli.output import FORMAT_OPTION, Format, note, note_if_slow, show, show_json
from tabiya.cli.players.many_games import listener_of, plan_of, plays_to_end
from tabiya.cli.progress import facts_table
from tabiya.cli.rule_options import DRAW_OPTION, MAX_MOVES_OPTION, RESIGN_OPTION
from tabiya.cli.whole_file import write_whole
from tabiya.cli.workers import WORKERS_OPTION, SpreadFacts, with_spread
from tabiya.errors import INTERRUPTED, UserError, user_error, user_errors
from tabiya.protocol.printable import printable

if TYPE_CHECKING:
    from tabiya.match.executors.spread import Spread
    from tabiya.match.plan import MatchPlan
    from tabiya.server.ratings.pairs import Pairs
    from tabiya.tuning.state import TuningState
    from tabiya.tuning.terms import Terms

COLUMNS = {
    "parameter": "parameter",
    "start": "start",
    "quarter": "1/4",
    "half": "1/2",
    "three_quarters": "3/4",
    "value": "now",
    "tuned": "tuned",
    "min": "min",
    "max": "max",
    "c_end": "C_END",
    "r_end": "R_END",
}
SPARE = (("c_end", "r_end"), ("min", "max"), ("quarter", "three_quarters"), ("half",))
PICTURE_S = 5.0  # how often the picture is written, at most
PARAMETER_HELP = (
    "Parameter, as in fishtest and OpenBench: NAME,START,MIN,MAX, optionally with C_END,R_END at the "
    "end and int or float after NAME; may be repeated."
)


def tune(
    player: str = typer.Argument(help="A PLAYER with options, such as uci:./engine or my_bot.py:MyEvaluation:4."),
    game: str = typer.Option(..., "--game", "-g", help="Name of the game."),
    parameter: list[str] = typer.Option([], "--parameter", "-p", help=PARAMETER_HELP),
    parameters: Path | None = typer.Option(None, "--parameters", help="File with such parameters, one per line."),
    state: Path = typer.Option(..., "--state", help="File for the state of the run; the same command continues it."),
    iterations: int = typer.Option(500, "--iterations", "-n", help="Number of steps.", min=1, max=10_000_000),
    pairs: int = typer.Option(4, "--pairs", help="Pairs of games per step.", min=1, max=10_000),
    time_control: str = typer.Option("2+0.02", "--time", "-t", help="Time control of the games."),
    workers: str = WORKERS_OPTION,
    alpha: float = typer.Option(0.602, "--alpha", help="How fast the step size falls.", min=0, max=2),
    gamma: float = typer.Option(0.101, "--gamma", help="How fast the perturbations fall.", min=0, max=1),
    a_ratio: float = typer.Option(0.1, "--a-ratio", help="A, as a fraction of the iterations.", min=0, max=10),
    picture: Path | None = typer.Option(None, "--picture", help="Draw the progress into this SVG file."),
    draw: str = DRAW_OPTION,
    resign: str = RESIGN_OPTION,
    max_moves: int = MAX_MOVES_OPTION,
    option: list[str] = typer.Option([], "--option", "-o", help="Option of the game, as NAME=VALUE."),
    openings: str = OPENINGS_OPTION,
    seed: int = typer.Option(
        0, "--seed", help="Seed of the perturbations, the openings and the players' random numbers."
    ),
    on_failure: OnFailure = ON_FAILURE_OPTION,
    form: Format = FORMAT_OPTION,
) -> None:
    """Tune parameters of a PLAYER by SPSA: each step plays pairs of games between two settings."""
    from tabiya.tuning.parameters import ParameterError, read_parameters
    from tabiya.tuning.spsa import Gains
    from tabiya.tuning.terms import Terms, digest_of

    with user_errors(ParameterError):
        tuned = read_parameters([*parameter, *_lines_of(parameters)], pairs * iterations)
    plan = plan_of(
        (player, player), game, pairs, time_control, option=option, openings=openings, seed=seed,
        rules=(draw, resign, max_moves), on_failure=on_failure, workers=workers,
    )  # fmt: skip
    terms = Terms(
        player=player, game=game, parameters=tuned, gains=Gains(iterations, alpha, gamma, a_ratio), pairs=pairs,
        time_control=plan.time_control, seed=seed, options={name: str(value) for name, value in plan.options.items()},
        openings=digest_of(plan.openings), adjudication=plan.adjudication, emergency_moves=plan.emergency_moves,
    )  # fmt: skip
    _check_player(terms)
    conditions = {"--openings": openings, "--draw": draw, "--resign": resign, "--max-moves": max_moves}
    more = [str(word) for named in conditions.items() if named[1] for word in named]
    _run(terms, plan, workers, state, picture, more, form)


def _lines_of(path: Path | None) -> list[str]:
    if path is None:
        return []
    try:
        return path.read_text("utf-8").splitlines()
    except OSError as error:
        raise UserError(f"the file of parameters {str(path)!r} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"the file of parameters {str(path)!r} cannot be read: it is no text") from None


def _check_player(terms: Terms) -> None:
    """Whether the player takes these parameters, as far as that can be known without starting a program."""
    from tabiya.bots.players.build import build_player
    from tabiya.bots.players.spec import PlayerError, PlayerKind, parse_player

    with user_errors(PlayerError):
        for values in (terms.start, terms.between):  # one that is not whole may come later
            player = parse_player(terms.player_with(values))
            if player.kind is PlayerKind.FILE:
                build_player(player.text)


def _run(
    terms: Terms, plan: MatchPlan, workers: str, path: Path, picture: Path | None, more: Sequence[str], form: Format
) -> None:
    from tabiya.match.participants import MatchFailed
    from tabiya.tuning.state import TuningState

    try:
        with TuningState(path, terms) as state:
            if state.iterations and not state.is_over:
                note(f"going on after iteration {len(state.iterations)} of {terms.gains.iterations}")
            _draw(state, picture)  # before anything is played: the file may be one that cannot be written
            finished = state.is_over or _play(state, plan, workers, picture)
            _show(state, more, form)
    except MatchFailed as error:
        raise user_error(error) from None
    except OSError as error:
        raise UserError(f"{error.filename or path} cannot be used: {error.strerror}") from None
    if not finished:
        raise typer.Exit(INTERRUPTED)


def _play(state: TuningState, plan: MatchPlan, workers: str, picture: Path | None) -> bool:
    """Play to the end; False when it was stopped by Ctrl-C. Raises UserError, OSError."""
    try:
        with note_if_slow(COMPILING_ENGINES) as enough:
            return plays_to_end(with_spread(workers, lambda spread: _play_on(spread, state, plan, picture, enough)))
    except UserError as wrong:
        if kept := len(state.iterations):
            of = state.terms.gains.iterations
            wrong.args = (f"{wrong}; {kept} of {of} iterations are kept, and the same command goes on with them",)
        raise
    finally:
        _draw(state, picture)


async def _play_on(
    spread: Spread, state: TuningState, plan: MatchPlan, picture: Path | None, enough: Callable[[], None]
) -> None:
    """Play the iterations that are left, showing where the values are and how they came there."""
    from tabiya.bots.client.events import EventTexts
    from tabiya.bots.players.spec import PlayerKind, parse_player
    from tabiya.tuning.report import progress_line
    from tabiya.tuning.run import play_on, try_bounds
    from tabiya.tuning.run import tune as play_iterations

    facts, before, drawn = SpreadFacts(spread), len(state.iterations), time.monotonic()
    listener = listener_of(EventTexts(sys.stderr.isatty()), enough)

    def show() -> None:
        done = len(state.iterations)
        known = facts.facts(2 * state.terms.pairs * (done - before)) | {"values": printable(progress_line(state))}
        table.set(known, done, state.terms.gains.iterations)

    def shown(state: TuningState) -> None:
        nonlocal drawn
        enough()
        show()
        if time.monotonic() - drawn >= PICTURE_S:
            drawn = time.monotonic()
            _draw(state, picture)

    def play(one: MatchPlan) -> Awaitable[Pairs]:
        return play_on(spread, one, listener, show)

    with facts_table("iterations") as table:
        if parse_player(plan.players[0]).kind is PlayerKind.UCI:
            await try_bounds(state.terms, plan, play)
        await play_iterations(state, plan, play, shown)


def _draw(state: TuningState, picture: Path | None) -> None:
    """Write the picture whole, so that a browser that shows it never sees half of it. Raises OSError."""
    from tabiya.tuning.drawing import values_picture

    if picture is not None:
        write_whole(picture, values_picture(state))


def _show(state: TuningState, more: Sequence[str], form: Format) -> None:
    from tabiya.tuning.report import parameter_rows, run_values, sentences

    rows = parameter_rows(state)
    if form is Format.JSON:
        show_json({"parameters": rows, "run": run_values(state, more)})
        return
    texts = [
        {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in row.items()} for row in rows
    ]
    show(texts, COLUMNS, form, SPARE)
    if form is Format.TABLE:
        for line in sentences(state, more):
            typer.echo(printable(line))
