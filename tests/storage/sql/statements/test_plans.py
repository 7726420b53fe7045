"""How the databases answer: by an index, whatever is asked; no table that grows with the games is gone through."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, NullPool, event, text

from tabiya.storage.address import parse_address
from tabiya.storage.records import BotId, MatchFilter, MatchId, TournamentId
from tabiya.storage.sql.postgresql import engine_for
from tabiya.storage.sql.sqlite_engine import reading_engine
from tabiya.storage.sql.statements import bot_games, match_loader, reads

Question = Callable[[Connection], object]
NEWEST = frozenset({"SCAN matches"})  # from its end, by number, as far as the limit

LISTS = {
    "newest": MatchFilter(),
    "ended": MatchFilter(status="ended"),
    "running": MatchFilter(status="running"),
    "frozen": MatchFilter(status="frozen"),
    "older": MatchFilter(before_id=MatchId(7)),
    "newer": MatchFilter(after_id=MatchId(7)),
    "game": MatchFilter(game="nim", before_id=MatchId(7)),
    "bot": MatchFilter(bot="ada"),
    "bot, older": MatchFilter(bot="ada", before_id=MatchId(7)),
    "bot, game": MatchFilter(bot="ada", game="nim", status="ended"),
    "bot, running": MatchFilter(bot="ada", status="running"),
    "tournament": MatchFilter(tournament_id=TournamentId(1)),
}
SORTED = {"unfinished"}  # the moves of the running matches alone, once when a server starts
SCANNED = dict.fromkeys(("list newest", "list ended"), NEWEST)
QUESTIONS: dict[str, Question] = {
    **{f"list {name}": partial(reads.list_matches, wanted=wanted) for name, wanted in LISTS.items()},
    "match": lambda asked: reads.read_match(asked, MatchId(1)),
    "moves": lambda asked: reads.read_moves(asked, MatchId(1)),
    "move lists": lambda asked: reads.move_lists(asked, [MatchId(1), MatchId(2)]),
    "failure": lambda asked: reads.read_failure(asked, MatchId(1)),
    "failures of a bot": lambda asked: bot_games.failures_of(asked, BotId(1), 10),
    "review": lambda asked: reads.read_review(asked, MatchId(1)),
    "results": lambda asked: reads.read_results(asked, after=7, limit=4_000),
    "thinking": lambda asked: reads.move_times(asked, BotId(1)),
    "endings of a tournament": lambda asked: reads.ending_counts(asked, tournament_id=TournamentId(1)),
    "matches of a tournament": lambda asked: reads.tournament_matches(asked, TournamentId(1)),
    "unfinished": match_loader.unfinished_matches,
    "stored": lambda asked: match_loader.stored_matches(asked, MatchId(7), 100),
}


def plan(connection: Connection, question: Question, explain: str) -> list[str]:
    """The lines of the plans of all that is asked for a question."""
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        asked.append((statement, parameters))

    event.listen(connection, "before_cursor_execute", note)
    question(connection)
    event.remove(connection, "before_cursor_execute", note)
    assert asked
    lines = [connection.exec_driver_sql(f"{explain} {statement}", parameters).all() for statement, parameters in asked]
    return [str(line[-1]) for each in lines for line in each]


@pytest.mark.parametrize("name", QUESTIONS)
def test_sqlite_goes_through_no_table_of_games_and_sorts_no_list(name: str, empty_file: Path) -> None:
    engine = reading_engine(empty_file, 1)
    with engine.connect() as connection:
        lines = plan(connection, QUESTIONS[name], "EXPLAIN QUERY PLAN")
    engine.dispose()
    found = {line for line in lines if re.match(r"SCAN (matches|moves|results|thinking|failures|reviews)\b", line)}
    assert found - SCANNED.get(name, frozenset()) == set(), lines
    assert not name.startswith("list bot") or "ix_matches_game_id" not in str(lines), lines  # all matches of a game
    assert name in SORTED or not [line for line in lines if "TEMP B-TREE FOR ORDER BY" in line], lines


async def test_postgresql_has_an_index_for_every_question(empty_database: str) -> None:
    """On tables without rows it would take none; told to keep from going through tables, it does so only if it must."""

    def plans(connection: Connection) -> dict[str, list[str]]:
        connection.execute(text("SET enable_seqscan = off"))
        return {name: plan(connection, question, "EXPLAIN") for name, question in QUESTIONS.items()}

    engine = engine_for(parse_address(empty_database), poolclass=NullPool)
    async with engine.connect() as connection:
        found = await connection.run_sync(plans)
    await engine.dispose()
    for name, lines in found.items():
        assert not [line for line in lines if re.search(r"Seq Scan on (matches|moves|results|thinking)", line)], name
        assert any("Index" in line for line in lines), name
