"""The server as a whole: opened part by part, restored, and closed without losing anything."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tabiya.server.accounts.accounts import Accounts
from tabiya.server.accounts.names import reserved_skeletons
from tabiya.server.accounts.secrets_file import beside_database
from tabiya.server.cluster.bus import Bus, BusError
from tabiya.server.cluster.connect import connect_bus
from tabiya.server.cluster.gateway_process import GatewayServer
from tabiya.server.cluster.host_processes import HostProcesses
from tabiya.server.cluster.hosts import SERVER, Hosts
from tabiya.server.cluster.remote_gateways import RemoteGateways
from tabiya.server.cluster.spread_runner import SpreadRunner
from tabiya.server.config import ServerConfig
from tabiya.server.dispatcher import Dispatcher
from tabiya.server.explorer import Explorer
from tabiya.server.hosting import Hosting
from tabiya.server.load import LoadSampler
from tabiya.server.matches.continue_matches import continue_matches
from tabiya.server.matches.runner import Runner
from tabiya.server.program_rules import ProgramRules
from tabiya.server.ratings.anchors import read_anchors
from tabiya.server.seasons.seasons import Seasons
from tabiya.server.settings import RunningSettings
from tabiya.server.standings import StandingsCache
from tabiya.server.tournaments.manager import TournamentManager
from tabiya.server.tournaments.pairing_process import PairingExecutor
from tabiya.server.transport.addresses import is_loopback, is_loopback_name
from tabiya.server.transport.allowed_hosts import AllowedHosts
from tabiya.server.transport.base import Clock
from tabiya.server.transport.gateway import Gateway
from tabiya.server.transport.listening import StartError, cannot_listen, host_in_url
from tabiya.server.transport.public_address import PublicAddress, read_public_url
from tabiya.server.transport.shared_port import port_of, reserve_port
from tabiya.server.version import version
from tabiya.storage.errors import StoreError
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchFilter
from tabiya.storage.store import Store

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

    from tabiya.server.start_status import StartStatus
    from tabiya.server.web.app import WebApp

log = logging.getLogger("tabiya.server")

CLOSING = "the server closes; its matches are saved and go on when it is back"
DRAIN_TIMEOUT_S = 2.0  # a closing server waits at most this long for the last saves before it disconnects bots
COUNTING = "count results"
"""Name of the task that ends when what was there at the start has been counted."""
POLL_S = 0.005  # between two looks whether the store has saved everything


class TabiyaServer:
    """One server: `await start()`, then it runs until `await stop()`."""

    store: Store
    dispatcher: Dispatcher
    gateway: Gateway
    accounts: Accounts
    tournaments: TournamentManager
    standings: StandingsCache
    seasons: Seasons
    allowed_hosts: AllowedHosts
    settings: RunningSettings
    program_rules: ProgramRules
    load: LoadSampler
    public: PublicAddress | None  # where others reach it through a proxy
    web: WebApp  # of one that has pages
    port: int  # of the websockets, once started
    pages_port: int  # of pages and API, once started

    def __init__(
        self,
        config: ServerConfig,
        *,
        store: Store | None = None,
        now_ns: Clock = time.monotonic_ns,
        wall_ns: Clock = time.time_ns,
        listens: bool = True,
        pages: bool = True,
        executor: PairingExecutor | None = None,
        standby: Callable[[str], None] | None = None,
        tracer: Tracer | None = None,
        bus: Bus | None = None,
        processes: HostProcesses | None = None,
        status: StartStatus | None = None,
        new_runner: Callable[..., Runner] = Runner,
    ) -> None:
        """store: one that is open already and closed with the server; None opens the configured one.

        now_ns, wall_ns: other clocks, for a loop with a time of its own.
        listens: False for a server that is only spoken to inside this process, as by `tabiya match`.
        pages: False for one that listens for bots alone.
        executor: runs what takes long off the event loop; another way for a loop that has no threads.
        standby: as of `open_store`: where another server owns the database, the start waits until that is gone.
        tracer: traces every move (server/tracing.py).
        bus: joins this server to gateways, and is closed with it; None connects to the configured one, if any.
        processes: hold the bots and play in place of this one, over a bus that they and this server alone are on.
        status: answers at the address of the pages until they do.
        new_runner: makes what runs matches, where there is neither tracer nor bus.
        """
        self.config = config
        self.name = f"{config.name} {version()}"
        self.started_at = 0.0
        self.took_over = False  # whether it has waited for another server to be gone
        self.house_bots: dict[str, dict[str, str]] = {}
        """Players of the server's own, by name: how each plays, in a few words, by game. Set by who starts them."""
        self.starting_house_bots: list[str] = []
        """The names of those whose process has begun, and may not have connected yet."""
        self.explorer: Explorer | None = None
        """What searches for pages; none: they say so. Set by who starts the server, closed with it."""
        self.hosting: Hosting | None = None
        """What runs programs for bots; none: they cannot be handed in. Set by who starts the server, closed with it."""
        self._given_store, self._now_ns, self._wall_ns = store, now_ns, wall_ns
        self._listens, self._has_pages = listens, listens and pages
        self._executor, self._standby, self._tracer, self._bus = executor, standby, tracer, bus
        self._processes, self._status, self._new_runner = processes, status, new_runner
        self._reserved_port: asyncio.Server | None = None
        self.remote_gateways: RemoteGateways | None = None
        self.hosts: Hosts | None = None
        self._own_gateway: GatewayServer | None = None  # where bots come over the bus, also those of this process
        self._closed: asyncio.Future[None] | None = None
        self._counting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Open the store, restore what was running, listen. Raises StartError."""
        try:
            self.store = self._given_store or await self._open_store()
        except StoreError as error:
            raise StartError(str(error)) from error
        try:
            await self._open_parts()
        except (StoreError, BusError) as error:
            await self.stop()
            raise StartError(str(error)) from error
        except BaseException:
            await self.stop()
            raise
        self.started_at = time.time()
        if self._listens:
            log.info("%s listens on %s", self.name, self.websocket_url)

    def load_rest(self) -> None:
        """Load what the start did not need, before a request does, which takes 0.1 s. May run in a thread."""
        reserved_skeletons()
        self.web.load_rest()

    async def _open_store(self) -> Store:
        config, say = self.config, self._standby
        opened = partial(
            open_store,
            config.database_url,
            durability=config.durability,
            exclusive=True,
            readers=config.database_readers,
        )
        if say is None:
            return await opened()

        def waits(why: str) -> None:
            self.took_over = True
            if self._status is not None:
                self._status.wait_for_other()
            say(why)

        return await opened(standby=waits)

    async def _open_parts(self) -> None:
        self.settings = RunningSettings(self.store, self.config)
        self.config = config = await self.settings.load()
        self.public = read_public_url(config.public_url)
        self.program_rules = ProgramRules(self.store)
        await self.program_rules.load()
        secrets_file = None if self._given_store else beside_database(config.database_url)
        self.accounts = Accounts(self.store, config, open_to_all=_is_open(config), secrets_file=secrets_file)
        await self.accounts.prepare()
        await self._connect_bus()
        self.dispatcher = self._new_dispatcher()
        self.allowed_hosts = AllowedHosts(config.host, config.allowed_hosts, self.public.url if self.public else "")
        self.gateway = self._new_gateway()
        self.dispatcher.on_welcome = self.gateway.welcomed
        anchors = tuple(sorted(read_anchors(config.anchors).items()))
        self.standings = StandingsCache(self.store, anchors, keeps_counts=self._listens)
        self.seasons = Seasons(self.store, self.standings)
        self.tournaments = TournamentManager(
            self.store, self.dispatcher, self.standings, config.time_control, self._executor
        )
        self.settings.on_change = self._use
        self.load = LoadSampler(self.store, self.dispatcher, self.gateway)
        if self._has_pages:
            self.web = self._new_web()
        # no bot may connect before the matches run again: `welcome` lists them
        await self._restore()
        await self.tournaments.restore()
        if self._listens:
            await self.standings.show_last()
            self.port = await _listening(self._listen_for_bots, config.host, config.port)
            await self._join_gateways()
            if self._status is not None:
                await self._status.stop()
            if self._has_pages:
                self.pages_port = await _listening(self.web.start, config.host, config.pages_port)
            self.load.start()
            self._counting = asyncio.create_task(self._count_results(), name=COUNTING)

    async def _connect_bus(self) -> None:
        if self._bus is None and self.config.bus_url:
            self._bus = await connect_bus(self.config.bus_url)

    def _new_dispatcher(self) -> Dispatcher:
        parts = self.store, self.accounts, self.config, self.name, self._now_ns, self._wall_ns
        if self._tracer is None:
            return Dispatcher(*parts, new_runner=SpreadRunner if self._bus else self._new_runner)
        from tabiya.server.tracing import TracedDispatcher

        return TracedDispatcher(self._tracer, *parts)

    def _new_gateway(self) -> Gateway:
        if self._bus is None or self._processes is not None:
            return Gateway(self.dispatcher, self.config.limits, self._now_ns, self.allowed_hosts)
        own = GatewayServer(self.config, self._bus, self._now_ns, also_paused=self.dispatcher.process_paused)
        self._own_gateway, self.allowed_hosts = own, own.allowed_hosts
        return own.gateway

    def _new_web(self) -> WebApp:
        from tabiya.server.web.app import WebApp  # 0.15 s, which matches without a network need not wait for
        from tabiya.server.web.http.server_facade import ServerFacade

        return WebApp(ServerFacade(self))

    def _use(self, config: ServerConfig) -> None:
        """Use these settings for everything that begins from now on."""
        self.config = config
        self.accounts.open_to_all = _is_open(config)
        self.dispatcher.use(config)
        self.tournaments.usual_time = config.time_control

    async def _count_results(self) -> None:
        """Count the results before anybody asks for standings."""
        with contextlib.suppress(StoreError):  # a later request gets the error
            await self.standings.prepare()

    async def _listen_for_bots(self, host: str, port: int) -> int:
        if self._own_gateway is not None:
            await self._own_gateway.start()
            return self._own_gateway.port
        if not is_loopback_name(host):  # on loopback no name of the network reaches it
            self.allowed_hosts.learn_full_name()
        if self._processes is None:
            return await self.gateway.start(host, port)
        self.gateway.lag_monitor.start()
        self._reserved_port = await reserve_port(host, port)
        return port_of(self._reserved_port)

    async def _join_gateways(self) -> None:
        """Connect gateways and hosts, if there is a bus."""
        if self._bus is None:
            return
        dispatcher, runner = self.dispatcher, self.dispatcher.runner
        assert isinstance(runner, SpreadRunner)
        number = await self.store.register_host(SERVER, self._wall_ns() / 1e9)
        limits, lag_monitor = self.config.limits, self.gateway.lag_monitor
        self.remote_gateways = RemoteGateways(self._bus, number, dispatcher, limits, self._now_ns, lag_monitor)
        factory, plan_pairing = dispatcher.match_factory, dispatcher.matchmaker.plan_pairing
        self.hosts = Hosts(self._bus, number, self.store, runner, factory, plan_pairing)
        self.remote_gateways.hosts, self.hosts.announce = self.hosts.there, self.remote_gateways.announce
        self.hosts.gateway_of = dispatcher.gateway_of
        await self.hosts.start()
        await self.remote_gateways.start()
        if self._processes is not None:
            await self._processes.start(self.store, self.hosts, replace(self.config, port=self.port))

    @property
    def gateways(self) -> int:
        """How many other processes hold connections of bots."""
        return max(0, self.remote_gateways.count - bool(self._own_gateway)) if self.remote_gateways else 0

    @property
    def websocket_url(self) -> str:
        """The address for bots."""
        return f"ws://{host_in_url(self.config.host)}:{self.port}"

    @property
    def pages_url(self) -> str:
        return f"http://{host_in_url(self.config.host)}:{self.pages_port}"

    async def _restore(self) -> None:
        """Continue every unfinished match; those that cannot be restored are frozen and reported."""
        if self._bus is None or self._processes is not None:
            await self._end_hosts()
        unfinished = await self.store.unfinished_matches()
        newest = await self.store.list_matches(MatchFilter(limit=1))
        # includes ended matches: a bot is then told that its match is over, not that it never existed
        self.dispatcher.runner.newest = newest[0].id if newest else 0
        await continue_matches(self.store, unfinished, self.dispatcher.match_factory.resume_or_leave)
        going = self.dispatcher.runner.count
        if going:
            log.info("%d unfinished match%s", going, " goes on" if going == 1 else "es go on")

    async def _end_hosts(self) -> None:
        """End hosts of an earlier run that may still play: their matches belong to this server or its processes."""
        now_s, earlier = self._wall_ns() / 1e9, await self.store.hosts()
        ours = () if self._processes is None else await self._processes.register(self.store)
        playing = {host.number for host in earlier if host.ended_at is None}
        playing |= set((await self.store.hosts_of_matches()).values())  # stored for one just after its end, too
        for number in playing if ours else playing - {0}:
            await self.store.move_matches(number, ours or (0,), now_s)

    async def stop(self) -> None:
        """Start nothing new, stop the clocks, save and send what is under way, close all connections.

        Calling it twice is no error.  Why it does not wait for matches to end: docs/decisions/009-closing.md
        """
        if self._closed is None:
            self._closed = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closed)  # a caller that is cancelled must not stop the closing half way

    async def _close(self) -> None:
        """Close the parts that were opened, the last first."""
        if hasattr(self, "tournaments"):  # not set if the start failed with only the store open
            self.dispatcher.matchmaker.closing = True
            self.tournaments.close()
            self.load.stop()
            self.dispatcher.runner.close()
            if self._processes is not None:
                await self._processes.stop()
            await self._last_saves()  # before connections close: bots still get the results of these saves
            for part in (self.hosts, self.remote_gateways):
                if part is not None:
                    await part.stop()
            if self._bus is not None:
                await self._bus.close()
            web = (self.web.stop(),) if self._has_pages else ()
            await asyncio.gather(*web, (self._own_gateway or self.gateway).stop(CLOSING))
            if self._reserved_port is not None:
                self._reserved_port.close()
            for given in (self.explorer, self.hosting):
                if given is not None:
                    await given.close()
            await self.dispatcher.settle()  # they may still use the store
            if self._counting is not None:
                self._counting.cancel()
                await asyncio.wait([self._counting])
                await self._last_counts()
        await self.store.close()
        log.info("%s is closed", self.name)

    async def _last_counts(self) -> None:
        with contextlib.suppress(StoreError, TimeoutError):
            async with asyncio.timeout(DRAIN_TIMEOUT_S):
                await self.standings.close()

    async def _last_saves(self) -> None:
        """Wait until submitted writes are saved and announced, so that bots get the ends of their matches."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_TIMEOUT_S):
                while self.store.waiting:  # noqa: ASYNC110  (a store has no event for it)
                    await asyncio.sleep(POLL_S)


async def _listening(listen: Callable[[str, int], Awaitable[int]], host: str, port: int) -> int:
    """The port, once it listens there. Raises StartError."""
    try:
        return await listen(host, port)
    except OSError as error:
        raise cannot_listen(error, host, port) from error


def _is_open(config: ServerConfig) -> bool:
    """Whether names without a token may play."""
    if config.open_registration is not None:
        return config.open_registration
    return is_loopback(config.host) and not config.public_url  # what a proxy passes on comes from anywhere
