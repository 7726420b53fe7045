"""What can go wrong with a worker."""

from __future__ import annotations

from tabiya.bots.client.errors import ClientError
from tabiya.bots.client.failure import ProgramFailure, RemoteFault


class PlayerFailed(RemoteFault):
    """The player raised in its worker; the worker lives on."""


class WorkerError(ClientError):
    """A worker cannot be started; str(error) says why.  failure: of the player's program, if it is to blame."""

    def __init__(self, sentence: str, failure: ProgramFailure | None = None) -> None:
        super().__init__(sentence)
        self.failure = failure


class WorkerLost(Exception):
    """A worker died while it was asked; another takes its place."""


class OutOfTime(WorkerLost):
    """The time for the thought is over, or would be before a worker is there; one that hung has been killed."""
