"""A database of the first version, with data, brought to this one: its tables are those of the code, no row is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, NullPool, func, inspect, select, text

from tabiya.storage import open_store
from tabiya.storage.address import parse_address
from tabiya.storage.records import BotId, MatchId
from tabiya.storage.sql.postgresql_engine import engine_for
from tabiya.storage.sql.schema.migrate import configuration
from tabiya.storage.sql.schema.revision import VERSION_TABLE
from tabiya.storage.sql.schema.tables import METADATA, REVISION, bots, matches, moves, results
from tabiya.storage.sql.sqlite_engine import writing_engine
from tabiya.storage.sql.upgrade import current, upgrade
from tests.present import present
from tests.storage.postgres import Cluster
from tests.storage.samples import NOON, new_match, result

BOTS = (
    "INSERT INTO bots (name, folded, role, guest, created_at) VALUES "
    "('ada', 'ada', 'bot', '0', 1), ('Bob', 'bob', 'bot', '0', 2)"
)
MATCHES = (
    "INSERT INTO matches (key, game, rules_version, options, start_text, time_control, bot0_id, version0, bot1_id, "
    "version1, rated, illegal_limit, stall_limit_ms, remaining0_us, remaining1_us, credit_left0_us, credit_left1_us, "
    "created_at, status) VALUES ('{key}', 'nim', 1, '{{}}', '3,5', 'none', 1, 'v1', 2, '', '1', 3, 600000, 0, 0, 0, 0, "
    "1750000000.125, '{status}')"
)
MOVES = (
    "INSERT INTO moves (match_id, ply, text, seat, opening, remaining0_us, remaining1_us, illegal0, illegal1, "
    "credit_left0_us, credit_left1_us, server_us, network_us, think_us, credit_us, forgiven_us, at) VALUES "
    "(1, 0, 'b5', 0, '0', 0, 0, 0, 1, 0, 0, 1, 2, 3, 0, 0, 1750000001.5)"
)
RESULT = (
    "INSERT INTO results (match_id, winner, ending, reason, remaining0_us, remaining1_us, ended_at) VALUES "
    "({match}, 0, 'adjudicated', 'the bell rang', 0, 0, 1750000002.5)"
)
FIRST_VERSION = (
    BOTS,
    MATCHES.format(key="m1", status="ended"),
    MATCHES.format(key="m2", status="running"),
    MOVES,
    RESULT.format(match=2),
    RESULT.format(match=1),
    "DELETE FROM results WHERE number = 1",  # a number that is not that of the row's place
)
"""Rows as the first version stored them: one match that has ended, and one that runs."""


def fingerprint(connection: Connection) -> dict[str, Any]:
    """Everything the database knows of its tables, in an order of its own."""
    asked = inspect(connection)
    found: dict[str, Any] = {}
    for name in sorted(set(asked.get_table_names()) - {VERSION_TABLE}):
        found[name] = {
            "columns": [
                (column["name"], str(column["type"]), column["nullable"], _numbered(column))
                for column in asked.get_columns(name)
            ],
            "key": _plain(asked.get_pk_constraint(name)),
            "unique": sorted(map(_plain, asked.get_unique_constraints(name))),
            "checks": sorted(
                (str(check["name"]), _plain(check["sqltext"])) for check in asked.get_check_constraints(name)
            ),
            "foreign": sorted(map(_plain, asked.get_foreign_keys(name))),
            "indexes": sorted(map(_plain, asked.get_indexes(name))),
        }
    return found


def _numbered(column: Any) -> bool:
    return bool(column.get("default"))


def _plain(found: Any) -> str:
    """One text for what the inspector found, whatever objects it is made of."""
    if isinstance(found, dict):
        return str([(name, _plain(value)) for name, value in sorted(found.items())])
    return re.sub(r"\s+", " ", str(found))


def at_first_version(connection: Connection) -> None:
    command.upgrade(configuration(connection), "0001")
    for statement in FIRST_VERSION:
        connection.execute(text(statement))


async def on_postgresql(url: str, work: Callable[[Connection], object]) -> object:
    engine = engine_for(parse_address(url), poolclass=NullPool)
    async with engine.begin() as connection:
        return await connection.run_sync(work)


async def check_what_became_of_it(url: str) -> None:
    store = await open_store(url)
    ended, running = await store.match(MatchId(1)), await store.match(MatchId(2))
    assert ended is not None
    assert ended.result is not None
    assert (ended.result.winner, ended.result.ending, ended.result.reason) == (0, "adjudicated", "the bell rang")
    assert [game.number for game in await store.results()] == [2]
    assert [(move.text, move.illegal_counts, move.at) for move in await store.moves(ended.id)] == [
        ("b5", (0, 1), NOON + 1.375)
    ]
    assert [(times.version, times.moves, times.max_us) for times in await store.move_times(BotId(1))] == [("v1", 1, 3)]
    assert running is not None
    assert (running.status, running.adjudication) == ("running", None)
    await store.finish_match(result(running.id, None, "drawn_by_scores"))
    bots = await store.list_bots()
    agreed = new_match((bots[0], bots[1]), "m3")
    adjudicated = present(await store.match(await store.create_match(agreed)))
    assert adjudicated.adjudication == agreed.adjudication
    assert adjudicated.adjudication is not None
    assert [game.number for game in await store.results()] == [2, 3]
    await store.close()


async def test_a_file_of_the_first_version_is_upgraded_with_all_that_is_in_it(tmp_path: Path) -> None:
    path, made = tmp_path / "old.db", tmp_path / "made.db"
    with writing_engine(path, "process", create=True).connect() as connection, connection.begin():
        at_first_version(connection)
    assert await current(str(path)) == "0001"
    assert await upgrade(str(path)) == REVISION
    with writing_engine(made, "process", create=True).connect() as connection, connection.begin():
        METADATA.create_all(connection)
        expected = fingerprint(connection)
        assert set(expected) == set(METADATA.tables)
    with writing_engine(path, "process").connect() as connection:
        assert fingerprint(connection) == expected
    await check_what_became_of_it(str(path))


async def test_the_counts_of_thinking_can_be_taken_back_and_made_again(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with writing_engine(path, "process", create=True).connect() as connection, connection.begin():
        at_first_version(connection)
        command.upgrade(configuration(connection), "head")
        counted = connection.execute(text("SELECT * FROM thinking")).all()
        command.downgrade(configuration(connection), "0005")
        assert "thinking" not in inspect(connection).get_table_names()
        command.upgrade(configuration(connection), "head")
        assert connection.execute(text("SELECT * FROM thinking")).all() == counted != []


def back_and_forth(connection: Connection) -> None:
    """From each version that there has been to this one, back, and here again: the same tables, no row lost."""
    kept = bots, matches, moves, results
    script = ScriptDirectory.from_config(configuration(connection))
    versions = sorted(revision.revision for revision in script.walk_revisions())
    at_first_version(connection)
    tables: list[dict[str, Any]] = []
    rows: list[list[int]] = []
    for version in versions:
        for target in ("head", version, "head"):
            move = command.downgrade if target == version else command.upgrade
            move(configuration(connection), target)
            if target == "head":
                tables.append(fingerprint(connection))
                rows.append([connection.scalar(select(func.count()).select_from(table)) or 0 for table in kept])
        command.downgrade(configuration(connection), version)
    assert versions[-1] == REVISION
    assert all(found == tables[0] for found in tables)
    assert rows == [[2, 2, 1, 1]] * len(tables)


@pytest.mark.slow
async def test_every_version_can_be_gone_back_to_and_left_again(tmp_path: Path) -> None:
    with writing_engine(tmp_path / "old.db", "process", create=True).connect() as connection, connection.begin():
        back_and_forth(connection)


@pytest.mark.slow
async def test_every_version_can_be_gone_back_to_and_left_again_on_postgresql(cluster: Cluster) -> None:
    await on_postgresql(cluster.create("back"), back_and_forth)


PROGRAM = (
    "INSERT INTO programs (bot_id, number, game, digest, file_name, bytes, created_at, state, report, in_use) VALUES "
    "(1, 1, 'nim', '1f', 'bot.py', 3, 1, 'good', '', '1')"
)


def with_a_program_of_before_it_was_measured(connection: Connection) -> None:
    at_first_version(connection)
    command.upgrade(configuration(connection), "0010")
    connection.execute(text(PROGRAM))
    command.upgrade(configuration(connection), "head")
    command.downgrade(configuration(connection), "0010")
    assert "wishes" not in inspect(connection).get_table_names()
    assert "peak_mb" not in [column["name"] for column in inspect(connection).get_columns("programs")]
    command.upgrade(configuration(connection), "head")


async def check_the_program_of_before(url: str) -> None:
    store = await open_store(url)
    (program,) = await store.programs(BotId(1))
    assert (program.digest, program.in_use, program.measured_turns, program.peak_mb) == ("1f", True, 0, 0.0)
    assert await store.wishes() == ()
    assert await store.check() == []
    await store.close()


async def test_programs_of_before_they_were_measured_have_used_nothing(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    with writing_engine(path, "process", create=True).connect() as connection, connection.begin():
        with_a_program_of_before_it_was_measured(connection)
    await check_the_program_of_before(str(path))


@pytest.mark.slow
async def test_programs_of_before_they_were_measured_have_used_nothing_on_postgresql(cluster: Cluster) -> None:
    url = cluster.create("measured")
    await on_postgresql(url, with_a_program_of_before_it_was_measured)
    await check_the_program_of_before(url)


@pytest.mark.slow
async def test_a_postgresql_of_the_first_version_is_upgraded_with_all_that_is_in_it(cluster: Cluster) -> None:
    url, made = cluster.create("old"), cluster.create("new")
    await on_postgresql(url, at_first_version)
    assert await current(url) == "0001"
    assert await upgrade(url) == REVISION
    await on_postgresql(made, METADATA.create_all)
    assert await on_postgresql(url, fingerprint) == await on_postgresql(made, fingerprint)
    await check_what_became_of_it(url)
