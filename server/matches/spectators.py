"""Spectators of matches: each gets the latest committed state, and cannot delay a move."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from tabiya.protocol.messages import Watching
from tabiya.server.transport.base import Connection

FLUSH_S = 0.05  # twenty states a second at most: people see no more
MOST_BACKLOG_BYTES = 65_536  # far below `send_buffer_bytes`, so that a slow watcher skips states and is not cut
MOST_TRIES = 600  # a watcher that takes nothing for half a minute is dropped


class Viewer(Protocol):
    """A watcher of matches: a bot's connection, or a page."""

    def show(self, state: Watching) -> bool:
        """Show a state; False to be called again later with the latest one."""


class ConnectionViewer:
    """A bot's connection that asked to watch."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def show(self, state: Watching) -> bool:
        """Send it, unless the peer is behind with reading."""
        if self.connection.backlog > MOST_BACKLOG_BYTES:
            return False
        self.connection.send(state)
        return True


class PageViewer:
    """A page: holds the latest state until it is asked for."""

    def __init__(self) -> None:
        self._latest: Watching | None = None
        self._changed = asyncio.Event()

    def show(self, state: Watching) -> bool:
        """Replace what was not yet read."""
        self._latest = state
        self._changed.set()
        return True

    async def states(self) -> AsyncIterator[Watching]:
        """Every state worth showing, until the match has ended."""
        while True:
            await self._changed.wait()
            self._changed.clear()  # before the state is taken: one that comes while it is shown wakes again
            state = self._latest
            if state is not None:
                yield state
                if state.result:
                    return


class _Audience:
    """The viewers of one match, and those that lag behind, with the number of states they missed."""

    __slots__ = ("behind", "final", "viewers")

    def __init__(self) -> None:
        self.viewers: set[Viewer] = set()
        self.behind: dict[Viewer, int] = {}
        self.final: Watching | None = None


class Spectators:
    """All audiences. `snapshot` gives the present state of a running match, None when there is none.

    on_change: told at once of each match that has changed, with its last state when it has ended.
    """

    def __init__(self, snapshot: Callable[[int], Watching | None], most_per_match: int) -> None:
        self._snapshot, self._most = snapshot, most_per_match
        self._audiences: dict[int, _Audience] = {}
        self._watched: defaultdict[Viewer, set[int]] = defaultdict(set)
        self._timer: asyncio.TimerHandle | None = None
        self.on_change: Callable[[int, Watching | None], None] | None = None

    def watch(self, match_id: int, viewer: Viewer) -> bool:
        """Show `viewer` the match from now on, its present state first; False when the match has too many."""
        audience = self._audiences.setdefault(match_id, _Audience())
        if len(audience.viewers) >= self._most:
            return False
        audience.viewers.add(viewer)
        audience.behind[viewer] = 0
        self._watched[viewer].add(match_id)
        self._plan()
        return True

    def watched_by(self, viewer: Viewer) -> frozenset[int]:
        """The matches this viewer is shown."""
        return frozenset(self._watched.get(viewer, ()))

    def unwatch(self, match_id: int, viewer: Viewer) -> None:
        """Stop showing a match to a viewer."""
        audience = self._audiences.get(match_id)
        if audience is not None:
            audience.viewers.discard(viewer)
            audience.behind.pop(viewer, None)
            self._leaves(viewer, match_id)
            if not audience.viewers:
                del self._audiences[match_id]

    def _leaves(self, viewer: Viewer, match_id: int) -> None:
        watched = self._watched[viewer]
        watched.discard(match_id)
        if not watched:
            del self._watched[viewer]

    def forget(self, viewer: Viewer) -> None:
        for match_id in self.watched_by(viewer):
            self.unwatch(match_id, viewer)

    def watchers(self, match_id: int) -> int:
        """How many watch."""
        audience = self._audiences.get(match_id)
        return len(audience.viewers) if audience else 0

    def changed(self, match_id: int) -> None:
        """Mark a match as changed: its watchers get the new state at the next flush."""
        if self.on_change is not None:
            self.on_change(match_id, None)
        audience = self._audiences.get(match_id)
        if audience is not None:
            # viewers that were behind keep their count: in a busy match, too, one that never reads must be noticed
            audience.behind = {viewer: audience.behind.get(viewer, 0) for viewer in audience.viewers}
            self._plan()

    def all_changed(self) -> None:
        """Mark every running match as changed."""
        for match_id, audience in self._audiences.items():
            if audience.final is None:
                self.changed(match_id)

    def ended(self, match_id: int, final: Watching) -> None:
        """The match is over: everybody still sees `final`, then the audience is dissolved."""
        if self.on_change is not None:
            self.on_change(match_id, final)
        audience = self._audiences.get(match_id)
        if audience is not None:
            audience.final = final
            self.changed(match_id)

    def _plan(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_S, self._flush)

    def _flush(self) -> None:
        self._timer = None
        for match_id, audience in list(self._audiences.items()):
            if audience.behind:
                self._show(match_id, audience)
            if audience.final is not None and not audience.behind:  # all have seen how it ended
                for viewer in list(audience.viewers):
                    self.unwatch(match_id, viewer)
        if any(audience.behind for audience in self._audiences.values()):
            self._plan()

    def _show(self, match_id: int, audience: _Audience) -> None:
        state = audience.final or self._snapshot(match_id)
        if state is None:
            audience.behind.clear()
            return
        for viewer, tries in list(audience.behind.items()):
            if viewer.show(state):
                del audience.behind[viewer]
            elif tries < MOST_TRIES:
                audience.behind[viewer] = tries + 1
            else:
                self.unwatch(match_id, viewer)
