"""What can go wrong with a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabiya.bots.client.errors import ClientError
from tabiya.bots.client.failure import RemoteFault

if TYPE_CHECKING:
    from tabiya.bots.client.failure import ProgramFailure


class PlayerFailed(RemoteFault):
    """The player raised in its worker; the worker lives on."""


class WorkerError(ClientError):
    """A worker cannot be started; str(error) says why.  failure: of the player's program, if it is to blame."""

    def __init__(self, sentence: str, failure: ProgramFailure | None = None) -> None:
        super().__init__(sentence)
        self.failure = failure


class WorkerLost(Exception):
    """A worker died or was killed while it was asked; another takes its place."""
