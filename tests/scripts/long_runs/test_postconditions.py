"""A run on a database that is broken on purpose fails, however well everything else went."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from msgspec.structs import replace

from scripts.long_runs import chaos
from scripts.long_runs.checks.postconditions import faults_in, read_all, unfinished
from tabiya.storage.open import open_store
from tabiya.storage.records import TournamentId, TournamentRecord
from tests.server.archive.test_verify import fill
from tests.server.planted import change


@pytest.fixture
async def filled(tmp_path: Path) -> Path:
    """A database of six matches without a fault."""
    path = tmp_path / "games.db"
    store = await open_store(str(path))
    await fill(store)
    await store.close()
    return path


BREAKS = [
    ("UPDATE matches SET options = '{' WHERE id = 1", "match 1: match 1 cannot be read"),
    ("UPDATE moves SET text = 'a1' WHERE match_id = 4 AND ply = 2", "match 4: ply 2 cannot be played"),
    ("UPDATE moves SET think_us = think_us + 1 WHERE match_id = 2 AND ply = 3", "match 2: the clocks"),
    ("UPDATE results SET winner = 1 WHERE match_id = 6", "but the moves say seat 0 wins"),
]


async def test_what_verify_finds_is_a_fault_of_the_run(filled: Path) -> None:
    assert faults_in(await read_all(str(filled))) == []
    change(filled, *(statement for statement, _ in BREAKS))
    found = faults_in(await read_all(str(filled)))
    for _, says in BREAKS:
        assert any(says in fault for fault in found), (says, found)


def test_a_tournament_that_is_not_over_is_a_fault_of_the_run() -> None:
    over = TournamentRecord(
        id=TournamentId(3), name="Cup", game="g", format="swiss", settings={}, seed=1, status="ended", step=1, state={},
        entries=(), created_at=0.0,
    )  # fmt: skip
    assert list(unfinished([over])) == []
    left = [replace(over, status=status) for status in ("created", "running", "cancelled")]
    assert [fault.partition(" is ")[2].partition(" ")[0] for fault in unfinished(left)] == [
        each.status for each in left
    ]


@pytest.mark.parametrize("statement", [None, BREAKS[1][0]])
def test_chaos_fails_when_the_database_is_broken(
    statement: str | None, filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if statement:
        change(filled, statement)

    async def nothing_went_wrong(chosen: argparse.Namespace, folder: Path) -> chaos.Arena:
        arena = chaos.Arena(folder, chosen.seed)
        arena.server.database = str(filled)
        arena.server.log.touch()
        arena.recorder.moves = 1
        return arena

    monkeypatch.setattr(chaos, "campaign", nothing_went_wrong)
    code, last = chaos.main([]), capsys.readouterr().out.splitlines()[-1]
    if statement:
        assert code == 1
        assert last.startswith("match 4: ply 2 cannot be played")
    else:
        assert (code, last) == (0, "nothing was lost, doubled or unexplained")
