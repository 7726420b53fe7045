"""Absent players: the clock runs on, and a player away for too long loses the match as abandoned."""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.games.endings import Ending
from tabiya.protocol.time_control import seconds_text
from tabiya.server.core.clock import NS_PER_US, US_PER_MS
from tabiya.server.core.effects import Effect, SendMatchStarted, SetPresenceAlarm
from tabiya.server.core.events import MatchOpened, PresenceAlarmRang, SeatConnected, SeatDisconnected
from tabiya.server.core.handlers.endings import conclude
from tabiya.server.core.handlers.turns import begin_turn, resend_turn
from tabiya.server.core.state import (
    AwaitingMove,
    AwaitingPlayers,
    Match,
    Presence,
    Saving,
    Step,
    has_moved,
    with_presence,
)

NS_PER_MS = NS_PER_US * US_PER_MS


def match_opened(match: Match, event: MatchOpened) -> Step:
    """Begins at once if both are there, otherwise when they are or when patience ends."""
    stage = match.stage
    if type(stage) is not AwaitingPlayers or stage.deadline_ns is not None:  # it has been opened before
        return match, ()
    first, second = (
        Presence(there, None if there else event.now_ns, network_ns // NS_PER_US)
        for there, network_ns in zip(event.connected, event.network_ns, strict=True)
    )
    deadline_ns = event.now_ns + match.terms.policy.open_wait_ms * NS_PER_MS
    match = replace(match, presence=(first, second), stage=replace(stage, deadline_ns=deadline_ns))
    if all(event.connected):
        return _begin(match, event.now_ns)
    return match, (SetPresenceAlarm(deadline_ns),)


def seat_connected(match: Match, event: SeatConnected) -> Step:
    """A bot that comes back gets its turn again, with what is left of it."""
    match = _with(match, event.seat, Presence(True, None, event.network_ns // NS_PER_US))
    stage = match.stage
    if type(stage) is AwaitingMove and match.position.to_move == event.seat:
        return resend_turn(match, stage, event.now_ns)
    if type(stage) is AwaitingPlayers and stage.deadline_ns is not None and match.presence[1 - event.seat].connected:
        return _begin(match, event.now_ns)
    return match, ()


def seat_disconnected(match: Match, event: SeatDisconnected) -> Step:
    """The clock runs on; from now on the player is missed."""
    before = match.presence[event.seat]
    if not before.connected:
        return match, ()
    match = _with(match, event.seat, Presence(False, event.now_ns, before.network_us))
    stage = match.stage
    if type(stage) is AwaitingMove and match.position.to_move == event.seat:
        # a TurnSent that still comes is of a connection that is gone, and must not move the start of the clock
        match = replace(match, stage=replace(stage, sent=True))
    return match, _absence_alarm(match)


def presence_alarm_rang(match: Match, event: PresenceAlarmRang) -> Step:
    """Checks which players are missing, and since when."""
    stage = match.stage
    if type(stage) is AwaitingPlayers and stage.deadline_ns is not None:
        return _patience(match, stage.deadline_ns, event.now_ns)
    if type(stage) is AwaitingMove:
        return _absence(match, event.now_ns)
    return match, ()


def _begin(match: Match, now_ns: int) -> Step:
    stage = match.stage
    if type(stage) is not AwaitingPlayers:
        return match, ()
    started: tuple[Effect, ...] = () if stage.restored else (SendMatchStarted(),)
    match, effects = begin_turn(match, now_ns, stage.forgiven_us)
    return match, started + effects + _absence_alarm(match)


def _patience(match: Match, deadline_ns: int, now_ns: int) -> Step:
    """When the wait for players is over, a match without a move is aborted; in another the clocks run."""
    if now_ns < deadline_ns:  # a pause of the process has moved it since the alarm was set
        return match, (SetPresenceAlarm(deadline_ns),)
    if has_moved(match):
        return _begin(match, now_ns)
    return conclude(match, None, Ending.ABORTED, f"{_missing(match)} did not come and no move was made", now_ns)


def _absence(match: Match, now_ns: int) -> Step:
    """Ends the match if a player has been away too long; without a result if both are away or nobody has moved."""
    limit_ms, missed = match.terms.policy.absence_ms, _missed_longest(match)
    if limit_ms is None or missed is None:
        return match, ()
    seat, since_ns = missed
    if now_ns < since_ns + limit_ms * NS_PER_MS:  # the alarm was for an earlier absence, or a pause has moved it
        return match, _absence_alarm(match)
    if not has_moved(match) or not match.presence[1 - seat].connected:
        return conclude(match, None, Ending.ABORTED, f"{_missing(match)} left", now_ns)
    reason = f"{match.terms.who(seat)} left and did not come back within {seconds_text(limit_ms)} s"
    return conclude(match, 1 - seat, Ending.ABANDONED, reason, now_ns)


def _absence_alarm(match: Match) -> tuple[Effect, ...]:
    """The alarm for the player that has been away longest; none while both are there."""
    limit_ms, missed = match.terms.policy.absence_ms, _missed_longest(match)
    if limit_ms is None or missed is None or type(match.stage) not in (AwaitingMove, Saving):
        return ()
    return (SetPresenceAlarm(missed[1] + limit_ms * NS_PER_MS),)


def _missed_longest(match: Match) -> tuple[int, int] | None:
    """The seat that has been away longest, and since when; None while both are there."""
    away = [(one.away_since_ns, seat) for seat, one in enumerate(match.presence) if one.away_since_ns is not None]
    if not away:
        return None
    since_ns, seat = min(away)
    return seat, since_ns


def _missing(match: Match) -> str:
    names = [match.terms.players[seat] for seat in (0, 1) if not match.presence[seat].connected]
    return " and ".join(names)


def _with(match: Match, seat: int, presence: Presence) -> Match:
    return replace(match, presence=with_presence(match.presence, seat, presence))
