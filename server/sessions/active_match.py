"""A running match with its timers, and the pauses of the process that it has still to apply."""

from __future__ import annotations

import asyncio
from collections import deque

from tabiya.server.core import events
from tabiya.server.core.state import AwaitingMove, Frozen, Match
from tabiya.storage.records import BotId, MatchRecord, NewMatch


class ProcessPause:
    """A time in which the process did not run, in a linked list.

    The runner appends one node per pause; each match points to the last pause it has applied and walks on before its
    next event. So a pause costs the same for any number of matches: telling 5,000 of them at once took so long on a
    busy processor that it was the next pause. Nodes that every match has applied are garbage.
    """

    __slots__ = ("later", "since_ns", "until_ns")

    def __init__(self, since_ns: int = 0, until_ns: int = 0) -> None:
        self.since_ns, self.until_ns = since_ns, until_ns
        self.later: ProcessPause | None = None


class ActiveMatch:
    """A running match: its present value, its inbox and its timers."""

    __slots__ = (
        "alarm",
        "alarm_ns",
        "awaited_ply",
        "busy",
        "goes_on",
        "inbox",
        "match",
        "pause",
        "presence_alarm",
        "record",
        "tournament",
    )

    def __init__(self, record: MatchRecord, match: Match, tournament: str, pause: ProcessPause) -> None:
        """pause: the latest pause so far; those after it concern this match."""
        self.record, self.match, self.tournament, self.pause = record, match, tournament, pause
        self.inbox: deque[events.Event] = deque()
        self.goes_on: NewMatch | None = None  # in which its two play on, when a move was taken back
        self.busy = False  # the inbox is being drained, also of what is posted now
        self.awaited_ply = 0  # the ply whose deadline the alarm watches
        self.alarm: asyncio.TimerHandle | None = None
        self.alarm_ns = 0
        self.presence_alarm: asyncio.TimerHandle | None = None

    def seat_of(self, bot_id: BotId) -> int | None:
        """The seat of a bot, None if it has none."""
        seats = self.record.seats
        return 0 if seats[0].bot_id == bot_id else 1 if seats[1].bot_id == bot_id else None

    @property
    def names(self) -> tuple[str, str]:
        """Names of the bots, by seat."""
        first, second = self.record.seats
        return first.bot, second.bot

    @property
    def log_fields(self) -> dict[str, object]:
        """Its fields in lines of the log (server/logs.py)."""
        record = self.record
        return {"match": record.id, "game": record.game, "bots": self.names, "tournament": record.tournament_id}

    @property
    def frozen(self) -> bool:
        """Whether a server error has stopped it."""
        return type(self.match.stage) is Frozen

    @property
    def is_thinking(self) -> bool:
        """Whether the clock of the seat to move runs."""
        return type(self.match.stage) is AwaitingMove

    def apply_pauses(self) -> None:
        """Put the pauses that it has not applied into the inbox."""
        while (later := self.pause.later) is not None:
            self.pause = later
            self.inbox.append(events.ProcessPaused(later.since_ns, later.until_ns))

    def cancel_timers(self) -> None:
        for alarm in (self.alarm, self.presence_alarm):
            if alarm is not None:
                alarm.cancel()
        self.alarm = None  # the runner takes one that is there for one that rings
