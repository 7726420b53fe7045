"""The orders that operators have given."""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict
from sqlalchemy import Connection, insert, select

from tabiya.storage.audit_records import AuditRecord
from tabiya.storage.derived import as_json, from_json
from tabiya.storage.sql.schema.tables import audit
from tabiya.storage.sql.statements.row_types import RowTypes

TYPES = RowTypes(select(audit))


def append_audit(connection: Connection, record: AuditRecord) -> None:
    """Keep one more order."""
    values = asdict(record) | {"details": as_json(record.details)}
    del values["id"]
    connection.execute(insert(audit).values(values))


def read_audit(
    connection: Connection, *, before: int | None = None, limit: int | None = None
) -> tuple[AuditRecord, ...]:
    """The newest first; of a damaged row what can be read."""
    query = select(audit).order_by(audit.c.id.desc()).limit(limit)
    if before is not None:
        query = query.where(audit.c.id < before)
    return tuple(_record(TYPES.repaired(row)) for row in connection.execute(query))


def _record(row: Any) -> AuditRecord:
    fields = {name: getattr(row, name) for name in AuditRecord.__struct_fields__}
    try:
        details = from_json(row.details)
    except ValueError:
        details = {"damaged": True}
    return AuditRecord(**fields | {"details": details})
