"""A batch into one transaction: fast if everything fits, else write by write so that only what does not fit fails."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Dialect, bindparam, insert, literal_column, update
from sqlalchemy.exc import OperationalError

from tabiya.storage.errors import HostEnded, SaveFailed, StoreError, WriteRefused
from tabiya.storage.group_commit import Batch, PendingWrite, apply_each
from tabiya.storage.records import MatchId
from tabiya.storage.sql.db_errors import ErrorCause, cause_of, sentence
from tabiya.storage.sql.schema.tables import failures, matches, moves, results
from tabiya.storage.sql.statements.hosts import lock_for
from tabiya.storage.sql.statements.rows import failure_row, move_row, result_row
from tabiya.storage.sql.statements.single_writes import add_matches, apply_one
from tabiya.storage.sql.statements.thinking import ADD_MATCH
from tabiya.storage.writes import AppendMove, CreateMatch, FinishMatch, Write

log = logging.getLogger("tabiya.storage")


def commit_batch(connection: Connection, batch: Batch, check: Callable[[Connection], object] = lambda _: None) -> None:
    """Commit the batch; every pending then has its value or its error.

    check: with what each transaction begins; raises HostEnded if nothing may be written.
    Raises that, or whatever the database raised if the whole batch failed; then nothing is stored (or the answer was
    lost).
    """
    try:
        with _begun(connection, batch, check):
            _apply_fast(connection, batch)
    except HostEnded:
        raise
    except Exception as error:
        if cause_of(error) is ErrorCause.DATABASE:
            raise
        # all is rolled back; once more in one transaction, each write in a savepoint of its own
        with _begun(connection, batch, check):
            apply_each(batch, lambda write: _apply_in_savepoint(connection, write))


def commit_moves(connection: Connection, batch: Batch) -> bool:
    """Commit a batch of SQLite that is nothing but moves; False, with nothing stored, if it is not or cannot be.

    Without SQLAlchemy, whose work is half of a small batch: at half load a batch is three moves, and the server then
    needs a twelfth less of the processor (docs/measurements/server-speed.md).  Raises OperationalError if another
    program holds the database.
    """
    writes = [pending.write for pending in batch if isinstance(pending.write, AppendMove)]
    if len(writes) < len(batch):
        return False
    sqlite: sqlite3.Connection = connection.connection.dbapi_connection  # type: ignore[assignment]
    begin, (add_move, *_) = "BEGIN IMMEDIATE", _statements(connection.dialect)
    try:
        sqlite.execute(begin)
    except sqlite3.OperationalError as error:
        raise OperationalError(begin, None, error) from error
    try:
        sqlite.executemany(add_move, [move_row(write.move) for write in writes])
        sqlite.execute("COMMIT")
    except Exception:  # whose fault it is finds out who tries it again
        with suppress(sqlite3.Error):
            sqlite.rollback()
        return False
    return True


@contextmanager
def _begun(connection: Connection, batch: Batch, check: Callable[[Connection], object]) -> Iterator[None]:
    with connection.begin():
        check(connection)
        lock_for(connection, batch)
        yield


def _apply_in_savepoint(connection: Connection, write: Write) -> Any:
    try:
        with connection.begin_nested():
            return apply_one(connection, write)
    except StoreError:
        raise
    except Exception as error:
        match cause_of(error):
            case ErrorCause.DATABASE:  # no other write of the batch would fare better
                raise
            case ErrorCause.ROW:
                raise WriteRefused(f"{sentence(error)}, in {type(write).__name__} of {write.group}") from error
            case ErrorCause.OURS:
                log.exception("%s of %s failed", type(write).__name__, write.group)
                raise SaveFailed(sentence(error)) from error


def _apply_fast(connection: Connection, batch: Batch) -> None:
    """Many rows per statement.  Matches, then moves, then results: a match's moves come before its result."""
    rows = _Rows()
    for pending in batch:
        write = pending.write
        if isinstance(write, AppendMove):
            rows.moves.append(move_row(write.move))
        elif isinstance(write, FinishMatch) and write.goes_on is None:
            if write.move is not None:
                rows.moves.append(move_row(write.move))
            rows.results.append(result_row(write.result))
            rows.ended.append((write.result.match_id,))
            if write.failure is not None:
                rows.failures.append(failure_row(write.failure))
        elif isinstance(write, CreateMatch):
            rows.created.append((pending, write))
        else:  # a rare write may be about rows that are gathered, and later rows about what it makes
            rows.write(connection)
            rows = _Rows()
            pending.value = apply_one(connection, write)
    rows.write(connection)


class _Rows:
    """Rows gathered for one statement each."""

    __slots__ = ("created", "ended", "failures", "moves", "results")

    def __init__(self) -> None:
        self.created: list[tuple[PendingWrite, CreateMatch]] = []
        self.moves: list[tuple[Any, ...]] = []
        self.results: list[tuple[Any, ...]] = []
        self.ended: list[tuple[MatchId]] = []
        self.failures: list[tuple[Any, ...]] = []

    def write(self, connection: Connection) -> None:
        """Insert what was gathered."""
        add_move, add_result, end_match, add_thinking, add_failure = _statements(connection.dialect)
        if self.created:
            ids, plies = add_matches(connection, [write.match for _, write in self.created])
            self.moves += plies
            for (pending, _), match_id in zip(self.created, ids, strict=True):
                pending.value = match_id
        if self.moves:
            connection.exec_driver_sql(add_move, self.moves)
        if self.results:
            connection.exec_driver_sql(add_result, self.results)
            connection.exec_driver_sql(end_match, self.ended)
            connection.exec_driver_sql(add_thinking, self.ended)
        if self.failures:
            connection.exec_driver_sql(add_failure, self.failures)


@lru_cache(maxsize=4)
def _statements(dialect: Dialect) -> tuple[str, str, str, str, str]:
    """The statements of the hot path as text.

    Executed with ready tuples, which saves SQLAlchemy's work per row: 7 instead of 9 µs a move (benchmarks/storage.py).
    """
    with_result = [column.name for column in results.c if column is not results.c.number]
    ended = update(matches).where(matches.c.id == bindparam("match_id")).values(status=literal_column("'ended'"))
    result = insert(results).values({name: bindparam(name) for name in with_result})
    statements = (insert(moves), result, ended, ADD_MATCH, insert(failures))
    return tuple(str(s.compile(dialect=dialect)) for s in statements)  # type: ignore[return-value]
