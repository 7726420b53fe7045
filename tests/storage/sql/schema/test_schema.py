"""The tables, the migrations that make them, and the sets they share with other rooms."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from tabiya.storage import open_store
from tabiya.storage.errors import CannotOpen, StoreError
from tabiya.storage.sql import upgrade as upgrading
from tabiya.storage.sql.schema import migrate
from tabiya.storage.sql.schema.migrate import MIGRATIONS
from tabiya.storage.sql.schema.new_migration import write_migration
from tabiya.storage.sql.schema.tables import REVISION
from tabiya.storage.sql.upgrade import current, upgrade
from tests.storage.conftest import files_in
from tests.storage.postgres import Cluster
from tests.storage.samples import two_bots

NEXT = f"{int(REVISION) + 1:04}"


def test_the_code_expects_the_newest_migration() -> None:
    assert ScriptDirectory(str(MIGRATIONS)).get_heads() == [REVISION]


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_an_empty_database_has_no_revision_and_upgrading_it_twice_changes_nothing(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    if kind == "sqlite":
        (tmp_path / "new.db").touch()
        url = str(tmp_path / "new.db")
    else:
        url = request.getfixturevalue("cluster").create("nothing")
    assert await current(url) is None
    for _ in range(2):
        assert await upgrade(url) == REVISION
    assert await current(url) == REVISION
    assert files_in(tmp_path) <= {"new.db"}


async def test_an_older_file_is_copied_before_it_is_upgraded(
    empty_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = await open_store(str(empty_file))
    await two_bots(store)
    await store.close()
    # a program of the future, whose migration is given here
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
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
