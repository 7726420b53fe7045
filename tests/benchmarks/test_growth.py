"""Copies of real games are games that verification accepts, in pairs, and a server shows them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.growth.copies import make
from benchmarks.growth.pages import serving
from benchmarks.growth.stalls import stalls
from benchmarks.growth.statements import measure
from tabiya.server.archive.verify import verify
from tabiya.server.standings import read_standings
from tabiya.storage import open_store
from tests.source_rules.sources import ROOT
from tests.storage.sql.statements.questions import QUESTIONS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("growth")
    source, made = folder / "real.db", folder / "large.db"
    words = ("match", "random", "greedy", "-g", "nim", "-n", "8", "-d", str(source))
    subprocess.run([sys.executable, "-m", "tabiya", *words], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    make(made, source, games=60, bots=6, seed=1)
    with pytest.raises(FileExistsError):
        make(made, source, games=60, bots=6, seed=1)
    return made


async def test_copies_of_games_are_whole_and_in_pairs_of_other_players(database: Path) -> None:
    store = await open_store(str(database))
    try:
        report = await verify(store)
        table = await read_standings(store, "nim")
    finally:
        await store.close()
    assert (report.faults, report.matches, report.results) == ((), 60, 60)
    assert (table.games, table.pairs) == (60, 30)
    assert {row.bot for row in table.rows} <= {f"bot-{number:04}" for number in range(6)}


def test_an_empty_database_is_filled_and_asked_every_question(tmp_path: Path) -> None:
    found = {asked.what: asked for asked in measure(str(tmp_path / "asked.db"), games=400, plies=3)}
    assert set(found) == set(QUESTIONS)
    assert (found["moves"].rows, found["list running"].rows, found["list frozen"].rows) == (0, 20, 3)
    assert {asked.what: asked.whole for asked in found.values() if asked.whole != "-"} == {
        "list newest": "matches",  # from its end, by number, as far as the limit
        "list ended": "matches",
    }


async def test_a_visit_says_what_the_page_cost_and_a_fit_how_long_it_held_the_loop(database: Path) -> None:
    with serving(database) as server:
        visit = server.visit("the first page", "/")
        assert server.time_control("nim") == "10+0.1"
        server.stop()
    assert visit.wire_bytes > 500
    assert 0 < visit.ping_ms <= 1_000 * visit.wall_s + 1_000
    found = {stall.what: stall for stall in await stalls(database)}
    assert set(found) == {
        "reading the counts",
        "writing the counts",
        *(f"fit of nim{view}" for view in ("", ", whole bots", ", 10+0.1 only")),
    }
    assert all(0 < stall.stall_ms < 1_000 * 60 for stall in found.values())
