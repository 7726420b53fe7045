"""A value of the wrong type in any column of any table is never an internal error of a page, the API or an export."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from tabiya.server.app import TabiyaServer
from tabiya.server.archive.verify import verify
from tabiya.server.tournaments.settings import TournamentOrder
from tabiya.storage.open import open_store
from tabiya.storage.sql.schema.tables import METADATA
from tests.live import live_server
from tests.server.planted import DRAW, GAME, LINE, plays, two_players

WRONG = b"\xff\x00 no value of this column"  # a BLOB keeps its type in every column of SQLite
PLACES = (
    "/", "/matches", "/matches/1", "/matches/2", "/matches/3", "/standings/" + GAME,
    "/tournaments", "/tournaments/1", "/bots", "/bots/ada",
    "/api/v1/server", "/api/v1/matches", "/api/v1/matches/1", "/api/v1/matches/3", "/api/v1/matches/1/transcript",
    "/api/v1/matches/1/picture/2.svg", f"/api/v1/standings/{GAME}/head-to-head?first=ada&second=bob",
    f"/api/v1/standings/{GAME}/superiority", "/api/v1/bots", "/api/v1/bots/ada", f"/api/v1/bots/ada/games/{GAME}",
    "/api/v1/tournaments",
    "/api/v1/tournaments/1", "/api/v1/export", "/api/v1/export?format=pgn", "/healthz", "/readyz",
)  # fmt: skip
COLUMNS = [f"{table.name}.{column.name}" for table in METADATA.sorted_tables for column in table.columns]


async def fill(path: Path) -> None:
    """A match of the lobby that is won, one that is drawn, one lost on time, and a tournament."""
    store = await open_store(str(path))
    bots = await two_players(store)
    await plays(store, bots, LINE)
    await plays(store, bots, DRAW)
    await plays(store, bots, "a1 a2", runs_out=True)
    await store.close()


async def statuses(server: TabiyaServer, visitor: aiohttp.ClientSession) -> dict[str, tuple[int, str]]:
    """What is answered at each place."""
    found = {}
    for place in PLACES:
        async with visitor.get(server.pages_url + place) as answer:
            found[place] = answer.status, (await answer.read()).decode("utf-8", "replace")[:300]
    return found


@contextlib.contextmanager
def wrong_in(path: Path, column: str) -> Iterator[bool]:
    """While inside, rows of a table have a wrong value in a column; whether the database has permitted one."""
    table, _, name = column.partition(".")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("PRAGMA synchronous=OFF")  # nothing of it need survive
        before = file.execute(f"SELECT rowid, {name} FROM {table}").fetchall()  # noqa: S608
        changed = 0
        with contextlib.suppress(sqlite3.IntegrityError):  # a key, a choice of words, a second one of a unique name
            for rowid, _ in before:
                file.execute(f"UPDATE {table} SET {name} = ? WHERE rowid = ?", (WRONG, rowid))  # noqa: S608
                changed += 1
        try:
            yield changed > 0
        finally:
            file.executemany(
                f"UPDATE {table} SET {name} = ? WHERE rowid = ?",  # noqa: S608
                [(value, rowid) for rowid, value in before],
            )


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[dict[str, tuple[int, str]], int]]:
    """For each column that can hold a wrong value: what is answered then, and how many faults are found."""
    path = tmp_path_factory.mktemp("wrong") / "games.db"

    async def work() -> dict[str, tuple[dict[str, tuple[int, str]], int]]:
        await fill(path)
        found = {}
        async with live_server(str(path)) as server, aiohttp.ClientSession() as visitor:
            order = TournamentOrder(name="Cup", game=GAME, bots=("ada", "bob"), start=False)
            await server.tournaments.create(order)
            found[""] = await statuses(server, visitor), len((await verify(server.store)).faults)
            for column in COLUMNS:
                with wrong_in(path, column) as is_possible:
                    if is_possible:
                        faults = len((await verify(server.store)).faults)
                        found[column] = await statuses(server, visitor), faults
            found["afterwards"] = await statuses(server, visitor), len((await verify(server.store)).faults)
        return found

    with asyncio.Runner() as runner:
        return runner.run(work())


@pytest.mark.slow
@pytest.mark.usefixtures("errors_expected")
def test_nothing_is_an_error_of_ours(outcomes: dict[str, tuple[dict[str, tuple[int, str]], int]]) -> None:
    assert all(status == 200 for status, _ in outcomes[""][0].values()), outcomes[""]
    assert len(outcomes) > 50
    wrong = [
        (column, place, status, printed)
        for column, (answers, _) in outcomes.items()
        for place, (status, printed) in answers.items()
        if status not in (200, 404, 409)
    ]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.usefixtures("errors_expected")
def test_every_one_is_found_by_verify(outcomes: dict[str, tuple[dict[str, tuple[int, str]], int]]) -> None:
    assert (outcomes[""][1], outcomes["afterwards"][1]) == (0, 0)
    assert [column for column, (_, faults) in outcomes.items() if column not in ("", "afterwards") and not faults] == []
