"""Write a new migration: what the tables of `tabiya.storage.sql.schema.tables` have and the newest migration has not.

python -m tabiya.storage.sql.schema.new_migration "results know the referee"

Read and mend what it writes, raise `REVISION` in `storage/sql/schema/tables.py`, and run the tests of the schema.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from alembic import command
from alembic.script import ScriptDirectory

from tabiya.storage.sql.schema.migrate import configuration, migrate
from tabiya.storage.sql.sqlite_engine import writing_engine


def write_migration(message: str) -> Path:
    """Write the script and return where it is."""
    with tempfile.TemporaryDirectory() as folder:
        engine = writing_engine(Path(folder, "empty.db"), "process", create=True)
        with engine.connect() as connection, connection.begin():
            migrate(connection)
            config = configuration(connection)
            newest = ScriptDirectory.from_config(config).get_current_head() or "0000"
            number = f"{int(newest) + 1:04}"
            script = command.revision(config, message, autogenerate=True, rev_id=number)
    assert not isinstance(script, list)
    assert script is not None
    return Path(script.path)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("message", help="what changes, for the file's name and first line")
    print(write_migration(parser.parse_args().message))  # noqa: T201


if __name__ == "__main__":
    main()
