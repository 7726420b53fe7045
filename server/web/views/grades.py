"""The grades of tournaments that are graded: what each bot has earned against the staff bots so far."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Mapping

from msgspec.structs import asdict, replace

from tabiya.server.accounts.names import same_name
from tabiya.server.grading.formula import grade, most_points
from tabiya.server.grading.game_counts import WITHDRAWN, GameCounts, counts_of, withdrawn_staff
from tabiya.server.grading.gradebooks import StudentGrade
from tabiya.server.tournaments.settings import StaffTerms, read_tournament
from tabiya.server.web.schemas.grade_responses import GradeLine, StaffLine, TournamentGrades
from tabiya.server.web.schemas.tournament_responses import CrosstableLine
from tabiya.server.web.views.tournaments import TournamentViews
from tabiya.storage.records import BotId, MatchId, MatchRecord, TournamentId, TournamentRecord
from tabiya.storage.store import Store

MOST_COUNTED = 16  # tournaments whose games are kept counted
NO_GAME = "No game has been played."


class _Counted:
    """The games of a tournament that have been counted, so that a table that is followed reads each game once."""

    def __init__(self) -> None:
        self.matches: set[MatchId] = set()
        self.by_bot: defaultdict[BotId, GameCounts] = defaultdict(GameCounts)


class GradeViews:
    """Makes the grades of tournaments."""

    def __init__(self, store: Store, tournaments: TournamentViews) -> None:
        self._store, self._tournaments = store, tournaments
        self._counted: OrderedDict[TournamentId, _Counted] = OrderedDict()

    async def grades(self, record: TournamentRecord, house: Collection[str]) -> TournamentGrades | None:
        """The grades as they stand; None for a tournament that is not graded. Raises DamagedRows, StoreError.

        house: names of the server's own players.
        """
        outline = await self._tournaments.outline(record)
        grading = read_tournament(record).settings.grading
        if not grading:
            return None
        counts, ours = await self._counts(record), {same_name(name) for name in house}
        table = {line.bot: line for line in outline.table}
        bots = {entry.bot: entry.bot_id for entry in record.entries}
        staff = tuple(StaffLine(withdrawn=table[terms.bot].withdrawn, **asdict(terms)) for terms in grading)
        lines = [
            _line(line, grading, table, counts.get(bots[line.bot], GameCounts()), house=same_name(line.bot) in ours)
            for line in outline.table
            if line.bot not in {terms.bot for terms in grading}
        ]
        return TournamentGrades(
            tournament=record.id,
            name=record.name,
            status=record.status,
            played=outline.line.played,
            total=outline.line.total,
            most_points=most_points(grading),
            staff=staff,
            lines=_ranked(lines),
            notes=tuple(withdrawn_staff(one.bot) for one in staff if one.withdrawn),
        )

    async def _counts(self, record: TournamentRecord) -> Mapping[BotId, GameCounts]:
        """Counters of each bot's ended games."""
        counted = self._counted.setdefault(record.id, _Counted())
        self._counted.move_to_end(record.id)
        while len(self._counted) > MOST_COUNTED:
            self._counted.popitem(last=False)
        for match in await self._store.tournament_matches(record.id):
            if match.id in counted.matches or not _counts(match, record):
                continue
            both = await counts_of(self._store, match)
            if match.id not in counted.matches:  # another request may have counted it meanwhile
                counted.matches.add(match.id)
                for seat, counts in zip(match.seats, both, strict=True):
                    counted.by_bot[seat.bot_id].include(counts)
        return counted.by_bot


def _counts(match: MatchRecord, record: TournamentRecord) -> bool:
    """Whether a match is over and has a part in the table: not one that ended after its tournament was cancelled."""
    if match.result is None:
        return False
    return record.status != "cancelled" or record.ended_at is None or match.result.ended_at <= record.ended_at


def _line(
    line: CrosstableLine,
    grading: tuple[StaffTerms, ...],
    table: Mapping[str, CrosstableLine],
    counts: GameCounts,
    *,
    house: bool,
) -> GradeLine:
    """The line of one bot, its rank left out."""
    against = tuple(line.against[table[terms.bot].number] for terms in grading)
    scores = {terms.bot: (score.points, score.games) for terms, score in zip(grading, against, strict=True) if score}
    remarks = [*counts.remarks, *([WITHDRAWN] if line.withdrawn else [])]
    return GradeLine(
        rank=None,
        bot=line.bot,
        house=house,
        grade=grade({terms.bot: terms for terms in grading}, scores) if scores else None,
        against=against,
        games=line.played,
        wins=line.wins,
        draws=line.draws,
        losses=line.losses,
        on_time=counts.on_time,
        illegal=counts.illegal,
        failed=counts.failed,
        note="; ".join(remarks),
    )


def _ranked(lines: list[GradeLine]) -> tuple[GradeLine, ...]:
    """The best grade first, then by name; bots without a grade come last."""
    best = sorted(lines, key=lambda line: -1.0 if line.grade is None else line.grade, reverse=True)
    grades = [line.grade for line in best]
    ranked = [replace(line, rank=None if line.grade is None else 1 + grades.index(line.grade)) for line in best]
    return tuple(sorted(ranked, key=lambda line: (line.rank or len(ranked) + 1, line.bot.casefold())))


def graded(grades: TournamentGrades) -> tuple[StudentGrade, ...]:
    """The grades for a gradebook, with the comment for each student; without the server's own players."""
    return tuple(
        StudentGrade(line.bot, line.grade, against_staff(grades, line) or NO_GAME)
        for line in grades.lines
        if not line.house
    )


def against_staff(grades: TournamentGrades, line: GradeLine) -> str:
    """Points and games against each staff bot in one text; empty without a game."""
    scores = zip(grades.staff, line.against, strict=True)
    return ", ".join(f"{staff.bot} {score.points:g}/{score.games}" for staff, score in scores if score)
