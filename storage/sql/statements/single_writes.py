"""One write at a time, looking before writing: for batches in which something does not fit, and for the rare writes.

Every function raises `StoreError` for what does not fit, and the caller rolls back what it did.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from msgspec.structs import asdict
from sqlalchemy import Connection, Dialect, bindparam, delete, insert, select, update

from tabiya.storage.derived import as_json, folded, opening_moves
from tabiya.storage.errors import (
    conflicting_match,
    conflicting_move,
    conflicting_result,
    conflicting_step,
    name_taken,
    session_taken,
    unknown_bot,
    unknown_match,
    unknown_tournament,
)
from tabiya.storage.records import (
    BotRecord,
    FailureRecord,
    MatchId,
    MoveRecord,
    NewMatch,
    NewTournament,
    ResultRecord,
    SessionRecord,
    TournamentEntry,
    TournamentId,
    TournamentStep,
)
from tabiya.storage.sql.schema.tables import (
    bots,
    entries,
    failures,
    matches,
    moves,
    results,
    reviews,
    sessions,
    settings,
    tournaments,
)
from tabiya.storage.sql.statements.audit import append_audit
from tabiya.storage.sql.statements.hosted_programs import apply_to_programs
from tabiya.storage.sql.statements.hosts import apply_to_hosts
from tabiya.storage.sql.statements.program_leases import apply_to_leases
from tabiya.storage.sql.statements.rows import (
    bot_of,
    bot_values,
    failure_of,
    failure_row,
    match_values,
    move_row,
    result_row,
    session_of,
    tournament_values,
)
from tabiya.storage.sql.statements.thinking import ADD_MATCH
from tabiya.storage.sql.statements.wishes import apply_to_wishes
from tabiya.storage.writes import (
    AddProgram,
    AddWish,
    AppendAudit,
    AppendMove,
    BeginWishedGame,
    CloseSession,
    CreateBot,
    CreateMatch,
    CreateTournament,
    EndLease,
    FinishMatch,
    FreezeMatch,
    GrantLease,
    KeepExamination,
    KeepReview,
    MatchWrite,
    MoveMatches,
    OpenSession,
    ProlongLeases,
    PutSetting,
    RegisterHost,
    RenewLeases,
    RotateToken,
    SaveStep,
    SetRole,
    TakeBackWish,
    UseProgram,
    Write,
)

MoveRow = tuple[Any, ...]
_MOVE_COLUMNS = [column.name for column in moves.c]
_RESULT_COLUMNS = [column for column in results.c if column is not results.c.number]


def apply_one(connection: Connection, write: Write) -> Any:
    """Carry out any write; the verb's value."""
    match write:
        case AppendMove() | FinishMatch() | FreezeMatch():
            return _apply_to_matches(connection, write)
        case CreateMatch(new):
            return _create_match(connection, new)
        case CreateBot():
            return _create_bot(connection, write)
        case RotateToken() | SetRole():
            return _change_bot(connection, write)
        case OpenSession() | CloseSession():
            return _apply_to_sessions(connection, write)
        case AddProgram() | KeepExamination() | UseProgram():
            return apply_to_programs(connection, write)
        case GrantLease() | RenewLeases() | ProlongLeases() | EndLease():
            return apply_to_leases(connection, write)
        case AddWish() | BeginWishedGame() | TakeBackWish():
            return apply_to_wishes(connection, write)
        case RegisterHost() | MoveMatches():
            return apply_to_hosts(connection, write)
        case CreateTournament() | SaveStep():
            return _apply_to_tournaments(connection, write)
        case PutSetting(name, value):
            return _put_setting(connection, name, value)
        case KeepReview(match_id, judged_by, judged):
            return _keep_review(connection, match_id, judged_by, judged)
        case AppendAudit(record):
            return append_audit(connection, record)


# ---- matches


def _apply_to_matches(connection: Connection, write: MatchWrite) -> MatchId | None:
    match write:
        case AppendMove(move):
            _append_move(connection, move)
        case FinishMatch(result, move, failure, goes_on):
            _finish(connection, result, move, failure)
            return None if goes_on is None else _create_match(connection, goes_on)
        case FreezeMatch(match_id, reason):
            _freeze(connection, match_id, reason)
    return None


def _append_move(connection: Connection, move: MoveRecord) -> None:
    key = (moves.c.match_id == move.match_id, moves.c.ply == move.ply)
    stored = connection.execute(select(moves).where(*key)).one_or_none()
    row = move_row(move)
    if stored is None:
        _status(connection, move.match_id)  # for its error: a sentence in place of the broken foreign key
        connection.execute(insert(moves), dict(zip(_MOVE_COLUMNS, row, strict=True)))
    elif tuple(stored) != row:
        raise conflicting_move(move)


def _status(connection: Connection, match_id: MatchId) -> str:
    status: str | None = connection.scalar(select(matches.c.status).where(matches.c.id == match_id))
    if status is None:
        raise unknown_match(match_id)
    return status


def _finish(
    connection: Connection, result: ResultRecord, move: MoveRecord | None, failure: FailureRecord | None
) -> None:
    _status(connection, result.match_id)
    if move is not None:
        _append_move(connection, move)
    row = result_row(result)
    stored = connection.execute(select(*_RESULT_COLUMNS).where(results.c.match_id == result.match_id)).one_or_none()
    if stored is None:
        names = (column.name for column in _RESULT_COLUMNS)
        connection.execute(insert(results), dict(zip(names, row, strict=True)))
        connection.execute(update(matches).where(matches.c.id == result.match_id).values(status="ended"))
        connection.execute(ADD_MATCH, {"match_id": result.match_id})
        if failure is not None:
            names = (column.name for column in failures.c)
            connection.execute(insert(failures), dict(zip(names, failure_row(failure), strict=True)))
    elif tuple(stored) != row or _failure(connection, result.match_id) != failure:
        raise conflicting_result(result.match_id)


def _failure(connection: Connection, match_id: MatchId) -> FailureRecord | None:
    row = connection.execute(select(failures).where(failures.c.match_id == match_id)).one_or_none()
    return None if row is None else failure_of(row)


def _freeze(connection: Connection, match_id: MatchId, reason: str) -> None:
    if _status(connection, match_id) == "running":
        frozen = {"status": "frozen", "frozen_reason": reason}
        connection.execute(update(matches).where(matches.c.id == match_id).values(frozen))


def _create_match(connection: Connection, new: NewMatch) -> MatchId:
    values = match_values(new)
    del values["host"]  # by now it may have been moved
    columns = [matches.c[name] for name in values]
    stored = connection.execute(select(matches.c.id, *columns).where(matches.c.key == new.key)).one_or_none()
    if stored is None:
        (match_id,), plies = add_matches(connection, [new])
        if plies:
            connection.execute(insert(moves), [dict(zip(_MOVE_COLUMNS, ply, strict=True)) for ply in plies])
        return match_id
    if tuple(stored[1:]) != tuple(values.values()):
        raise conflicting_match(new.key)
    return MatchId(stored.id)


_ADD_MATCHES = insert(matches).returning(matches.c.id, sort_by_parameter_order=True)


def add_matches(connection: Connection, new: list[NewMatch]) -> tuple[list[MatchId], list[MoveRow]]:
    """Insert matches whose keys are new: their ids in order, and the rows of their openings, still to be inserted."""
    rows = [{**match_values(match), "status": "running"} for match in new]
    if connection.dialect.name == "sqlite":  # SQLAlchemy's own way takes five times as long, and saves no round trip
        statement, order = _add_match(connection.dialect, tuple(rows[0]))
        ids = [
            MatchId(connection.exec_driver_sql(statement, tuple([row[name] for name in order])).scalar_one())
            for row in rows
        ]
    else:
        ids = [MatchId(value) for value in connection.scalars(_ADD_MATCHES, rows)]
    opened = zip(ids, new, strict=True)
    return ids, [move_row(move) for match_id, match in opened for move in opening_moves(match_id, match)]


@lru_cache(maxsize=4)
def _add_match(dialect: Dialect, columns: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The statement for one match as text, and the columns in the order of its parameters."""
    values: dict[str, Any] = {name: bindparam(name) for name in columns}
    compiled = insert(matches).values(values).returning(matches.c.id).compile(dialect=dialect)
    return str(compiled), tuple(compiled.positiontup or ())


# ---- bots and settings


def _create_bot(connection: Connection, new: CreateBot) -> BotRecord:
    values = bot_values(new)
    stored = connection.execute(select(bots).where(bots.c.folded == folded(new.name))).one_or_none()
    if stored is None:
        stored = connection.execute(insert(bots).values(values).returning(bots)).one()
    elif any(stored._mapping[name] != value for name, value in values.items()):
        raise name_taken(new.name)
    return bot_of(stored)


def _change_bot(connection: Connection, write: RotateToken | SetRole) -> None:
    if isinstance(write, SetRole):
        values: dict[str, str | bool | None] = {"role": write.role}
    else:
        guest = {} if write.token_hash is None else {"guest": False}  # with a token it is a guest no longer
        values = {"token_hash": write.token_hash} | guest
        connection.execute(delete(sessions).where(sessions.c.bot_id == write.bot_id))
    changed = connection.execute(update(bots).where(bots.c.id == write.bot_id).values(values))
    if changed.rowcount == 0:
        raise unknown_bot(write.bot_id)


def _apply_to_sessions(connection: Connection, write: OpenSession | CloseSession) -> None:
    if isinstance(write, OpenSession):
        _open_session(connection, write.session)
    else:
        connection.execute(delete(sessions).where(sessions.c.secret_hash == write.secret_hash))


def _open_session(connection: Connection, session: SessionRecord) -> None:
    stored = connection.execute(select(sessions).where(sessions.c.secret_hash == session.secret_hash)).one_or_none()
    if stored is not None:
        if session_of(stored) != session:
            raise session_taken()
        return
    if session.bot_id is not None and connection.scalar(select(bots.c.id).where(bots.c.id == session.bot_id)) is None:
        raise unknown_bot(session.bot_id)
    connection.execute(delete(sessions).where(sessions.c.expires_at < session.created_at))
    connection.execute(insert(sessions).values(asdict(session)))


def _put_setting(connection: Connection, name: str, value: str) -> None:
    if connection.scalar(select(settings.c.value).where(settings.c.name == name)) is None:
        connection.execute(insert(settings).values(name=name, value=value))
    else:
        connection.execute(update(settings).where(settings.c.name == name).values(value=value))


def _keep_review(connection: Connection, match_id: MatchId, judged_by: str, judged: str) -> None:
    _status(connection, match_id)  # for its error: a sentence in place of the broken foreign key
    values = {"judged_by": judged_by, "judged": judged}
    if connection.execute(update(reviews).where(reviews.c.match_id == match_id).values(values)).rowcount == 0:
        connection.execute(insert(reviews).values(match_id=match_id, **values))


# ---- tournaments


def _apply_to_tournaments(
    connection: Connection, write: CreateTournament | SaveStep
) -> TournamentId | tuple[MatchId, ...]:
    if isinstance(write, CreateTournament):
        return _create_tournament(connection, write.tournament)
    return _save_step(connection, write.step)


def _create_tournament(connection: Connection, new: NewTournament) -> TournamentId:
    same = (tournaments.c.name == new.name, tournaments.c.created_at == new.created_at)
    stored: TournamentId | None = connection.scalar(select(tournaments.c.id).where(*same))
    if stored is not None:
        return stored
    adding = insert(tournaments).values(tournament_values(new)).returning(tournaments.c.id)
    tournament_id = TournamentId(connection.execute(adding).scalar_one())
    _save_entries(connection, tournament_id, new.entries)
    return tournament_id


def _save_entries(connection: Connection, tournament_id: TournamentId, changed: Iterable[TournamentEntry]) -> None:
    for entry in changed:
        key = (entries.c.tournament_id == tournament_id, entries.c.number == entry.number)
        values = {"bot_id": entry.bot_id, "version": entry.version, "withdrawn": entry.withdrawn}
        if connection.execute(update(entries).where(*key).values(values)).rowcount == 0:
            connection.execute(insert(entries).values(tournament_id=tournament_id, number=entry.number, **values))


def _save_step(connection: Connection, step: TournamentStep) -> tuple[MatchId, ...]:
    key = tournaments.c.id == step.tournament_id
    stored = connection.execute(select(tournaments).where(key)).one_or_none()
    if stored is None:
        raise unknown_tournament(step.tournament_id)
    state = as_json(step.state)
    if step.step == stored.step:
        if (state, step.status) != (stored.state, stored.status):
            raise conflicting_step(step)
    elif step.step == stored.step + 1:
        values: dict[str, Any] = {"status": step.status, "step": step.step, "state": state}
        settings = None if step.settings is None else as_json(step.settings)
        changed = {"name": step.name, "settings": settings, "started_at": step.started_at, "ended_at": step.ended_at}
        values |= {column: value for column, value in changed.items() if value is not None}
        connection.execute(update(tournaments).where(key).values(values))
        _save_entries(connection, step.tournament_id, step.entries)
    else:
        raise conflicting_step(step)
    return tuple(_create_match(connection, new) for new in step.matches)
