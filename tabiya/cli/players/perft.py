"""`tabiya perft`: count the leaves of the game tree."""

from __future__ import annotations

import time

import typer

from tabiya.cli.games import COMPILING, options_from, play_moves
from tabiya.cli.output import FORMAT_OPTION, Format, note_if_slow, show, show_json
from tabiya.loaded_game import game_named

MIN_LEAVES = 100_000  # leaves for a speed that means something


def perft(
    game: str = typer.Argument(help="Name of the game."),
    depth: int = typer.Argument(help="Depth in plies.", min=0, max=40),
    position: str | None = typer.Option(None, "--position", "-p", help="Position text to count from."),
    moves: str = typer.Option("", "--moves", "-m", help="Moves to play first, separated by spaces."),
    option: list[str] = typer.Option([], "--option", "-o", help="Option of the game, as NAME=VALUE."),
    divide: bool = typer.Option(False, "--divide", help="Count separately for each first move."),
    form: Format = FORMAT_OPTION,
) -> None:
    """Count the positions after all sequences of DEPTH plies (repetitions and move counters are ignored)."""
    from tabiya.games.perft import divide as count_each
    from tabiya.games.perft import perft as count

    with note_if_slow(COMPILING):
        rules = game_named(game)
        start = play_moves(rules, position, options_from(rules, option), moves)
        count(start, min(depth, 1))  # compiles or loads the kernel before the clock starts
    begun = time.perf_counter()
    parts = count_each(start, depth) if divide and depth else None
    nodes = sum(parts.values()) if parts is not None else count(start, depth)
    seconds = time.perf_counter() - begun
    if form is Format.TABLE:
        for move, number in (parts or {}).items():
            typer.echo(f"{move}: {number}")
        speed = f" ({nodes / seconds / 1e6:.1f} million/s)" if nodes > MIN_LEAVES else ""
        typer.echo(f"{rules.name} perft({depth}) = {nodes} in {seconds:.3f} s{speed}")
    elif form is Format.JSON:
        show_json(
            {"game": rules.name, "position": start.text(), "depth": depth, "nodes": nodes, "seconds": seconds}
            | ({"divide": parts} if parts is not None else {})
        )
    else:
        rows = [{"move": move, "nodes": number} for move, number in (parts or {"": nodes}).items()]
        show(rows, {"move": "move", "nodes": "nodes"}, form)
