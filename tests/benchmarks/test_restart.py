"""How a restart is measured: real servers, killed, on matches that verification accepts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.restart import fill, main
from tabiya.games.registry import names
from tabiya.server.archive.verify import verify
from tabiya.storage.open import open_store


@pytest.mark.slow
def test_a_restart_with_matches_is_compared_with_one_without(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--game", "chess", "--matches", "3", "--moves", "5", "--repeat", "1", "--format", "json"])
    empty, full = json.loads(capsys.readouterr().out)
    assert (empty["matches"], full["matches"], full["moves"]) == (0, 3, 15)
    assert 0 < empty["cpu_s"] < 60
    assert full["times"] == pytest.approx(full["cpu_s"] / empty["cpu_s"])


@pytest.mark.slow
async def test_the_matches_are_such_as_a_server_stores(tmp_path: Path) -> None:
    path = str(tmp_path / "matches.db")
    assert await fill(path, names()[0], 4, 3) == 12
    store = await open_store(path)
    try:
        report = await verify(store)
        assert (report.faults, report.matches, report.moves) == ((), 4, 12)
    finally:
        await store.close()
