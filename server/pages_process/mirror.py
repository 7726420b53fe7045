"""The state of a server, built from its stream of news (server/web/live/server_news.py), for a page process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import TypeVar
from urllib.parse import urlsplit

from msgspec import UNSET
from msgspec.structs import replace

from tabiya.protocol.messages import Watching
from tabiya.server.config import ServerConfig
from tabiya.server.explorer import Explorer
from tabiya.server.matches.reported_state import ReportedState
from tabiya.server.matches.spectators import PageViewer, Spectators
from tabiya.server.seasons.seasons import Seasons
from tabiya.server.standings import StandingsCache
from tabiya.server.transport.addresses import EVERY_ADDRESS, is_loopback_name
from tabiya.server.transport.allowed_hosts import AllowedHosts
from tabiya.server.transport.public_address import read_public_url
from tabiya.server.version import version
from tabiya.server.web.http.server_view import ServerView
from tabiya.server.web.schemas.live_server import Games, LiveServer, MatchNews, ServerFacts
from tabiya.server.web.schemas.responses import Counts
from tabiya.storage.store import Store

NO_ANSWER = "the server does not answer at the moment: this is what it has saved; boards continue when it is back"
MISSED = "*"  # shown as the result of a match that ended while disconnected; the real one is in the database
T = TypeVar("T")


class MirroredServer(ServerView):
    """See `ServerView`. server_url: the address of the pages of the server that is heard, or was last.

    on_lost: called when it is heard no more.
    """

    def __init__(
        self, config: ServerConfig, store: Store, standings: StandingsCache, address: str, explorer: Explorer | None
    ) -> None:
        """address: where the server is looked for first."""
        self.config, self.store, self.standings, self.server_url = config, store, standings, address
        self.seasons = Seasons(store, standings)
        self.public = read_public_url(config.public_url)
        self.allowed_hosts = AllowedHosts(config.host, config.allowed_hosts, config.public_url)
        self._explorer = explorer
        self._facts = ServerFacts(
            name=f"{config.name} {version()}",
            listens_on="",
            port=config.port,
            open_registration=False,
            time_control=config.time_control,
            started_at=time.time(),
        )
        self._counts = Counts(**dict.fromkeys(Counts.__struct_fields__, 0))
        self._present: dict[int, Games] = {}
        self._hosted: dict[int, Games] = {}
        self._states: dict[int, ReportedState] = {}
        self._not_yet_reported: set[int] = set()  # known before the connection was lost, and not reported since
        self._lost_s: float | None = 0.0
        self._is_closing = False
        self.on_lost: Callable[[], None] = lambda: None
        self.spectators = Spectators(self.snapshot, config.limits.spectators_per_match)

    # --- what is heard

    def begin(self, address: str) -> None:
        """Begin a stream, with the whole present state."""
        self.server_url = address
        self._not_yet_reported = set(self._states)
        self._present, self._hosted = {}, {}

    def take(self, news: LiveServer) -> None:
        """Take an event of the stream."""
        if news.counts is not UNSET:
            self._counts = news.counts
        if news.facts is not UNSET:
            self._facts = self._reachable(news.facts)
        _change(self._present, news.present)
        _change(self._hosted, news.hosted)
        for match in news.matches:
            self._take_match(match)
        if news.snapshot_complete:
            self._lost_s = None
            for number in self._not_yet_reported:
                state = self._states.pop(number).watching
                self.spectators.ended(number, replace(state, result=MISSED, to_move=None))
            self._not_yet_reported = set()

    def _take_match(self, news: MatchNews) -> None:
        number, known = news.state.match, self._states.get(news.state.match)
        self._not_yet_reported.discard(number)
        before = known.watching.moves[: news.after] if known else ()
        state = replace(news.state, moves=(*before, *news.state.moves))
        if known and state.ply < known.watching.ply:  # of before the state that this process began with
            return
        if state.result:
            self._states.pop(number, None)
            self.spectators.ended(number, state)
            return
        reported_s = asyncio.get_running_loop().time() if news.thinking else None
        self._states[number] = ReportedState(state, reported_s, frozen=news.frozen)
        self.spectators.changed(number)

    def _reachable(self, facts: ServerFacts) -> ServerFacts:
        """With a host by which others reach the bots' port, where the server listens on every address."""
        host = urlsplit(self.server_url).hostname or ""
        if facts.listens_on in EVERY_ADDRESS and not is_loopback_name(host):
            return replace(facts, listens_on=host)
        return facts

    def lost(self) -> None:
        """The stream has ended: keep the last state."""
        if self._lost_s is None:
            self._lost_s = asyncio.get_running_loop().time()
            self.on_lost()

    def close(self) -> None:
        """This process is about to stop."""
        self._is_closing = True

    # --- what is shown

    @property
    def facts(self) -> ServerFacts:
        return self._facts

    @property
    def explorer(self) -> Explorer | None:
        return self._explorer

    @property
    def closing(self) -> bool:
        return self._is_closing

    @property
    def trouble(self) -> str:
        return "" if self._lost_s is None else NO_ANSWER

    @property
    def readiness(self) -> tuple[int, str]:
        return 200, "server unreachable" if self.trouble else "ok"

    def orders_at(self, requested_host: str) -> str:
        if self.public is not None:
            return self.public.url
        parts = urlsplit(self.server_url)
        if not (requested_host and is_loopback_name(parts.hostname or "")):
            return self.server_url
        host = f"[{requested_host}]" if ":" in requested_host else requested_host  # the server is on this machine
        return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")

    def counts(self) -> Counts:
        return self._counts

    def hosted(self) -> dict[int, Games]:
        return self._hosted

    def present(self) -> dict[int, Games]:
        return self._present

    def snapshot(self, match_id: int) -> Watching | None:
        state = self._states.get(match_id)
        if state is None:
            return None
        return state.at(asyncio.get_running_loop().time() if self._lost_s is None else self._lost_s)

    def is_frozen(self, match_id: int) -> bool:
        state = self._states.get(match_id)
        return state is not None and state.frozen

    def watch(self, match_id: int, viewer: PageViewer) -> bool:
        return self.spectators.watch(match_id, viewer)

    def unwatch(self, match_id: int, viewer: PageViewer) -> None:
        self.spectators.unwatch(match_id, viewer)


def _change(known: dict[int, T], changes: Mapping[int, T | None]) -> None:
    """Add or replace entries; remove those that are None."""
    for key, value in changes.items():
        if value is None:
            known.pop(key, None)
        else:
            known[key] = value
