"""What the statements ask for; what they answer is in the tests of every store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import event

from tabiya.storage.records import TournamentId
from tabiya.storage.sql.schema.migrate import migrate
from tabiya.storage.sql.sqlite_engine import writing_engine
from tabiya.storage.sql.statements.reads import read_tournament


def test_for_a_tournament_that_is_not_there_no_entries_of_others_are_read(tmp_path: Path) -> None:
    engine, asked = writing_engine(tmp_path / "tabiya.db", "process", create=True), list[str]()
    with engine.connect() as connection, connection.begin():
        migrate(connection)

        @event.listens_for(engine, "before_cursor_execute")
        def _note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
            asked.append(statement)

        assert read_tournament(connection, TournamentId(7)) is None
    assert not any("tournament_entries" in statement for statement in asked)
    assert any("FROM tournaments" in statement for statement in asked)
