"""Tournaments as the API and the pages show them: crosstable, schedule with its matches, how games ended."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Sequence
from typing import Any

from msgspec import convert

from server.core import tournament as core
from server.core.tournament import Mark, Plan, ScheduledGame, State
from server.core.wire import result_text
from server.director import Settings
from server.tournaments import crosstable_of
from server.web.shapes import (
    CrosstableLine,
    Leader,
    Score,
    TournamentDetail,
    TournamentGame,
    TournamentLine,
    Tournaments,
)
from server.web.views.matches import title_of
from storage.records import MatchRecord, TournamentEntry, TournamentRecord
from storage.store import Store

MOST_TABLES = 256  # crosstables kept
FORFEITS = {Mark.FIRST_BY_FORFEIT: "+--", Mark.SECOND_BY_FORFEIT: "--+", Mark.BOTH_FORFEIT: "---"}
RESULTS = {Mark.FIRST_WON: "1-0", Mark.SECOND_WON: "0-1", Mark.DRAWN: "1/2-1/2"}
STATES = {Mark.PENDING: "pending", Mark.RUNNING: "running"}


class TournamentViews:
    """Everything about tournaments; raises StoreError."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tables: OrderedDict[tuple[int, int], tuple[core.Line, ...]] = OrderedDict()

    async def lines(self) -> Tournaments:
        """All tournaments, the newest first."""
        records = await self._store.list_tournaments()
        return Tournaments(tournaments=tuple([await self.line(record) for record in records]))

    async def line(self, record: TournamentRecord) -> TournamentLine:
        """The tournament as one line of a list."""
        return TournamentLine(**_line_fields(record, await self._crosstable(record)))

    async def detail(self, record: TournamentRecord) -> TournamentDetail:
        """The tournament with crosstable and games."""
        table = await self._crosstable(record)
        matches = await self._store.tournament_matches(record.id)
        endings = await self._store.ending_counts(tournament_id=record.id)
        return TournamentDetail(
            **_line_fields(record, table),
            settings=record.settings,
            seed=record.seed,
            lines=tuple(_crosstable_line(line, record.entries) for line in table),
            games=_games(record, matches),
            endings=dict(sorted(endings.get(record.game, {}).items(), key=lambda ending: (-ending[1], ending[0]))),
        )

    async def _crosstable(self, record: TournamentRecord) -> tuple[core.Line, ...]:
        """The crosstable, computed once for every saved step: with a hundred bots it takes a while."""
        key = (record.id, record.step)
        if key not in self._tables:
            self._tables[key] = await asyncio.to_thread(crosstable_of, record)
        self._tables.move_to_end(key)
        while len(self._tables) > MOST_TABLES:
            self._tables.popitem(last=False)
        return self._tables[key]


def _line_fields(record: TournamentRecord, table: Sequence[core.Line]) -> dict[str, Any]:
    settings, marks = convert(record.settings, Settings), convert(record.state, State).marks
    open_games = marks.count(Mark.PENDING) + marks.count(Mark.RUNNING)
    first = [line for line in table if line.rank == 1 and line.played]
    return {
        "id": record.id,
        "name": record.name,
        "game": record.game,
        "title": title_of(record.game),
        "format": record.format,
        "status": record.status,
        "time_control": settings.time_control,
        "rounds": settings.rounds,
        "entrants": len(record.entries),
        "played": len(marks) - open_games,
        "running": marks.count(Mark.RUNNING),
        "total": len(marks),
        "leaders": tuple(Leader(bot=record.entries[line.entrant].bot, points=line.points) for line in first),
        "created_at": record.created_at,
        "started_at": record.started_at,
        "ended_at": record.ended_at,
    }


def _crosstable_line(line: core.Line, entries: Sequence[TournamentEntry]) -> CrosstableLine:
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
        sonneborn_berger=line.sonneborn_berger,
        against=tuple(Score(points=score[0], games=score[1]) if score else None for score in scores),
    )


def _games(record: TournamentRecord, matches: Sequence[MatchRecord]) -> tuple[TournamentGame, ...]:
    played: defaultdict[tuple[int | None, int | None], list[MatchRecord]] = defaultdict(list)
    for match in matches:
        played[match.pairing, match.game_index].append(match)
    plan = Plan(len(record.entries), convert(record.settings, Settings).rounds)
    marks = convert(record.state, State).marks
    return tuple(
        _game(game, Mark(marks[game.number]), record.entries, played[game.meeting, game.leg])
        for game in core.schedule(plan)
    )


def _game(
    game: ScheduledGame, mark: Mark, entries: Sequence[TournamentEntry], matches: Sequence[MatchRecord]
) -> TournamentGame:
    counted = [match for match in matches if match.result is not None and match.result.ending != "aborted"]
    shown = matches[-1] if mark == Mark.RUNNING and matches else counted[-1] if mark in RESULTS and counted else None
    result = shown.result if shown else None
    return TournamentGame(
        number=game.number,
        meeting=game.meeting,
        leg=game.leg,
        players=(game.first, game.second),
        bots=(entries[game.first].bot, entries[game.second].bot),
        state=STATES.get(mark, "forfeit" if mark in FORFEITS else "played"),
        result=FORFEITS.get(mark) or RESULTS.get(mark) or (result_text(result) if result else None),
        ending=result.ending if result else None,
        match=shown.id if shown else None,
        matches=tuple(match.id for match in matches),
    )
