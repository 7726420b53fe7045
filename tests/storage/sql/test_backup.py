"""Copies: made while the server writes, put back when none does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tabiya.storage import open_store
from tabiya.storage.errors import CannotOpen, DatabaseInUse, StoreError
from tabiya.storage.sql.backup import restore, restore_database
from tests.storage.conftest import Home, files_in
from tests.storage.samples import NOON, move, new_match, two_bots


async def test_a_copy_made_while_writing_is_whole(empty_file: Path, tmp_path: Path) -> None:
    store = await open_store(str(empty_file))
    match_id = await store.create_match(new_match(await two_bots(store)))

    async def write() -> None:
        for ply in range(2, 60):
            await store.append_move(move(match_id, ply))

    await asyncio.gather(write(), store.backup(tmp_path / "copy.db"))
    await store.close()
    assert files_in(tmp_path) == {"tabiya.db", "copy.db"}

    copy = await open_store(str(tmp_path / "copy.db"))
    assert await copy.check() == []
    assert len(await copy.list_bots()) == 2
    await copy.close()


async def test_a_copy_replaces_nothing_and_other_stores_say_how_else(home: Home, tmp_path: Path) -> None:
    store, there = await home.open(), tmp_path / "there.db"
    there.touch()
    is_file = not home.url.startswith(("memory:", "postgresql"))
    for path, says in ((there, "exists already"), (tmp_path / "no" / "copy.db", "there is no folder")):
        with pytest.raises(StoreError, match=says if is_file else r"pg_dump|in memory"):
            await store.backup(path)


async def test_a_copy_can_be_put_back(empty_file: Path, tmp_path: Path) -> None:
    store = await open_store(str(empty_file), exclusive=True)
    await two_bots(store)
    await store.backup(tmp_path / "copy.db")
    await store.create_bot("later", created_at=NOON)

    with pytest.raises(DatabaseInUse):
        restore_database(tmp_path / "copy.db", empty_file, replace=True)
    await store.close()
    with pytest.raises(StoreError, match="exists already"):
        restore_database(tmp_path / "copy.db", empty_file)
    restore(f"sqlite:///{empty_file}", tmp_path / "copy.db", replace=True)

    back = await open_store(str(empty_file))
    assert [bot.name for bot in await back.list_bots()] == ["ada", "Bob"]
    await back.close()


@pytest.mark.parametrize(("url", "says"), [("memory:", "in memory"), ("postgresql://ada@host/games", "pg_restore")])
def test_only_files_are_put_back(tmp_path: Path, url: str, says: str) -> None:
    with pytest.raises(StoreError, match=says):
        restore(url, tmp_path / "copy.db")


def test_a_file_that_is_no_backup_is_not_restored(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("dear reader " * 100)
    for backup in (letter, tmp_path / "no.db"):
        with pytest.raises(CannotOpen):
            restore_database(backup, tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()
