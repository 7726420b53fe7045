"""Every question that pages, standings, restarts and operators ask the database, as its statements ask it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy import Connection, event

from tabiya.games.registry import names
from tabiya.storage.program_records import ProgramId
from tabiya.storage.records import BotId, GameFilter, MatchFilter, MatchId, TournamentId
from tabiya.storage.sql.statements import bot_games, hosted_programs, match_loader, program_leases, reads
from tabiya.storage.sql.statements.audit import read_audit
from tabiya.storage.sql.statements.hosts import read_hosts
from tabiya.storage.sql.statements.wishes import read_wishes

Question = Callable[[Connection], object]

GROWING = r"(matches|moves|results|thinking|failures|reviews)\b"
WHOLE = re.compile(rf"Seq Scan on {GROWING}|^SCAN {GROWING}")  # as PostgreSQL and SQLite say it
EXPLAIN = {"postgresql": "EXPLAIN", "sqlite": "EXPLAIN QUERY PLAN"}

BOT, OTHER, TOURNAMENT, MATCH = BotId(7), BotId(8), TournamentId(1), MatchId(777)
GAME, NAME = names()[0], "bot-0007"
SEVERAL = [MatchId(number) for number in range(1, 201)]
LISTS = {
    "newest": MatchFilter(),
    "ended": MatchFilter(status="ended"),
    "running": MatchFilter(status="running"),
    "frozen": MatchFilter(status="frozen"),
    "older": MatchFilter(before_id=MATCH),
    "newer": MatchFilter(after_id=MATCH),
    "game": MatchFilter(game=GAME, before_id=MATCH),
    "bot": MatchFilter(bot=NAME),
    "bot, older": MatchFilter(bot=NAME, before_id=MATCH),
    "bot, game": MatchFilter(bot=NAME, game=GAME, status="ended"),
    "bot, running": MatchFilter(bot=NAME, status="running"),
    "tournament": MatchFilter(tournament_id=TOURNAMENT),
    "tournament, running": MatchFilter(tournament_id=TOURNAMENT, status="running"),
    "tournament, ended": MatchFilter(tournament_id=TOURNAMENT, status="ended"),
    "export": MatchFilter(status="ended", after_id=MATCH, limit=500),
}
GAMES = {
    "newest": GameFilter(bot_id=BOT, limit=200),
    "of a game": GameFilter(bot_id=BOT, game=GAME, limit=200),
    "oldest": GameFilter(bot_id=BOT, game=GAME, oldest_first=True, limit=1),
    "against": GameFilter(bot_id=BOT, against=OTHER, game=GAME),
    "between": GameFilter(bot_id=BOT, after=MATCH, before=MatchId(10_000)),
}
QUESTIONS: dict[str, Question] = {
    **{f"list {name}": partial(reads.list_matches, wanted=wanted) for name, wanted in LISTS.items()},
    **{f"games of a bot, {name}": partial(bot_games.games_of_bot, wanted=wanted) for name, wanted in GAMES.items()},
    "match": lambda asked: reads.read_match(asked, MATCH),
    "moves": lambda asked: reads.read_moves(asked, MATCH),
    "move lists": lambda asked: reads.move_lists(asked, SEVERAL),
    "openings of games": lambda asked: bot_games.game_openings(asked, SEVERAL, 6),
    "thinking in games": lambda asked: bot_games.think_times(asked, SEVERAL),
    "failure": lambda asked: reads.read_failure(asked, MATCH),
    "failures of a bot": lambda asked: bot_games.failures_of(asked, BOT, 10),
    "review": lambda asked: reads.read_review(asked, MATCH),
    "results": lambda asked: reads.read_results(asked, after=7, limit=4_000),
    "thinking": lambda asked: reads.move_times(asked, BOT),
    "endings of a tournament": lambda asked: reads.ending_counts(asked, TOURNAMENT),
    "matches of a tournament": lambda asked: reads.tournament_matches(asked, TOURNAMENT),
    "unfinished": match_loader.unfinished_matches,
    "hosts of matches": match_loader.hosts_of_matches,
    "whole": lambda asked: match_loader.whole_matches(asked, SEVERAL),
    "hosts": read_hosts,
    "stored": lambda asked: match_loader.stored_matches(asked, MatchFilter(after_id=MATCH, limit=100)),
    "bot": lambda asked: reads.read_bot(asked, BOT),
    "bot by name": lambda asked: reads.bot_by_name(asked, NAME),
    "bot by token": lambda asked: reads.bot_by_token_hash(asked, "hash"),
    "bots": lambda asked: reads.list_bots(asked, after=7, limit=100),
    "tournament": lambda asked: reads.read_tournament(asked, TOURNAMENT),
    "tournaments": lambda asked: reads.list_tournaments(asked, limit=50),
    "tournaments that ended": lambda asked: reads.ended_tournaments(asked, 5),
    "programs of a bot": lambda asked: hosted_programs.programs_of(asked, BOT),
    "open programs": hosted_programs.open_programs,
    "all programs": hosted_programs.all_programs,
    "files of a program": lambda asked: hosted_programs.program_files(asked, ProgramId(1)),
    "leases": program_leases.leases_of_open_programs,
    "wishes": read_wishes,
    "session": lambda asked: reads.read_session(asked, "hash"),
    "orders": lambda asked: read_audit(asked, limit=50),
    "setting": lambda asked: reads.read_setting(asked, "name"),
}


def plan(connection: Connection, question: Question) -> list[str]:
    """The lines of the plans of all that is asked for a question."""
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        asked.append((statement, parameters))

    event.listen(connection, "before_cursor_execute", note)
    question(connection)
    event.remove(connection, "before_cursor_execute", note)
    assert asked
    explain = EXPLAIN[connection.dialect.name]
    lines = [connection.exec_driver_sql(f"{explain} {statement}", parameters).all() for statement, parameters in asked]
    return [str(line[-1]) for each in lines for line in each]


def gone_through(lines: list[str]) -> list[str]:
    """The tables that grow with the games and are gone through from end to end, by the lines of a plan."""
    found = [WHOLE.search(line) for line in lines]
    return sorted({match[1] or match[2] for match in found if match})
