"""Duplicate games: the same two bots on the same seats have played the same moves before.

Deterministic bots repeat a game whenever they get its opening again, and repeated games are no independent evidence.
Every ended match of a tournament is read once and kept as a digest.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence

from tabiya.storage.records import MatchId, MatchRecord, TournamentId
from tabiya.storage.store import Store

MATCHES_PER_QUERY = 500
MAX_TOURNAMENTS = 64


class _Seen:
    """The counts of one tournament: matches read, digests of distinct games, repetitions."""

    def __init__(self) -> None:
        self.looked_at, self.games, self.repetitions = set[MatchId](), set[bytes](), 0


class DuplicateGames:
    """Counts repeated games of the tournaments that were asked for last."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen: OrderedDict[TournamentId, _Seen] = OrderedDict()

    async def of(self, tournament_id: TournamentId, matches: Sequence[MatchRecord]) -> int:
        """How many of the ended matches repeat an earlier one move for move. Raises StoreError."""
        seen = self._seen.setdefault(tournament_id, _Seen())
        self._seen.move_to_end(tournament_id)
        while len(self._seen) > MAX_TOURNAMENTS:
            self._seen.popitem(last=False)
        new = [match for match in matches if _counts(match) and match.id not in seen.looked_at]
        for start in range(0, len(new), MATCHES_PER_QUERY):
            await self._compare_moves(seen, new[start : start + MATCHES_PER_QUERY])
        return seen.repetitions

    async def _compare_moves(self, seen: _Seen, matches: Sequence[MatchRecord]) -> None:
        moves = await self._store.move_lists([match.id for match in matches])
        for match in matches:
            if match.id in seen.looked_at:  # another request has read it meanwhile
                continue
            seen.looked_at.add(match.id)
            digest = _digest(match, moves.get(match.id, ()))
            if digest in seen.games:
                seen.repetitions += 1
            seen.games.add(digest)


def _counts(match: MatchRecord) -> bool:
    return match.result is not None and match.result.ending != "aborted"


def _digest(match: MatchRecord, moves: Sequence[str]) -> bytes:
    bots = [str(seat.bot_id) for seat in match.seats]
    return hashlib.blake2b(" ".join((*bots, match.start_text, *moves)).encode(), digest_size=12).digest()
