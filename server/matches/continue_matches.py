"""Continues matches that another process has left, or stored for this one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from tabiya.games.errors import GameError
from tabiya.server.core.restore import RestoreError
from tabiya.storage.errors import StoreError
from tabiya.storage.records import DamagedMatch, MatchId, StoredMatch, StoredMatches
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.server")

GoOn = Callable[[StoredMatch, str], None]


async def continue_matches(store: Store, found: StoredMatches, go_on: GoOn) -> None:
    """Continue every match; those that cannot be restored are frozen and reported. Raises StoreError.

    go_on: runs a match, by the name of its tournament, empty for none; raises RestoreError, GameError.
    """
    names = await _tournament_names(store, found.matches)
    damaged = list(found.damaged)
    for stored in found.matches:
        number = stored.match.id
        try:
            go_on(stored, names.get(stored.match.tournament_id, ""))
        except (RestoreError, GameError) as error:
            damaged.append(DamagedMatch(match_id=number, reason=str(error)))
        except Exception as error:  # a server error in one match must not stop the others
            log.exception("match %d: an internal error while it was restored", number, extra={"match": number})
            damaged.append(DamagedMatch(match_id=number, reason=f"{type(error).__name__}: {error}"))
    for match in damaged:
        await _quarantine(store, match.match_id, match.reason)
    if damaged:
        log.error("%d matches are frozen: `tabiya matches list --status frozen`, and `tabiya verify`", len(damaged))


async def _tournament_names(store: Store, matches: Iterable[StoredMatch]) -> dict[int | None, str]:
    ids = {stored.match.tournament_id for stored in matches}
    found = [await store.tournament(number) for number in ids if number is not None]
    return {record.id: record.name for record in found if record is not None}


async def _quarantine(store: Store, match_id: MatchId, reason: str) -> None:
    """Freeze the match for an operator, even if the damage prevents saving this."""
    about = {"match": match_id}
    log.error("match %d cannot be restored and is frozen: %s", match_id, reason, extra=about)
    try:
        await store.freeze_match(match_id, f"cannot be restored: {reason}")
    except StoreError as error:
        log.error("match %d: its frozen status could not be saved: %s", match_id, error, extra=about)
