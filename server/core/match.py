"""A match is a function: `advance(match, event) -> (match, effects)`.

    match, effects = advance(match, MoveArrived(seat=0, text="d3", seen_ply=4, arrived_ns=61_200_000_000, now_ns=...))
    # effects: (SaveMove(...),)                  no clock runs while saving
    match, effects = advance(match, MoveSaved(ply=4, now_ns=61_203_000_000))
    # effects: (SendTurn(seat=1, ply=5, ...), SetAlarm(...), Show())

Raises nothing of its own; an error out of the rules is our bug: give it back as RulesFailed, and the match freezes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from tabiya.server.core.effects import Effect
from tabiya.server.core.events import (
    Aborted,
    Adjudicated,
    AlarmRang,
    DrawOffered,
    Event,
    MatchOpened,
    MoveArrived,
    MoveSaved,
    PresenceAlarmRang,
    ProcessPaused,
    Resigned,
    ResultSaved,
    RulesFailed,
    SaveFailed,
    SeatConnected,
    SeatDisconnected,
    TakeBackAsked,
    TurnSent,
)
from tabiya.server.core.handlers.draw_offers import draw_offered
from tabiya.server.core.handlers.endings import aborted, adjudicated, resigned, rules_failed
from tabiya.server.core.handlers.moves import move_arrived
from tabiya.server.core.handlers.persistence import move_saved, result_saved, save_failed
from tabiya.server.core.handlers.presence import (
    match_opened,
    presence_alarm_rang,
    seat_connected,
    seat_disconnected,
)
from tabiya.server.core.handlers.rejections import full_refusal
from tabiya.server.core.handlers.take_backs import take_back_asked
from tabiya.server.core.handlers.turns import alarm_rang, process_paused, turn_sent
from tabiya.server.core.state import Match, Saving, Step

Handler = Callable[[Match, Any], Step]

HANDLERS: dict[type[Event], Handler] = {
    MatchOpened: match_opened,
    MoveArrived: move_arrived,
    MoveSaved: move_saved,
    ResultSaved: result_saved,
    SaveFailed: save_failed,
    TurnSent: turn_sent,
    AlarmRang: alarm_rang,
    ProcessPaused: process_paused,
    PresenceAlarmRang: presence_alarm_rang,
    Resigned: resigned,
    DrawOffered: draw_offered,
    TakeBackAsked: take_back_asked,
    SeatConnected: seat_connected,
    SeatDisconnected: seat_disconnected,
    Adjudicated: adjudicated,
    Aborted: aborted,
    RulesFailed: rules_failed,
}

WAITS_FOR_THE_SAVE = {
    MoveArrived: "move",
    DrawOffered: "draw_offer",
    TakeBackAsked: "take_back",
    Resigned: "resign",
    Adjudicated: "",
    Aborted: "",
    PresenceAlarmRang: "",
}
"""Events that wait while a save is under way, with the message they came from (empty: not from a player)."""


def advance(match: Match, event: Event) -> Step:
    """The match after the event, and what it asks for, in order."""
    stage = match.stage
    if type(stage) is not Saving:  # stages have no subclasses, and this is asked three times a move: no isinstance
        return HANDLERS[type(event)](match, event)
    if type(event) in WAITS_FOR_THE_SAVE:
        return _wait(match, stage, event)
    after, effects = HANDLERS[type(event)](match, event)
    if stage.waiting and type(after.stage) is not Saving:  # saved, or frozen: what has waited is answered now
        return _replay(after, effects, stage.waiting)
    return after, effects


def _wait(match: Match, stage: Saving, event: Event) -> Step:
    """Queue the event until the save completes. Players' events have a limit, so that they cannot flood a slow save."""
    limit = match.terms.policy.waiting_per_seat
    if isinstance(event, MoveArrived | DrawOffered | TakeBackAsked | Resigned):
        mine = sum(1 for other in stage.waiting if getattr(other, "seat", None) == event.seat)
        if mine >= limit:
            ply = event.seen_ply if isinstance(event, MoveArrived) else getattr(event, "ply", None)
            return match, (full_refusal(event.seat, WAITS_FOR_THE_SAVE[type(event)], limit, ply),)
    return replace(match, stage=replace(stage, waiting=(*stage.waiting, event))), ()


def _replay(match: Match, effects: tuple[Effect, ...], waiting: tuple[Event, ...]) -> Step:
    """Handle the waiting events in order; if one starts another save, the rest waits again."""
    for event in waiting:
        match, more = advance(match, event)
        effects += more
    return match, effects
