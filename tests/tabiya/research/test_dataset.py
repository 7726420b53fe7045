"""Stored games as a data set: every column says what was stored, and the card says what is in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pyarrow import parquet

from tabiya.research import dataset
from tabiya.research.dataset import CARD, COLUMNS, FILE, write_dataset
from tabiya.server.archive.pages import OtherProcesses
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchFilter, OpeningPly
from tabiya.storage.store import Store
from tests.server.planted import change
from tests.storage.samples import move, new_match, result, two_bots

ENDED = MatchFilter(status="ended")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """Three games: won, drawn without a word of its thinking, running."""
    store = await open_store(str(tmp_path / "games.db"))
    bots = await two_bots(store)
    opening = (OpeningPly(seat=0, text="a1"),)
    for number, winner in enumerate((1, None)):
        match = await store.create_match(new_match(bots, f"m{number}", opening=opening, time_control="60+1"))
        info = {"score": -31, "depth": 5} if winner else None
        played = move(match, 1, "b2", seat=1, remaining_us=(60_000_000, 59_000_000), think_us=7, info=info)
        await store.append_move(played)
        await store.finish_match(result(match, winner, "line" if winner else "draw_agreed", lost_turn=None))
    await store.create_match(new_match(bots, "runs"))
    yield store
    await store.close()


async def test_a_row_says_what_is_stored_of_its_game(store: Store, tmp_path: Path) -> None:
    written = await write_dataset(store, tmp_path / "data", ENDED)
    rows = parquet.read_table(tmp_path / "data" / FILE).to_pylist()
    assert [row["match"] for row in rows] == [1, 2]
    assert sum(written.games.values()) == 2
    stored = await store.match(rows[0]["match"])
    assert stored is not None
    assert stored.result is not None
    row = rows[0]
    assert (row["game"], row["start"], row["first"], row["second"]) == (stored.game, stored.start_text, "ada", "Bob")
    assert (row["moves"], row["seats"], row["opening"]) == (["a1", "b2"], [0, 1], 1)
    assert (row["winner"], row["ending"], row["time_control"]) == (1, "line", "60+1")
    assert (row["score"], row["depth"], row["think_us"]) == ([None, -31], [None, 5], [0, 7])
    assert row["clock_us"][1] == 59_000_000
    assert row["began"].timestamp() == stored.created_at
    assert row["ended"].timestamp() == stored.result.ended_at
    assert (rows[1]["winner"], rows[1]["ending"], rows[1]["score"]) == (None, "draw_agreed", [None, None])
    assert list(row) == list(COLUMNS)


async def test_other_processes_and_groups_change_nothing(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await write_dataset(store, tmp_path / "alone", ENDED)
    monkeypatch.setattr(dataset, "GROUP", 1)
    monkeypatch.setattr("tabiya.server.archive.pages.PAGE", 1)
    with ThreadPoolExecutor(2) as executor:
        await write_dataset(store, tmp_path / "more", ENDED, OtherProcesses(executor, 2, str(tmp_path / "games.db")))
    assert parquet.ParquetFile(tmp_path / "more" / FILE).num_row_groups == 2
    assert parquet.read_table(tmp_path / "alone" / FILE) == parquet.read_table(tmp_path / "more" / FILE)


async def test_the_card_counts_and_explains_every_column(store: Store, tmp_path: Path) -> None:
    await write_dataset(store, tmp_path / "data", ENDED)
    card = (tmp_path / "data" / CARD).read_text(encoding="utf-8")
    assert "each of 2 games between 2 bots" in card
    assert "line 1, draw_agreed 1" in card
    assert "0 games that could not be read" in card
    for name, column in COLUMNS.items():
        assert f"| `{name}` | {column.type} | {column.says} |" in card


async def test_no_games_and_damaged_ones_are_said(store: Store, tmp_path: Path) -> None:
    await write_dataset(store, tmp_path / "none", MatchFilter(game="chess", status="ended"))
    assert parquet.read_table(tmp_path / "none" / FILE).num_rows == 0
    assert "each of 0 games" in (tmp_path / "none" / CARD).read_text(encoding="utf-8")
    await store.close()
    change(tmp_path / "games.db", "DELETE FROM moves WHERE match_id = 1 AND ply = 0")
    again = await open_store(str(tmp_path / "games.db"))
    assert (await write_dataset(again, tmp_path / "data", ENDED)).left_out == 1
    await again.close()
    assert parquet.read_table(tmp_path / "data" / FILE)["match"].to_pylist() == [2]
