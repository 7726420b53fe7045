"""Measures how long the event loop was blocked: bytes that waited meanwhile arrived earlier than they were read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tabiya.server.transport.base import READ_CYCLE_S, Clock

TICK_NS = 10_000_000  # chosen: a tenth of the shortest move time that is played, and 100 ticks a second cost nothing
READ_CYCLE_NS = round(READ_CYCLE_S * 1e9)
PROCESS_PAUSE_NS = 250_000_000
"""A tick that is so late means a pause of the process; less is lag, and is taken off the arrival of what lay unread.

Chosen, not measured: above what a busy loop takes for one turn (docs/reference/clock.md).
"""
LATE_NS = 1_000_000  # lateness of a tick from which on unread sockets are searched for


class LoopLagMonitor:
    """A timer that ticks, as a rule every 10 ms: while a tick is overdue, the loop has read no socket since it was due.

    A short lag is taken off the time of arrival of what lay unread. A long one is a pause of the process, which is
    reported before anything that lay unread is handled. Neither is charged to a bot.
    """

    def __init__(self, now_ns: Clock, process_paused: Callable[[int, int], None], tick_ns: int = TICK_NS) -> None:
        """process_paused: called with the latest instant at which the process surely ran, and with now."""
        self._now_ns, self._process_paused, self._tick_ns = now_ns, process_paused, tick_ns
        self._due_ns: int | None = None
        self._ticked_ns = 0  # when the last late tick came
        self._timer: asyncio.TimerHandle | None = None
        self._longest_ns = 0

    def start(self) -> None:
        """Begin to tick."""
        self._due_ns = self._now_ns() + self._tick_ns
        self._timer = asyncio.get_running_loop().call_at(self._due_ns / 1e9, self._tick)

    def stop(self) -> None:
        """Tick no more."""
        if self._timer is not None:
            self._timer.cancel()
        self._due_ns = None

    def take_longest_ns(self) -> int:
        """How late the latest tick was since this was asked for last."""
        longest_ns, self._longest_ns = self._longest_ns, 0
        return longest_ns

    def _tick(self) -> None:
        """A late tick may run before the waiting sockets are read; it counts as overdue until they are."""
        now_ns = self._now_ns()
        if self._due_ns is not None:
            self._longest_ns = max(self._longest_ns, now_ns - self._due_ns)
        if self._due_ns is None or now_ns - self._due_ns < LATE_NS:
            self.start()
        else:
            self.earliest_arrival_ns(now_ns)  # for its report of a pause, if it was one
            self._stay_overdue(now_ns)

    def _stay_overdue(self, now_ns: int) -> None:
        """Keep the tick overdue until everything that had come by now is read."""
        self._ticked_ns = now_ns
        self._timer = asyncio.get_running_loop().call_later(READ_CYCLE_S, self._go_on)

    def _go_on(self) -> None:
        """Tick again, unless the loop was held up just now, too: what came meanwhile is not read yet."""
        now_ns, ticked_ns = self._now_ns(), self._ticked_ns
        self.earliest_arrival_ns(now_ns)
        if self._due_ns is None or now_ns - ticked_ns - READ_CYCLE_NS < LATE_NS:
            self.start()
        else:
            self._due_ns = max(self._due_ns, ticked_ns)  # what was here at the last tick has been read since
            self._stay_overdue(now_ns)

    def earliest_arrival_ns(self, now_ns: int) -> int:
        """The earliest time at which bytes read now can have arrived, as far as the monitor can tell."""
        due_ns = self._due_ns
        if due_ns is None or now_ns <= due_ns:
            return now_ns
        if now_ns - due_ns >= PROCESS_PAUSE_NS:
            self._due_ns = now_ns  # first, so that each pause is reported once: what is read next is not late
            self._process_paused(due_ns, now_ns)
            return now_ns
        return due_ns
