"""What follows from the records alone, the same in every store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from tabiya.storage.errors import WriteRefused
from tabiya.storage.program_records import (
    Lease,
    LeaseKind,
    NewProgram,
    NewWish,
    ProgramId,
    ProgramRecord,
    Usage,
    WishId,
    WishRecord,
)
from tabiya.storage.records import DamagedMatch, MatchId, MatchRecord, MoveRecord, NewMatch, StoredMatch, StoredMatches
from tabiya.storage.writes import EndLease, GrantLease

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


def without_damaged(found: Iterable[StoredMatch | DamagedMatch]) -> StoredMatches:
    """The readable matches, and separately the damaged ones."""
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


def purpose_of(program: ProgramRecord) -> LeaseKind | None:
    """The purpose for which a program waits to run; None if it does not."""
    if program.state == "new":
        return "examine"
    return "play" if program.in_use and program.state == "good" else None


def new_lease(write: GrantLease, program_id: ProgramId, kind: LeaseKind, last: Lease | None) -> Lease:
    """The lease that follows the last one of a program."""
    return Lease(
        program_id=program_id,
        fence=(last.fence if last else 0) + 1,
        kind=kind,
        worker=write.worker,
        token_hash=write.token_hash,
        granted_at=write.now,
        expires_at=write.expires_at,
        turns=(last.turns if last else 0) + (kind == "play"),
        failures=last.failures if last else 0,
        last_words=last.last_words if last else "",
    )


def after_lease(lease: Lease, end: EndLease) -> Lease:
    """A lease after its end, with failures counted."""
    lease = replace(lease, ended_at=end.now, outcome=end.outcome)
    if end.outcome == "failed":
        return replace(lease, failures=lease.failures + 1, last_words=end.text)
    return replace(lease, failures=0) if end.outcome == "played" else lease


def after_run(program: ProgramRecord, kind: LeaseKind, used: Usage) -> ProgramRecord:
    """A version after one more run, with the run's resource use added."""
    program = replace(program, peak_mb=max(program.peak_mb, used.peak_mb))
    if kind == "examine":
        return replace(program, examination_cpu_s=program.examination_cpu_s + used.cpu_s)
    return replace(program, measured_turns=program.measured_turns + 1, turns_cpu_s=program.turns_cpu_s + used.cpu_s)


def wish_record(wish_id: WishId, new: NewWish) -> WishRecord:
    """A wish whose games have not begun."""
    return WishRecord(id=wish_id, waiting=new.games, **asdict(new))


def with_game_begun(wish: WishRecord) -> WishRecord:
    """A wish after one more of its games has begun."""
    return replace(wish, waiting=max(0, wish.waiting - 1))


def without_waiting(wish: WishRecord) -> WishRecord | None:
    """A wish without its waiting games; None if nothing is left of it."""
    begun = wish.games - wish.waiting
    return replace(wish, games=begun, waiting=0) if begun else None
