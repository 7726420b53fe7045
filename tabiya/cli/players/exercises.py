"""`tabiya exercises`: a sheet of exercises on the textbooks' algorithms, to be printed."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from tabiya.api_client.settings import client_settings
from tabiya.bots.textbook.exercises.kinds import KINDS
from tabiya.cli.output import note
from tabiya.errors import UserError
from tabiya.protocol.printable import printable

MOST = 24
LEVELS = 3
KIND_HELP = f"Only this kind ({', '.join(one.name for one in KINDS)}); may be repeated."
SERVER_HELP = "Server for the links to the explorer."


def exercises(
    seed: int = typer.Option(1, "--seed", help="The same seed makes the same sheet.", min=0, max=2**53 - 1),
    count: int = typer.Option(6, "--count", help="Number of exercises.", min=1, max=MOST),
    level: int = typer.Option(0, "--level", help="1: easy, 3: hard, 0: mixed.", min=0, max=LEVELS),
    kind: list[str] = typer.Option([], "--kind", help=KIND_HELP),
    output: Path = typer.Option(..., "--output", "-o", help="HTML file to write."),
    server: str | None = typer.Option(None, "--server", "-s", help=SERVER_HELP),
) -> None:
    """Write a sheet of exercises on minimax, alpha-beta and PVS, with solutions on separate pages."""
    from tabiya.explorer.exercises import shown_sheet
    from tabiya.server.web.pages.exercise_sheet import exercise_document
    from tabiya.server.web.schemas.explorer_requests import ExercisesRequest

    query = ExercisesRequest(seed=seed, count=count, level=level, kinds=",".join(kind))
    try:
        sheet = json.loads(shown_sheet(seed, count, level, query.kinds))
    except ValueError as error:
        raise UserError(str(error)) from None
    try:
        output.write_text(exercise_document(sheet, query, client_settings(server).pages), encoding="utf-8")
    except OSError as error:
        raise UserError(f"{printable(output)} cannot be written: {error.strerror}") from None
    note(f"{printable(output)}: {count} exercises of the seed {seed}, their solutions behind them")
