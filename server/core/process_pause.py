"""A pause of the process: its machine slept, was suspended, or had no time for it. That time is the server's.

A bot could neither be heard nor, on the same machine, think; so no clock has run. Everything that waits for a moment
waits that much longer, and the time is kept in the account of the pending move as the server's share.
"""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.server.core.clock import NS_PER_US, ceil_us_ns, floor_us_ns
from tabiya.server.core.effects import Show
from tabiya.server.core.events import ProcessPaused
from tabiya.server.core.state import Match, Presence, Step, Thinking, Waiting

PROCESS_PAUSE_NS = 250_000_000
"""A tick of 10 ms that is so late means a pause; less is lag, and is taken off the arrival of what lay unread.

Chosen, not measured: above what a busy loop takes for one turn (docs/reference/clock.md).
"""


def is_process_pause(due_ns: int, now_ns: int) -> bool:
    """Whether a tick due at `due_ns` that has not come by `now_ns` means that the process was paused."""
    return now_ns - due_ns >= PROCESS_PAUSE_NS


def process_paused(match: Match, event: ProcessPaused) -> Step:
    """Clocks, deadlines and absences are moved by the part of the pause that fell into them."""
    first, second = (_later(presence, event) for presence in match.presence)
    match, stage = replace(match, presence=(first, second)), match.stage
    if type(stage) is Waiting and stage.deadline_ns is not None:
        return replace(match, stage=replace(stage, deadline_ns=stage.deadline_ns + _lost_ns(event, 0))), ()
    if type(stage) is not Thinking:
        return match, ()
    lost_ns = _lost_ns(event, stage.started_ns)
    if not lost_ns:
        return match, ()
    moved = replace(
        stage,
        started_ns=stage.started_ns + lost_ns,
        deadline_ns=stage.deadline_ns + lost_ns,
        server_us=stage.server_us + lost_ns // NS_PER_US,
    )
    return replace(match, stage=moved), (Show(),)


def _lost_ns(event: ProcessPaused, began_ns: int) -> int:
    """How much of the pause came after `began_ns`."""
    return max(0, ceil_us_ns(event.now_ns) - max(floor_us_ns(event.since_ns), began_ns))


def _later(presence: Presence, event: ProcessPaused) -> Presence:
    since_ns = presence.away_since_ns
    return presence if since_ns is None else replace(presence, away_since_ns=since_ns + _lost_ns(event, since_ns))
