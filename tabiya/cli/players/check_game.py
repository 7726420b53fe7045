"""`tabiya check-game NAME`: whether the rules of a game keep to the contract."""

from __future__ import annotations

import typer

from tabiya.cli.games import COMPILING, the_game
from tabiya.cli.output import note_if_slow

MOST_SHOWN = 3


def check_game(
    name: str = typer.Argument(help="Name of the game, such as connect4."),
    seed: int = typer.Option(1, "--seed", help="Seed of the random games."),
) -> None:
    """Check a game's rules with random games; exit status 0 if no fault is found."""
    broken = 0
    with note_if_slow(COMPILING):
        game = the_game(name)
        from tabiya.check_game.checks import CHECKS, NEEDED, faults_of

        for title, check in CHECKS.items():
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
