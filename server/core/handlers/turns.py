"""A turn begins, with its clock and its alarm; and a pause of the process, in which no clock runs.

In a pause the machine slept, was suspended, or had no time for the process. A bot could neither be heard nor, on the
same machine, think. Everything that waits for a moment waits that much longer, and the time is kept in the account of
the pending move as the server's share.
"""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.server.core.clock import NS_PER_US, available_us, ceil_us_ns, floor_us_ns, move_limit_us
from tabiya.server.core.effects import RecheckAfterReads, SendTurn, SetAlarm, Show
from tabiya.server.core.events import AlarmRang, ProcessPaused, TurnSent
from tabiya.server.core.handlers.endings import out_of_time
from tabiya.server.core.state import AwaitingMove, AwaitingPlayers, Match, Presence, Step, remaining_now_us


def begin_turn(match: Match, now_ns: int, forgiven_us: int = 0) -> Step:
    """The clock of the seat to move starts now; its turn goes out and its deadline is watched."""
    position, terms = match.position, match.terms
    seat, ply = position.to_move, position.ply
    presence, state = match.presence[seat], match.seats[seat]
    time_us = move_limit_us(terms.controls[seat], state.remaining_us, terms.stall_us)
    credit_us = available_us(terms.policy.lag, presence.network_us, state.quota_us) if terms.timed else 0
    now_ns = ceil_us_ns(now_ns)
    passed_us = (now_ns - match.arrived_ns) // NS_PER_US if match.arrived_ns is not None else 0
    server_us = max(0, passed_us - forgiven_us)  # less only if the machine's clock was set back before a restart
    deadline_ns = now_ns + (time_us + credit_us) * NS_PER_US
    # no TurnSent will come for an absent player: its clock runs from now
    stage = AwaitingMove(
        now_ns, now_ns, deadline_ns, credit_us, presence.network_us, server_us, not presence.connected, forgiven_us
    )
    remaining_us = (match.seats[0].remaining_us, match.seats[1].remaining_us)
    effects = (SendTurn(seat, ply, remaining_us, time_us), SetAlarm(ply, deadline_ns))
    return replace(match, stage=stage), effects


def resend_turn(match: Match, stage: AwaitingMove, now_ns: int) -> Step:
    """The running turn again, with what is left of it now. Coming back never moves the start of a clock."""
    position = match.position
    limit_ns = stage.deadline_ns - stage.credit_us * NS_PER_US - now_ns
    limit_us = max(0, limit_ns // NS_PER_US)
    turn = SendTurn(position.to_move, position.ply, remaining_now_us(match, now_ns), limit_us)
    return replace(match, stage=replace(stage, sent=True)), (turn,)


def turn_sent(match: Match, event: TurnSent) -> Step:
    """The clock starts when the turn is handed to the network; the time since the save is the server's."""
    stage = match.stage
    if type(stage) is not AwaitingMove or stage.sent or event.ply != match.position.ply:
        return match, ()
    late_ns = max(0, ceil_us_ns(event.now_ns) - stage.started_ns)
    moved = replace(
        stage,
        handed_out_ns=stage.started_ns + late_ns,
        started_ns=stage.started_ns + late_ns,
        deadline_ns=stage.deadline_ns + late_ns,
        server_us=stage.server_us + late_ns // NS_PER_US,
        sent=True,
    )
    return replace(match, stage=moved), ()


def alarm_rang(match: Match, event: AlarmRang) -> Step:
    """Sees whether time has run out; if so, all connections are read once more before the seat to move loses."""
    stage = match.stage
    if type(stage) is not AwaitingMove or event.ply != match.position.ply:
        return match, ()
    if event.now_ns < stage.deadline_ns:  # the timer is of an earlier turn, or the deadline has moved since
        return match, (SetAlarm(event.ply, stage.deadline_ns),)
    if not event.rearmed:  # the move may lie in a socket that the loop has not read yet
        return match, (RecheckAfterReads(event.ply),)
    return out_of_time(match, stage, event.now_ns)


def process_paused(match: Match, event: ProcessPaused) -> Step:
    """Clocks, deadlines and absences are moved by the part of the pause that fell into them."""
    first, second = (_later(presence, event) for presence in match.presence)
    match, stage = replace(match, presence=(first, second)), match.stage
    if type(stage) is AwaitingPlayers and stage.deadline_ns is not None:
        return replace(match, stage=replace(stage, deadline_ns=stage.deadline_ns + _lost_ns(event, 0))), ()
    if type(stage) is not AwaitingMove:
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
    # no new alarm: the one that is set rings too early, and the match then asks again
    return replace(match, stage=moved), (Show(),)


def _lost_ns(event: ProcessPaused, began_ns: int) -> int:
    """How much of the pause came after `began_ns`."""
    return max(0, ceil_us_ns(event.now_ns) - max(floor_us_ns(event.since_ns), began_ns))


def _later(presence: Presence, event: ProcessPaused) -> Presence:
    since_ns = presence.away_since_ns
    return presence if since_ns is None else replace(presence, away_since_ns=since_ns + _lost_ns(event, since_ns))
