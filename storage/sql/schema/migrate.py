"""Running the migrations with alembic, which takes a quarter of a second to load."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

MIGRATIONS = Path(__file__).parent / "migrations"


def configuration(connection: Connection) -> Config:
    """Alembic's settings for our migrations over an open connection; no file is read."""
    config = Config(attributes={"connection": connection})
    # doubled: alembic takes % for the beginning of a variable
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("file_template", "v%%(rev)s_%%(slug)s")
    return config


def migrate(connection: Connection) -> None:
    """Run the missing migrations in the open transaction of this connection."""
    command.upgrade(configuration(connection), "head")
