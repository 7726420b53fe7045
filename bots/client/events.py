"""Events of a running bot for the person who runs it: values with a text, and the listener that prints them.

A listener is any function of one event. It is called in the event loop and must be quick.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

from tabiya.bots.client.failure import ProgramFailure
from tabiya.bots.client.turn import Turn
from tabiya.protocol.messages import MatchEnded, MatchStarted, Welcome
from tabiya.protocol.printable import printable

REMARK = "remark: "  # a `Note` that begins so is on what seems a mistake in the bot's class; `tabiya check` repeats it


class Connected(NamedTuple):
    """The server has said welcome.  seeks: whether the bot looks for games by itself."""

    url: str
    welcome: Welcome
    seeks: bool = True

    def __str__(self) -> str:
        guest = "" if self.welcome.authenticated else " (without a token)"
        if not self.welcome.rated:
            guest = " (without a token: only games of tournaments are rated)"
        waits = "" if self.seeks else "; it seeks no games, so it waits for challenges and tournaments"
        return f"connected to {self.url} as {self.welcome.name}{guest}{waits}"


class Disconnected(NamedTuple):
    """The connection is lost or could not be made.

    retry_s: seconds until the next attempt; 0: another server is tried at once.
    """

    text: str
    retry_s: float

    def __str__(self) -> str:
        return f"{self.text}; trying " + (f"again in {self.retry_s:.1f} s" if self.retry_s else "the next server")


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
    """The code of the bot's author has failed.  then: what happens now."""

    failure: ProgramFailure
    then: str

    def __str__(self) -> str:
        return self.text()

    def text(self, colour: bool = False) -> str:
        """The failure and what happens now. colour: for a terminal."""
        return f"{self.failure.text(colour)}\n{self.then}"


Event = Connected | Disconnected | MatchBegan | MatchOver | Note | MoveOverdue | BotError
Listener = Callable[[Event], None]


class EventTexts:
    """The texts of events for one reader; a repeated failure is shortened."""

    def __init__(self, colour: bool = False) -> None:
        """colour: whether they are for a terminal."""
        self._colour = colour
        self.failures: list[ProgramFailure] = []
        """The failures shown in full."""

    def text(self, event: Event) -> str:
        """The text of an event, without control characters."""
        if not isinstance(event, BotError):
            return "\n".join(map(printable, str(event).splitlines()))
        failure = event.failure
        if any(map(failure.is_like, self.failures)):
            where = f"match {failure.match}, ply {failure.ply}: " if failure.match is not None else ""
            return printable(f"{where}{failure.called} failed as before: {failure.error}; {event.then}")
        self.failures.append(failure)
        return event.text(self._colour)


def printer() -> Listener:
    """A listener that writes every event as text to standard error."""
    texts = EventTexts(sys.stderr.isatty())

    def write(event: Event) -> None:
        sys.stderr.write(f"tabiya: {texts.text(event)}\n")
        sys.stderr.flush()

    return write


def silent(event: Event) -> None:
    """A listener that prints nothing."""
