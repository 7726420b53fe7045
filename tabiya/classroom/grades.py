"""Who has earned what: standings of the stages, move times and losses from the stored games, one row a student."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tabiya.bots.client.choice import NOT_ITS_OWN
from tabiya.classroom.record import Entry, ResourceUsage, RunRecord
from tabiya.classroom.staff import grade
from tabiya.games.endings import PROGRAM_FAILED, Ending
from tabiya.match.score import LOST_ON_TIME, MoveTimes
from tabiya.storage.records import MatchId, MatchRecord, ResultRecord, TournamentId
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
# What a narrow terminal leaves out, the first ones first.
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
LONGEST_ERROR = 200  # in a note; `tabiya matches show` has all of it
MUCH_MEMORY = 0.8  # of what it may use
STAGES = ("qualifier", "final", "staff")
FOR_STAFF = ("grade", "staff")  # columns that are empty in a run without staff bots


@dataclass(slots=True)
class BotTimes(MoveTimes):
    """One bot's move times in all its games, and what was odd in them.

    on_time, illegal: games lost so.  failed: because its program has failed.  left: because it was gone and did not
    come back.  by_order: games that an operator's order decided for it.  refused: illegal moves, also in games that it
    did not lose by them.  not_own: moves that were played in its place.  error: the latest by which its program failed.
    """

    on_time: int = 0
    illegal: int = 0
    failed: int = 0
    left: int = 0
    by_order: int = 0
    refused: int = 0
    not_own: int = 0
    error: str = ""

    @property
    def remarks(self) -> list[str]:
        """What a grade should not rest on unseen."""
        counted = (
            (self.failed, "game", "its program failed in {}" + self._error),
            (self.left, "game", "it left {} and did not come back"),
            (self.on_time, "game", "{} lost on time"),
            (self.illegal, "game", "{} lost by illegal moves"),
            (self.refused, "illegal move", "{}"),
            (self.not_own, "move", "{} played in its place"),
            (self.by_order, "game", "{} won by an operator's order"),
        )
        return [text.replace("{}", _counted(count, what)) for count, what, text in counted if count]

    @property
    def _error(self) -> str:
        return f" ({self.error[:LONGEST_ERROR]})" if self.error else ""


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


@dataclass(slots=True)
class GameTimes:
    """The move times in the stored games. by_name: of each bot."""

    by_name: defaultdict[str, BotTimes] = field(default_factory=lambda: defaultdict(BotTimes))

    async def read(self, store: Store, match: MatchRecord, counted: AbstractSet[str] | None = None) -> None:
        """Add one match. counted: the bots that it counts for; None for both."""
        wanted = [seat.bot for seat in match.seats if counted is None or seat.bot in counted]
        bots = [self.by_name[seat.bot] if seat.bot in wanted else BotTimes() for seat in match.seats]
        refused = [0, 0]
        for move in await store.moves(MatchId(match.id)):
            refused = list(move.illegal_counts)
            if not move.opening:
                bots[move.seat].add(move.think_us)
                bots[move.seat].not_own += str((move.info or {}).get("text", "")).startswith(NOT_ITS_OWN)
        result = match.result
        if result is not None and result.winner is not None:
            loser = 1 - result.winner
            _add_loss(bots[loser], result)
            if (failure := await store.failure(MatchId(match.id))) is not None:
                bots[failure.seat].error = failure.text
            if result.ending == Ending.ILLEGAL_MOVES:
                refused[loser] = match.illegal_limit  # no move came after the last ones
            # no order is given in a run: where one was, somebody has had the operator's token
            bots[result.winner].by_order += result.ending == Ending.ADJUDICATED
        for bot, count in zip(bots, refused, strict=True):
            bot.refused += count


def _add_loss(loser: BotTimes, result: ResultRecord) -> None:
    loser.on_time += result.ending in LOST_ON_TIME
    loser.illegal += result.ending == Ending.ILLEGAL_MOVES
    loser.failed += result.ending == Ending.RESIGNATION and result.reason.endswith(PROGRAM_FAILED)
    loser.left += result.ending == Ending.ABANDONED


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
        used, times = record.usage.get(entry.name, ResourceUsage()), games.by_name.get(entry.name, BotTimes())
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
    return grade(record.rules.staff, record.staff_scores.get(entry.name, {}))


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


def _note(record: RunRecord, entry: Entry, times: BotTimes, played: list[dict[str, Any]], used: ResourceUsage) -> str:
    return entry.problem or "; ".join([*times.remarks, *_oddities(record, entry, played, used)])


def _oddities(record: RunRecord, entry: Entry, played: list[dict[str, Any]], used: ResourceUsage) -> Iterator[str]:
    """What was odd about a program beside its games, a sentence each."""
    if entry.since < record.number and not entry.is_staff:
        yield f"its games against staff bots are those of run {entry.since}"
    if any(line["withdrawn"] for line in played):
        yield "it was withdrawn and forfeited what was left"
    limit = record.rules.memory_mb
    if used.incidents:
        yield _in_short(used.incidents)
    elif used.peak_mb > MUCH_MEMORY * limit:
        yield f"it used {used.peak_mb:.0f} of {limit} MB"


def _in_short(incidents: list[str]) -> str:
    """What has happened and how often; the last words of each time are in the record."""
    counts = Counter(text.partition(":")[0] for text in incidents)
    return "; ".join(f"{text} ({count} times)" if count > 1 else text for text, count in counts.items())


def table_rows(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows as a table shows them: points without needless zeros."""
    points = ("points", "final_points")
    return [row | {key: f"{row[key]:g}" for key in points if row[key] is not None} for row in found]


def _place(
    entry: Entry, first: dict[str, Any] | None, last: dict[str, Any] | None, earned: float | None
) -> tuple[float, ...]:
    """What rows are sorted by; equal places share a rank."""
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
