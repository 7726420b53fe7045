"""What the databases' errors mean, in one sentence each, and the cause: the database, the row or this program."""

from __future__ import annotations

import socket
from enum import Enum, auto

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from tabiya.storage.address import without_password


class ErrorCause(Enum):
    """DATABASE: full, locked or gone; not about a row.  ROW: this row breaks a rule.  OURS: a fault of this program."""

    DATABASE = auto()
    ROW = auto()
    OURS = auto()


# classes of SQLSTATE that speak of the server: connection, resources, operator, system, internal, read-only, deadlock,
# locks, login, no such database
_SERVER_STATES = ("08", "53", "57", "58", "XX", "25", "40", "55", "28", "3D")
_ROW_STATES = ("22", "23")


def cause_of(error: BaseException) -> ErrorCause:
    """The cause of an error during a write."""
    if isinstance(error, DBAPIError):
        return _cause_in_database(error)
    if isinstance(error, OSError):  # TimeoutError is one
        return ErrorCause.DATABASE
    if isinstance(error, (ValueError, TypeError, OverflowError)):
        return ErrorCause.ROW
    return ErrorCause.OURS


def _cause_in_database(error: DBAPIError) -> ErrorCause:
    state = sqlstate(error)
    if error.connection_invalidated or state.startswith(_SERVER_STATES):
        return ErrorCause.DATABASE
    if isinstance(error, (IntegrityError, DataError)) or state.startswith(_ROW_STATES):
        return ErrorCause.ROW
    # the words of sqlite3 and of asyncpg for a value that they do not even send
    if "binding parameter" in str(error.orig) or "invalid input for query argument" in str(error.orig):
        return ErrorCause.ROW
    if isinstance(error, OperationalError) or (not state and not isinstance(error, ProgrammingError)):
        return ErrorCause.DATABASE
    return ErrorCause.OURS


def sqlstate(error: BaseException) -> str:
    """PostgreSQL's five-letter code; empty for SQLite and for faults of the client."""
    return str(getattr(getattr(error, "orig", error), "sqlstate", None) or "")


_SQLITE_SENTENCES = (
    ("database or disk is full", "the disk is full"),
    ("database is locked", "the database is locked by another program"),
    ("readonly database", "the database or its folder may only be read"),
    ("file is not a database", "the file is not a database"),
    ("malformed", "the database file is damaged (`tabiya db check` says more)"),
    (
        "unable to open database file",
        "it may not be opened, or its folder may only be read; use a copy in another folder",
    ),
    ("disk I/O error", "the disk reports an error"),
)


POOLER_UNSUPPORTED = (
    "a connection pooler gives each transaction another connection; Tabiya needs one that keeps it for a session "
    "(PgBouncer: pool_mode = session)"
)
_POSTGRESQL_SENTENCES = {
    "26000": POOLER_UNSUPPORTED,  # a prepared statement that is not there,
    "42P05": POOLER_UNSUPPORTED,  # or there already
    "53300": "it gives no further connection (max_connections, or a limit of the role or the database)",
}


def sentence(error: BaseException) -> str:
    """What went wrong, for a person, on one line, without a password."""
    if (known := _POSTGRESQL_SENTENCES.get(sqlstate(error))) is not None:
        return known
    if isinstance(error, PoolTimeout):
        return "all connections for reading were busy for too long (TABIYA_DATABASE_READERS: how many there are)"
    if isinstance(error, DBAPIError):
        text = str(error.orig)
        if (meaning := sqlite_sentence(text)) is not None:
            return meaning
    elif isinstance(error, OSError):
        text = _of_system(error)
    else:
        text = str(error) or type(error).__name__
    # SQLAlchemy's asyncpg driver puts the class in front
    text = text.rpartition("'>: ")[2]
    return without_password(" ".join(text.split()))


def sqlite_sentence(text: str) -> str | None:
    """What an error of SQLite with this text means, for a person; None for one that is not known."""
    return next((meaning for sign, meaning in _SQLITE_SENTENCES if sign in text), None)


def _of_system(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError) or "Connect call failed" in str(error):
        return "nothing answers there"
    if isinstance(error, socket.gaierror):
        return "this host name is not known"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    return error.strerror or str(error) or type(error).__name__
