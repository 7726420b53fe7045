"""A database moved into an empty one: everything arrives, and what fails leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, NullPool, select

from tabiya.storage import open_store
from tabiya.storage.address import parse_address
from tabiya.storage.audit_records import AuditRecord
from tabiya.storage.errors import CannotOpen, DatabaseInUse, StoreError, WrongSchema
from tabiya.storage.program_records import NewWish, Usage
from tabiya.storage.records import SessionRecord
from tabiya.storage.sql import move as moving
from tabiya.storage.sql.move import move
from tabiya.storage.sql.postgresql_engine import engine_for
from tabiya.storage.sql.schema.tables import METADATA
from tabiya.storage.sql.sqlite_engine import reading_engine
from tabiya.storage.sql.upgrade import current, upgrade
from tabiya.storage.store import Store
from tests.present import present
from tests.server.planted import DRAW, LINE, plays
from tests.storage import samples
from tests.storage.conftest import files_in
from tests.storage.postgres import Cluster
from tests.storage.samples import NOON, new_match, new_tournament, two_bots
from tests.storage.test_programs import program
from tests.waiting import WITHIN_S

ROOT = Path(__file__).parents[3]
ODD = 'zug→ 🂡 "quoted" \\ \\u0000 %s :name\r\n\ttab\x1b[0m'
AN_INSTANT = 1_750_000_000.123_456_7  # no shorter number is as near to what is stored


async def fill(store: Store) -> None:
    """A row in every table, and games that were played."""
    bots = ada, bob = await two_bots(store)
    await store.create_bot(ODD[:9], guest=True, created_at=AN_INSTANT)
    await store.set_role(bob.id, "operator")
    for moves in (LINE, DRAW):
        await plays(store, bots, moves)
    await plays(store, bots, "a1 a2", runs_out=True)
    lost = await store.create_match(new_match(bots))
    for ply in (2, 3):
        await store.append_move(samples.move(lost, ply, info={"note": ODD, "score": 0.1 + 0.2}, think_us=2**62))
    await store.finish_match(samples.result(lost, reason=ODD), failure=samples.failure(lost))
    await store.keep_review(lost, "greedy 1", '{"moves": []}')
    await store.freeze_match(await store.create_match(new_match(bots, "m2")), ODD)
    tournament = await store.create_tournament(new_tournament(bots, seed=2**63 - 1, state={ODD: [None, True, 1e-300]}))
    games = tuple(new_match(bots, f"t/{n}", tournament_id=tournament, pairing=0, game_index=n) for n in range(2))
    await store.save_tournament_step(samples.step(tournament, 1, matches=games, started_at=NOON))
    await store.open_session(SessionRecord(secret_hash="1f", bot_id=ada.id, created_at=NOON, expires_at=AN_INSTANT))
    await store.open_session(SessionRecord(secret_hash="2f", bot_id=None, created_at=NOON, expires_at=AN_INSTANT))
    hosted = await store.add_program(program(ada.id))
    lease = present(await store.grant_lease([(hosted.id, "examine")], "lab", "3f", now=NOON, expires_at=AN_INSTANT))
    await store.end_lease(hosted.id, lease.fence, "good", ODD, now=NOON, used=Usage(cpu_s=0.1, peak_mb=1 / 3))
    await store.add_wish(
        NewWish(bot_id=ada.id, opponent_id=bob.id, game="nim", games=2, asked_at=NOON), forget_before=0.0
    )
    first = await store.register_host(ODD, NOON)
    await store.create_match(new_match(bots, "of a host", host=first))
    await store.move_matches(first, (await store.register_host("b", AN_INSTANT),), AN_INSTANT)
    await store.put_setting("time_control", "")
    await store.append_audit(an_order("operator"))


def an_order(who: str) -> AuditRecord:
    return AuditRecord(
        at=AN_INSTANT, who=who, way="token", address="::1", path="/x", details={"a": [ODD, None, 2**53]}, status=200
    )


async def ask(url: str, work: Callable[[Connection], Any]) -> Any:
    """What a function finds in a database."""
    address = parse_address(url)
    if address.kind == "sqlite":
        engine = reading_engine(address.path, 1)
        with contextlib.closing(engine.connect()) as connection:
            found = work(connection)
        engine.dispose()
        return found
    async with engine_for(address, poolclass=NullPool).connect() as reading:
        return await reading.run_sync(work)


def all_rows(connection: Connection) -> dict[str, list[str]]:
    """The rows of each table, with their types, in an order of their own."""
    return {
        name: sorted(repr(tuple(row)) for row in connection.execute(select(table)))
        for name, table in METADATA.tables.items()
    }


async def filled(url: str) -> str:
    """The address, at which a full database is now."""
    store = await open_store(url)
    await fill(store)
    await store.close()
    return url


@pytest.fixture
def source(request: pytest.FixtureRequest) -> str:
    """The address of an empty database of one kind, with tables."""
    return str(request.getfixturevalue({"sqlite": "empty_file", "postgresql": "empty_database"}[request.param]))


@pytest.fixture
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of nothing, or of a PostgreSQL database without tables."""
    if request.param == "sqlite":
        return str(tmp_path / "target.db")
    cluster: Cluster = request.getfixturevalue("cluster")
    cluster.sql('DROP DATABASE IF EXISTS "target"')
    return cluster.create("target")


def directions(*pairs: str) -> pytest.MarkDecorator:
    """Run the test from one kind to another."""
    return pytest.mark.parametrize(("source", "target"), [pair.split() for pair in pairs], indirect=True, ids=pairs)


@pytest.mark.slow
@directions("sqlite postgresql", "postgresql sqlite", "sqlite sqlite", "postgresql postgresql")
async def test_every_row_of_every_table_arrives_as_it_was_and_the_numbers_go_on(
    source: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "ROWS_AT_ONCE", 3)  # more than one batch
    before = await ask(await filled(source), all_rows)
    assert [name for name, rows in before.items() if not rows] == []
    reported: dict[str, int] = {}
    assert await move(source, target, reported.__setitem__) == []
    assert reported == {name: len(rows) for name, rows in before.items()}
    assert await ask(target, all_rows) == before
    assert await ask(source, all_rows) == before
    await goes_on(target, reported)


async def goes_on(url: str, rows: dict[str, int]) -> None:
    """Every kind of row that is numbered can be written once more; none of the sample has been deleted."""
    store = await open_store(url, exclusive=True)
    ada, bob, *_ = await store.list_bots()
    eve = await store.create_bot("eve", created_at=NOON)
    match = await store.create_match(new_match((ada, bob), "one more"))
    await store.finish_match(samples.result(match))
    tournament = await store.create_tournament(new_tournament((ada, bob), name="one more"))
    hosted = await store.add_program(program(eve.id))
    wished = NewWish(bot_id=ada.id, opponent_id=bob.id, game="nim", games=1, asked_at=NOON)
    wish = await store.add_wish(wished, forget_before=0.0)
    await store.append_audit(an_order("eve"))
    numbers = {
        "bots": eve.id,
        "matches": match,
        "results": (await store.results())[-1].number,
        "tournaments": tournament,
        "programs": hosted.id,
        "wishes": wish.id,
        "hosts": await store.register_host("c", NOON),
        "audit": (await store.audit(limit=1))[0].id,
    }
    assert set(numbers) == {name for name, table in METADATA.tables.items() if table.autoincrement_column is not None}
    assert numbers == {name: rows[name] + 1 for name in numbers}
    assert await store.check() == []
    await store.close()


def say_nothing(_table: str, _rows: int) -> None:
    """Nobody listens."""


def stop_at_moves(table: str, _rows: int) -> None:
    """In the middle of a move."""
    if table == "moves":
        raise InterruptedError("somebody pulls the plug")


def cancel_at_moves(table: str, _rows: int) -> None:
    """As Ctrl-C does."""
    if table == "matches":
        present(asyncio.current_task()).cancel()


@pytest.mark.slow
@directions("sqlite postgresql", "sqlite sqlite")
async def test_a_move_that_is_interrupted_leaves_nothing_and_can_be_made_again(
    source: str, target: str, tmp_path: Path
) -> None:
    await filled(source)
    with pytest.raises(StoreError, match=r"could not be moved to .*target"):
        await move(source, target, stop_at_moves)
    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(move(source, target, cancel_at_moves))
    if target.startswith("postgresql"):
        assert await current(target) is None
    else:
        assert files_in(tmp_path) == {"tabiya.db", "tabiya.db.lock", "target.db.lock"}
    assert await move(source, target, say_nothing) == []
    assert await ask(target, all_rows) == await ask(source, all_rows)


MOVER = """
import asyncio, sys
from tabiya.storage.sql.move import move

def moved(table, rows):
    if table == "moves":
        print("in the middle", flush=True)
        sys.stdin.readline()

asyncio.run(move(*sys.argv[1:], moved))
"""


@pytest.mark.slow
@directions("sqlite postgresql", "postgresql sqlite")
@pytest.mark.parametrize("has_tables", [False, True])
async def test_a_move_that_is_killed_leaves_a_mark_that_keeps_servers_away_until_it_is_made_again(
    source: str, target: str, has_tables: bool
) -> None:
    await filled(source)
    if has_tables:
        await (await open_store(target)).close()
    mover = await asyncio.create_subprocess_exec(
        sys.executable, "-c", MOVER, source, target, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    assert await present(mover.stdout).readline() == b"in the middle\n"
    mover.kill()
    await mover.wait()
    for exclusive in (True, False):
        with pytest.raises(WrongSchema, match="a move to this database has not been finished"):
            await open_store(target, exclusive=exclusive)
    with pytest.raises(WrongSchema, match="has not been finished"):
        await upgrade(target)
    with pytest.raises(WrongSchema, match="has not been finished"):
        await move(target, f"{target}-2", say_nothing)
    assert await made_again(source, target) == []
    assert await ask(target, all_rows) == await ask(source, all_rows)
    await (await open_store(target, exclusive=True)).close()


async def made_again(source: str, target: str) -> list[str]:
    """PostgreSQL may take a moment to notice that nobody is there any more."""
    async with asyncio.timeout(WITHIN_S):
        while True:
            try:
                return await move(source, target, say_nothing)
            except DatabaseInUse:
                await asyncio.sleep(0.05)


@pytest.mark.slow
@directions("sqlite sqlite", "postgresql postgresql")
async def test_a_database_that_a_server_uses_is_neither_moved_nor_moved_to(source: str, target: str) -> None:
    store = await open_store(source, exclusive=True)
    for from_, to in ((source, target), (target, source)):
        if to == source:
            await (await open_store(target)).close()  # it has tables now
        with pytest.raises(DatabaseInUse):
            await move(from_, to, stop_at_moves)
    await store.close()
    assert await move(source, target, say_nothing) == []  # tables without rows are empty enough


@pytest.mark.slow
@directions("sqlite sqlite", "sqlite postgresql")
async def test_what_is_not_empty_is_left_as_it_is(source: str, target: str) -> None:
    store = await open_store(target)
    await store.put_setting("name", "another server")
    await store.close()
    with pytest.raises(CannotOpen, match=r"target.* is not empty, there are rows in its table settings"):
        await move(await filled(source), target, stop_at_moves)
    rows = await ask(target, all_rows)
    assert {name: rows for name, rows in rows.items() if rows} == {"settings": ["('name', 'another server')"]}


async def test_what_cannot_be_moved_is_said_in_one_sentence(empty_file: Path, tmp_path: Path) -> None:
    cats, old, nothing, new = (tmp_path / name for name in ("cats.db", "old.db", "nothing.db", "new.db"))
    nothing.touch()
    for path, statement in (
        (cats, "CREATE TABLE cats (name)"),
        (old, "CREATE TABLE tabiya_schema AS SELECT '0001' AS version_num"),
    ):
        with contextlib.closing(sqlite3.connect(path)) as file:
            file.execute(statement)
            file.commit()
    there = files_in(tmp_path)
    for from_, to, error, says in (
        (old, new, WrongSchema, r"old\.db .*run `tabiya db upgrade`"),
        (empty_file, old, WrongSchema, r"old\.db .*run `tabiya db upgrade`"),
        (cats, new, CannotOpen, r"cats\.db .*holds other tables"),
        (empty_file, cats, CannotOpen, r"cats\.db .*holds other tables"),
        (nothing, new, CannotOpen, r"nothing\.db is empty"),
        (tmp_path / "no.db", new, CannotOpen, "there is no database"),
        (empty_file, tmp_path / "no" / "x.db", CannotOpen, "there is no folder"),
        (empty_file, empty_file, StoreError, "source and target"),
        (empty_file, "memory:", StoreError, "in memory"),
    ):
        with pytest.raises(error, match=says):
            await move(str(from_), str(to), stop_at_moves)
    assert files_in(tmp_path) - there <= {"old.db-shm", "old.db-wal", "cats.db-shm", "cats.db-wal"}


@pytest.mark.slow
@directions("sqlite postgresql")
async def test_a_text_that_postgresql_refuses_is_named(source: str, target: str, tmp_path: Path) -> None:
    store = await open_store(source)
    for who in ("ada", "b\0b"):
        await store.append_audit(an_order(who))
    await store.close()
    with pytest.raises(StoreError, match=r"the rows of audit .*in the row that begins with 2, who has a character NUL"):
        await move(source, target, stop_at_moves)
    assert await current(target) is None
    other = str(tmp_path / "other.db")
    assert await move(source, other, say_nothing) == []
    assert await ask(other, all_rows) == await ask(source, all_rows)


@pytest.mark.slow
@directions("sqlite sqlite")
async def test_faults_of_the_data_are_moved_too_and_told(source: str, target: str) -> None:
    await filled(source)
    with contextlib.closing(sqlite3.connect(source)) as file:
        file.execute("DELETE FROM results WHERE match_id = 1")
        file.commit()
    faults = await move(source, target, say_nothing)
    assert faults == ["match 1 has ended without a result"]
    assert await ask(target, all_rows) == await ask(source, all_rows)
