"""The table of grades: standings of the stages, move times and losses from the stored games."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tabiya.classroom.record import Entry, ResourceUsage, RunRecord
from tabiya.server.grading.formula import grade
from tabiya.server.grading.game_counts import WITHDRAWN, GameCounts, counts_of
from tabiya.storage.records import MatchRecord, TournamentId
from tabiya.storage.store import Store

COLUMNS = {
    "rank": "#",
    "name": "name",
    "grade": "grade",
    "staff": "against staff",
    "check": "check, %",
    "points": "points",
    "games": "games",
    "final_rank": "final #",
    "final_points": "final points",
    "wins": "won",
    "draws": "drawn",
    "losses": "lost",
    "on_time": "lost on time",
    "illegal": "lost by illegal moves",
    "mean_move_ms": "mean move, ms",
    "max_move_ms": "longest, ms",
    "cpu_s": "CPU, s",
    "peak_mb": "memory, MB",
    "version": "version",
    "note": "note",
}
# Columns that a narrow terminal leaves out, in this order.
SPARE = (
    ("version",),
    ("staff",),
    ("cpu_s", "peak_mb"),
    ("illegal",),
    ("mean_move_ms", "max_move_ms"),
    ("check",),
    ("on_time",),
)
NO_HINTS: Mapping[str, str] = MappingProxyType({})
MUCH_MEMORY = 0.8  # of what it may use
STAGES = ("qualifier", "final", "staff")
FOR_STAFF = ("grade", "staff")  # columns that are empty in a run without staff bots


@dataclass(slots=True)
class GameTimes:
    """The move times in the stored games. by_name: of each bot."""

    by_name: defaultdict[str, GameCounts] = field(default_factory=lambda: defaultdict(GameCounts))

    async def read(self, store: Store, match: MatchRecord, counted: AbstractSet[str] | None = None) -> None:
        """Add one match. counted: the bots that it counts for; None for both."""
        for seat, counts in zip(match.seats, await counts_of(store, match), strict=True):
            if counted is None or seat.bot in counted:
                self.by_name[seat.bot].include(counts)


async def read_games(store: Store, record: RunRecord) -> GameTimes:
    """The games of the run, and those against staff bots that are kept from earlier ones. Raises StoreError."""
    games = GameTimes()
    for number, tournament in enumerate(record.earlier, 1):
        kept = {entry.name for entry in record.entries if entry.since <= number}
        await _read_tournament(store, games, tournament, kept)
    for stage in (record.staff, record.qualifier, record.final):
        await _read_tournament(store, games, stage, {entry.name for entry in record.entries})
    return games


async def _read_tournament(store: Store, games: GameTimes, number: int | None, bots: AbstractSet[str]) -> None:
    if number and bots:
        for match in await store.tournament_matches(TournamentId(number)):
            await games.read(store, match, bots)


def rows(record: RunRecord, games: GameTimes, hints: Mapping[str, str] = NO_HINTS) -> list[dict[str, Any]]:
    """A row for every entry: finalists first, then by the qualifier or the grade, then those that did not play.

    hints: a sentence more for the note, by name.
    """
    lines = {stage: {line["bot"]: line for line in record.standings.get(stage, [])} for stage in STAGES}
    found = []
    for entry in record.entries:
        first, last, against_staff = (lines[stage].get(entry.name) for stage in STAGES)
        used, times = record.usage.get(entry.name, ResourceUsage()), games.by_name.get(entry.name, GameCounts())
        played = [line for line in (first, last, against_staff) if line]
        row: dict[str, Any] = {
            "name": entry.name,
            "source": entry.source,
            "grade": _grade(record, entry),
            "staff": _against_staff(record, entry),
            "check": entry.grade,
            "points": first["points"] if first else None,
            "games": sum(line["played"] for line in played),
            "final_rank": last["rank"] if last else None,
            "final_points": last["points"] if last else None,
            **{key: sum(line[key] for line in played) for key in ("wins", "draws", "losses")},
            "on_time": times.on_time,
            "illegal": times.illegal,
            "mean_move_ms": _rounded(times.mean_ms),
            "max_move_ms": _rounded(times.longest_ms),
            "cpu_s": used.cpu_s,
            "peak_mb": used.peak_mb,
            "version": entry.digest,
            "note": "; ".join(filter(None, [_note(record, entry, times, played, used), hints.get(entry.name)])),
        }
        if not played:  # empty cells: zeros would look like games that it lost
            row |= dict.fromkeys(("games", "wins", "draws", "losses", "on_time", "illegal", "cpu_s", "peak_mb"))
        found.append((_place(entry, first, last, row["grade"] if played else None), row))
    found.sort(key=lambda pair: (*pair[0], pair[1]["name"].casefold()))
    return _ranked(found)


def _grade(record: RunRecord, entry: Entry) -> float | None:
    """None before the games against staff bots are over, and without any. What cannot play has earned nothing."""
    if entry.is_staff or "staff" not in record.standings:
        return None
    staff = {bot.name: bot for bot in record.rules.staff}
    return grade(staff, record.staff_scores.get(entry.name, {}))


def _against_staff(record: RunRecord, entry: Entry) -> str | None:
    """The points and games against each staff bot; None without any."""
    scores = record.staff_scores.get(entry.name)
    if not scores:
        return None
    return ", ".join(
        f"{bot.player} {points:g}/{games}"
        for bot in record.rules.staff
        for points, games in [scores.get(bot.name, (0.0, 0))]
    )


def _rounded(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else round(milliseconds, 2)


def _note(record: RunRecord, entry: Entry, times: GameCounts, played: list[dict[str, Any]], used: ResourceUsage) -> str:
    return entry.problem or "; ".join([*times.remarks, *_oddities(record, entry, played, used)])


def _oddities(record: RunRecord, entry: Entry, played: list[dict[str, Any]], used: ResourceUsage) -> Iterator[str]:
    """A program's problems beside its games, a sentence each."""
    if entry.since < record.number and not entry.is_staff:
        yield f"its games against staff bots are those of run {entry.since}"
    if any(line["withdrawn"] for line in played):
        yield WITHDRAWN
    limit = record.rules.memory_mb
    if used.incidents:
        yield _in_short(used.incidents)
    elif used.peak_mb > MUCH_MEMORY * limit:
        yield f"it used {used.peak_mb:.0f} of {limit} MB"


def _in_short(incidents: list[str]) -> str:
    """Failures with their counts; the output of each is in the record."""
    counts = Counter(text.partition(":")[0] for text in incidents)
    return "; ".join(f"{text} ({count} times)" if count > 1 else text for text, count in counts.items())


def table_rows(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows as a table shows them: points without needless zeros."""
    points = ("points", "final_points")
    return [row | {key: f"{row[key]:g}" for key in points if row[key] is not None} for row in found]


def _place(
    entry: Entry, first: dict[str, Any] | None, last: dict[str, Any] | None, earned: float | None
) -> tuple[float, ...]:
    """The sort key of a row; equal places share a rank."""
    if entry.is_staff:
        return (3, 0)
    if last:
        return (0, last["rank"])
    if first:
        return (1, first["rank"])
    return (1, -earned) if earned is not None else (2, 0)


def _ranked(found: list[tuple[tuple[float, ...], dict[str, Any]]]) -> list[dict[str, Any]]:
    ranks: dict[tuple[float, ...], int] = {}
    for number, (place, _) in enumerate(found, 1):
        ranks.setdefault(place, number)
    return [{"rank": ranks[place] if place[0] < 2 else None} | row for place, row in found]
