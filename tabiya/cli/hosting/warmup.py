"""`tabiya warmup`: compile everything now, so that nothing compiles later."""

from __future__ import annotations

import os

import typer

from tabiya.cli.options import PROCESSES_OPTION
from tabiya.cli.output import note
from tabiya.loaded_game import game_named
from tabiya.processes.compile_kernels import warm_all


def warmup(
    games: list[str] = typer.Argument(None, help="Games to compile [all]."),
    processes: int = PROCESSES_OPTION,
) -> None:
    """Compile the rules and engines of games and store the result."""
    from tabiya.games.registry import names

    for name in games or ():
        game_named(name)
    warm_all(tuple(games or names()), processes or os.cpu_count() or 1, say=note)
