"""`tabiya bench`: the measurements in benchmarks/, run where their sources are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import typer

from tabiya.errors import UserError

ROOT = Path(__file__).parents[3]
BENCHMARKS = {
    "server": "How much one server carries: moves a second, latency, memory, spectators, restoring.",
    "storage": "How many moves a second are made durable, and how long each takes.",
    "search": "How many positions a second the searches visit.",
    "signature": "How many nodes the playing engine visits: one number that a change of the search changes.",
    "start": "How long the playing engine takes to be ready, compiled and not yet compiled, and its memory.",
    "restart": "How long a server that was killed takes until it answers, with matches to go on with and without.",
    "sandbox": "What walls around a program cost, of its start and of a move.",
    "pool": "What a move costs beside thinking, in a process of this machine and in a worker of a Dask cluster.",
    "threads": "How much sooner several threads on one table are as deep as one.",
    "strength": "How strong the levels of the roster are, in Elo.",
    "ablation": "What each feature of the playing engine is worth, in nodes and in Elo.",
    "duel": "Which of two evaluations plays better, in Elo, at equal nodes or equal time.",
    "tactics": "How many positions with a known best move the engine solves.",
    "endgames": "How long exact endgames of reversi take, on published positions.",
    "perft": "How many positions a second the rules make.",
    "explorer": "How smoothly the explorer's page steps through a search of nearly a million nodes, and its memory.",
    "codec": "How long messages take to be written and read.",
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
    """Run one of them with its own options; ends it when this command is told to end. Raises UserError, typer.Exit."""
    with subprocess.Popen([sys.executable, "-m", f"benchmarks.{name}", *words], cwd=source_tree()) as running:
        try:
            status = running.wait()
        except BaseException:
            running.terminate()  # Ctrl-C has reached it, too; the signal that ends only us has not
            running.wait()
            raise
    if status:
        raise typer.Exit(status)


app = typer.Typer(no_args_is_help=True, help="Measure this machine with Tabiya; works in its source tree.")


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
