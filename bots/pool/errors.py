"""What can go wrong with a worker."""

from tabiya.bots.client.errors import ClientError, RemoteFault


class PlayerFailed(RemoteFault):
    """The player raised in its worker; the worker lives on."""


class WorkerError(ClientError):
    """A worker cannot be started; str(error) says why, with the worker's own words."""


class WorkerLost(Exception):
    """A worker died or was killed while it was asked; another takes its place."""
