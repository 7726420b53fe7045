"""Which matches of a database belong to one run of `tabiya match`, so that it can go on after it was killed.

A run has a name of its own in the database's settings, made of its plan and a number; each game's key holds the run,
the game's number and how often it had been tried before. Games cannot be counted twice: keys are unique forever.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec

from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan, changed_terms
from tabiya.server.matches.pair_keys import pair_key, place_in_run
from tabiya.storage.records import MatchFilter, MatchId, MatchRecord
from tabiya.storage.store import Store

PAGE = 200
TERMS = "match-terms"
"""The setting with the terms of the match that was begun last."""


class ResumableRun:
    """The games of one run."""

    def __init__(self, store: Store, run: str) -> None:
        self._store, self._run = store, run
        self._tries: dict[int, int] = {}

    @classmethod
    async def open(cls, store: Store, plan: MatchPlan) -> ResumableRun:
        """A new run, or the last one of this plan if it is to be resumed. Raises MatchFailed, StoreError."""
        setting = f"match-{plan.digest}"
        last = int(await store.setting(setting) or 0)
        if plan.resume and not last:
            raise MatchFailed(f"there is nothing to resume in {store.address}: {await _what_differs(store, plan)}")
        if not plan.resume:
            # before the first game, so that no later run can take its keys
            await store.put_setting(setting, str(last + 1))
            await store.put_setting(TERMS, msgspec.json.encode(plan.terms).decode())
        return cls(store, f"{plan.digest}-{last if plan.resume else last + 1}")

    def key(self, number: int) -> str:
        """The key of the next try of a game."""
        tries = self._tries[number] = self._tries.get(number, 0) + 1
        return pair_key(self._run, number, tries)

    def number_of(self, record: MatchRecord) -> int | None:
        """The number of the game; None for a match of no or another run."""
        place = place_in_run(record.key)
        return place[1] if place is not None and place[0] == self._run else None

    async def stored_games(self, game: str) -> AsyncIterator[tuple[int, MatchRecord]]:
        """The games of this run that are stored already, the newest first; all their tries are remembered."""
        before: MatchId | None = None
        while True:
            page = await self._store.list_matches(MatchFilter(game=game, before_id=before, limit=PAGE))
            for record in page:
                number = self.number_of(record)
                if number is not None:
                    # an aborted try counts, too: the next one needs a key that was never used
                    self._tries[number] = self._tries.get(number, 0) + 1
                    yield number, record
            if len(page) < PAGE:
                return
            before = page[-1].id


async def _what_differs(store: Store, plan: MatchPlan) -> str:
    """Why a match cannot be continued."""
    earlier = msgspec.json.decode(await store.setting(TERMS) or "{}", type=dict[str, str])
    if changed := changed_terms(plan.terms, earlier):
        return f"the last match there had other options: {changed}"
    return "no match of these players with this game, time control, seed and these options was begun there"
