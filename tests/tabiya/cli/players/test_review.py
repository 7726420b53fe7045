"""`tabiya review`: from a database and from a server, for people and programs."""

from __future__ import annotations

import pytest

from tests.tabiya.cli.house import tabiya

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A match of nim that `random` has lost, most likely, to a perfect player."""
    file = str(tmp_path_factory.mktemp("review") / "match.db")
    said = tabiya("match", "random", "perfect", "-g", "nim", "-n", "2", "--seed", "3", "--database", file)
    assert said.status == 0, said.err
    return file


def test_the_moves_that_cost_most_are_shown_with_the_better_ones(database: str) -> None:
    said = tabiya("review", "1", "--database", database)
    head, chances, titles, _, *lines = said.out.splitlines()
    assert head.startswith("match 1: nim, random against perfect, ")
    assert chances.startswith("chances of random before each move, in tenths: ")
    assert titles.split()[:6] == ["ply", "player", "move", "then", "cost", "better"]
    rows = [line.split() for line in lines if line]
    assert rows
    assert {row[1] for row in rows} == {"random"}  # a perfect player gives nothing away
    assert all("1.00" in row for row in rows)


def test_a_program_gets_every_move(database: str) -> None:
    found = tabiya("review", "1", "--database", database, "--format", "json").rows
    assert found["game"] == "nim"
    assert len(found["judged"]) == len(found["moves"]) == len(found["chances"])
    assert sum(move["cost"] for move in found["judged"] if found["players"][move["seat"]] == "perfect") == 0


def test_what_cannot_be_reviewed_is_said(database: str) -> None:
    assert tabiya("review", "9", "--database", database).sentence == f"there is no match 9 in {database}"
    both = tabiya("review", "1", "--database", database, "--server", "http://127.0.0.1:1")
    assert both.sentence == "a match comes from a server or from a database, not from both"
