"""Handlers for the store's answers. Turns and results are sent only from here, after they are durable."""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.server.core.effects import ContinueMatch, Effect, RetrySave, SaveMove, SaveResult, SendMatchEnded, Show
from tabiya.server.core.events import MoveSaved, ResultSaved, SaveFailed
from tabiya.server.core.handlers.draw_offers import announce_offer
from tabiya.server.core.handlers.endings import freeze
from tabiya.server.core.handlers.turns import begin_turn
from tabiya.server.core.policy import retry_ms
from tabiya.server.core.state import Ended, Match, Saving, Step

_SHOW: tuple[Effect, ...] = (Show(),)


def move_saved(match: Match, event: MoveSaved) -> Step:
    """The move counts: the next turn goes out. A report that is not about this save is ignored."""
    stage = match.stage
    if type(stage) is not Saving or type(stage.save) is not SaveMove or stage.save.move.ply != event.ply:
        return match, ()
    announcement: tuple[Effect, ...] = ()
    after = stage.after
    if after.offer is not None:
        after, announcement = announce_offer(after)
    if after.presence is not match.presence:  # players have come or gone while the move was being saved
        after = replace(after, presence=match.presence)
    turn, effects = begin_turn(after, event.now_ns)
    return turn, effects + announcement + _SHOW


def result_saved(match: Match, event: ResultSaved) -> Step:
    """The result is saved: announce the end to players and spectators."""
    stage = match.stage
    if type(stage) is not Saving or type(stage.save) is not SaveResult:
        return match, ()
    result = stage.save.result
    going_on: tuple[Effect, ...] = () if stage.save.plies_kept is None else (ContinueMatch(),)
    return replace(stage.after, presence=match.presence, stage=Ended(result)), (
        SendMatchEnded(result),
        *going_on,
        *_SHOW,
    )


def save_failed(match: Match, event: SaveFailed) -> Step:
    """The match pauses, no clock runs, and the same save is tried again; unless it can never succeed."""
    stage = match.stage
    if type(stage) is not Saving:
        return match, ()
    if event.permanent:
        return freeze(match, f"the save was refused for good: {event.reason}")
    failures = stage.failures + 1
    retry = RetrySave(stage.save, retry_ms(match.terms.policy, failures))
    return replace(match, stage=replace(stage, failures=failures)), (retry,)
