"""The programs that are run for bots: their versions and files."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from sqlalchemy import Connection, insert, or_, select, update

from tabiya.storage.derived import program_record
from tabiya.storage.errors import DamagedRows, unknown_bot, unknown_program
from tabiya.storage.program_records import NewProgram, ProgramId, ProgramRecord, ProgramState
from tabiya.storage.records import BotId
from tabiya.storage.sql.schema.tables import bots, leases, program_archives, programs
from tabiya.storage.sql.statements.row_types import RowTypes
from tabiya.storage.writes import AddProgram, KeepExamination, ProgramWrite, UseProgram

TYPES = RowTypes(select(programs))
IS_OPEN = or_(programs.c.in_use, programs.c.state == "new")
"""A version that plays or waits to be examined."""


def programs_of(connection: Connection, *bot_ids: BotId) -> tuple[ProgramRecord, ...]:
    """The versions of these bots' programs, bot by bot, the newest first."""
    query = select(programs).where(programs.c.bot_id.in_(bot_ids)).order_by(programs.c.bot_id, programs.c.number.desc())
    return tuple(map(program_of, connection.execute(query)))


def open_programs(connection: Connection) -> tuple[ProgramRecord, ...]:
    """The versions that play or wait to be examined, the oldest first."""
    return tuple(map(program_of, connection.execute(select(programs).where(IS_OPEN).order_by(programs.c.id))))


def all_programs(connection: Connection) -> tuple[ProgramRecord, ...]:
    """The versions of all bots, bot by bot, the newest first."""
    query = select(programs).order_by(programs.c.bot_id, programs.c.number.desc())
    return tuple(map(program_of, connection.execute(query)))


def program_files(connection: Connection, program_id: ProgramId) -> bytes | None:
    """The files of a version, as a zip."""
    query = select(program_archives.c.archive).where(program_archives.c.program_id == program_id)
    text: str | None = connection.scalar(query)
    return None if text is None else b64decode(text)


def apply_to_programs(connection: Connection, write: ProgramWrite) -> ProgramRecord | None:
    """Carry out a write; the verb's value."""
    match write:
        case AddProgram(program):
            return _add_program(connection, program)
        case KeepExamination(program_id, state, report):
            keep_examination(connection, program_id, state, report)
        case UseProgram(bot_id, used):
            use_program(connection, bot_id, used)
    return None


def _add_program(connection: Connection, new: NewProgram) -> ProgramRecord:
    if connection.scalar(select(bots.c.id).where(bots.c.id == new.bot_id)) is None:
        raise unknown_bot(new.bot_id)
    newest = select(programs).where(programs.c.bot_id == new.bot_id).order_by(programs.c.number.desc()).limit(1)
    last = connection.execute(newest).one_or_none()
    if last is not None and (last.digest, last.game) == (new.digest, new.game):
        return program_of(last)
    number = last.number if last is not None else 0
    values = {
        "bot_id": new.bot_id,
        "number": number + 1,
        "game": new.game,
        "digest": new.digest,
        "file_name": new.file_name,
        "bytes": len(new.archive),
        "created_at": new.created_at,
        "state": "new",
        "report": "",
        "in_use": False,
    }
    row = connection.execute(insert(programs).values(values).returning(programs.c.id))
    program = program_record(ProgramId(row.scalar_one()), number + 1, new)
    archive = b64encode(new.archive).decode()  # as text, which reads back equal on either database
    connection.execute(insert(program_archives).values(program_id=program.id, archive=archive))
    return program


def keep_examination(connection: Connection, program_id: ProgramId, state: ProgramState, report: str) -> None:
    """Keep how the examination of a program has ended. Raises WriteRefused."""
    changed = connection.execute(update(programs).where(programs.c.id == program_id).values(state=state, report=report))
    if changed.rowcount == 0:
        raise unknown_program(program_id)


def use_program(connection: Connection, bot_id: BotId, program_id: ProgramId | None) -> None:
    """Let one version of a bot play, or none; its failures so far count no more. Raises WriteRefused."""
    connection.execute(update(programs).where(programs.c.bot_id == bot_id).values(in_use=False))
    if program_id is not None:
        this = (programs.c.id == program_id, programs.c.bot_id == bot_id)
        if connection.execute(update(programs).where(*this).values(in_use=True)).rowcount == 0:
            raise unknown_program(program_id)
        connection.execute(update(leases).where(leases.c.program_id == program_id).values(failures=0))


def program_of(row: Any) -> ProgramRecord:
    """The version of a row. Raises DamagedRows."""
    if (problem := TYPES.problem(row)) is not None:
        raise DamagedRows(f"the program {row.id!r:.40} cannot be read: {problem}")
    fields = {name: getattr(row, name) for name in ProgramRecord.__struct_fields__}
    return ProgramRecord(**fields)
