"""Checks after the end of a run: every game once, tables and ratings recomputed from the moves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from scripts.long_runs.simulation.checks.oracle import Oracle
from tabiya.server.app import TabiyaServer
from tabiya.server.pairing.state import FORFEITS, PLAYED, POINTS, Mark
from tabiya.server.standings import read_standings
from tabiya.server.standings.compute import fit_standings
from tabiya.server.standings.counters import CountedResults, View
from tabiya.server.tournaments.settings import StoredTournament, read_tournament
from tabiya.storage.memory import game_result
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.records import GameResult, MatchRecord, TournamentRecord
from tests.server.invariants import broken_invariants

WON, DRAWN, LOST = "won", "drawn", "lost"


async def broken_at_the_end(server: TabiyaServer, oracle: Oracle) -> list[str]:
    """The faults, one sentence each. Runs in the server's process, before it is stopped."""
    tables = oracle.tables
    wrong = broken_invariants(server.dispatcher)
    for match in tables.matches.values():
        wrong += _match(match, oracle)
    if Counter(result.match_id for result in tables.results) != Counter(list(tables.matches)):
        wrong.append("not every match has exactly one result")
    for tournament in tables.tournaments.values():
        wrong += _tournament(tournament, tables)
    for game in sorted({match.game for match in tables.matches.values()}):
        wrong += await _ratings(server, game, oracle)
    return wrong


def _match(match: MatchRecord, oracle: Oracle) -> Iterator[str]:
    """Its rows are all there, replay by the rules, and lead to its result and its clocks."""
    rows, result = oracle.tables.moves[match.id], match.result
    end = oracle.position(match.id, len(rows))
    if end is None or result is None:
        yield f"match {match.id} lacks a ply or a result"
        return
    outcome = end.outcome()
    if outcome is not None and (outcome.winner, str(outcome.ending)) != (result.winner, result.ending):
        yield f"match {match.id}: by its moves it ended {outcome}, stored is {result}"
    if match.frozen_reason is not None:
        yield f"match {match.id} was frozen: {match.frozen_reason}"
    left_us = rows[len(rows) - 1].remaining_us if rows else match.remaining_us
    for seat in (0, 1):
        thinks = outcome is None and end.to_move == seat
        if result.remaining_us[seat] > left_us[seat] or (not thinks and result.remaining_us[seat] != left_us[seat]):
            yield f"match {match.id}, seat {seat}: {left_us[seat]} us were left, the result says {result.remaining_us}"


# --- tournaments


def _tournament(record: TournamentRecord, tables: MemoryTables) -> Iterator[str]:
    """Every scheduled game was played exactly once, by whom it was scheduled for, and the table follows from them."""
    reading, played = read_tournament(record), defaultdict[int, list[MatchRecord]](list)
    for match in tables.matches.values():
        if match.tournament_id == record.id and match.result is not None and match.result.ending != "aborted":
            assert match.pairing is not None
            assert match.game_index is not None
            played[2 * match.pairing + match.game_index].append(match)
    for number in sorted(played.keys() - set(range(len(reading.state.marks)))):
        yield f"{record.name}: game {number} was played and is not scheduled"
    for number, mark in enumerate(reading.state.marks):
        yield from _game(record, reading, number, Mark(mark), played[number])
    yield from _pairs(record, played)
    yield from _table(record, reading, played)


def _game(
    record: TournamentRecord, reading: StoredTournament, number: int, mark: Mark, played: list[MatchRecord]
) -> Iterator[str]:
    expected = 1 if mark in PLAYED else 0
    if len(played) != expected:
        yield f"{record.name}: game {number} ({mark}) was played {len(played)} times, in {[one.id for one in played]}"
    if mark == Mark.RUNNING:
        yield f"{record.name} is over and game {number} runs"
    scheduled = reading.form.game(reading.plan, reading.state, number)
    for match in played:
        assert match.result is not None
        winner = None if mark == Mark.DRAWN else 0 if mark == Mark.FIRST_WON else 1
        if match.result.winner != winner:
            yield f"{record.name}: game {number} is marked {mark}, match {match.id} was won by {match.result.winner}"
        entrants = record.entries[scheduled.first].bot_id, record.entries[scheduled.second].bot_id
        if (match.seats[0].bot_id, match.seats[1].bot_id) != entrants:
            yield f"{record.name}: game {number} is of the bots {entrants}, match {match.id} was not played by them"


def _pairs(record: TournamentRecord, played: dict[int, list[MatchRecord]]) -> Iterator[str]:
    """The two games of a meeting began alike."""
    for number, matches in list(played.items()):
        for match in matches:
            for other in played.get(number ^ 1, ()):
                if match.start_text != other.start_text:
                    yield f"{record.name}: the matches {match.id} and {other.id} of one meeting begin differently"


def _table(record: TournamentRecord, reading: StoredTournament, played: dict[int, list[MatchRecord]]) -> Iterator[str]:
    counts: dict[int, Counter[str]] = {entry.number: Counter() for entry in record.entries}
    numbers = {entry.bot_id: entry.number for entry in record.entries}
    for matches in played.values():
        for match in matches:
            assert match.result is not None
            for seat, player in enumerate(match.seats):
                counts[numbers[player.bot_id]][_how(seat, match.result.winner)] += 1
    for number, mark in enumerate(reading.state.marks):
        if mark in FORFEITS:
            game = reading.form.game(reading.plan, reading.state, number)
            for entrant, points in zip((game.first, game.second), POINTS[mark], strict=True):
                counts[entrant][WON if points else LOST] += 1
    for line in reading.standings():
        own = counts[line.entrant]
        if (line.wins, line.draws, line.losses) != (own[WON], own[DRAWN], own[LOST]):
            yield f"{record.name}: entrant {line.entrant} has {dict(own)}, its line says {line}"


def _how(seat: int, winner: int | None) -> str:
    return DRAWN if winner is None else WON if winner == seat else LOST


# --- ratings


async def _ratings(server: TabiyaServer, game: str, oracle: Oracle) -> list[str]:
    """The standings as the server makes them equal those made of the replayed games."""
    reported = await read_standings(server.store, game)
    tally = CountedResults()
    tally.add_all(_replayed(game, oracle))
    own = fit_standings(tally.of(game), View()).standings
    if reported != own:
        return [f"the standings of {game} are {reported}, from the moves they should be {own}"]
    return []


def _replayed(game: str, oracle: Oracle) -> Iterable[GameResult]:
    """The rated results of a game, with the winner by the rules where the rules decide."""
    tables = oracle.tables
    for number, result in enumerate(tables.results, 1):
        match = tables.matches[result.match_id]
        end = oracle.position(match.id, len(tables.moves[match.id]))
        if match.game == game and match.rated and result.ending != "aborted":
            stored = game_result(number, match)
            outcome = end.outcome() if end is not None else None
            if outcome is not None:
                stored = replace(stored, winner=outcome.winner, ending=str(outcome.ending))
            yield stored
