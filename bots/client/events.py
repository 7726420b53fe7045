"""What a running bot tells the person who runs it: values with a text, and the listener that prints them.

A listener is any function of one event. It is called in the event loop and must be quick.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TextIO

from tabiya.bots.client.errors import RemoteFault
from tabiya.bots.client.turn import Turn
from tabiya.protocol.messages import MatchEnded, MatchStarted, Welcome

HERE = Path(__file__).parent


class Connected(NamedTuple):
    """The server has said welcome."""

    url: str
    welcome: Welcome

    def __str__(self) -> str:
        guest = "" if self.welcome.authenticated else " (without a token)"
        return f"connected to {self.url} as {self.welcome.name}{guest}"


class Disconnected(NamedTuple):
    """The connection is lost or could not be made.  retry_s: seconds until the next attempt."""

    text: str
    retry_s: float

    def __str__(self) -> str:
        return f"{self.text}; trying again in {self.retry_s:.1f} s"


class MatchBegan(NamedTuple):
    """A match has begun."""

    message: MatchStarted

    def __str__(self) -> str:
        match = self.message
        return f"match {match.match}: {match.game}, {match.names[0]} against {match.names[1]}, {match.time_control}"


class MatchOver(NamedTuple):
    """A match has ended."""

    message: MatchEnded

    def __str__(self) -> str:
        match = self.message
        outcome = {1.0: "won", 0.5: "drawn", 0.0: "lost"}.get(-1.0 if match.score is None else match.score, "no result")
        return f"match {match.match}: {outcome}, {match.reason or match.ending.replace('_', ' ')}"


class Note(NamedTuple):
    """Something worth knowing: a refusal, a notice of the server, a match that ended meanwhile."""

    text: str

    def __str__(self) -> str:
        return self.text


class MoveOverdue(NamedTuple):
    """The time for a move has passed and `choose` has not answered."""

    turn: Turn

    def __str__(self) -> str:
        turn = self.turn
        return (
            f"match {turn.match} ({turn.game}), ply {turn.ply}: choose has used all of its "
            f"{turn.move_limit_ms / 1000:g} s and not answered yet, in the position {turn.position_text}"
        )


class BotError(NamedTuple):
    """The code of the bot's author has failed.

    method: what was called.  turn: what it was called with, None outside of a turn.  then: what happens now.
    """

    method: str
    error: BaseException
    turn: Turn | None
    then: str

    def __str__(self) -> str:
        lines = [f"{self.method} failed: {_headline(self.error)}"]
        if self.turn is not None:
            lines += _where(self.turn)
        lines += [_traceback(self.error).rstrip(), self.then]
        return "\n".join(lines)


Event = Connected | Disconnected | MatchBegan | MatchOver | Note | MoveOverdue | BotError
Listener = Callable[[Event], None]


def _traceback(error: BaseException) -> str:
    if isinstance(error, RemoteFault):
        return error.report or str(error)
    return "".join(traceback.format_exception(author_part(error)))


def _headline(error: BaseException) -> str:
    if isinstance(error, RemoteFault):
        return str(error)
    return f"{type(error).__name__}: {error}".rstrip(": ")


def _where(turn: Turn) -> list[str]:
    """The position that caused a fault, such that it can be set up again."""
    moves = " ".join(turn.history.moves) or "none"
    return [
        f"  match {turn.match}, game {turn.game}, seat {turn.seat}, ply {turn.ply}",
        f"  position: {turn.position_text}",
        f"  history: {turn.history.position} and then the moves: {moves}",
    ]


def author_part(error: BaseException) -> BaseException:
    """The error with a traceback that begins in the author's code; the client's own frames before it are left out."""
    trace = error.__traceback__
    while trace is not None and Path(trace.tb_frame.f_code.co_filename).parent == HERE:
        trace = trace.tb_next
    return error.with_traceback(trace) if trace is not None else error


def printer(stream: TextIO | None = None) -> Listener:
    """A listener that writes every event as text; stream: standard error if None."""

    def write(event: Event) -> None:
        out = sys.stderr if stream is None else stream
        out.write(f"tabiya: {event}\n")
        out.flush()

    return write


def silent(event: Event) -> None:
    """A listener that does not listen."""
