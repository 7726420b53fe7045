"""Errors of the user or the environment: a command says one sentence and exits non-zero, without a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED, PIPE_CLOSED = 128 + 2, 128 + 13  # what a shell says of a process ended by SIGINT, SIGPIPE


class UserError(Exception):
    """What to say on standard error. status: the exit status."""

    def __init__(self, sentence: str, status: int = 1) -> None:
        super().__init__(sentence)
        self.status = status


@contextmanager
def user_errors(*kinds: type[Exception]) -> Iterator[None]:
    """Raise errors of these kinds, whose text is a sentence for the user, as UserError."""
    try:
        yield
    except kinds as error:
        raise UserError(str(error)) from None
