"""How the databases answer: by an index, whatever is asked; no table that grows with the games is gone through."""

from __future__ import annotations

from functools import partial
from inspect import isfunction
from pathlib import Path

import pytest
from sqlalchemy import Connection, NullPool

from tabiya.games.registry import names
from tabiya.storage import open_store
from tabiya.storage.address import parse_address
from tabiya.storage.sql.postgresql_engine import engine_for
from tabiya.storage.sql.sqlite_engine import reading_engine
from tabiya.storage.sql.store import SqlStore
from tests.storage.postgres import Cluster
from tests.storage.sql.statements.filled import fill
from tests.storage.sql.statements.questions import QUESTIONS, gone_through, plan

GAMES, PLIES = 100_000, 3
SORTED = {
    "unfinished",
    "unfinished of a host",
    "tournaments that ended",
    "leases",
}  # running matches alone, at a start; tables that stay small
FROM_THE_END = {"list newest", "list ended"}  # by number, as far as the limit


@pytest.mark.parametrize("name", QUESTIONS)
def test_sqlite_goes_through_no_table_of_games_and_sorts_no_list(name: str, empty_file: Path) -> None:
    """It has no statistics and answers in the same way whatever there is."""
    engine = reading_engine(empty_file, 1)
    with engine.connect() as connection:
        lines = plan(connection, QUESTIONS[name])
    engine.dispose()
    assert gone_through(lines) == (["matches"] if name in FROM_THE_END else []), lines
    assert not name.startswith("list bot") or "ix_matches_game_id" not in str(lines), lines  # all matches of a game
    assert name in SORTED or not [line for line in lines if "TEMP B-TREE FOR ORDER BY" in line], lines


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_postgresql_goes_through_no_table_of_games_when_there_are_many(cluster: Cluster) -> None:
    def plans(connection: Connection) -> dict[str, list[str]]:
        fill(connection, GAMES, PLIES, names())
        return {name: plan(connection, question) for name, question in QUESTIONS.items()}

    url = cluster.create("many")
    await (await open_store(url)).close()
    async with engine_for(parse_address(url), poolclass=NullPool).connect() as connection:
        found = await connection.run_sync(plans)
    # of few failures all are looked at, before all games of a bot are
    few = {"failures of a bot": ["failures"]}
    assert {name: tables for name, lines in found.items() if (tables := gone_through(lines))} in ({}, few)


def test_every_question_of_the_store_is_looked_at() -> None:
    """Those that read all there is, and the number of the schema, are left out."""
    asked = set[str]()
    for function in QUESTIONS.values():
        inner = function.func if isinstance(function, partial) else function
        asked |= {inner.__name__, *getattr(inner, "__code__", plan.__code__).co_names}
    closures = [getattr(verb, "__closure__", None) or () for verb in vars(SqlStore).values()]
    held = [cell.cell_contents for closure in closures for cell in closure]
    assert {one.__name__ for one in held if isfunction(one)} - asked == {"schema_version", "faults_in"}
