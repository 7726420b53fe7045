"""`tabiya verify`: silent about what fits, exact about what does not, on either database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tabiya.server.archive.pages import PAGE
from tabiya.storage.open import open_store
from tabiya.storage.sql.upgrade import upgrade
from tests.server.planted import LINE, change, plays, two_players
from tests.storage.postgres import Cluster, private_cluster
from tests.tabiya.cli.command_runner import ask

MATCHES = PAGE + 10  # the others are read by other processes


async def fill(url: str) -> None:
    """Two matches, one lost on time."""
    store = await open_store(url)
    bots = await two_players(store)
    await plays(store, bots, LINE)
    await plays(store, bots, "a1 a2", runs_out=True)
    await store.close()


async def test_a_database_in_order_is_said_to_be(tmp_path: Path) -> None:
    await fill(str(tmp_path / "games.db"))
    result = await ask("verify", "--database", str(tmp_path / "games.db"))
    assert (result.status, result.out) == (0, "")
    assert result.err.splitlines()[-1] == "no faults in 2 matches, 7 moves, 2 results and 0 tournaments"
    found = (await ask("verify", "--database", str(tmp_path / "games.db"), "--format", "json")).rows
    assert (found["matches"], found["moves"], found["faults"]) == (2, 7, [])


@pytest.mark.slow
async def test_several_processes_verify_and_export_what_one_does(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    store = await open_store(str(path))
    bots = await two_players(store)
    for number in range(MATCHES):
        await plays(store, bots, LINE, control=f"{60 + number}")
    await store.close()
    change(path, f"UPDATE moves SET think_us = -1 WHERE match_id = {MATCHES} AND ply = 3")  # noqa: S608
    result = [await ask("verify", "--database", str(path), "--processes", count) for count in "12"]
    assert result[0].out == result[1].out
    assert result[0].status == result[1].status == 1
    assert "do not follow from its account" in result[1].out
    texts = [(await ask("export", "--database", str(path), "--processes", count)).out for count in "12"]
    assert texts[0] == texts[1]
    assert texts[1].count("[Event ") == MATCHES


async def test_faults_are_listed_with_their_place_and_the_status_is_1(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    await fill(str(path))
    change(path, "UPDATE results SET winner = 1", "UPDATE matches SET game = 'halma' WHERE id = 2")
    result = await ask("verify", "--database", str(path))
    assert result.status == 1
    assert result.sentence == "4 faults in 2 matches, 7 moves, 2 results and 0 tournaments"
    rows = [line.split(maxsplit=2) for line in result.out.splitlines()[2:]]
    for bot, row in zip(("ada", "bob"), rows, strict=False):  # both have counted moves of a game that is another now
        assert f"thinking of {bot} is not what its moves say" in row[2]
    assert rows[2][:2] == ["match", "1"]
    assert rows[2][2].startswith("the stored result is seat 1 wins (line), but the moves say seat 0 wins (line)")
    assert rows[3] == ["match", "2", "there is no game 'halma'"]
    lines = (await ask("verify", "--database", str(path), "--format", "csv")).out.splitlines()
    assert lines[0] == "what,number,fault"
    assert len(lines) == 5
    reported = await ask("verify", "--database", str(path), "--format", "json")
    assert reported.status == 1
    assert [fault["number"] for fault in json.loads(reported.out)["faults"]] == [None, None, 1, 2]


async def test_no_database_is_one_sentence(tmp_path: Path) -> None:
    result = await ask("verify", "--database", str(tmp_path / "none.db"))
    assert result.sentence == f"there is no database at {tmp_path / 'none.db'}"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL server."""
    with private_cluster() as running:
        yield running


@pytest.mark.slow
async def test_a_postgresql_database_is_verified_too(cluster: Cluster) -> None:
    url = cluster.create("games")
    await upgrade(url)
    await fill(url)
    assert (await ask("verify", "--database", url)).status == 0
    cluster.sql("UPDATE moves SET think_us = 7 WHERE match_id = 1 AND ply = 2", "games")
    cluster.sql("UPDATE moves SET info = '[' WHERE match_id = 2", "games")
    found = (await ask("verify", "--database", url, "--format", "json")).rows["faults"]
    assert [(fault["what"], fault["number"]) for fault in found] == [("database", None), ("match", 2), ("match", 1)]
    assert "thinking of" in found[0]["fault"]
    assert "after ply 2 do not follow from its account" in found[2]["fault"]
