"""A PostgreSQL with a role that may only read, and rules that are compiled."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tabiya.games.registry import load_game, names
from tabiya.games.warm import warm
from tests.server.pages_process.apart import READER
from tests.storage.postgres import Cluster, private_cluster


@pytest.fixture(scope="session", autouse=True)
def warmed() -> None:
    """As the command does."""
    for name in names():
        warm(load_game(name))


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """For all tests of the folder, a database each."""
    with private_cluster() as running:
        running.sql(f"CREATE ROLE {READER} LOGIN")
        yield running
