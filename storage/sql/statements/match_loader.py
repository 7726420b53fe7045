"""Matches with all their moves, to continue or verify them. An unreadable one does not stop the others.

All are asked for at once. Only if the database cannot answer that, because a page of its file is damaged, is it asked
for one after the other (`SqlStore`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, select
from sqlalchemy.exc import DBAPIError

from tabiya.storage.derived import stored_match, without_damaged
from tabiya.storage.records import DamagedMatch, MatchFilter, MatchId, StoredMatch, StoredMatches
from tabiya.storage.sql.db_errors import sentence
from tabiya.storage.sql.schema.tables import matches, moves
from tabiya.storage.sql.statements.reads import MATCH_TYPES, MATCHES, MOVE_TYPES, NOT_ENDED, of_matches
from tabiya.storage.sql.statements.rows import match_of, move_of

IDS_AT_ONCE = 500  # in one statement
Wanted = Sequence[ColumnElement[bool]]


def unfinished_matches(connection: Connection, *, at_once: bool = True) -> StoredMatches:
    """All running matches."""
    read = _at_once if at_once else _one_by_one
    return read(connection, (matches.c.status == "running", NOT_ENDED))


def hosts_of_matches(connection: Connection) -> dict[MatchId, int]:
    """All running matches, each with the number of its host."""
    found = connection.execute(select(matches.c.id, matches.c.host).where(matches.c.status == "running", NOT_ENDED))
    return {MatchId(number): host for number, host in found}


def whole_matches(connection: Connection, match_ids: Sequence[MatchId]) -> StoredMatches:
    """Those of these matches that are running."""
    found = StoredMatches(matches=())
    for at in range(0, len(match_ids), IDS_AT_ONCE):
        some = _at_once(connection, (matches.c.id.in_(match_ids[at : at + IDS_AT_ONCE]), matches.c.status == "running"))
        found = StoredMatches(matches=found.matches + some.matches, damaged=found.damaged + some.damaged)
    return found


def stored_matches(connection: Connection, wanted: MatchFilter, *, at_once: bool = True) -> StoredMatches:
    """The matches that `list_matches` finds, by id."""
    ids = connection.scalars(of_matches(select(matches.c.id), wanted)).all()
    read = _at_once if at_once else _one_by_one
    return read(connection, (matches.c.id.in_(ids),)) if ids else StoredMatches(matches=())


def _at_once(connection: Connection, wanted: Wanted) -> StoredMatches:
    rows_of: dict[MatchId, list[Any]] = defaultdict(list)
    query = select(moves).join(matches, matches.c.id == moves.c.match_id).where(*wanted)
    for row in connection.execute(query.order_by(moves.c.match_id, moves.c.ply)):
        rows_of[row[0]].append(row)
    found = connection.execute(MATCHES.where(*wanted).order_by(matches.c.id))
    return without_damaged([_read(row, rows_of[row.id]) for row in found])


def _one_by_one(connection: Connection, wanted: Wanted) -> StoredMatches:
    ids = connection.scalars(select(matches.c.id).where(*wanted).order_by(matches.c.id)).all()
    return without_damaged([_read_alone(connection, MatchId(match_id)) for match_id in ids])


def _read_alone(connection: Connection, match_id: MatchId) -> StoredMatch | DamagedMatch:
    try:
        # PostgreSQL answers nothing more in a transaction after an error; a savepoint can be gone back to
        with connection.begin_nested():
            row = connection.execute(MATCHES.where(matches.c.id == match_id)).one()
            query = select(moves).where(moves.c.match_id == match_id).order_by(moves.c.ply)
            return _read(row, connection.execute(query).all())
    except DBAPIError as error:
        if error.connection_invalidated:
            raise
        return DamagedMatch(match_id=match_id, reason=f"match {match_id} cannot be read: {sentence(error)}")


def _read(row: Any, move_rows: Iterable[Any]) -> StoredMatch | DamagedMatch:
    try:
        match = match_of(MATCH_TYPES.checked(row))
        its_moves = tuple(move_of(MOVE_TYPES.checked(move_row)) for move_row in move_rows)
    except (ValueError, TypeError) as error:
        return DamagedMatch(match_id=row.id, reason=f"match {row.id} cannot be read: {error}")
    return stored_match(match, its_moves)
