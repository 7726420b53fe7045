"""Verification of a store: matches are replayed by the rules; results, standings and tournaments must follow from them.

    report = await verify(store)            # in use by a server or not

It only reads, and a server may write meanwhile: what is looked at later is then newer, which is no fault. What the
database itself can tell (`Store.check`) is asked first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import Any, NamedTuple

from msgspec import Struct, ValidationError, convert, to_builtins

from tabiya.games.registry import load_game, names
from tabiya.server.archive.pages import OtherProcesses, ids_of, pages
from tabiya.server.core.verification import faults_of
from tabiya.server.pairing.state import FORFEITS, PLAYED, Mark
from tabiya.server.standings.cache import COUNTERS_KEY
from tabiya.server.standings.counters import CountedResults
from tabiya.server.tournaments.settings import read_tournament
from tabiya.storage.errors import StoreError
from tabiya.storage.records import (
    GameResult,
    MatchFilter,
    MatchId,
    MatchRecord,
    StoredMatch,
    StoredMatches,
    TournamentRecord,
)
from tabiya.storage.store import Store

RESULTS = 4_000
MARKS = {0: Mark.FIRST_WON, 1: Mark.SECOND_WON, None: Mark.DRAWN}

OnProgress = Callable[[int, int], object]
"""Called with the number of matches verified, and of about how many."""


class VerificationFault(Struct, frozen=True):
    """An inconsistency.  what: database, match, standings or tournament; number: which, None for all."""

    what: str
    number: int | None
    fault: str


class VerificationReport(Struct, frozen=True):
    """What was looked at, and what does not fit.

    other_rules: matches under rules of an earlier version, which are read and not replayed.
    """

    matches: int
    moves: int
    results: int
    tournaments: int
    other_rules: int
    faults: tuple[VerificationFault, ...]


class Counted(NamedTuple):
    """The counters of one game in the standings."""

    game: str
    bots: tuple[str, str]
    versions: tuple[str, str]
    winner: int | None
    ending: str


class VerifiedPage(NamedTuple):
    """The results of one page. matches: None for one without a result. moves and other_rules: how many."""

    matches: tuple[tuple[MatchId, Counted | None], ...]
    damaged: tuple[MatchId, ...]
    last: MatchId
    moves: int
    other_rules: int
    faults: tuple[VerificationFault, ...]


async def verify(
    store: Store, seen: OnProgress = lambda done, total: None, others: OtherProcesses | None = None
) -> VerificationReport:
    """Check everything; what cannot be read is a fault.  others: processes that check, too."""
    work = _Verification(store, others)
    for step in (work.database(), work.matches(seen), work.standings(), work.tournaments()):
        await work.tried(step)
    return work.report()


class _Verification:
    """One verification: its counters and faults."""

    def __init__(self, store: Store, others: OtherProcesses | None) -> None:
        self._store, self._others = store, others
        self._faults: list[VerificationFault] = []
        self._matches: dict[MatchId, Counted | None] = {}
        self._shared: dict[Counted, Counted] = {}  # many matches are alike in this, and there may be millions
        self._damaged: set[MatchId] = set()
        self._moves = self._results = self._tournaments = self._other_rules = 0

    def report(self) -> VerificationReport:
        """The report so far."""
        looked_at = len(self._matches) + len(self._damaged)
        return VerificationReport(
            looked_at, self._moves, self._results, self._tournaments, self._other_rules, tuple(self._faults)
        )

    def _found(self, what: str, number: int | None, fault: str) -> None:
        self._faults.append(VerificationFault(what, number, fault))

    async def tried(self, step: Coroutine[Any, Any, None]) -> None:
        """Carry out a step as far as the database can be read."""
        try:
            await step
        except StoreError as error:
            self._found("database", None, str(error))

    async def database(self) -> None:
        """The store's own checks; matches are checked one by one afterwards."""
        for fault in await self._store.check():
            if not fault.startswith("match "):
                self._found("database", None, fault)

    async def matches(self, seen: OnProgress) -> None:
        """Every match, in pages."""
        last = MatchId(0)
        with contextlib.suppress(StoreError):  # progress is for people only
            last = max((newest.id for newest in await self._store.list_matches(MatchFilter(limit=1))), default=last)
        async for page in pages(self._store, MatchFilter(), verify_page, self._others):
            self._moves += page.moves
            self._other_rules += page.other_rules
            self._damaged.update(page.damaged)
            self._faults += page.faults
            for number, counted in page.matches:
                self._matches[number] = self._shared.setdefault(counted, counted) if counted else None
            seen(min(page.last, last), last)

    async def standings(self) -> None:
        """The games that standings are made of must be the matches that have ended, each once, as its moves say."""
        kept, again = await self._kept_counts(), CountedResults()
        counted, after = set[MatchId](), 0
        while True:
            page = await self._store.results(after=after, limit=RESULTS)
            if kept is not None:
                again.add_all(game for game in page if game.number <= kept.seen)
            for game in page:
                self._counted(game, again=game.match_id in counted)
                counted.add(game.match_id)
            self._results += len(page)
            if len(page) < RESULTS:
                break
            after = page[-1].number
        if kept is not None and kept.text() != again.text():
            self._found("standings", None, "what is kept of the counted results is not what the results say")
        for number, stored in self._matches.items():
            if stored is not None and stored.ending != "aborted" and number not in counted:
                self._found("standings", number, f"match {number} has a result that the standings do not count")

    async def _kept_counts(self) -> CountedResults | None:
        """The counters that a server has stored; None if they are out of date, so that it would count again."""
        text = await self._store.setting(COUNTERS_KEY)
        with contextlib.suppress(ValueError):
            return None if text is None else CountedResults.from_text(text)
        return None

    def _counted(self, game: GameResult, *, again: bool) -> None:
        if again:
            self._found("standings", game.match_id, f"match {game.match_id} counts twice")
        counts = Counted(game.game, game.bots, game.versions, game.winner, game.ending)
        if game.match_id not in self._matches:
            # a match that began since the matches were read is newer than all of them, and no fault
            if game.match_id not in self._damaged and game.match_id <= max(self._matches, default=0):
                self._found("standings", game.match_id, f"a game counts, but there is no match {game.match_id}")
        elif (stored := self._matches[game.match_id]) is not None and stored != counts:
            says = f"{tuple(counts)}, but the match is {tuple(stored)}"
            self._found("standings", game.match_id, f"match {game.match_id} counts as {says}")

    async def tournaments(self) -> None:
        """Each tournament's record of its games must agree with its matches."""
        for record in await self._store.list_tournaments():
            self._tournaments += 1
            its_matches = await self._store.tournament_matches(record.id)
            try:
                faults = list(_tournament_faults(record, its_matches))
            except (ValueError, LookupError, TypeError) as error:
                faults = [f"its settings, state and entries do not fit together: {error}"]
            for fault in faults:
                self._found("tournament", record.id, fault)


def verify_page(page: StoredMatches) -> VerifiedPage:
    """The content of a page, and the faults of its matches."""
    faults = [VerificationFault("match", damaged.match_id, damaged.reason) for damaged in page.damaged]
    for stored in page.matches:
        faults += (VerificationFault("match", stored.match.id, fault) for fault in _faults(stored))
    return VerifiedPage(
        matches=tuple((stored.match.id, _counts_as(stored.match)) for stored in page.matches),
        damaged=tuple(damaged.match_id for damaged in page.damaged),
        last=max(ids_of(page), default=MatchId(0)),
        moves=sum(len(stored.moves) for stored in page.matches),
        other_rules=sum(_has_other_rules(stored.match) for stored in page.matches),
        faults=tuple(faults),
    )


def _counts_as(record: MatchRecord) -> Counted | None:
    if record.result is None:
        return None
    first, second = record.seats
    result = record.result
    return Counted(record.game, (first.bot, second.bot), (first.version, second.version), result.winner, result.ending)


def _has_other_rules(record: MatchRecord) -> bool:
    return record.game in names() and record.rules_version < load_game(record.game).rules_version


def _faults(stored: StoredMatch) -> Iterator[str]:
    """The faults of a match; by the present rules, if it was played under them."""
    record = stored.match
    try:
        convert(to_builtins(stored), StoredMatch)  # a record is made of a row without a look at its types
    except (ValidationError, TypeError) as error:
        yield f"it holds a value that it cannot have: {error}"
        return
    if record.game not in names():
        yield f"there is no game {record.game!r}"
        return
    rules = load_game(record.game)
    if record.rules_version > rules.rules_version:
        yield f"it was played under rules {record.rules_version} of {record.game}, newer than this program's"
    elif record.rules_version == rules.rules_version:  # moves under older rules may have another meaning now
        yield from faults_of(stored, rules)


def _counts(record: MatchRecord) -> bool:
    return record.result is not None and record.result.ending != "aborted"


def _tournament_faults(record: TournamentRecord, matches: Iterable[MatchRecord]) -> Iterator[str]:
    if record.damage is not None:
        yield record.damage
        return
    stored = read_tournament(record)
    games = stored.form.games(stored.plan, stored.state)
    stored.form.standings(stored.plan, stored.state)
    if record.status == "ended" and not stored.form.is_over(stored.plan, stored.state):
        yield "it has ended, but its schedule is not over"
    results: dict[tuple[int | None, int | None], list[MatchRecord]] = {}
    for match in matches:
        if _counts(match):
            results.setdefault((match.pairing, match.game_index), []).append(match)
    for game in games:
        mark, played = stored.state.marks[game.number], results.pop((game.meeting, game.leg), [])
        entrants = (record.entries[game.first].bot_id, record.entries[game.second].bot_id)
        yield from (f"game {game.number} {fault}" for fault in _game_faults(mark, played, entrants))
        if record.status == "ended" and mark not in PLAYED | FORFEITS:
            yield f"game {game.number} is marked {mark!r}, but the tournament has ended"
    for place in results:
        yield f"meeting {place[0]}, game {place[1]} has a result and is not on the schedule"


def _game_faults(mark: str, played: list[MatchRecord], entrants: tuple[int, int]) -> Iterator[str]:
    if len(played) > 1:
        yield f"has {len(played)} results, of matches {', '.join(str(match.id) for match in played)}"
    if (mark in PLAYED) > bool(played) or (mark in FORFEITS and played):
        yield f"is marked {mark!r}, but {len(played) or 'no'} match of it has a result"
    for match in played:
        assert match.result is not None
        if (match.seats[0].bot_id, match.seats[1].bot_id) != entrants:
            yield f"has other bots on its seats in match {match.id}"
        if mark in PLAYED and mark != MARKS[match.result.winner]:
            yield f"is marked {mark!r}, but match {match.id} says {str(MARKS[match.result.winner])!r}"
