"""Saves the steps of a tournament, each with the matches it starts; a failed save is repeated."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence

from msgspec import to_builtins

from tabiya.server.dispatcher import Dispatcher
from tabiya.server.matches.factory import MatchTerms, TournamentSlot
from tabiya.server.pairing.state import ScheduledGame
from tabiya.server.tournaments.openings import Openings
from tabiya.server.tournaments.transitions import TournamentState
from tabiya.storage.errors import SaveFailed, StoreClosed
from tabiya.storage.records import (
    MatchId,
    NewMatch,
    SeatRecord,
    TournamentEntry,
    TournamentRecord,
    TournamentStep,
)
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.tournament")

RETRY_S, MAX_RETRY_S = 0.2, 10.0


class StepSaver:
    """Saves the steps of one tournament. closing: set when the server closes, which ends the repetition."""

    def __init__(
        self,
        store: Store,
        dispatcher: Dispatcher,
        record: TournamentRecord,
        closing: asyncio.Event,
    ) -> None:
        self._store, self._dispatcher, self._record = store, dispatcher, record
        self._closing, self._step = closing, record.step
        self.openings = Openings(record)
        self.attempts: dict[int, int] = {}  # matches that each game has had

    async def save(
        self,
        current: TournamentState,
        chosen: Sequence[ScheduledGame],
        before: TournamentState,
        wall_s: float,
        tell: Callable[[TournamentState], None],
    ) -> Sequence[MatchId]:
        """Save the state with a match for each chosen game, then start the matches. Raises StoreError.

        tell: called between saving and the first match, if the tournament has begun, paused or ended by it.
        """
        planned = [self._plan_match(game, current) for game in chosen]
        known = frozenset(before.entries)  # a set: to look up hundreds in a tuple takes milliseconds at every step
        step = TournamentStep(
            tournament_id=self._record.id,
            step=self._step + 1,
            status=current.status,
            name=current.name if current.name != before.name else None,
            settings=to_builtins(current.settings) if current.settings != before.settings else None,
            state=to_builtins(current.state),
            entries=tuple(entry for entry in current.entries if entry not in known),
            matches=tuple(planned),
            started_at=current.started_at if before.started_at is None else None,
            ended_at=wall_s if current.status in ("ended", "cancelled") else None,
        )
        ids = await self._save(step)
        self._step = step.step
        if current.status != before.status:
            tell(current)
        for game, match_id, new in zip(chosen, ids, planned, strict=True):
            self.attempts[game.number] = self.attempts.get(game.number, 0) + 1
            self._dispatcher.match_factory.start(match_id, new, current.name)
        return ids

    async def _save(self, step: TournamentStep) -> Sequence[MatchId]:
        """Save with retries; returns the ids of the step's matches. Raises StoreError."""
        delay = RETRY_S
        while True:
            try:
                return await self._store.save_tournament_step(step)
            except SaveFailed as error:
                about = {"tournament": self._record.id}
                log.error("tournament %d: a step is not saved yet: %s", self._record.id, error, extra=about)
            with contextlib.suppress(TimeoutError):  # the usual case: the server does not close in the meantime
                async with asyncio.timeout(delay):
                    await self._closing.wait()
                raise StoreClosed("the server closes, and this step could not be saved")
            delay = min(MAX_RETRY_S, 2 * delay)

    def _plan_match(self, game: ScheduledGame, current: TournamentState) -> NewMatch:
        settings = current.settings
        terms = MatchTerms(self._record.game, settings.time_control, settings.options, settings.rated)
        attempt = self.attempts.get(game.number, 0)
        return self._dispatcher.match_factory.plan(
            terms,
            (self._seat(current.entries[game.first]), self._seat(current.entries[game.second])),
            self.openings.of(game.meeting),
            # the same when a step is saved again, so that the store knows the match; another for a game played again
            key=f"tournament-{self._record.id}-{game.number}-{attempt}",
            place=TournamentSlot(self._record.id, game.meeting, game.leg),
            illegal_limit=settings.illegal_limit,
            adjudication=settings.adjudication,
        )

    def _seat(self, entry: TournamentEntry) -> SeatRecord:
        session = self._dispatcher.sessions.by_bot(entry.bot_id)
        return SeatRecord(bot_id=entry.bot_id, bot=entry.bot, version=session.version if session else entry.version)
