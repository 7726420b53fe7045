"""Which revision of the tables a database has, without loading the migrations."""

from __future__ import annotations

from sqlalchemy import Connection, inspect, text

from tabiya.storage.errors import CannotOpen, WrongSchema
from tabiya.storage.sql.schema.tables import REVISION

VERSION_TABLE = "tabiya_schema"
"""Not alembic's default name: a PostgreSQL database may be shared with other programs that use alembic."""

EMPTY = "it holds no data of Tabiya yet; start the server on it first"


UNFINISHED = "unfinished "
"""Before the revision while everything of another database is being brought here; then the rest is the revision."""


def revision_of(connection: Connection) -> str | None:
    """The revision; None for an empty database.  Raises `CannotOpen` if the tables in it are not ours."""
    names = inspect(connection).get_table_names()
    if VERSION_TABLE in names:
        version: str | None = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))  # noqa: S608
        return version
    if names:
        raise CannotOpen(f"this database holds other tables ({names[0]}, ..) and is not Tabiya's; give an empty one")
    return None


def check_revision(found: str) -> None:
    """Raise `WrongSchema` unless this is the revision that the code reads and writes."""
    if found == REVISION:
        return
    if found.startswith(UNFINISHED):
        raise WrongSchema("a move to this database has not been finished: make it again (`tabiya db move`)")
    if found < REVISION:  # as texts: both have four digits
        raise WrongSchema(f"the database has schema {found}, this program needs {REVISION}: run `tabiya db upgrade`")
    raise WrongSchema(f"the database has schema {found}, newer than this program's {REVISION}: install a newer Tabiya")
