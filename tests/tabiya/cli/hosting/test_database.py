"""`tabiya db move`: what it says of what it has moved."""

from __future__ import annotations

from pathlib import Path

import pytest

from tabiya.cli.hosting import database
from tabiya.storage.open import open_store
from tests.server.planted import LINE, change, plays, two_players
from tests.tabiya.cli.command_runner import ask


async def filled(path: Path) -> str:
    """A file with one match."""
    store = await open_store(str(path))
    await plays(store, await two_players(store), LINE)
    await store.close()
    return str(path)


async def test_a_line_for_each_large_table_and_one_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "LARGE", 5)
    source = await filled(tmp_path / "games.db")
    result = await ask("db", "move", source, str(tmp_path / "new.db"))
    assert (result.status, result.out) == (0, "")
    lines = result.err.splitlines()
    assert lines[0] == "5 rows of moves"
    assert lines[1].startswith("moved: 11 rows of ")  # with two bots, a match, its result and what both have thought
    assert lines[1].endswith(" tables; no faults found")


async def test_faults_that_have_been_moved_too_are_listed_and_the_status_is_1(tmp_path: Path) -> None:
    source = await filled(tmp_path / "games.db")
    change(Path(source), "DELETE FROM results")
    result = await ask("db", "move", source, str(tmp_path / "new.db"))
    assert result.status == 1
    assert result.out == "match 1 has ended without a result\n"
    assert result.sentence.startswith("moved: 10 rows of ")
    assert "; faults found: 1; `tabiya db check` says whether the source has them too" in result.sentence
