"""What must be true of stored data in every game."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Connection, Select, func, literal_column, select, text
from sqlalchemy.exc import DBAPIError

from tabiya.storage.sql.schema.tables import (
    METADATA,
    audit,
    bots,
    entries,
    failures,
    hosts,
    leases,
    programs,
    results,
    reviews,
    sessions,
    settings,
    thinking,
    tournaments,
    wishes,
)
from tabiya.storage.sql.statements.match_loader import unfinished_matches
from tabiya.storage.sql.statements.row_types import RowTypes
from tabiya.storage.sql.statements.thinking import bots_counted_otherwise

# each finds ids of matches that break one rule
_RULES = (
    (
        "match {} leaves out a ply",
        "SELECT match_id FROM moves GROUP BY match_id HAVING COUNT(*) <> MAX(ply) + 1 OR MIN(ply) <> 0",
    ),
    (
        "match {} has ended without a result",
        "SELECT id FROM matches WHERE status = 'ended' AND id NOT IN (SELECT match_id FROM results)",
    ),
    (
        "match {} has a result and has not ended",
        "SELECT m.id FROM matches m JOIN results r ON r.match_id = m.id WHERE m.status <> 'ended'",
    ),
)
MOST_OF_A_KIND = 20


def faults_in(connection: Connection) -> list[str]:
    """One sentence for each fault, at most `MOST_OF_A_KIND` of each kind; empty if all is well."""
    if connection.dialect.name != "sqlite":
        return _broken_rules(connection) + _unreadable(connection) + _thinking(connection)
    faults: list[str] = []
    for questions in (
        _sqlite_pages,
        _sqlite_orphans,
        _broken_rules,
        _unreadable,
        _thinking,
        _wrong_types,
        _sqlite_booleans,
    ):
        try:
            faults += questions(connection)
        except DBAPIError as error:  # a page of the file; other questions may still be answered
            faults.append(f"the file is damaged: {error.orig}")
    return list(dict.fromkeys(faults))


def _broken_rules(connection: Connection) -> list[str]:
    faults = []
    for says, query in _RULES:
        ids = connection.scalars(text(f"{query} LIMIT {MOST_OF_A_KIND}")).all()
        faults += [says.format(match_id) for match_id in ids]
    return faults


def _unreadable(connection: Connection) -> list[str]:
    unreadable = unfinished_matches(connection).damaged  # those that leave out a ply are found by _RULES already
    return [found.reason for found in unreadable if "cannot be read" in found.reason][:MOST_OF_A_KIND]


def _thinking(connection: Connection) -> list[str]:
    """Counters stored at the end of a match must equal those computed from its moves."""
    names = bots_counted_otherwise(connection)[:MOST_OF_A_KIND]
    return [f"what is counted of the thinking of {name} is not what its moves say" for name in names]


def _wrong_types(connection: Connection) -> list[str]:
    """Values that are not of their column's kind, where they are not looked at match by match."""
    faults = []
    for table in (
        bots,
        tournaments,
        entries,
        results,
        failures,
        settings,
        reviews,
        thinking,
        sessions,
        programs,
        leases,
        wishes,
        hosts,
        audit,
    ):
        query = select(table)
        types, found = RowTypes(query), list[str]()
        for row in connection.execute(query):
            if len(found) < MOST_OF_A_KIND and (problem := types.problem(row)) is not None:
                found.append(f"in the row of {table.name} that begins with {row[0]!r:.40}, {problem}")
        faults += found
    return faults


def _sqlite_booleans(connection: Connection) -> list[str]:
    """Booleans that are no number. SQLAlchemy reads every value as yes or no, so SQLite is asked for the type."""
    faults = []
    for table in METADATA.sorted_tables:
        for column in table.columns:
            if isinstance(column.type, Boolean):
                odd: Select[Any] = (
                    select(literal_column("rowid")).select_from(table).where(func.typeof(column) != "integer")
                )
                rows = connection.scalars(odd.limit(MOST_OF_A_KIND)).all()
                faults += [f"row {row} of {table.name}: {column.name} is neither yes nor no" for row in rows]
    return faults


def _sqlite_pages(connection: Connection) -> list[str]:
    answers = connection.exec_driver_sql(f"PRAGMA integrity_check({MOST_OF_A_KIND})").scalars().all()
    return [f"the file is damaged: {answer}" for answer in answers if answer != "ok"]


def _sqlite_orphans(connection: Connection) -> list[str]:
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return [f"a row of {row[0]} belongs to a row of {row[2]} that is gone" for row in orphans[:MOST_OF_A_KIND]]
