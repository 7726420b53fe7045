"""What every store says when a write does not fit what is stored."""

from __future__ import annotations

from tabiya.storage.errors import NameTaken, StoreError, WriteConflict, WriteRefused
from tabiya.storage.records import BotId, MatchId, MoveRecord, TournamentId, TournamentStep


def unknown_match(match_id: MatchId) -> StoreError:
    """For a row of a match that is not there."""
    return WriteRefused(f"there is no match {match_id}")


def other_move(move: MoveRecord) -> StoreError:
    """For a second, different row of one ply."""
    return WriteConflict(f"match {move.match_id} already has another move for ply {move.ply}")


def other_result(match_id: MatchId) -> StoreError:
    """For a second, different result."""
    return WriteConflict(f"match {match_id} already has another result")


def other_match(key: str) -> StoreError:
    """For a second, different match under one key."""
    return WriteConflict(f"there is another match under the key {key!r}")


def name_taken(name: str) -> StoreError:
    """For a second bot of one name."""
    return NameTaken(f"there is already a bot called {name!r}")


def unknown_tournament(tournament_id: TournamentId) -> StoreError:
    """For a step of a tournament that is not there."""
    return WriteRefused(f"there is no tournament {tournament_id}")


def other_step(step: TournamentStep) -> StoreError:
    """For a step that is not the next one."""
    return WriteConflict(f"step {step.step} of tournament {step.tournament_id} does not follow what is stored")


def unknown_bot(bot_id: BotId) -> StoreError:
    """For a bot that is not there."""
    return WriteRefused(f"there is no bot {bot_id}")
