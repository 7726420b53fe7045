"""Checks of a database after disturbed tournaments: verified as by `tabiya verify`, and every tournament is over.

stored = await read_all(database)
faults = faults_in(stored)                    # a sentence each; empty if all is well
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tabiya.server.archive.verify import VerificationFault, verify
from tabiya.storage.errors import StoreError
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchFilter, MatchId, MatchRecord, MoveRecord, TournamentRecord
from tabiya.storage.store import Store


class Stored(NamedTuple):
    """Everything of a database that a run looks at.  faults: what `tabiya verify` says of all of it."""

    tournaments: list[tuple[TournamentRecord, tuple[MatchRecord, ...]]]
    matches: dict[MatchId, MatchRecord]
    rows: dict[MatchId, tuple[MoveRecord, ...]]
    faults: list[str]


async def read_all(database: str, *, lobby: bool = False) -> Stored:
    """The tournaments of a database with all their matches and moves, and its faults. lobby: all other matches, too."""
    store = await open_store(database, create=False)
    try:
        faults = [as_sentence(fault) for fault in (await verify(store)).faults]
        tournaments = [(each, await store.tournament_matches(each.id)) for each in await store.list_tournaments()]
        matches = {match.id: match for _, played in tournaments for match in played}
        if lobby:
            matches = {match.id: match for match in await store.list_matches(MatchFilter(limit=1_000_000))}
        return Stored(tournaments, matches, {match: await rows_of(store, match) for match in matches}, faults)
    finally:
        await store.close()


async def rows_of(store: Store, match: MatchId) -> tuple[MoveRecord, ...]:
    """The moves of a match; none if they cannot be read, which is one of the faults already."""
    try:
        return await store.moves(match)
    except StoreError:
        return ()


def as_sentence(fault: VerificationFault) -> str:
    """A fault as a sentence that begins with its place."""
    return f"{fault.what}{'' if fault.number is None else f' {fault.number}'}: {fault.fault}"


def unfinished(records: Iterable[TournamentRecord]) -> Iterator[str]:
    """The unfinished tournaments, those called off included: no run orders that."""
    for record in records:
        if record.status != "ended":
            yield f"tournament {record.id} ({record.name}) is {record.status} and not over"


def faults_in(stored: Stored) -> list[str]:
    """The faults of a database whose tournaments should all be over."""
    return stored.faults + list(unfinished(record for record, _ in stored.tournaments))
