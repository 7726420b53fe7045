"""What holds of a running tournament, and what orders make of it: functions from one to the next."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from tabiya.server.pairing import Format, Plan
from tabiya.server.pairing.state import State
from tabiya.server.tournaments.settings import MOST_ENTRANTS, Settings, TournamentError, plan_of
from tabiya.storage.records import BotId, TournamentEntry, TournamentRecord, TournamentStatus

log = logging.getLogger("tabiya.tournament")


class Now(NamedTuple):
    """What holds, and is saved as a whole. started_at: seconds since 1970, None before the start."""

    status: TournamentStatus
    state: State
    entries: tuple[TournamentEntry, ...]
    started_at: float | None


Change = Callable[[Now], Now]
"""What an order does; raises TournamentError when it cannot be done."""


class Changes:
    """The changes of one tournament."""

    def __init__(self, record: TournamentRecord, form: Format, settings: Settings) -> None:
        self._record, self._form, self._settings = record, form, settings

    def plan(self, now: Now) -> Plan:
        """What the pairings follow from."""
        return plan_of(self._settings, len(now.entries))

    # --- orders

    def to_status(self, status: TournamentStatus) -> Change:
        """Start, pause, go on, cancel."""

        def change(now: Now) -> Now:
            complaint = self._form.complaint(self.plan(now)) if status == "running" else ""
            if complaint:
                raise TournamentError(complaint)
            return now._replace(status=status)

        return change

    def to_enter(self, bots: Sequence[tuple[BotId, str, str]]) -> Change:
        """Enter bots: id, name and version of each."""

        def change(now: Now) -> Now:
            for bot_id, name, version in bots:
                if any(entry.bot_id == bot_id for entry in now.entries):
                    raise TournamentError(f"{name} has entered {self._record.name} already")
                now = self.with_entrant(now, bot_id, name, version)
            return now

        return change

    def to_withdraw(self, bot_id: BotId, name: str) -> Change:
        """Withdraw an entrant."""

        def change(now: Now) -> Now:
            for entry in now.entries:
                if entry.bot_id == bot_id:
                    return self.without(now, entry, "the organiser says so")
            raise TournamentError(f"{name} has not entered {self._record.name}")

        return change

    def to_rest(self, bot_id: BotId, name: str) -> Change:
        """Give an entrant the bye it has asked for in the next round."""

        def change(now: Now) -> Now:
            plan = self.plan(now)
            for entry in now.entries:
                if entry.bot_id == bot_id:
                    complaint = self._form.bye_complaint(plan, now.state, entry.number)
                    if complaint:
                        raise TournamentError(complaint)
                    return now._replace(state=self._form.with_bye(plan, now.state, entry.number))
            raise TournamentError(f"{name} has not entered {self._record.name}")

        return change

    # --- entrants

    def with_entrant(self, now: Now, bot_id: BotId, name: str, version: str) -> Now:
        """One more entrant. Raises TournamentError when there can be no more."""
        if len(now.entries) >= MOST_ENTRANTS:
            raise TournamentError(f"a tournament has at most {MOST_ENTRANTS} bots")
        if now.started_at is not None and not self._form.takes_entries(self.plan(now), now.state):
            raise TournamentError(f"nobody can enter this {self._form.title} any more")
        entry = TournamentEntry(number=len(now.entries), bot_id=bot_id, bot=name, version=version)
        now = now._replace(entries=(*now.entries, entry))
        log.info("tournament %d: %s has entered", self._record.id, name)
        if now.started_at is not None:
            return now._replace(state=self._form.entered(self.plan(now), now.state))
        return now._replace(state=self._begin(now, ()))

    def without(self, now: Now, entry: TournamentEntry, why: str) -> Now:
        """The entrant is withdrawn."""
        if entry.number in now.state.withdrawn:
            return now
        log.info("tournament %d: %s is withdrawn: %s", self._record.id, entry.bot, why)
        return now._replace(state=self._form.withdrawn(self.plan(now), now.state, entry.number))

    # --- beginning

    def begun(self, now: Now, seeds: Sequence[int], at: float) -> Now:
        """The tournament begins with those who have entered. at: seconds since 1970."""
        return now._replace(state=self._begin(now, seeds), started_at=at)

    def _begin(self, now: Now, seeds: Sequence[int]) -> State:
        plan = self.plan(now)
        state = self._form.begin(plan, seeds)
        for entrant in now.state.withdrawn:
            state = self._form.withdrawn(plan, state, entrant)
        for bye in now.state.byes:
            state = self._form.with_bye(plan, state, bye.entrant)
        return state

    def closed_after(self, now: Now, wall_s: float) -> Now:
        """A tournament held for a duration makes no new pairings once that is over."""
        if self._settings.duration_s and now.started_at is not None and not now.state.closed:
            over = wall_s - now.started_at >= self._settings.duration_s
            return now._replace(state=replace(now.state, closed=True)) if over else now
        return now

    def on_time(self, now: Now, wall_s: float) -> Now:
        """Begin when the time has come; without enough bots there is nothing to begin."""
        starts_at = self._settings.starts_at
        if now.status != "created" or starts_at is None or wall_s < starts_at:
            return now
        complaint = self._form.complaint(self.plan(now))
        if complaint:
            log.warning("tournament %d is cancelled at the time of its start: %s", self._record.id, complaint)
        return now._replace(status="cancelled" if complaint else "running")

    def is_open_to_everyone(self, now: Now, wall_s: float) -> bool:
        """Whether a bot enters by being there."""
        if not self._settings.everyone or now.status not in ("created", "running"):
            return False
        late_s = 0.0 if now.started_at is None else wall_s - now.started_at
        if now.started_at is None:
            return True
        return late_s < self._settings.late_s and self._form.takes_entries(self.plan(now), now.state)
