"""Makes a large database: rows of real games copied under new ids, with other players, over some weeks.

`tabiya verify` finds no fault in it: moves, clocks and results of a game are the real ones, only later. The players of
each pair of games are drawn, with seats such that the stronger one is likelier to win.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
import sqlite3
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from tabiya.server.matches.pair_keys import pair_key, place_in_run, run_name
from tabiya.storage.sql.schema.tables import matches, moves, results
from tabiya.storage.sql.statements.thinking import COLUMNS, OF_ALL
from tabiya.storage.sql.upgrade import upgrade

DAYS, SPREAD = 60, 1.0  # of the games' times; of the players' strengths, in natural units
AT_ONCE = 20_000  # games copied in one transaction
Game = tuple[int, int | None]  # id, winning seat
Copy = tuple[int, int, str, int, int, float]  # new id, id in the source, key, the two bots, seconds later


def make(path: Path, source: Path, games: int, bots: int, seed: int) -> None:
    """A new database of so many games. Raises FileExistsError.

    source: a database of games between two bots in pairs, as `tabiya match ... --database FILE` writes it.
    """
    if path.exists():
        raise FileExistsError(f"{path} is there already")
    path.touch(mode=0o600)
    asyncio.run(upgrade(str(path)))
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as file:
        for setting in ("journal_mode=WAL", "synchronous=OFF", "cache_size=-200000"):
            file.execute(f"PRAGMA {setting}").fetchall()
        file.execute("ATTACH ? AS source", (str(source),))
        file.execute(
            "CREATE TEMP TABLE copies (id INTEGER PRIMARY KEY, source INT, key TEXT, bot0 INT, bot1 INT, later REAL)"
        )
        _add_bots(file, bots)
        copies = _drawn(_pairs(file), games, bots, random.Random(seed))
        while part := list(islice(copies, AT_ONCE)):
            _copy(file, part)
        file.execute(f"INSERT INTO thinking ({COLUMNS}) {OF_ALL}")
        file.execute("DETACH source")


def _add_bots(file: sqlite3.Connection, bots: int) -> None:
    names = [f"bot-{number:04}" for number in range(bots)]
    file.executemany(
        "INSERT INTO bots (name, folded, role, guest, created_at) VALUES (?, ?, 'bot', 0, 1.7e9)",
        [(name, name) for name in names],
    )


def _pairs(file: sqlite3.Connection) -> list[tuple[Game, Game]]:
    """The pairs of games in the source."""
    places: dict[tuple[str, int], Game] = {}
    for match, key, winner in file.execute(
        "SELECT m.id, m.key, r.winner FROM source.matches m JOIN source.results r ON r.match_id = m.id "
        "WHERE r.ending <> 'aborted' AND r.lost_turn IS NULL"
    ):
        if place := place_in_run(key):
            places[place] = match, winner
    return [(places[run, n], places[run, n + 1]) for run, n in places if n % 2 == 0 and (run, n + 1) in places]


def _drawn(pairs: list[tuple[Game, Game]], games: int, bots: int, chance: random.Random) -> Iterator[Copy]:
    """Copies, two of a pair one after the other."""
    strengths = [chance.gauss(0, SPREAD) for _ in range(bots)]
    for number in range(0, games, 2):
        one, two = chance.sample(range(bots), 2)
        first, second = chance.choice(pairs)
        surplus = _points(first[1]) - _points(second[1])  # of who has seat 0 in the first game, -1 to 1
        if chance.random() > 1 / (1 + math.exp(-2 * surplus * (strengths[one] - strengths[two]))):
            one, two = two, one
        run, later = run_name(f"copy {number // 2}"), DAYS * 86_400 * number / games
        yield number + 1, first[0], pair_key(run, 0), one + 1, two + 1, later
        yield number + 2, second[0], pair_key(run, 1), two + 1, one + 1, later


def _points(winner: int | None) -> float:
    return 0.5 if winner is None else 1.0 - winner


def _copy(file: sqlite3.Connection, copies: list[Copy]) -> None:
    later = {name: f"s.{name} + c.later" for name in ("created_at", "sent_at", "at", "ended_at")}
    match = {"id": "c.id", "key": "c.key", "bot0_id": "c.bot0", "bot1_id": "c.bot1", "tournament_id": "NULL"}
    file.execute("BEGIN")
    file.execute("DELETE FROM copies")
    file.executemany("INSERT INTO copies VALUES (?, ?, ?, ?, ?, ?)", copies)
    for table, changed, order in (
        (matches, match | {"version0": "'1'", "version1": "'1'"}, "c.id"),
        (moves, {"match_id": "c.id"}, "c.id, s.ply"),
        (results, {"number": "c.id", "match_id": "c.id"}, "c.id"),
    ):
        file.execute(_copying(table, later | changed, order))
    file.execute("COMMIT")


def _copying(table: Any, changed: dict[str, str], order: str) -> str:
    names = [column.name for column in table.c]
    values = ", ".join(changed.get(name, f"s.{name}") for name in names)
    of = "s.id" if table is matches else "s.match_id"
    return (
        f"INSERT INTO {table.name} ({', '.join(names)}) SELECT {values} "  # noqa: S608
        f"FROM copies c CROSS JOIN source.{table.name} s ON {of} = c.source ORDER BY {order}"
    )
