"""What must be true of the stored data whatever the rules of the games say."""

from __future__ import annotations

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from storage.sql.whole import unfinished_matches

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
        return _broken_rules(connection) + _unreadable(connection)
    faults: list[str] = []
    for questions in (_sqlite_pages, _sqlite_orphans, _broken_rules, _unreadable):
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
    unreadable = unfinished_matches(connection).damaged
    return [found.reason for found in unreadable if "cannot be read" in found.reason][:MOST_OF_A_KIND]


def _sqlite_pages(connection: Connection) -> list[str]:
    answers = connection.exec_driver_sql(f"PRAGMA integrity_check({MOST_OF_A_KIND})").scalars().all()
    return [f"the file is damaged: {answer}" for answer in answers if answer != "ok"]


def _sqlite_orphans(connection: Connection) -> list[str]:
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    return [f"a row of {row[0]} belongs to a row of {row[2]} that is gone" for row in orphans[:MOST_OF_A_KIND]]
