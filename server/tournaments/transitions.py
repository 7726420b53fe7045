"""The state of a running tournament and its transitions: functions from a state to the next."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from tabiya.server.pairing import Format, Plan
from tabiya.server.pairing.state import PairingState
from tabiya.server.tournaments.settings import (
    MAX_ENTRANTS,
    TournamentError,
    TournamentSettings,
    check_games,
    plan_of,
)
from tabiya.storage.records import BotId, TournamentEntry, TournamentRecord, TournamentStatus

log = logging.getLogger("tabiya.tournament")


class TournamentState(NamedTuple):
    """All that is saved in a step. state: of the format.  started_at: seconds since 1970, None before the start."""

    status: TournamentStatus
    state: PairingState
    entries: tuple[TournamentEntry, ...]
    started_at: float | None
    name: str
    settings: TournamentSettings


Change = Callable[[TournamentState], TournamentState]
"""An order as a transition; raises TournamentError if it cannot be carried out."""


class Transitions:
    """The transitions of one tournament."""

    def __init__(self, record: TournamentRecord, form: Format) -> None:
        self._record, self._form = record, form

    def plan(self, current: TournamentState) -> Plan:
        """The plan of the format for the present entrants."""
        return plan_of(current.settings, len(current.entries))

    # --- orders

    def changed(self, current: TournamentState, change: Change) -> TournamentState:
        """The state after an order. A tournament that has ended runs again if there is something to play then.

        Raises TournamentError if the order cannot be carried out.
        """
        after = change(current)
        if after == current or current.status not in ("ended", "cancelled"):
            return after
        if current.status == "cancelled":
            raise TournamentError(f"{current.name} was cancelled; nothing about it can be changed")
        if after.status != "ended" or self._form.is_over(self.plan(after), after.state):
            raise TournamentError(f"{current.name} has ended, and this would leave nothing to play in it")
        return after._replace(status="running")

    def to_status(self, status: TournamentStatus) -> Change:
        """Start, pause, resume or cancel."""

        def change(current: TournamentState) -> TournamentState:
            complaint = self._form.start_error(self.plan(current)) if status == "running" else ""
            if complaint:
                raise TournamentError(complaint)
            return current._replace(status=status)

        return change

    def to_change(self, name: str, changed: Mapping[str, Any]) -> Change:
        """Another name, and other values of settings; `late_s` and what concerns single games apply from now on."""

        def change(current: TournamentState) -> TournamentState:
            after = current._replace(name=name or current.name, settings=replace(current.settings, **changed))
            plan = self.plan(after)
            if "rounds" in changed:
                check_games(self._form, plan.entrants, plan.rounds)
            if current.started_at is None:
                return after._replace(state=self._begin(after, ()))
            if "starts_at" in changed:
                raise TournamentError(f"{current.name} has begun; its start cannot be moved any more")
            if "rounds" in changed and (complaint := self._form.rounds_error(plan, current.state)):
                raise TournamentError(complaint)
            return after

        return change

    def to_enter(self, bots: Sequence[tuple[BotId, str, str]], at: float) -> Change:
        """Enter bots: id, name and version of each; one that is withdrawn comes back.  at: seconds since 1970."""

        def change(current: TournamentState) -> TournamentState:
            entered = {entry.bot_id: entry for entry in current.entries}
            for bot_id, name, version in bots:
                entry = entered.get(bot_id)
                if entry is None:
                    current = self.with_entrant(current, bot_id, name, version)
                elif entry.number in current.state.withdrawn:
                    current = self.with_return(current, entry, at)
                else:
                    raise TournamentError(f"{name} has entered {current.name} already")
            return current

        return change

    def to_withdraw(self, bot_id: BotId, name: str) -> Change:

        def change(current: TournamentState) -> TournamentState:
            for entry in current.entries:
                if entry.bot_id == bot_id:
                    return self.withdraw(current, entry, "the organiser says so")
            raise TournamentError(f"{name} has not entered {current.name}")

        return change

    def to_give_bye(self, bot_id: BotId, name: str) -> Change:
        """Give an entrant the bye it has asked for in the next round."""

        def change(current: TournamentState) -> TournamentState:
            plan = self.plan(current)
            for entry in current.entries:
                if entry.bot_id == bot_id:
                    complaint = self._form.bye_error(plan, current.state, entry.number)
                    if complaint:
                        raise TournamentError(complaint)
                    return current._replace(state=self._form.with_bye(plan, current.state, entry.number))
            raise TournamentError(f"{name} has not entered {current.name}")

        return change

    # --- entrants

    def with_entrant(self, current: TournamentState, bot_id: BotId, name: str, version: str) -> TournamentState:
        """One more entrant. Raises TournamentError when there can be no more."""
        if len(current.entries) >= MAX_ENTRANTS:
            raise TournamentError(f"a tournament has at most {MAX_ENTRANTS} bots")
        self._check_open(current)
        entry = TournamentEntry(number=len(current.entries), bot_id=bot_id, bot=name, version=version)
        current = current._replace(entries=(*current.entries, entry))
        about = {"tournament": self._record.id, "bot": name, "bot_id": bot_id}
        log.info("tournament %d: %s has entered", self._record.id, name, extra=about)
        if current.started_at is not None:
            return current._replace(state=self._form.with_late_entrant(self.plan(current), current.state))
        return current._replace(state=self._begin(current, ()))

    def with_return(self, current: TournamentState, entry: TournamentEntry, at: float) -> TournamentState:
        """A withdrawn entrant is back. at: seconds since 1970.  Raises TournamentError where it is too late."""
        self._check_open(current)
        about = {"tournament": self._record.id, "bot": entry.bot, "bot_id": entry.bot_id}
        log.info("tournament %d: %s is back", self._record.id, entry.bot, extra=about)
        if current.started_at is None:
            away = tuple(number for number in current.state.withdrawn if number != entry.number)
            return current._replace(
                state=self._begin(current._replace(state=replace(current.state, withdrawn=away)), ())
            )
        state = self._form.with_return(self.plan(current), current.state, entry.number)
        others = tuple(one for one in state.returned if one[0] != entry.number)
        return current._replace(state=replace(state, returned=(*others, (entry.number, at))))

    def _check_open(self, current: TournamentState) -> None:
        if current.started_at is not None and not self._form.accepts_entries(self.plan(current), current.state):
            raise TournamentError(f"nobody can enter this {self._form.title} any more")

    def withdraw(self, current: TournamentState, entry: TournamentEntry, why: str) -> TournamentState:
        """The entrant is withdrawn."""
        if entry.number in current.state.withdrawn:
            return current
        about = {"tournament": self._record.id, "bot": entry.bot, "bot_id": entry.bot_id}
        log.info("tournament %d: %s is withdrawn: %s", self._record.id, entry.bot, why, extra=about)
        return current._replace(state=self._form.with_withdrawal(self.plan(current), current.state, entry.number))

    # --- beginning

    def begin(self, current: TournamentState, seeds: Sequence[int], at: float) -> TournamentState:
        """The tournament begins with those who have entered. at: seconds since 1970."""
        return current._replace(state=self._begin(current, seeds), started_at=at)

    def _begin(self, current: TournamentState, seeds: Sequence[int]) -> PairingState:
        # made again with every entrant before the start: earlier withdrawals and requested byes must not be lost
        plan = self.plan(current)
        state = self._form.begin(plan, seeds)
        for entrant in current.state.withdrawn:
            state = self._form.with_withdrawal(plan, state, entrant)
        for bye in current.state.byes:
            state = self._form.with_bye(plan, state, bye.entrant)
        return state

    def closed_if_over(self, current: TournamentState, wall_s: float) -> TournamentState:
        """A tournament held for a duration makes no new pairings once that is over."""
        if current.settings.duration_s and current.started_at is not None and not current.state.closed:
            over = wall_s - current.started_at >= current.settings.duration_s
            return current._replace(state=replace(current.state, closed=True)) if over else current
        return current

    def started_if_due(self, current: TournamentState, wall_s: float) -> TournamentState:
        """Start at the configured time, or cancel if there are not enough bots then."""
        starts_at = current.settings.starts_at
        if current.status != "created" or starts_at is None or wall_s < starts_at:
            return current
        complaint = self._form.start_error(self.plan(current))
        if complaint:
            text, about = "tournament %d is cancelled at the time of its start: %s", {"tournament": self._record.id}
            log.warning(text, self._record.id, complaint, extra=about)
        return current._replace(status="cancelled" if complaint else "running")

    def is_open_to_everyone(self, current: TournamentState, wall_s: float) -> bool:
        """Whether every connected bot that plays the game is entered."""
        if not current.settings.everyone or current.status not in ("created", "running"):
            return False
        if current.started_at is None:
            return True
        late_s = wall_s - current.started_at
        return late_s < current.settings.late_s and self._form.accepts_entries(self.plan(current), current.state)
