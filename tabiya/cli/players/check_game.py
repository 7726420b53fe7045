"""`tabiya check-game NAME`: whether the rules of a game keep to the contract."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import typer

from tabiya.cli.games import COMPILING
from tabiya.cli.output import note_if_slow
from tabiya.errors import UserError, user_errors
from tabiya.loaded_game import game_named

if TYPE_CHECKING:
    from tabiya.games.python_game import PythonGame

MOST_SHOWN = 3


def check_game(
    name: str = typer.Argument(help="Name of the game, such as connect4."),
    twin: str = typer.Option(
        "", "--twin", metavar="FILE.py:CLASS", help="The same rules once more, as a PythonGame, to compare with."
    ),
    seed: int = typer.Option(1, "--seed", help="Seed of the random games."),
) -> None:
    """Check a game's rules with random games; exit status 0 if no fault is found."""
    broken = 0
    with note_if_slow(COMPILING):
        game = game_named(name)
        from tabiya.check_game.checks import CHECKS, NEEDED, differs, faults_of

        checks = CHECKS | ({"twin": partial(differs, _twin_of(twin))} if twin else {})
        for title, check in checks.items():
            faults = faults_of(check, game, seed)
            broken += bool(faults)
            typer.echo(f"{title}: {'passed' if not faults else 'FAILED'}")
            for fault in faults[:MOST_SHOWN]:
                typer.echo(f"  {fault[:500]}")
            if len(faults) > MOST_SHOWN:
                typer.echo(f"  and {len(faults) - MOST_SHOWN} more")
            if faults and title in NEEDED:
                typer.echo("the other checks need this one")
                break
    raise typer.Exit(1 if broken else 0)


def _twin_of(text: str) -> PythonGame:
    from tabiya.bots.players.from_file import load_class
    from tabiya.bots.players.spec import PlayerError
    from tabiya.games.python_game import PythonGame

    path, _, name = text.rpartition(":")
    with user_errors(PlayerError):
        found = load_class(path, name)
    if not (isinstance(found, type) and issubclass(found, PythonGame)):
        raise UserError(f"--twin takes FILE.py:CLASS, a class that derives from PythonGame, not {text!r}")
    return found("twin", "Twin")
