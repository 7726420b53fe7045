"""Errors of storage. Each text is one sentence without passwords, and says whose fault it was."""

from __future__ import annotations

from tabiya.storage.program_records import ProgramId
from tabiya.storage.records import BotId, MatchId, MoveRecord, TournamentId, TournamentStep


class StoreError(Exception):
    """The store could not do what was asked; the text is one sentence for a person."""


class CannotOpen(StoreError):
    """The address is wrong, the database cannot be reached, or it is not a database of Tabiya."""


class WrongSchema(CannotOpen):
    """The database is ours but of another schema version; the text names the command that helps."""


class DatabaseInUse(CannotOpen):
    """Another server owns this database; both would restore and play the same matches."""


class StoreClosed(StoreError):
    """The store was closed before this was asked of it."""


class HostEnded(StoreClosed):
    """The server has ended this host, and others play its matches: nothing that it asks for is written any more."""


class SaveFailed(StoreError):
    """The database did not take the write (full, locked, gone): the same write may be tried again.

    It may even have been committed, the answer lost: a repeated equal write counts as saved.
    """


class WriteConflict(StoreError):
    """A different row is already stored under this key: our bug, never to be retried."""


class WriteRefused(StoreError):
    """The row breaks a rule of the tables (unknown match, an ending without a name): our bug, never to be retried."""


class DamagedRows(StoreError):
    """The stored rows of a match cannot be read, though the database answers."""


class NameTaken(StoreError):
    """Another bot has this name."""


# ---- what every store says when a write does not fit what is stored


def host_ended(host: int, known: bool) -> HostEnded:
    """For a write of a host that was ended, or never registered (not known)."""
    return HostEnded(f"host {host} was ended; its matches go on elsewhere" if known else f"there is no host {host}")


def no_successor(host: int) -> StoreError:
    """For matches that are moved to no host."""
    return WriteRefused(f"nobody is named who goes on with the matches of host {host}")


def unknown_match(match_id: MatchId) -> StoreError:
    """For a row of a match that is not there."""
    return WriteRefused(f"there is no match {match_id}")


def conflicting_move(move: MoveRecord) -> StoreError:
    """For a second, different row of one ply."""
    return WriteConflict(f"match {move.match_id} already has another move for ply {move.ply}")


def conflicting_result(match_id: MatchId) -> StoreError:
    """For a second, different result."""
    return WriteConflict(f"match {match_id} already has another result")


def conflicting_match(key: str) -> StoreError:
    """For a second, different match under one key."""
    return WriteConflict(f"there is another match under the key {key!r}")


def name_taken(name: str) -> StoreError:
    """For a second bot of one name."""
    return NameTaken(f"there is already a bot called {name!r}")


def unknown_tournament(tournament_id: TournamentId) -> StoreError:
    """For a step of a tournament that is not there."""
    return WriteRefused(f"there is no tournament {tournament_id}")


def conflicting_step(step: TournamentStep) -> StoreError:
    """For a step that is not the next one."""
    return WriteConflict(f"step {step.step} of tournament {step.tournament_id} does not follow what is stored")


def session_taken() -> StoreError:
    """For a secret that another session has."""
    return WriteRefused("another session has this secret")


def unknown_program(program_id: ProgramId) -> StoreError:
    """For a program that is not there, or another bot's."""
    return WriteRefused(f"there is no program {program_id} of this bot")


def unknown_bot(bot_id: BotId) -> StoreError:
    """For a bot that is not there."""
    return WriteRefused(f"there is no bot {bot_id}")
