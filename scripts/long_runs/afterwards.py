"""What must hold in a database after tournaments that were disturbed: every game once, every clock explained.

faults = await faults_in(database)            # a sentence each; empty if all is well
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from protocol.time_control import parse
from server.core.clock import after_move_us
from server.core.tournaments.state import FORFEITS, PLAYED
from server.tournaments.settings import read
from storage.open import open_store
from storage.records import MatchId, MatchRecord, MoveRecord, TournamentRecord


class Stored(NamedTuple):
    """Everything of a database that a run looks at.  faults: those that the store's own check finds."""

    tournaments: list[tuple[TournamentRecord, tuple[MatchRecord, ...]]]
    matches: dict[MatchId, MatchRecord]
    rows: dict[MatchId, tuple[MoveRecord, ...]]
    faults: list[str]


async def read_all(database: str) -> Stored:
    """The tournaments of a database with all their matches and moves."""
    store = await open_store(database, create=False)
    try:
        tournaments = [(each, await store.tournament_matches(each.id)) for each in await store.list_tournaments()]
        matches = {match.id: match for _, played in tournaments for match in played}
        rows = {match: await store.moves(match) for match in matches}
        return Stored(tournaments, matches, rows, list(await store.check()))
    finally:
        await store.close()


def faults_of(record: TournamentRecord, matches: Iterable[MatchRecord]) -> list[str]:
    """Where a tournament that should be over differs from its matches."""
    stored, found = read(record), list[str]()
    if record.status != "ended" or not stored.form.is_over(stored.plan, stored.state):
        found.append(f"{record.name} is {record.status} and not over")
    results: dict[tuple[int | None, int | None], list[MatchRecord]] = {}
    for match in matches:
        if match.result is not None and match.result.ending != "aborted":
            results.setdefault((match.pairing, match.game_index), []).append(match)
    for game in stored.form.games(stored.plan, stored.state):
        mark, counted = stored.state.marks[game.number], results.pop((game.meeting, game.leg), [])
        wanted = 1 if mark in PLAYED else 0
        if len(counted) != wanted or not (mark in PLAYED or mark in FORFEITS):
            found.append(f"{record.name}, game {game.number}: {len(counted)} results, marked {mark!r}")
        for match in counted:
            bots = [record.entries[game.first].bot_id, record.entries[game.second].bot_id]
            assert match.result is not None
            if [seat.bot_id for seat in match.seats] != bots:
                found.append(f"{record.name}, game {game.number}: on the wrong seats")
            if mark in PLAYED and mark != {0: "1", 1: "0", None: "="}[match.result.winner]:
                found.append(f"{record.name}, game {game.number}: marked {mark!r}, but {match.result}")
    return found + [f"{record.name}: a result for no game of the schedule, {place}" for place in results]


def clock_faults(match: MatchRecord, rows: Sequence[MoveRecord]) -> list[str]:
    """Where a clock of a match does not follow from the accounts of its moves: time that nobody can explain."""
    control, found = parse(match.time_control), list[str]()
    remaining, made = list(match.remaining_us), [0, 0]
    for row in rows:
        if not row.opening:
            made[row.seat] += 1
            spent_us = row.think_us - row.credit_us
            remaining[row.seat] = after_move_us(control, remaining[row.seat], spent_us, made[row.seat])
            if min(row.think_us, row.credit_us, row.server_us, row.forgiven_us, spent_us) < 0:
                found.append(f"match {match.id}, ply {row.ply}: an account with less than no time, {row}")
        if list(row.remaining_us) != remaining:
            found.append(f"match {match.id}, ply {row.ply}: the clocks are {row.remaining_us}, the account {remaining}")
            remaining = list(row.remaining_us)
    return found


def faults_in(stored: Stored) -> list[str]:
    """Everything that is wrong in a database whose tournaments should all be over."""
    found = list(stored.faults)
    for record, matches in stored.tournaments:
        found += faults_of(record, matches)
    for number, match in stored.matches.items():
        found += clock_faults(match, stored.rows[number])
    return found
