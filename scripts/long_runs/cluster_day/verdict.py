"""The checks after the day: of the database, of the bots' messages, and of the logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scripts.long_runs import class_day
from scripts.long_runs.checks.postconditions import Stored, faults_in
from scripts.long_runs.class_day import OWN_DOING
from scripts.long_runs.cluster_day.bots import BotMessages
from scripts.long_runs.harness.random_bots import Notes
from scripts.long_runs.harness.standby_server import CommandProcess
from tabiya.games.endings import Ending
from tabiya.server.standings.compute import fit_standings
from tabiya.server.standings.counters import CountedResults, View
from tabiya.storage.open import open_store
from tabiya.storage.records import GameResult, MatchId, MoveRecord

ALARMS = ("Traceback", " CRITICAL ", "an internal error", "has lost moves")
WITHIN_ELO = 0.05
RESULTS = 4_000


def find_faults(stored: Stored, messages: BotMessages, tournaments: Iterable[dict[str, Any]]) -> list[str]:
    """The faults of moves, matches and tournaments, a sentence each."""
    results = {number: match.result for number, match in stored.matches.items() if match.result is not None}
    found = [*messages.notes.faults, *faults_in(stored), *messages.recorder.missing(stored.rows, results)]
    found += [f"match {number} is not over" for number in stored.matches if number not in results]
    found += [f"match {number} is frozen" for number, match in stored.matches.items() if match.frozen_reason]
    found += [
        f"match {number} was lost by nobody's doing: {result.ending}, {result.reason}"
        for number, result in results.items()
        if result.ending not in (*OWN_DOING, Ending.DRAW_AGREED)
    ]
    found += never_sent(stored.rows, messages.sent_moves)
    for tournament in tournaments:
        found += [
            f"{tournament['name']}: {fault}" for fault in class_day.find_faults(tournament | {"took_s": 0}, Notes())
        ]
    if not messages.recorder.moves:
        found.append("nobody was told a move")
    return found


def never_sent(
    rows: Mapping[MatchId, Iterable[MoveRecord]], sent_moves: Mapping[tuple[int, int], set[str]]
) -> Iterator[str]:
    """The stored moves that no bot has sent for that ply."""
    for match, moves in rows.items():
        for row in moves:
            if not row.opening and row.text not in sent_moves.get((int(match), row.ply), ()):
                yield f"match {match}: ply {row.ply} is stored as {row.text}, which nobody has sent"


def charged_s(stored: Stored, messages: BotMessages) -> list[float]:
    """For every move the seconds charged beyond the time between turn and move at the bot."""
    return [
        row.think_us / 1e6 - messages.thought_s.get((int(match), row.ply), 0.0)
        for match, rows in stored.rows.items()
        for row in rows
        if not row.opening
    ]


async def wrong_ratings(database: str, standings: Mapping[str, Any]) -> list[str]:
    """The ratings that the server showed, compared with a fit of all stored results."""
    tally, results = CountedResults(), list[GameResult]()
    store = await open_store(database, create=False, readers=1, read_only=True)
    try:
        while page := await store.results(after=results[-1].number if results else 0, limit=RESULTS):
            results += page
    finally:
        await store.close()
    tally.add_all(results)
    found = []
    for game, shown in standings.items():
        own = {row.bot: (row.rating, row.games) for row in fit_standings(tally.of(game), View()).standings.rows}
        published = {row["bot"]: (row["rating"], row["games"]) for row in shown["rows"]}
        found += [
            f"{bot} was shown as {published.get(bot)} in {game}; the results say {own.get(bot)}"
            for bot in sorted(own.keys() | published.keys())
            if not _is_equal(own.get(bot), published.get(bot))
        ]
    return found


def _is_equal(own: tuple[float, int] | None, shown: tuple[float, int] | None) -> bool:
    return own is not None and shown is not None and own[1] == shown[1] and abs(own[0] - shown[0]) < WITHIN_ELO


def alarms(processes: Iterable[CommandProcess]) -> list[str]:
    """The faults in the logs, each once."""
    found = Counter[str]()
    for process in processes:
        lines = process.log.read_text("utf-8", "replace").splitlines()
        found.update(f"{process.name}: {line.strip()[-200:]}" for line in lines if any(word in line for word in ALARMS))
    return [f"{count} times in the log of {line}" for line, count in found.items()]
