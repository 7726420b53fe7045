"""The games of a bot are found by the index on the bots of a match, in its order: the others are not visited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from tabiya.storage.records import BotId, GameFilter, MatchId
from tabiya.storage.sql.schema.migrate import migrate
from tabiya.storage.sql.sqlite_engine import writing_engine
from tabiya.storage.sql.statements.bot_games import game_openings, games_of_bot, think_times

ADA, BOB = BotId(1), BotId(2)


def plans(path: Path, question: Any, *args: Any) -> list[list[str]]:
    """What SQLite does for each statement of a question, table by table."""
    engine, asked = writing_engine(path, "process", create=True), list[tuple[str, Any]]()
    with engine.connect() as connection, connection.begin():
        migrate(connection)

        @event.listens_for(engine, "before_cursor_execute")
        def _note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
            asked.append((statement, parameters))

        question(connection, *args)
        event.remove(engine, "before_cursor_execute", _note)
        cursor = connection.connection.cursor()
        return [[row[3] for row in cursor.execute(f"EXPLAIN QUERY PLAN {printed}", given)] for printed, given in asked]


@pytest.mark.parametrize(
    "wanted",
    [
        GameFilter(bot_id=ADA),
        GameFilter(bot_id=ADA, game="reversi", oldest_first=True, after=MatchId(5)),
        GameFilter(bot_id=ADA, game="reversi", against=BOB, before=MatchId(5)),
    ],
)
def test_games_are_found_by_the_bot_and_in_the_order_of_its_index(tmp_path: Path, wanted: GameFilter) -> None:
    for seat, plan in enumerate(plans(tmp_path / "tabiya.db", games_of_bot, wanted)):
        index = f"SEARCH matches USING INDEX ix_matches_bot{seat}_id_id (bot{seat}_id=?"
        assert any(step.startswith(index) for step in plan), plan
        assert not [step for step in plan if "SCAN" in step or "TEMP B-TREE" in step], plan


def test_openings_and_times_of_matches_visit_the_moves_of_these_only(tmp_path: Path) -> None:
    chosen = [MatchId(1), MatchId(2)]
    for number, (question, more) in enumerate(((game_openings, (2,)), (think_times, ()))):
        for plan in plans(tmp_path / f"{number}.db", question, chosen, *more):
            assert not [step for step in plan if "SCAN" in step], plan
