"""`tabiya data PLAYER FILE`: games of a player against itself, as positions to learn from."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tabiya.cli.games import COMPILING_ENGINES, OPENINGS_OPTION
from tabiya.cli.options import ON_FAILURE_OPTION, OnFailure
from tabiya.cli.output import FORMAT_OPTION, Format, note, note_if_slow, show
from tabiya.cli.players.many_games import listener_of, plan_of, plays_to_end
from tabiya.cli.players.match import SHOWN_S
from tabiya.cli.progress import facts_table
from tabiya.cli.rule_options import DRAW_OPTION, MAX_MOVES_OPTION, RESIGN_OPTION
from tabiya.cli.workers import WORKERS_OPTION, SpreadFacts, with_spread
from tabiya.errors import INTERRUPTED, UserError, user_error

if TYPE_CHECKING:
    from tabiya.match.executors.spread import Spread
    from tabiya.match.plan import MatchPlan
    from tabiya.match.training_data import DataFile

COLUMNS = {"file": "file", "games": "games", "positions": "positions", "new_games": "new games", "seconds": "seconds"}


def data(
    player: str = typer.Argument(help="A PLAYER, such as pvs:6, pvs:5000nodes or my_bot.py:Mine:4."),
    file: Path = typer.Argument(help="File with one JSON line per game; an existing file is continued."),
    game: str = typer.Option(..., "--game", "-g", help="Name of the game."),
    games: int = typer.Option(
        1000, "--games", "-n", help="Total number of games in the file; an odd number is rounded up.", min=1
    ),
    time_control: str = typer.Option("none", "--time", "-t", help="Time control of the games."),
    workers: str = WORKERS_OPTION,
    draw: str = DRAW_OPTION,
    resign: str = RESIGN_OPTION,
    max_moves: int = MAX_MOVES_OPTION,
    option: list[str] = typer.Option([], "--option", "-o", help="Option of the game, as NAME=VALUE."),
    openings: str = OPENINGS_OPTION,
    seed: int = typer.Option(0, "--seed", help="Seed of the openings and of the player's random numbers."),
    on_failure: OnFailure = ON_FAILURE_OPTION,
    form: Format = FORMAT_OPTION,
) -> None:
    """Let a PLAYER play against itself; store each position with its score and the game's result."""
    from tabiya.match.participants import MatchFailed
    from tabiya.match.training_data import DataFile, terms_of

    plan = plan_of(
        (player, player), game, (games + 1) // 2, time_control, option=option, openings=openings, seed=seed,
        rules=(draw, resign, max_moves), on_failure=on_failure, workers=workers, paired=False,
    )  # fmt: skip
    try:
        with DataFile(file, terms_of(plan)) as kept:
            before, began = len(kept.numbers), time.monotonic()
            finished = _play(workers, plan, kept)
    except MatchFailed as error:
        raise user_error(error) from None
    except OSError as error:
        raise UserError(f"{error.filename or file} cannot be written: {error.strerror}") from None
    known = len(kept.numbers)
    row = {"file": str(file), "games": known, "positions": kept.positions, "new_games": known - before}
    show([row | {"seconds": round(time.monotonic() - began, 1)}], COLUMNS, form)
    if not finished:
        raise typer.Exit(INTERRUPTED)
    if kept.failed:
        problem = f"{player} failed in {kept.failed} of {kept.played} games"
        if kept.failed == kept.played:
            raise UserError(problem)
        note(f"tabiya: {problem}")


def _play(workers: str, plan: MatchPlan, kept: DataFile) -> bool:
    """Play to the end; False when it was stopped by Ctrl-C. Raises UserError, MatchFailed, OSError."""
    from tabiya.bots.client.events import EventTexts
    from tabiya.match.training_data import write_data

    async def work(spread: Spread) -> None:
        facts, before, last = SpreadFacts(spread), len(kept.numbers), 0.0

        def progress() -> None:
            nonlocal last
            now, done = time.monotonic(), len(kept.numbers)
            if done > before:
                enough()
            if now - last >= SHOWN_S or done >= plan.games:
                last = now
                table.set(facts.facts(done - before) | {"positions": str(kept.positions)}, done, plan.games)

        await write_data(spread, plan, kept, listener_of(EventTexts(sys.stderr.isatty()), enough), progress)

    with facts_table() as table, note_if_slow(COMPILING_ENGINES) as enough:
        return plays_to_end(with_spread(workers, work))
