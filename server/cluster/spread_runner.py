"""The runner of a server with hosts. It keeps the last reported state of each match that a host plays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from tabiya.protocol.messages import Watching
from tabiya.server.cluster.messages import AbortMatch, DecideMatch, MatchState, PlayMatch
from tabiya.server.core import events
from tabiya.server.core.messages import ended_as_seen
from tabiya.server.core.state import Match
from tabiya.server.matches.reported_state import ReportedState
from tabiya.server.matches.runner import Runner
from tabiya.server.sessions.active_match import ActiveMatch, ProcessPause
from tabiya.storage.records import MatchRecord, ResultRecord


class PlacedMatch(ActiveMatch):
    """A match that another host plays. match: its state when the server heard of it.  reported: the latest, if any.

    is_stopped: the database says that it is frozen.
    """

    __slots__ = ("is_stopped", "reported")

    def __init__(self, record: MatchRecord, match: Match, tournament: str) -> None:
        super().__init__(record, match, tournament, ProcessPause())
        self.reported: ReportedState | None = None
        self.is_stopped = False

    @property
    def frozen(self) -> bool:
        """See `ActiveMatch.frozen`."""
        return self.is_stopped or (self.reported.frozen if self.reported is not None else super().frozen)

    @property
    def is_thinking(self) -> bool:
        """See `ActiveMatch.is_thinking`."""
        return self.reported is not None and self.reported.reported_s is not None


class SpreadRunner(Runner):
    """See `Runner`. order: tells a host something."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.order: Callable[[int, PlayMatch | DecideMatch | AbortMatch], None] = lambda host, what: None

    def begin(self, record: MatchRecord, match: Match, tournament: str = "") -> None:
        """Run a match here, or have the host play it whose number it has."""
        if not record.host:
            super().begin(record, match, tournament)
            return
        self._enter(PlacedMatch(record, match, tournament))
        self.spectators.changed(record.id)
        self.order(record.host, PlayMatch(record.id))

    def post(self, active: ActiveMatch, event: events.Event) -> None:
        """See `Runner.post`; the host of a match elsewhere gets what it cannot know by itself."""
        if not isinstance(active, PlacedMatch):
            super().post(active, event)
        elif isinstance(event, events.Adjudicated):
            self.order(active.record.host, DecideMatch(active.record.id, event.winner, event.reason))
        elif isinstance(event, events.Aborted):
            self.order(active.record.host, AbortMatch(active.record.id, event.reason))

    def snapshot(self, match_id: int) -> Watching | None:
        """See `Runner.snapshot`."""
        active = self._active.get(match_id)
        if isinstance(active, PlacedMatch) and active.reported is not None:
            return active.reported.at(self._loop.time())
        return super().snapshot(match_id)

    # --- matches that others play

    def placed(self) -> Iterator[PlacedMatch]:
        """All matches that hosts play."""
        return (active for active in self._active.values() if isinstance(active, PlacedMatch))

    def host_of(self, match_id: int) -> int:
        """The host that plays a match; 0 for none beside the server."""
        active = self._active.get(match_id)
        return active.record.host if isinstance(active, PlacedMatch) else 0

    def move_to(self, active: PlacedMatch, host: int) -> None:
        """Another host plays this match."""
        active.record = replace(active.record, host=host)
        self.order(host, PlayMatch(active.record.id))

    def report(self, news: MatchState) -> None:
        """A host tells of one of its matches."""
        active = self._active.get(news.state.match)
        if isinstance(active, PlacedMatch) and not news.state.result:
            if news.frozen and not active.frozen:
                self._count_frozen(active)
            active.reported = ReportedState(
                news.state, self._loop.time() if news.thinking else None, frozen=news.frozen
            )
            self.spectators.changed(active.record.id)

    def frozen_elsewhere(self, active: PlacedMatch, reason: str) -> None:
        """A match that its host could not play is frozen, says the database; once more changes nothing."""
        if active.frozen:
            return
        active.is_stopped = True
        self._send_frozen_notice(active, reason)
        self._count_frozen(active)

    def _count_frozen(self, active: PlacedMatch) -> None:
        self.frozen += 1
        self._free_seats(active)
        self.on_freed()

    def ended_unseen(self, record: MatchRecord, result: ResultRecord) -> None:
        """A match that was left to its host has ended, and its result is saved; its players know it from that host."""
        self._ended(record, result)

    def ended_elsewhere(self, result: ResultRecord, final: Watching) -> None:
        """A match has ended at its host, and its result is saved; once more changes nothing.

        final: its last state.  Its players are told, too: what its host has said may be lost, or the host before it
        could say anything.  A gateway passes on what it hears first.
        """
        active = self._active.get(result.match_id)
        if isinstance(active, PlacedMatch):
            for seat in (0, 1):
                self._tell(active, seat, ended_as_seen(final, seat, result))
            self._forget(active)
            self.spectators.ended(result.match_id, final)
            self._ended(active.record, result)
