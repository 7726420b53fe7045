"""Response models of tournaments: crosstable, games with their matches, byes, endings."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from tabiya.server.core.messages import result_text
from tabiya.server.pairing.crosstable import TIE_BREAKS, CrosstableRow
from tabiya.server.pairing.open_games import open_by_entrant
from tabiya.server.pairing.state import FORFEITS, GAMES_PER_MEETING, Mark, Meeting, PairingState, ScheduledGame, game_of
from tabiya.server.ratings.elo import ELO_PER_UNIT, Z95, elo_of
from tabiya.server.tournaments.duplicates import DuplicateGames
from tabiya.server.tournaments.settings import StoredTournament, cores, read_tournament
from tabiya.server.tournaments.time_left import OpenGames, PlayedGame, time_left
from tabiya.server.web.schemas.tournament_responses import (
    ByeLine,
    CrosstableLine,
    FirstMover,
    Leader,
    PairingLine,
    Score,
    TieBreak,
    TieBreakTerm,
    TimeLeftRange,
    TournamentDetail,
    TournamentGame,
    TournamentLine,
)
from tabiya.server.web.views.matches import title_of
from tabiya.server.web.views.presentation import has_failed
from tabiya.storage.errors import DamagedRows
from tabiya.storage.records import MatchRecord, TournamentEntry, TournamentRecord, TournamentStatus
from tabiya.storage.store import Store

MAX_CROSSTABLES = 256  # tables kept
GOING_ON: tuple[TournamentStatus, ...] = ("running", "paused", "created")
ENDED: tuple[TournamentStatus, ...] = ("ended",)
OVER: tuple[TournamentStatus, ...] = (*ENDED, "cancelled")
PRIVATE = "grading"  # otherwise anybody could compute the grades, which only operators may see
Clocks = Callable[[int], float | None]
FORFEIT_TEXTS = {Mark.FIRST_BY_FORFEIT: "+--", Mark.SECOND_BY_FORFEIT: "--+", Mark.BOTH_FORFEIT: "---"}
RESULTS = {Mark.FIRST_WON: "1-0", Mark.SECOND_WON: "0-1", Mark.DRAWN: "1/2-1/2"}
STATES = {Mark.PENDING: "pending", Mark.RUNNING: "running"}


class TournamentOutline(NamedTuple):
    """A tournament without its games. coming: who meet next, in order.  decisive: meetings that decide something."""

    line: TournamentLine
    table: tuple[CrosstableLine, ...]
    coming: tuple[tuple[str, str], ...]
    decisive: frozenset[int]


class TournamentViews:
    """Makes the response models of tournaments. All methods raise StoreError.

    clocks: the time on both clocks of a running match, in milliseconds; None where it is not known or can grow.
    """

    def __init__(self, store: Store, clocks: Clocks = lambda match: None) -> None:
        self._store, self._duplicates, self._clocks = store, DuplicateGames(store), clocks
        self._tables: OrderedDict[tuple[int, int], tuple[CrosstableRow, ...]] = OrderedDict()

    async def lines(self, records: Iterable[TournamentRecord]) -> tuple[TournamentLine, ...]:
        return tuple([await self.line(record) for record in records])

    async def line(self, record: TournamentRecord) -> TournamentLine:
        try:
            with _damage_reported(record):
                stored = _read(record)
                return TournamentLine(**_line_fields(record, stored, await self._table(record, stored)))
        except DamagedRows as error:
            return TournamentLine(**_known_fields(record), fault=str(error))

    async def detail(self, record: TournamentRecord) -> TournamentDetail:
        """The tournament with table and games. Raises DamagedRows when they cannot be read."""
        matches = await self._store.tournament_matches(record.id)
        endings = await self._store.ending_counts(record.id)
        with _damage_reported(record):
            return await self._detail(record, matches, endings)

    async def outline(self, record: TournamentRecord) -> TournamentOutline:
        """A tournament without its matches. Raises DamagedRows."""
        with _damage_reported(record):
            stored = _read(record)
            table = await self._table(record, stored)
            return TournamentOutline(
                line=TournamentLine(**_line_fields(record, stored, table)),
                table=tuple(_crosstable_line(line, record.entries) for line in table),
                coming=_coming(record, stored),
                decisive=_decisive(record, stored),
            )

    async def _detail(
        self, record: TournamentRecord, matches: Sequence[MatchRecord], endings: dict[str, int]
    ) -> TournamentDetail:
        stored = _read(record)
        table = await self._table(record, stored)
        form, state, left = stored.form, stored.state, None
        if forfeits := sum(state.marks.count(mark) for mark in FORFEITS):
            endings = endings | {"forfeit": forfeits}
        if record.status == "running":
            played = _played_games(record, matches, self._clocks)
            left = await asyncio.to_thread(time_left, played, _open_games(record, stored), time.time())
        return TournamentDetail(
            **_line_fields(record, stored, table),
            settings={name: value for name, value in record.settings.items() if name != PRIVATE},
            seed=record.seed,
            decision=form.decision_text(stored.plan, state),
            left_s=0.0 if record.status in OVER else left.middle_s if left else None,
            time_left=TimeLeftRange(from_s=left.from_s, to_s=left.to_s) if left else None,
            tie_breaks=tuple(TieBreak(name=name, meaning=TIE_BREAKS[name]) for name in form.tie_breaks),
            lines=tuple(_crosstable_line(line, record.entries) for line in table),
            games=_games(record, stored, matches),
            round_titles=form.round_titles(stored.plan, state),
            pairings=_pairings(record, stored) if form.has_rounds else (),
            byes=tuple(
                ByeLine(
                    round=bye.round,
                    number=bye.entrant,
                    bot=record.entries[bye.entrant].bot,
                    points=bye.points,
                    requested=bye.requested,
                )
                for bye in state.byes
            ),
            endings=dict(sorted(endings.items(), key=lambda ending: (-ending[1], ending[0]))),
            failures=sum(match.result is not None and has_failed(match.result) for match in matches),
            first_mover=first_mover(state),
            duplicates=await self._duplicates.of(record.id, matches),
        )

    async def _table(self, record: TournamentRecord, stored: StoredTournament) -> tuple[CrosstableRow, ...]:
        """The table, computed once for every saved step: with a hundred bots it takes a while."""
        key = (record.id, record.step)
        if key not in self._tables:
            self._tables[key] = await asyncio.to_thread(stored.standings)
        self._tables.move_to_end(key)
        while len(self._tables) > MAX_CROSSTABLES:
            self._tables.popitem(last=False)
        return self._tables[key]


def _read(record: TournamentRecord) -> StoredTournament:
    """The tournament as its format reads it. Raises DamagedRows, ValueError, LookupError."""
    if record.damage is not None:
        raise DamagedRows(record.damage)
    return read_tournament(record)


@contextlib.contextmanager
def _damage_reported(record: TournamentRecord) -> Iterator[None]:
    """Turn errors of reading into DamagedRows: settings, state and entries do not fit together."""
    try:
        yield
    except (ValueError, LookupError) as error:
        text = f"tournament {record.id} cannot be read: its settings, state and entries do not fit together: {error}"
        raise DamagedRows(text) from error


def first_mover(state: PairingState) -> FirstMover:
    """Results of seat 0 over the games that were played."""
    wins, draws, losses = (state.marks.count(mark) for mark in (Mark.FIRST_WON, Mark.DRAWN, Mark.SECOND_WON))
    games = wins + draws + losses
    if not games:
        return FirstMover(wins=0, draws=0, losses=0, score=None, elo=None, plus_minus=None)
    # half a game won and half a game lost are added, so that a seat that always wins has a finite advantage
    score = (wins + draws / 2 + 0.5) / (games + 1)
    variance = max((wins + draws / 4) / games - ((wins + draws / 2) / games) ** 2, 0.25 / (games + 1)) / games
    slope = ELO_PER_UNIT / (score * (1 - score))
    return FirstMover(
        wins=wins,
        draws=draws,
        losses=losses,
        score=(wins + draws / 2) / games,
        elo=elo_of(score),
        plus_minus=Z95 * slope * math.sqrt(variance),
    )


def _played_games(record: TournamentRecord, matches: Sequence[MatchRecord], clocks: Clocks) -> dict[int, PlayedGame]:
    """Games with a result and running games, by number; without aborted and frozen ones."""
    numbers = {entry.bot_id: entry.number for entry in record.entries}
    played = {}
    for match in matches:
        result = match.result
        if match.pairing is None or match.status == "frozen" or (result and result.ending == "aborted"):
            continue
        left_ms = clocks(match.id) if result is None else None
        played[GAMES_PER_MEETING * match.pairing + (match.game_index or 0)] = PlayedGame(
            (numbers[match.seats[0].bot_id], numbers[match.seats[1].bot_id]),
            match.created_at,
            result.ended_at if result else None,
            None if left_ms is None else left_ms / 1000,
        )
    return played


def _open_games(record: TournamentRecord, stored: StoredTournament) -> OpenGames:
    form, settings, state = stored.form, stored.settings, stored.state
    at_once = max(1, min(settings.concurrency or cores(), settings.per_bot * len(record.entries) // 2))
    by_entrant = {} if form.has_rounds else open_by_entrant(form.meetings(stored.plan, state), state)
    return OpenGames(form.open_stages(stored.plan, state), by_entrant, at_once, settings.per_bot)


def _line_fields(record: TournamentRecord, stored: StoredTournament, table: Sequence[CrosstableRow]) -> dict[str, Any]:
    form, settings, state = stored.form, stored.settings, stored.state
    first = [line for line in table if line.rank == 1 and line.played]
    return _known_fields(record) | {
        "format_title": form.title,
        "time_control": settings.time_control,
        "rounds": form.rounds(stored.plan, state),
        "round_title": form.round_title(stored.plan, state),
        "played": state.games_played,
        "running": state.marks.count(Mark.RUNNING),
        "total": form.max_games(stored.plan, state),
        "leaders": tuple(Leader(bot=record.entries[line.entrant].bot, points=line.points) for line in first),
        "graded": bool(settings.grading),
        "starts_at": settings.starts_at,
    }


def _known_fields(record: TournamentRecord) -> dict[str, Any]:
    """The fields of a line from the record alone; what needs settings and state is empty."""
    return {
        "id": record.id,
        "name": record.name,
        "game": record.game,
        "title": title_of(record.game),
        "format": record.format,
        "format_title": record.format,
        "status": record.status,
        "time_control": "",
        "rounds": 0,
        "entrants": len(record.entries),
        "played": 0,
        "running": 0,
        "total": 0,
        "leaders": (),
        "graded": False,
        "starts_at": None,
        "created_at": record.created_at,
        "started_at": record.started_at,
        "ended_at": record.ended_at if record.status in OVER else None,  # one that goes on has ended before
    }


def _crosstable_line(line: CrosstableRow, entries: Sequence[TournamentEntry]) -> CrosstableLine:
    entry = entries[line.entrant]
    scores = (line.against.get(number) for number in range(len(entries)))
    return CrosstableLine(
        rank=line.rank,
        number=line.entrant,
        bot=entry.bot,
        version=entry.version,
        withdrawn=entry.withdrawn,
        points=line.points,
        played=line.played,
        wins=line.wins,
        draws=line.draws,
        losses=line.losses,
        tie_breaks=line.tie_breaks,
        sums={name: tuple(TieBreakTerm(**term._asdict()) for term in terms) for name, terms in line.terms.items()},
        note=line.note,
        against=tuple(Score(points=score[0], games=score[1]) if score else None for score in scores),
    )


def _pairings(record: TournamentRecord, stored: StoredTournament) -> tuple[PairingLine, ...]:
    def name(entrant: int | None) -> str:
        return "" if entrant is None else record.entries[entrant].bot

    return tuple(
        PairingLine(
            round=pairing.round,
            slot=pairing.slot,
            players=(pairing.first, pairing.second),
            bots=(name(pairing.first), name(pairing.second)),
            points=pairing.points,
            games=tuple(number for meeting in pairing.meetings for number in (2 * meeting, 2 * meeting + 1)),
            winner=pairing.winner,
            note=pairing.note,
            before=pairing.before,
        )
        for pairing in stored.form.pairings(stored.plan, stored.state)
    )


def _coming(record: TournamentRecord, stored: StoredTournament) -> tuple[tuple[str, str], ...]:
    """Names of the entrants of the next meetings, in which no game has begun."""
    marks = stored.state.marks
    return tuple(
        (record.entries[meeting.first].bot, record.entries[meeting.second].bot)
        for number, meeting in enumerate(stored.form.meetings(stored.plan, stored.state))
        if marks[2 * number : 2 * number + 2] == 2 * Mark.PENDING
    )


def _decisive(record: TournamentRecord, stored: StoredTournament) -> frozenset[int]:
    """Numbers of the meetings of a knockout, or of the last of several rounds."""
    last = stored.form.rounds(stored.plan, stored.state) - 1
    return frozenset(
        number
        for number, meeting in enumerate(stored.form.meetings(stored.plan, stored.state))
        if record.format == "knockout" or (stored.form.has_rounds and 0 < last <= meeting.round)
    )


def _games(
    record: TournamentRecord, stored: StoredTournament, matches: Sequence[MatchRecord]
) -> tuple[TournamentGame, ...]:
    played: defaultdict[tuple[int | None, int | None], list[MatchRecord]] = defaultdict(list)
    for match in matches:
        played[match.pairing, match.game_index].append(match)
    meetings = stored.form.meetings(stored.plan, stored.state)
    listed = []
    for number, mark in enumerate(stored.state.marks):
        meeting = meetings[number // 2]
        game = game_of(number, meeting)
        listed.append(_game(game, meeting, Mark(mark), record.entries, played[game.meeting, game.leg]))
    return tuple(listed)


def _game(
    game: ScheduledGame,
    meeting: Meeting,
    mark: Mark,
    entries: Sequence[TournamentEntry],
    matches: Sequence[MatchRecord],
) -> TournamentGame:
    counted = [match for match in matches if match.result is not None and match.result.ending != "aborted"]
    shown = matches[-1] if mark == Mark.RUNNING and matches else counted[-1] if mark in RESULTS and counted else None
    result = shown.result if shown else None
    return TournamentGame(
        number=game.number,
        meeting=game.meeting,
        leg=game.leg,
        round=meeting.round,
        slot=meeting.slot,
        players=(game.first, game.second),
        bots=(entries[game.first].bot, entries[game.second].bot),
        state=STATES.get(mark, "forfeit" if mark in FORFEITS else "played"),
        result=FORFEIT_TEXTS.get(mark) or RESULTS.get(mark) or (result_text(result) if result else None),
        ending=result.ending if result else None,
        failed=result is not None and has_failed(result),
        match=shown.id if shown else None,
        matches=tuple(match.id for match in matches),
    )
