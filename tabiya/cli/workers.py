"""`--workers`: games on processes of this machine or on a Dask cluster, for every command that plays many."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import typer

from tabiya.cli.progress import Facts
from tabiya.errors import UserError

if TYPE_CHECKING:
    from tabiya.match.executors.spread import Spread

WORKERS_OPTION = typer.Option(
    "",
    "--workers",
    help="Play on workers: a number of processes on this machine, or a Dask cluster, dask://HOST:PORT.",
)


def check_workers(text: str) -> None:
    """Whether workers can be asked for by this text. Raises UserError."""
    from tabiya.match.executors.open_executor import check_address

    try:
        check_address(text)
    except ValueError as error:
        raise UserError(f"--workers: {error}") from None


async def with_spread(text: str, work: Callable[[Spread], Awaitable[None]]) -> None:
    """Do the work with the executor of this address. Raises WorkerError and what the work raises."""
    from tabiya.match.executors.open_executor import open_executor
    from tabiya.match.executors.spread import Spread

    executor = await open_executor(text)
    try:
        await work(Spread(executor))
    finally:
        await executor.close()


class SpreadFacts:
    """Progress text: the pairs that workers are playing, and games a second since this was created."""

    def __init__(self, spread: Spread) -> None:
        self._spread, self._began = spread, time.monotonic()

    def facts(self, games: int) -> Facts:
        """games: that have come back."""
        executor, seconds = self._spread.executor, time.monotonic() - self._began
        there = f"{executor.workers} now, {len(self._spread.seen)} have played"
        return {
            "workers": there if executor.cores else f"{there}; waiting for some",
            "pairs running": str(min(self._spread.out, executor.cores)),
            "games a second": f"{games / seconds:.1f}" if games else "",
        }
