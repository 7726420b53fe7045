"""Very many games in an empty database of either kind, made by the database itself: rows to ask for, no real games."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy import Connection, NullPool

from tabiya.storage.address import Address, parse_address
from tabiya.storage.sql.postgresql_engine import engine_for
from tabiya.storage.sql.schema.tables import matches, moves, results
from tabiya.storage.sql.sqlite_engine import reading_engine, writing_engine
from tabiya.storage.sql.statements.thinking import COLUMNS, OF_ALL

T = TypeVar("T")

BEGAN = 1.75e9
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
BOTS = (
    "INSERT INTO bots (name, folded, token_hash, role, guest, created_at) {numbers} "
    "SELECT name, name, 'hash of ' || name, 'bot', false, {began} "
    "FROM (SELECT 'bot-' || SUBSTR(CAST(10000 + i - 1 AS TEXT), 2) AS name FROM n) AS named"
)
TOURNAMENTS = (
    "INSERT INTO tournaments (name, game, format, settings, seed, status, step, state, created_at, ended_at) {numbers} "
    "SELECT 'tournament ' || i, '{game}', 'swiss', '{{}}', i, 'ended', 1, '{{}}', {began} + i, {began} + 2 * i FROM n"
)
ENTRIES = (
    "INSERT INTO tournament_entries (tournament_id, number, bot_id, version, withdrawn) "
    "SELECT tournaments.id, bots.id, bots.id, '1', false FROM tournaments, bots WHERE bots.id <= 20"
)
# bots meet at random; a tenth of the games are of tournaments; the last thousand run, and three stand still
MATCH = {
    "key": "'game-' || i",
    "game": "CASE i % 5 {games} END",
    "rules_version": "1",
    "options": "'{{}}'",
    "start_text": "'start'",
    "time_control": "'60+0.5'",
    "bot0_id": "1 + (i * 7919 / 13) % {bots}",
    "version0": "'1'",
    "bot1_id": "1 + (i * 104729 / 17) % {bots}",
    "version1": "'1'",
    "rated": "true",
    "illegal_limit": "3",
    "stall_limit_ms": "600000",
    "remaining0_us": "60000000",
    "remaining1_us": "60000000",
    "credit_left0_us": "0",
    "credit_left1_us": "0",
    "tournament_id": "CASE WHEN i % 10 = 0 THEN 1 + i / 10 % {tournaments} END",
    "created_at": "{began} + i",
    "status": "CASE WHEN i % {third} = 1 THEN 'frozen' WHEN i > {count} - {running} THEN 'running' ELSE 'ended' END",
    "frozen_reason": "CASE WHEN i % {third} = 1 THEN 'it stands still' END",
}
MOVE = {
    "match_id": "matches.id",
    "ply": "i - 1",
    "text": "'b3'",
    "seat": "(i - 1) % 2",
    "opening": "false",
    "remaining0_us": "59000000",
    "remaining1_us": "59000000",
    "illegal0": "0",
    "illegal1": "0",
    "credit_left0_us": "0",
    "credit_left1_us": "0",
    "server_us": "100",
    "network_us": "0",
    "think_us": "40000 + i",
    "credit_us": "0",
    "forgiven_us": "0",
    "info": '\'{{"depth":9,"score":-12}}\'',
    "sent_at": "matches.created_at + i",
    "at": "matches.created_at + i + 0.04",
}
RESULT = {
    "match_id": "id",
    "winner": "CASE id % 5 WHEN 0 THEN NULL WHEN 1 THEN 0 WHEN 2 THEN 0 ELSE 1 END",
    "ending": "CASE id % 7 WHEN 0 THEN 'time' ELSE 'line' END",
    "reason": "'it is over'",
    "remaining0_us": "59000000",
    "remaining1_us": "59000000",
    "ended_at": "created_at + 60",
}
SMALL = (
    "INSERT INTO failures (match_id, seat, text) SELECT id, id % 2, 'KeyError' FROM matches WHERE id % 20 = 0",
    "INSERT INTO reviews (match_id, judged_by, judged) SELECT id, 'pvs', '{{}}' FROM matches WHERE id % 50 = 0",
    f"INSERT INTO thinking ({COLUMNS}) {OF_ALL}",
)


def fill(connection: Connection, games: int, plies: int, names: Sequence[str], bots: int = 200) -> None:
    """Rows for so many games of so many plies each.  names: of five games."""
    tournaments = max(1, games // 2_000)
    facts = {
        "bots": bots,
        "began": BEGAN,
        "tournaments": tournaments,
        "count": games,
        "running": min(1_000, games // 20),
        "game": names[0],
        "third": games // 3 + 1,
        "games": " ".join(f"WHEN {number} THEN '{name}'" for number, name in enumerate(names)),
    }
    is_postgresql = connection.dialect.name == "postgresql"
    if is_postgresql:  # no look at each row that another one refers to
        connection.exec_driver_sql("SET session_replication_role = replica")
    for count, statement in (
        (bots, BOTS),
        (tournaments, TOURNAMENTS),
        (1, ENTRIES),
        (games, _into(matches, MATCH, "FROM n")),
        (plies, _into(moves, MOVE, "FROM matches CROSS JOIN n")),
        (1, _into(results, RESULT, "FROM matches WHERE status = 'ended'")),
        *((1, statement) for statement in SMALL),
    ):
        connection.exec_driver_sql(statement.format(**facts, numbers=NUMBERS.format(count=count)))
    connection.commit()
    if is_postgresql:  # as it does by itself; a file has no statistics
        connection.exec_driver_sql("ANALYZE")
        connection.commit()


def _into(table: object, values: dict[str, str], source: str) -> str:
    numbers = "{numbers} " if " n" in source else ""
    return f"INSERT INTO {table} ({', '.join(values)}) {numbers}SELECT {', '.join(values.values())} {source}"


def on_database(url: str, work: Callable[[Connection], T], *, writing: bool = False) -> T:
    """What a function finds over a connection to the database at an address."""
    address = parse_address(url)
    if address.kind == "sqlite":
        engine = writing_engine(address.path, "process") if writing else reading_engine(address.path, 1)
        with engine.connect() as connection:
            return work(connection)
    return asyncio.run(_on_postgresql(address, work))


async def _on_postgresql(address: Address, work: Callable[[Connection], T]) -> T:
    async with engine_for(address, None, poolclass=NullPool).connect() as connection:
        return await connection.run_sync(work)
