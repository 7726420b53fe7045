"""Alembic's entry: runs our migrations over the connection that the caller has opened and will commit."""

from __future__ import annotations

from alembic import context

from tabiya.storage.sql.schema.revision import VERSION_TABLE
from tabiya.storage.sql.schema.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
    # SQLite changes a table by copying it
    render_as_batch=True,
)
context.run_migrations()
