"""The tables, the migrations that make them, and the sets they share with other rooms."""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, NullPool, inspect

from tabiya.games.endings import Ending
from tabiya.storage import open_store
from tabiya.storage.address import parse_address
from tabiya.storage.errors import CannotOpen, StoreError
from tabiya.storage.records import ENDINGS
from tabiya.storage.sql import migrate
from tabiya.storage.sql import upgrade as upgrading
from tabiya.storage.sql.migrate import MIGRATIONS
from tabiya.storage.sql.new_migration import write_migration
from tabiya.storage.sql.postgresql import engine_for
from tabiya.storage.sql.schema import VERSION_TABLE
from tabiya.storage.sql.sqlite_engine import writing_engine
from tabiya.storage.sql.tables import METADATA, REVISION
from tabiya.storage.sql.upgrade import current, upgrade
from tests.storage.conftest import files_in
from tests.storage.postgres import Cluster
from tests.storage.samples import two_bots

NEXT = f"{int(REVISION) + 1:04}"


def test_the_stored_endings_are_those_of_the_games() -> None:
    assert set(ENDINGS) == {str(ending) for ending in Ending}


def test_the_code_expects_the_newest_migration() -> None:
    assert ScriptDirectory(str(MIGRATIONS)).get_heads() == [REVISION]


def fingerprint(connection: Connection) -> dict[str, Any]:
    """Everything the database knows of its tables, in an order of its own."""
    asked = inspect(connection)
    found: dict[str, Any] = {}
    for name in sorted(set(asked.get_table_names()) - {VERSION_TABLE}):
        found[name] = {
            "columns": [
                (column["name"], str(column["type"]), column["nullable"], _numbered(column))
                for column in asked.get_columns(name)
            ],
            "key": _plain(asked.get_pk_constraint(name)),
            "unique": sorted(map(_plain, asked.get_unique_constraints(name))),
            "checks": sorted(
                (str(check["name"]), _plain(check["sqltext"])) for check in asked.get_check_constraints(name)
            ),
            "foreign": sorted(map(_plain, asked.get_foreign_keys(name))),
            "indexes": sorted(map(_plain, asked.get_indexes(name))),
        }
    return found


def _numbered(column: Any) -> bool:
    return bool(column.get("default"))


def _plain(found: Any) -> str:
    """One text for what the inspector found, whatever objects it is made of."""
    if isinstance(found, dict):
        return str([(name, _plain(value)) for name, value in sorted(found.items())])
    return re.sub(r"\s+", " ", str(found))


def test_migrations_and_tables_agree_on_sqlite(empty_file: Path, tmp_path: Path) -> None:
    made = tmp_path / "made.db"
    with writing_engine(made, "process", create=True).connect() as connection, connection.begin():
        METADATA.create_all(connection)
        expected = fingerprint(connection)
    with writing_engine(empty_file, "process").connect() as connection:
        assert fingerprint(connection) == expected
    assert set(expected) == set(METADATA.tables)


@pytest.mark.slow
async def test_migrations_and_tables_agree_on_postgresql(cluster: Cluster, migrated_database: str) -> None:
    fingerprints = []
    for url, make in ((cluster.create("made"), True), (migrated_database, False)):
        engine = engine_for(parse_address(url), poolclass=NullPool)
        async with engine.begin() as connection:
            if make:
                await connection.run_sync(METADATA.create_all)
            fingerprints.append(await connection.run_sync(fingerprint))
    assert fingerprints[0] == fingerprints[1]
    assert set(fingerprints[0]) == set(METADATA.tables)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_upgrading_twice_changes_nothing(request: pytest.FixtureRequest, tmp_path: Path, kind: str) -> None:
    if kind == "sqlite":
        (tmp_path / "new.db").touch()
        url = str(tmp_path / "new.db")
    else:
        url = request.getfixturevalue("empty_database")
    for _ in range(2):
        assert await upgrade(url) == REVISION
    assert await current(url) == REVISION
    assert files_in(tmp_path) <= {"new.db", "tabiya.db"}


@pytest.mark.slow
async def test_an_empty_database_has_no_revision(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "new.db").touch()
    assert await current(str(tmp_path / "new.db")) is None
    assert await current(cluster.create("nothing")) is None


async def test_an_older_file_is_copied_before_it_is_upgraded(
    empty_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = await open_store(str(empty_file))
    await two_bots(store)
    await store.close()
    # a program of the future, whose migration is given here
    folder = tmp_path / "migrations"
    (folder / "versions").mkdir(parents=True)
    (folder / "env.py").write_text((MIGRATIONS / "env.py").read_text())
    for script in (MIGRATIONS / "versions").glob("*.py"):
        (folder / "versions" / script.name).write_text(script.read_text())
    (folder / "versions" / f"v{NEXT}_next.py").write_text(
        f'from alembic import op\nrevision = "{NEXT}"\ndown_revision = "{REVISION}"\n'
        'def upgrade():\n    op.execute("CREATE TABLE more (x INTEGER)")\n'
    )
    monkeypatch.setattr(migrate, "MIGRATIONS", folder)
    monkeypatch.setattr(upgrading, "REVISION", NEXT)

    assert await upgrade(str(empty_file)) == NEXT
    assert await current(str(empty_file)) == NEXT
    copy = empty_file.with_name(f"tabiya.db.schema-{REVISION}.bak")
    assert await current(str(copy)) == REVISION
    before = await open_store(str(copy))
    assert len(await before.list_bots()) == 2
    await before.close()


async def test_a_failed_migration_leaves_the_database_as_it_was(
    empty_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half_way(connection: Connection) -> None:
        connection.exec_driver_sql("CREATE TABLE half (x INTEGER)")
        connection.exec_driver_sql("NONSENSE")

    monkeypatch.setattr(upgrading, "migrate", half_way)
    monkeypatch.setattr(upgrading, "REVISION", NEXT)
    with pytest.raises(StoreError, match="could not be upgraded"):
        await upgrade(str(empty_file))
    with contextlib.closing(sqlite3.connect(empty_file)) as file:
        assert not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'half'").fetchall()


@pytest.mark.parametrize("verb", [upgrade, current])
async def test_what_cannot_be_upgraded_is_one_sentence(verb: Any, tmp_path: Path, cluster: Cluster) -> None:
    (tmp_path / "letter.txt").write_text("dear reader")
    for url in (str(tmp_path / "letter.txt"), str(tmp_path / "no.db"), cluster.url("nope")):
        with pytest.raises(CannotOpen):
            await verb(url)
    with pytest.raises(StoreError, match="no schema"):
        await verb("memory:")


def test_a_new_migration_is_written_with_the_next_number_and_nothing_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(migrate, "MIGRATIONS", folder)
    script = write_migration("the next thing")
    assert script == folder / "versions" / f"v{NEXT}_the_next_thing.py"
    text = script.read_text()
    assert text.startswith('"""the next thing"""')
    assert "    pass\n" in text
