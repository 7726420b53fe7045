"""Errors of the user or the environment: a command says one sentence and exits non-zero, without a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tabiya.bots.client.failure import ProgramFailure

INTERRUPTED, PIPE_CLOSED = 128 + 2, 128 + 13  # what a shell says of a process ended by SIGINT, SIGPIPE


class UserError(Exception):
    """A message for standard error. status: the exit status.  failure: of an author's program, said in its place."""

    def __init__(self, sentence: str, status: int = 1, failure: ProgramFailure | None = None) -> None:
        super().__init__(sentence)
        self.status, self.failure = status, failure


@contextmanager
def user_errors(*kinds: type[Exception]) -> Iterator[None]:
    """Raise errors of these kinds, whose text is a sentence for the user, as UserError."""
    try:
        yield
    except kinds as error:
        raise user_error(error) from None


def user_error(error: Exception) -> UserError:
    """The error, whose text is a sentence for the user, as a UserError, with the program's failure that it may have."""
    return UserError(str(error), failure=getattr(error, "failure", None))
