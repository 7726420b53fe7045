"""`tabiya bench`: the measurements in benchmarks/, run where their sources are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import typer

from tabiya.errors import UserError

ROOT = Path(__file__).parents[3]
BENCHMARKS = {
    "server": "Load of one server: moves a second, latency, memory, spectators, restart.",
    "storage": "Moves saved per second, and the time of each.",
    "search": "Positions per second of the searches.",
    "signature": "Node count of the playing engine: changes when the search changes.",
    "start": "Start-up time of the playing engine, with and without compiled code, and its memory.",
    "restart": "Restart time of a killed server, with and without matches to restore.",
    "sandbox": "What a sandbox costs at a program's start and for each move.",
    "pool": "Overhead of a move in a local process and on a Dask worker.",
    "threads": "Speed-up of a search with several threads on one transposition table.",
    "strength": "Strength of the named levels, in Elo.",
    "ablation": "What each search technique gains, in nodes and in Elo.",
    "duel": "Elo difference of two evaluations, at equal nodes or equal time.",
    "tactics": "Test positions with a known best move that the engine solves.",
    "endgames": "Time to solve published reversi endgames exactly.",
    "perft": "Positions per second of the rules.",
    "explorer": "Speed and memory of the explorer's page with a search of nearly a million nodes.",
    "codec": "Time to encode and decode messages.",
}
NOT_HERE = (
    "the measurements are in the source tree of Tabiya and not in the installed package; "
    "clone the project, `make setup`, and give the command there"
)


def source_tree() -> Path:
    """Where this package's sources are, if the measurements are beside it. Raises UserError."""
    if not (ROOT / "benchmarks").is_dir():
        raise UserError(NOT_HERE)
    return ROOT


def run_benchmark(name: str, words: list[str]) -> None:
    """Run one of them with its own options; a signal to this command ends it. Raises UserError, typer.Exit."""
    with subprocess.Popen([sys.executable, "-m", f"benchmarks.{name}", *words], cwd=source_tree()) as running:
        try:
            status = running.wait()
        except BaseException:
            running.terminate()  # Ctrl-C has reached it, too; the signal that ends only us has not
            running.wait()
            raise
    if status:
        raise typer.Exit(status)


app = typer.Typer(no_args_is_help=True, help="Benchmarks; only in the source tree.")


def _passing_on(name: str):  # type: ignore[no-untyped-def]  # typer reads the types of what is returned
    # a function of its own, or every command would run the benchmark that the loop below ended with
    def command(context: typer.Context) -> None:
        run_benchmark(name, context.args)

    return command


for _name, _about in BENCHMARKS.items():
    app.command(
        _name,
        help=f"{_about} `tabiya bench {_name} --help` shows its own options.",
        add_help_option=False,
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )(_passing_on(_name))
