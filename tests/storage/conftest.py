"""Every store at the same tests: `store` and `home` run each test on memory, SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sqlite3
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tabiya.storage.memory import MemoryStore
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.open import open_store
from tabiya.storage.sql.schema.tables import METADATA
from tabiya.storage.sql.upgrade import upgrade
from tabiya.storage.store import Store
from tests.storage.postgres import Cluster, private_cluster


class Home:
    """A place for data, empty at first.  Stores opened here are closed after the test."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._tables = MemoryTables()
        self._opened: list[Store] = []

    async def open(self, host: int = 0) -> Store:
        """A store over what is there.  host: whose it is."""
        memory = self.url == "memory:"
        store = MemoryStore(self._tables, host=host) if memory else await open_store(self.url, host=host)
        self._opened.append(store)
        return store

    async def close(self) -> None:
        """Close what is still open."""
        for store in self._opened:
            await store.close()


def change(statement: str, url: str, cluster: Cluster) -> None:
    """Run a statement on a database behind the back of its store."""
    if url.startswith("postgresql"):
        cluster.sql(statement, "shared")
        return
    with contextlib.closing(sqlite3.connect(url)) as file:
        file.execute(statement)
        file.commit()


def files_in(folder: Path) -> set[str]:
    """The names of the files in a folder."""
    return {path.name for path in folder.iterdir()}


def run_apart(work: Coroutine[Any, Any, object]) -> None:
    """Run to the end in a thread of its own: the test's thread has an event loop already."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL server."""
    try:
        with private_cluster() as running:
            yield running
    except RuntimeError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def migrated_database(cluster: Cluster) -> str:
    """A PostgreSQL database with tables, used by one test after the other."""
    url = cluster.create("shared")
    run_apart(upgrade(url))
    return url


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with tables and no rows, to be copied."""
    path = tmp_path_factory.mktemp("migrated") / "empty.db"
    path.touch()
    run_apart(upgrade(str(path)))
    return path


@pytest.fixture
def empty_database(cluster: Cluster, migrated_database: str) -> str:
    """The address of a PostgreSQL database with tables and no rows."""
    names = ", ".join(METADATA.tables)
    cluster.sql(f"TRUNCATE {names} RESTART IDENTITY CASCADE", "shared")
    return migrated_database


@pytest.fixture
def empty_file(migrated_file: Path, tmp_path: Path) -> Path:
    """An SQLite file with tables and no rows."""
    return Path(shutil.copy(migrated_file, tmp_path / "tabiya.db"))


@pytest.fixture(params=["empty_file", "empty_database"], ids=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """The address of an empty database of each kind."""
    return str(request.getfixturevalue(request.param))


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def address(request: pytest.FixtureRequest) -> str:
    """The address of an empty place of each kind."""
    urls = {"sqlite": "empty_file", "postgresql": "empty_database"}
    return str(request.getfixturevalue(urls[request.param])) if request.param in urls else "memory:"


@pytest.fixture
async def home(address: str) -> AsyncIterator[Home]:
    """An empty place of each kind."""
    place = Home(address)
    yield place
    await place.close()


@pytest.fixture
async def store(home: Home) -> Store:
    """An empty store of each kind."""
    return await home.open()
