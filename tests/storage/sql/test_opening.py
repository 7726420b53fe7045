"""Opening a database: what works, and the one sentence for everything that does not."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from tabiya.storage import open_store
from tabiya.storage.errors import CannotOpen, DatabaseInUse, StoreError, WriteRefused, WrongSchema
from tabiya.storage.sql import sqlite_engine
from tabiya.storage.sql.schema.tables import REVISION
from tabiya.storage.sql.sqlite import prepare_file
from tabiya.storage.sql.sqlite_engine import lock_file
from tests.storage.conftest import files_in
from tests.storage.postgres import Cluster


async def refusal(url: object, *, create: bool = True) -> str:
    """The sentence with which opening fails."""
    with pytest.raises(CannotOpen) as caught:
        await open_store(str(url), create=create)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 250
    return text


async def test_a_missing_file_is_created_with_tables(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "new.db"))
    assert await store.schema_version() == REVISION
    assert store.address == str(tmp_path / "new.db")
    await store.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no mode of this kind")
async def test_only_the_owner_can_read_a_new_database_and_the_files_beside_it(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "new.db"), exclusive=True)
    await store.create_bot("ada", created_at=0.0)
    await store.backup(tmp_path / "copy.db")
    modes = {name: mode_of(tmp_path / name) for name in files_in(tmp_path)}
    await store.close()
    assert modes == dict.fromkeys(["new.db", "new.db-wal", "new.db-shm", "new.db.lock", "copy.db"], 0o600)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no mode of this kind")
async def test_a_server_removes_others_access_to_an_older_database_and_says_so(
    empty_file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    beside = empty_file.with_name(empty_file.name + ".lock")
    beside.touch()
    for path in (empty_file, beside):
        path.chmod(0o644)
    await (await open_store(str(empty_file))).close()  # a command that looks changes nothing
    assert mode_of(empty_file) == 0o644
    await (await open_store(str(empty_file), exclusive=True)).close()
    assert {mode_of(empty_file), mode_of(beside)} == {0o600}
    assert [record.getMessage() for record in caplog.records] == [
        f"{empty_file} could be read by other users of this machine; now its owner alone can (mode 0644 is now 0600)"
    ]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no mode of this kind")
def test_the_mode_of_somebody_elses_database_is_not_changed(empty_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty_file.chmod(0o664)
    monkeypatch.setattr(os, "geteuid", lambda: empty_file.stat().st_uid + 1)
    prepare_file(empty_file, create=False, writable=True)
    assert mode_of(empty_file) == 0o664


def mode_of(path: Path) -> int:
    """Who may do what with a file."""
    return stat.S_IMODE(path.stat().st_mode)


async def test_an_odd_file_name_is_only_a_name(tmp_path: Path) -> None:
    path = tmp_path / "100% of #1?mode=ro & ü.db"
    await (await open_store(str(path))).close()
    assert path.is_file()


async def test_what_is_no_file_or_not_there_is_refused_and_nothing_is_created(tmp_path: Path) -> None:
    assert "there is no database" in await refusal(tmp_path / "new.db", create=False)
    assert "it is a folder" in await refusal(tmp_path)
    assert f"there is no folder {tmp_path / 'no'}" in await refusal(tmp_path / "no" / "x.db")
    assert files_in(tmp_path) == set()


@pytest.mark.parametrize("text", ["short", "long " * 1000])
async def test_another_kind_of_file_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "letter.txt"
    path.write_text(text)
    path.chmod(0o755)
    mode = mode_of(path)
    assert "not a database" in await refusal(path)
    with pytest.raises(CannotOpen, match="not a database"):
        prepare_file(path, create=True, writable=True)
    assert (path.read_text(), mode_of(path)) == (text, mode)


async def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "cats.db"
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE cats (name)")
    assert "holds other tables (cats" in await refusal(path)


@pytest.mark.parametrize(("revision", "says"), [("0000", "tabiya db upgrade"), ("9999", "install a newer Tabiya")])
async def test_another_schema_names_the_way_out(empty_file: Path, revision: str, says: str) -> None:
    with contextlib.closing(sqlite3.connect(empty_file)) as file:
        file.execute("UPDATE tabiya_schema SET version_num = ?", (revision,))
        file.commit()
    with pytest.raises(WrongSchema, match=says):
        await open_store(str(empty_file))


async def test_a_locked_file_says_so_to_a_server_and_can_be_looked_at(
    empty_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_engine, "WAIT_FOR_LOCK_S", 0.0)
    with contextlib.closing(sqlite3.connect(empty_file)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(CannotOpen, match="locked by another program"):
            await open_store(str(empty_file), exclusive=True)
        store = await open_store(str(empty_file))
        assert await store.list_bots() == ()
        await store.close()


@contextlib.contextmanager
def unprivileged(*files: Path) -> Iterator[Path]:
    """Run without root's rights, and give a folder with copies of these files that may only be read."""
    folder = Path(tempfile.mkdtemp())
    for file in files:
        Path(shutil.copy(file, folder)).chmod(0o444)
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)
        shutil.rmtree(folder)


async def test_a_folder_that_may_only_be_read_says_so() -> None:
    with unprivileged() as folder:
        why = "it may not be opened, or its folder may only be read; use a copy in another folder"
        assert (await refusal(folder / "new.db")).endswith(f"new.db cannot be opened: {why}")
        with pytest.raises(CannotOpen, match=rf"new\.db\.lock cannot be made: {why}"):
            lock_file(folder / "new.db")


async def test_a_server_needs_a_file_that_it_may_write(empty_file: Path) -> None:
    with unprivileged(empty_file) as folder, pytest.raises(CannotOpen, match="may only be read"):
        await open_store(str(folder / empty_file.name), exclusive=True)


async def test_a_second_server_is_refused_and_a_reader_is_not(database: str) -> None:
    server = await open_store(database, exclusive=True)
    try:
        with pytest.raises(DatabaseInUse, match="another Tabiya server"):
            await open_store(database, exclusive=True)
        reader = await open_store(database)
        assert await reader.list_bots() == ()
        await reader.close()
    finally:
        await server.close()
    again = await open_store(database, exclusive=True)
    await again.close()


@pytest.mark.parametrize(
    ("tail", "says"),
    [
        ("tabiya:sesame@127.0.0.1:1/games", "nothing answers there"),
        ("tabiya@{server}/nope", 'database "nope" does not exist'),
        ("nobody@{server}/postgres", 'role "nobody" does not exist'),
        ("locked:wrong-sesame@{server}/postgres", "password authentication failed"),
        ("tabiya@{server}/postgres?colour=red", "cannot be opened"),
        ("tabiya@{server}/postgres?sslmode=sometimes", "cannot be opened"),
        ("tabiya:sesame@127.0.0.1:1,127.0.0.1:2/games", "1: nothing answers there; 127.0.0.1:2: nothing answers there"),
        ("ada:sesame@one:1,two:port/games", "cannot be understood"),
        ("ada:sesame@one,two/games?target_session_attrs=red", "give read-write, any, "),
        ("ada:sesame@host:port/games", "cannot be understood"),
        ("ada:sesame@[::1/games", "cannot be understood"),
    ],
)
async def test_an_address_of_postgresql_that_leads_nowhere_is_told_without_its_password(
    cluster: Cluster, tail: str, says: str
) -> None:
    text = await refusal("postgresql://" + tail.format(server=f"127.0.0.1:{cluster.port}"))
    assert says in text
    assert "sesame" not in text


@pytest.mark.slow
async def test_a_role_that_may_not_create_tables_is_told(cluster: Cluster) -> None:
    empty = cluster.create("forbidden").replace("tabiya@", "locked:open%20sesame@")
    text = await refusal(empty)
    assert "permission denied" in text
    assert "sesame" not in text


@pytest.mark.slow
async def test_an_empty_database_of_postgresql_gets_its_tables_and_one_with_others_is_left_alone(
    cluster: Cluster,
) -> None:
    store = await open_store(cluster.create("fresh"))
    assert await store.schema_version() == REVISION
    await store.close()
    url = cluster.create("cats")
    cluster.sql("CREATE TABLE cats (name text)", "cats")
    assert "holds other tables (cats" in await refusal(url)


async def test_reading_a_database_that_went_away_is_one_sentence(empty_file: Path) -> None:
    store = await open_store(str(empty_file))
    await asyncio.to_thread(empty_file.write_bytes, b"no longer a database " * 1000)
    try:
        with pytest.raises(StoreError, match="cannot be read"):
            await store.list_bots()
    finally:
        await store.close()


async def test_a_database_that_is_opened_read_only_refuses_writes(tmp_path: Path, cluster: Cluster) -> None:
    (tmp_path / "empty.db").touch()
    empty, address = cluster.create("read_only_empty"), cluster.create("read_only")
    for url in (str(tmp_path / "games.db"), address):
        owner = await open_store(url)
        await owner.create_bot("ada", created_at=0.0)
        store = await open_store(url, read_only=True)
        assert await store.bot_by_name("ada") is not None
        with pytest.raises(WriteRefused, match="is opened for reading only"):
            await store.put_setting("a", "b")
        with pytest.raises(StoreError, match=r"read-only|may only be read"):
            await store._database.read(lambda connection: connection.execute(text("DELETE FROM bots")))  # type: ignore[attr-defined]
        await store.close()
        await store.close()
        assert await owner.bot_by_name("ada") is not None
        await owner.close()
    for url in (empty, str(tmp_path / "empty.db")):
        with pytest.raises(CannotOpen, match="it holds no data of Tabiya yet"):
            await open_store(url, read_only=True)
    for url, words in ((str(tmp_path / "none.db"), "there is no database at"), ("memory:", "in memory")):
        with pytest.raises(CannotOpen, match=words):
            await open_store(url, read_only=True)
