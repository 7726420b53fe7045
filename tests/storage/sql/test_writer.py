"""The one writer of each database: batches, and what happens when the database does not answer."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import shutil
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tabiya.storage import open_store
from tabiya.storage.errors import SaveFailed, StoreError
from tabiya.storage.records import MatchId
from tabiya.storage.sql import checkpoint, database, sqlite, sqlite_engine
from tabiya.storage.sql.store import SqlStore
from tabiya.storage.writes import AppendMove
from tests.present import present
from tests.storage.conftest import files_in
from tests.storage.postgres import Cluster
from tests.storage.samples import move, new_match, two_bots
from tests.waiting import WITHIN_S


@contextlib.asynccontextmanager
async def opened(address: object) -> AsyncIterator[SqlStore]:
    store = await open_store(str(address))
    assert isinstance(store, SqlStore)
    try:
        yield store
    finally:
        await store.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No store pauses after a failure, or waits for a lock, for longer than a moment."""
    monkeypatch.setattr(database, "FIRST_PAUSE_S", 0.0)
    monkeypatch.setattr(sqlite_engine, "WAIT_FOR_LOCK_S", 0.0)


@pytest.fixture
async def store(database: str) -> AsyncIterator[SqlStore]:
    """A store of each kind."""
    async with opened(database) as store:
        yield store


@pytest.fixture
async def file_store(empty_file: Path) -> AsyncIterator[SqlStore]:
    """A store in a file."""
    async with opened(empty_file) as store:
        yield store


@pytest.fixture
async def postgres_store(empty_database: str) -> AsyncIterator[SqlStore]:
    """A store in PostgreSQL."""
    async with opened(empty_database) as store:
        yield store


async def matches(store: SqlStore, count: int) -> list[MatchId]:
    bots = await two_bots(store)
    return list(await asyncio.gather(*(store.create_match(new_match(bots, f"m{n}")) for n in range(count))))


async def test_what_gathers_is_committed_as_one_transaction_and_every_match_has_its_own_opening(
    store: SqlStore,
) -> None:
    ids = await matches(store, 50)
    assert len(set(ids)) == 50
    for number in (0, 31, 49):
        match = present(await store.match(ids[number]))
        assert (match.key, match.plies) == (f"m{number}", 2)
    before = store.writer.batches
    await asyncio.gather(*(store.append_move(move(match_id, 2)) for match_id in ids))
    assert store.writer.batches == before + 1


async def test_answers_come_in_the_order_of_submission_over_many_batches(store: SqlStore) -> None:
    ids = await matches(store, 20)
    answered: list[tuple[int, int]] = []
    all_answered = asyncio.Event()

    def submit(match_id: MatchId, ply: int) -> None:
        def done(error: StoreError | None) -> None:
            assert error is None
            answered.append((ply, match_id))
            if ply < 6:
                submit(match_id, ply + 1)
            elif len(answered) == 5 * len(ids):
                all_answered.set()

        store.submit(AppendMove(move(match_id, ply)), done)

    before = store.writer.batches
    for match_id in ids:
        submit(match_id, 2)
    await asyncio.wait_for(all_answered.wait(), WITHIN_S)
    assert answered == list(itertools.product(range(2, 7), ids))
    assert store.writer.batches == before + 5


async def test_readers_see_only_whole_batches_and_do_not_stop_the_writer(store: SqlStore) -> None:
    ids = await matches(store, 10)

    async def write() -> None:
        for ply in range(2, 12):
            await asyncio.gather(*(store.append_move(move(match_id, ply)) for match_id in ids))

    async def read() -> list[int]:
        seen = []
        while not writing.done():
            (plies,) = {len(found.moves) for found in (await store.unfinished_matches()).matches}
            seen.append(plies)
        return seen

    writing = asyncio.create_task(write())
    for seen in await asyncio.gather(read(), read()):
        assert seen == sorted(seen)
    await writing
    assert await store.check() == []


async def test_a_cancelled_caller_does_not_cancel_its_write(store: SqlStore) -> None:
    (match_id,) = await matches(store, 1)
    saving = asyncio.create_task(store.append_move(move(match_id, 2)))
    await asyncio.sleep(0)
    saving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await saving
    await store.append_move(move(match_id, 3))
    assert len(await store.moves(match_id)) == 4


async def test_a_row_that_no_column_can_hold_fails_alone(store: SqlStore) -> None:
    good, bad = await matches(store, 2)
    answers = await asyncio.gather(
        store.append_move(move(good, 2)),
        store.append_move(move(bad, 2, think_us=2**70)),
        store.append_move(move(bad, 2, text="\ud800")),
        return_exceptions=True,
    )
    assert answers[0] is None
    assert all(isinstance(answer, StoreError) for answer in answers[1:])
    assert len(await store.moves(good)) == 3


async def test_moves_alone_go_to_sqlite_at_once(file_store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = await matches(file_store, 2)
    with monkeypatch.context() as patched:
        patched.delattr(sqlite, "commit_batch")
        await asyncio.gather(*(file_store.append_move(move(match_id, 2)) for match_id in ids))
    for match_id in ids:
        assert [row.ply for row in await file_store.moves(match_id)] == [0, 1, 2]


async def saved_after_trying(store: SqlStore, match_id: MatchId) -> None:
    """As the server does it: the same write again until it is taken."""
    for _ in range(1000):
        with contextlib.suppress(SaveFailed):
            await store.append_move(move(match_id, 2))
            return
    raise AssertionError("never saved")


async def test_a_lost_connection_fails_the_batch_and_is_made_anew(postgres_store: SqlStore, cluster: Cluster) -> None:
    ids = await matches(postgres_store, 2)
    cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tabiya'")
    answers = await asyncio.gather(*(postgres_store.append_move(move(m, 2)) for m in ids), return_exceptions=True)
    assert [type(answer) for answer in answers] == [SaveFailed, SaveFailed]
    for match_id in ids:
        await saved_after_trying(postgres_store, match_id)
        assert len(await postgres_store.moves(match_id)) == 3


@pytest.mark.slow
async def test_a_server_that_stops_and_comes_back_is_found_again(postgres_store: SqlStore, cluster: Cluster) -> None:
    (match_id,) = await matches(postgres_store, 1)
    await asyncio.to_thread(cluster.stop)
    try:
        for _ in range(2):
            with pytest.raises(SaveFailed):
                await postgres_store.append_move(move(match_id, 2))
        with pytest.raises(StoreError, match="cannot be read"):
            await postgres_store.match(match_id)
    finally:
        await asyncio.to_thread(cluster.start)
    await saved_after_trying(postgres_store, match_id)


async def test_a_locked_file_fails_the_save_and_is_left_alone_for_a_moment(
    file_store: SqlStore, empty_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (match_id,) = await matches(file_store, 1)
    with contextlib.closing(sqlite3.connect(empty_file)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(SaveFailed, match="locked by another program"):
            await file_store.append_move(move(match_id, 2))
        monkeypatch.setattr(database, "FIRST_PAUSE_S", 3600.0)
        monkeypatch.setattr(database, "LONGEST_PAUSE_S", 3600.0)
        with pytest.raises(SaveFailed, match="locked by another program"):
            await file_store.append_move(move(match_id, 2))
    with pytest.raises(SaveFailed, match="locked"):  # it is not: nobody has looked again
        await file_store.append_move(move(match_id, 2))
    end_pause(file_store)
    await file_store.append_move(move(match_id, 2))


def end_pause(store: SqlStore) -> None:
    """As if the pause after a failure were over."""
    store._database._writer._failures.succeeded()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("setting", "says"), [("max_page_count=1", "the disk is full"), ("query_only=ON", "may only be read")]
)
async def test_a_full_or_read_only_disk_fails_the_save(
    file_store: SqlStore, monkeypatch: pytest.MonkeyPatch, setting: str, says: str
) -> None:
    monkeypatch.setattr(database, "FIRST_PAUSE_S", 1.0)
    (match_id,) = await matches(file_store, 1)
    connection = file_store._database._writer._connection  # type: ignore[attr-defined]
    connection.exec_driver_sql(f"PRAGMA {setting}").close()
    connection.rollback()
    long = move(match_id, 2, info={"note": "x" * 100_000})
    with pytest.raises(SaveFailed, match=says):
        await file_store.append_move(long)
    # left alone for a moment, then taken by a new connection
    end_pause(file_store)
    await file_store.append_move(long)


async def test_a_file_that_was_removed_takes_no_more_moves(file_store: SqlStore, empty_file: Path) -> None:
    (match_id,) = await matches(file_store, 1)
    await asyncio.to_thread(empty_file.unlink)
    for _ in range(2):
        with pytest.raises(SaveFailed, match="removed or replaced"):
            await file_store.append_move(move(match_id, 2))
    assert "tabiya.db" not in files_in(empty_file.parent)


async def test_the_log_is_carried_over_by_another_thread(file_store: SqlStore, empty_file: Path) -> None:
    ids = await matches(file_store, checkpoint.ROWS)
    await asyncio.gather(*(file_store.append_move(move(match_id, 2)) for match_id in ids))
    checkpointer = file_store._database._checkpointer  # type: ignore[attr-defined]
    assert await asyncio.to_thread(checkpointer.round_over.wait, 30)
    # what the log held is in the file itself now: a copy of the file alone can be read
    copy = await asyncio.to_thread(shutil.copy, empty_file, empty_file.with_name("alone.db"))
    with contextlib.closing(sqlite3.connect(copy)) as file:
        assert file.execute("SELECT COUNT(*) FROM matches").fetchone() != (0,)


async def test_the_restart_question_uses_the_small_index(file_store: SqlStore, empty_file: Path) -> None:
    with contextlib.closing(sqlite3.connect(empty_file)) as file:
        plan = file.execute(
            "EXPLAIN QUERY PLAN SELECT moves.* FROM moves JOIN matches ON matches.id = moves.match_id"
            " WHERE matches.status = ? AND matches.status != 'ended' ORDER BY moves.match_id, moves.ply",
            ("running",),
        ).fetchall()
    assert "ix_matches_not_ended" in str(plan)
