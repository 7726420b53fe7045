"""What follows from the records alone, the same in every store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from tabiya.storage.errors import WriteRefused
from tabiya.storage.program_records import NewProgram, ProgramId, ProgramRecord
from tabiya.storage.records import DamagedMatch, MatchId, MatchRecord, MoveRecord, NewMatch, StoredMatch, StoredMatches

_OBJECT = msgspec.json.Decoder(dict[str, Any])


def opening_moves(match_id: MatchId, match: NewMatch) -> list[MoveRecord]:
    """The rows of the opening: plies 0, 1, .. with the clocks still full."""
    return [
        MoveRecord(
            match_id=match_id,
            ply=number,
            text=ply.text,
            seat=ply.seat,
            opening=True,
            remaining_us=match.remaining_us,
            credit_left_us=match.credit_left_us,
            at=match.created_at,
        )
        for number, ply in enumerate(match.opening)
    ]


def folded(name: str) -> str:
    """The form in which names are compared: "Ada" and "ADA" are one bot."""
    return name.casefold()


def as_json(value: dict[str, Any]) -> str:
    """The stored text of a JSON object, keys in the order given.  Raises `WriteRefused` for what JSON cannot hold."""
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise WriteRefused(f"this cannot be stored as JSON: {error}") from error


def from_json(text: str) -> dict[str, Any]:
    """The object of a stored text.  Raises ValueError (msgspec.DecodeError) for damaged text."""
    return _OBJECT.decode(text)


def through_json(value: dict[str, Any]) -> dict[str, Any]:
    """The value as it would be read back from a database: a copy, tuples as lists.  Raises `WriteRefused`."""
    return from_json(as_json(value))


def stored_match(match: MatchRecord, moves: tuple[MoveRecord, ...]) -> StoredMatch | DamagedMatch:
    """The match with its moves, whose plies must be 0, 1, 2, ..; the rules of the game are not asked."""
    for expected, move in enumerate(moves):
        if move.ply != expected:
            reason = f"match {match.id} has no move for ply {expected}, but one for ply {move.ply}"
            return DamagedMatch(match_id=match.id, reason=reason)
    return StoredMatch(match=match, moves=moves)


def sorted_out(found: Iterable[StoredMatch | DamagedMatch]) -> StoredMatches:
    """The matches that can be gone on with, and apart from them those that cannot."""
    whole, damaged = list[StoredMatch](), list[DamagedMatch]()
    for one in found:
        if isinstance(one, StoredMatch):
            whole.append(one)
        else:
            damaged.append(one)
    return StoredMatches(matches=tuple(whole), damaged=tuple(damaged))


def program_record(program_id: ProgramId, number: int, new: NewProgram) -> ProgramRecord:
    """A version that has just been handed in."""
    return ProgramRecord(
        id=program_id,
        bot_id=new.bot_id,
        number=number,
        game=new.game,
        digest=new.digest,
        file_name=new.file_name,
        bytes=len(new.archive),
        created_at=new.created_at,
    )
