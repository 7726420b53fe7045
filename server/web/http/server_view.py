"""What pages and API show of a server beside its database: connected bots, running matches, the bots' address.

Nothing that only reads uses more of a server. In its own process that is `ServerFacade`; a process that shows the pages
of another server has `MirroredServer` (server/pages_process/mirror.py).
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod

from tabiya.games.registry import names
from tabiya.protocol.encodings import PROTOCOL_VERSION
from tabiya.protocol.messages import Watching
from tabiya.server.config import ServerConfig
from tabiya.server.explorer import Explorer
from tabiya.server.hosting import Hosting
from tabiya.server.matches.spectators import PageViewer
from tabiya.server.seasons.seasons import Seasons
from tabiya.server.standings import StandingsCache
from tabiya.server.transport.addresses import EVERY_ADDRESS, is_loopback_name, lan_address
from tabiya.server.transport.allowed_hosts import AllowedHosts
from tabiya.server.transport.public_address import PublicAddress
from tabiya.server.version import version
from tabiya.server.web.schemas.live_server import ServerFacts
from tabiya.server.web.schemas.responses import Counts, ServerInfo
from tabiya.storage.store import Store


class ServerView(ABC):
    """A server as it is shown."""

    config: ServerConfig
    store: Store
    standings: StandingsCache
    seasons: Seasons
    allowed_hosts: AllowedHosts
    public: PublicAddress | None

    @property
    @abstractmethod
    def explorer(self) -> Explorer | None:
        """What searches for pages; None: nothing."""

    @property
    def hosting(self) -> Hosting | None:
        """What runs programs for bots; None: nothing in this process."""
        return None

    # --- what goes on

    @property
    @abstractmethod
    def facts(self) -> ServerFacts:
        """Facts about the server."""

    @property
    @abstractmethod
    def closing(self) -> bool:
        """Whether this process is about to stop."""

    @property
    @abstractmethod
    def trouble(self) -> str:
        """What people should know at this moment, as a sentence; empty if all is well."""

    @property
    @abstractmethod
    def readiness(self) -> tuple[int, str]:
        """Whether it can be used, in a word or two, and the status of the answer that says so."""

    @abstractmethod
    def counts(self) -> Counts:
        """Numbers of connections, bots, matches and rows at this moment."""

    @abstractmethod
    def hosted(self) -> dict[int, tuple[str, ...]]:
        """The bots whose programs are started when they have a game in a tournament, each with their games."""

    @abstractmethod
    def present(self) -> dict[int, tuple[str, ...]]:
        """The bots that are connected, by their ids: which games each says that it plays; none: any."""

    @abstractmethod
    def snapshot(self, match_id: int) -> Watching | None:
        """The committed state of a running match."""

    @abstractmethod
    def is_frozen(self, match_id: int) -> bool:
        """Whether a match is loaded and frozen by an error of the server."""

    @abstractmethod
    def watch(self, match_id: int, viewer: PageViewer) -> bool:
        """Send the states of a match to `viewer`; False if it has too many watchers."""

    @abstractmethod
    def unwatch(self, match_id: int, viewer: PageViewer) -> None:
        """Send nothing more to `viewer`."""

    def activity(self) -> tuple[int, ...]:
        """Counters: at least one changes when a match or a bot does something."""
        counts = self.counts()
        return counts.moves_saved, counts.matches_running, counts.matches_frozen, counts.bots

    # --- what it says of itself

    @abstractmethod
    def orders_at(self, requested_host: str) -> str:
        """Base address for orders, for a client that reached this process under that host name.

        Empty if they are taken here.
        """

    def info(self, requested_host: str) -> ServerInfo:
        """The server to somebody who reached it under the name `requested_host` (a host without port)."""
        facts = self.facts
        return ServerInfo(
            name=facts.name,
            version=version(),
            protocol=PROTOCOL_VERSION,
            websocket=self.websocket(requested_host),
            games=names(),
            open_registration=facts.open_registration,
            time_control=facts.time_control,
            uptime_s=round(max(0.0, time.time() - facts.started_at), 1),
            counts=self.counts(),
        )

    def reachable_host(self, requested_host: str) -> str:
        """The host by which other machines reach these pages, told to somebody who asked for `requested_host`.

        Where the pages are there for others and that is a loopback name: this machine's address in the network.
        """
        if self.public is not None:
            return self.public.host
        others = self.config.host in EVERY_ADDRESS
        return (
            lan_address()
            if others and (not requested_host or is_loopback_name(requested_host))
            else requested_host or "127.0.0.1"
        )

    def websocket(self, requested_host: str) -> str:
        """The websocket address for bots, as the client that asks can reach it."""
        listens_on = self.facts.listens_on
        by_name = listens_on in EVERY_ADDRESS or (self.public is not None and requested_host == self.public.host)
        return self.websocket_of_page(requested_host if by_name else listens_on)

    def websocket_of_page(self, requested_host: str) -> str:
        """The websocket address for a page that was loaded from `requested_host`, which its browser reaches us by.

        Under another name the browser's Origin would be that of another site.
        """
        if self.public is not None and requested_host == self.public.host:
            return self.public.websocket
        host = requested_host or "127.0.0.1"
        return f"ws://{f'[{host}]' if ':' in host else host}:{self.facts.port}"
