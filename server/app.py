"""The server as a whole: opened part by part, restored, and closed without losing anything."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import time

from tabiya.games.errors import GameError
from tabiya.server.accounts.accounts import Accounts
from tabiya.server.accounts.secrets_file import beside_database
from tabiya.server.config import ServerConfig
from tabiya.server.core.restore import RestoreError
from tabiya.server.dispatcher import Dispatcher
from tabiya.server.explorer import Explorer
from tabiya.server.hosting import Hosting
from tabiya.server.load import LoadSampler
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
from tabiya.server.transport.public_address import PublicAddress, read_public_url
from tabiya.server.version import version
from tabiya.server.web.app import WebApp
from tabiya.storage.errors import StoreError
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchFilter, MatchId
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.server")

CLOSING = "the server closes; its matches are saved and go on when it is back"
LAST_SAVES_S = 2.0  # so long a closing server waits before it lets bots go without the last they could be told
COUNTING = "count results"
"""Name of the task that ends when what was there at the start has been counted."""
LOOK_S = 0.005  # between two looks whether the store has saved everything


class StartError(Exception):
    """The server cannot start; the text is one sentence for a person."""


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
    web: WebApp
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
        executor: PairingExecutor | None = None,
    ) -> None:
        """store: one that is open already and closed with the server; None opens the configured one.

        now_ns, wall_ns: other clocks, for a loop with a time of its own.
        listens: False for a server that is only spoken to inside this process, as by `tabiya match`.
        executor: runs what takes long off the event loop; another way for a loop that has no threads.
        """
        self.config = config
        self.name = f"{config.name} {version()}"
        self.started_at = 0.0
        self.house_bots: dict[str, dict[str, str]] = {}
        """Players of the server's own, by name: how each plays, in a few words, by game. Set by who starts them."""
        self.explorer: Explorer | None = None
        """What searches for pages; none: they say so. Set by who starts the server, closed with it."""
        self.hosting: Hosting | None = None
        """What runs programs for bots; none: they cannot be handed in. Set by who starts the server, closed with it."""
        self._given_store, self._now_ns, self._wall_ns, self._listens = store, now_ns, wall_ns, listens
        self._executor = executor
        self._closed: asyncio.Future[None] | None = None
        self._counting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Open the store, restore what was running, listen. Raises StartError."""
        config = self.config
        try:
            self.store = self._given_store or await open_store(
                config.database_url, durability=config.durability, exclusive=True
            )
        except StoreError as error:
            raise StartError(str(error)) from error
        try:
            await self._open_parts()
        except StoreError as error:
            await self.stop()
            raise StartError(str(error)) from error
        except BaseException:
            await self.stop()
            raise
        self.started_at = time.time()
        if self._listens:
            log.info("%s listens on %s", self.name, self.websocket_url)

    async def _open_parts(self) -> None:
        self.settings = RunningSettings(self.store, self.config)
        self.config = config = await self.settings.load()
        self.public = read_public_url(config.public_url)
        self.program_rules = ProgramRules(self.store)
        await self.program_rules.load()
        secrets_file = None if self._given_store else beside_database(config.database_url)
        self.accounts = Accounts(self.store, config, open_to_all=_is_open(config), secrets_file=secrets_file)
        await self.accounts.prepare()
        self.dispatcher = Dispatcher(self.store, self.accounts, config, self.name, self._now_ns, self._wall_ns)
        self.allowed_hosts = AllowedHosts(config.host, config.allowed_hosts, self.public.url if self.public else "")
        self.gateway = Gateway(self.dispatcher, config.limits, self._now_ns, self.allowed_hosts)
        self.dispatcher.on_welcome = self.gateway.welcomed
        anchors = tuple(sorted(read_anchors(config.anchors).items()))
        self.standings = StandingsCache(self.store, anchors, keeps_counts=self._listens)
        self.seasons = Seasons(self.store, self.standings)
        self.tournaments = TournamentManager(
            self.store, self.dispatcher, self.standings, config.time_control, self._executor
        )
        self.settings.on_change = self._use
        self.load = LoadSampler(self.store, self.dispatcher, self.gateway)
        self.web = WebApp(self)
        # nobody may connect before the matches run again: `welcome` lists those of the bot
        await self._restore()
        await self.tournaments.restore()
        if self._listens:
            await self.standings.show_last()
            await self._listen(config)
            self.load.start()
            self._counting = asyncio.create_task(self._count_results(), name=COUNTING)

    def _use(self, config: ServerConfig) -> None:
        """From now on these settings hold, for what begins from now on."""
        self.config = config
        self.accounts.open_to_all = _is_open(config)
        self.dispatcher.use(config)
        self.tournaments.usual_time = config.time_control

    async def _count_results(self) -> None:
        """Before anybody asks for standings."""
        with contextlib.suppress(StoreError):  # whoever asks for them is told
            await self.standings.prepare()

    async def _listen(self, config: ServerConfig) -> None:
        port = config.port
        if not is_loopback_name(config.host):  # else nobody reaches it by a name of the network
            self.allowed_hosts.learn_full_name()
        try:
            self.port = await self.gateway.start(config.host, port)
            port = config.pages_port
            self.pages_port = await self.web.start(config.host, port)
        except OSError as error:
            raise StartError(f"cannot listen on {config.host} port {port}: {_cause(error)}") from error

    @property
    def websocket_url(self) -> str:
        """Where bots connect."""
        return f"ws://{self._host_in_urls}:{self.port}"

    @property
    def pages_url(self) -> str:
        """Where people look."""
        return f"http://{self._host_in_urls}:{self.pages_port}"

    @property
    def _host_in_urls(self) -> str:
        host = self.config.host
        return f"[{host}]" if ":" in host else host

    async def _restore(self) -> None:
        """Every unfinished match goes on; what cannot be restored is frozen and reported, the rest goes on."""
        unfinished = await self.store.unfinished_matches()
        newest = await self.store.list_matches(MatchFilter(limit=1))
        # ended matches count, too: by it a bot is told that a match is over and not that there was none
        self.dispatcher.runner.newest = newest[0].id if newest else 0
        names: dict[int | None, str] = {record.id: record.name for record in await self.store.list_tournaments()}
        for stored in unfinished.matches:
            try:
                self.dispatcher.match_factory.resume(stored, names.get(stored.match.tournament_id, ""))
            except (RestoreError, GameError) as error:
                await self._quarantine(stored.match.id, str(error))
            except Exception as error:  # an error of ours with one match must not keep the others from going on
                log.exception("match %d: an error of ours while it was restored", stored.match.id)
                await self._quarantine(stored.match.id, f"{type(error).__name__}: {error}")
        for damaged in unfinished.damaged:
            await self._quarantine(damaged.match_id, damaged.reason)
        going = len(self.dispatcher.runner.running())
        stopped = len(unfinished.matches) + len(unfinished.damaged) - going
        if going:
            log.info("%d unfinished match%s", going, " goes on" if going == 1 else "es go on")
        if stopped:
            log.error("%d matches are frozen: `tabiya matches list --status frozen`, and `tabiya verify`", stopped)

    async def _quarantine(self, match_id: MatchId, reason: str) -> None:
        """The match stands still until an operator has looked at it, also if the damage keeps that from being saved."""
        log.error("match %d cannot be restored and is frozen: %s", match_id, reason)
        try:
            await self.store.freeze_match(match_id, f"cannot be restored: {reason}")
        except StoreError as error:
            log.error("match %d: that it is frozen could not be saved: %s", match_id, error)

    async def stop(self) -> None:
        """Start nothing new, stop the clocks, save and tell what is under way, say goodbye, let go.

        Calling it twice is no error.  Why it does not wait for matches to end: docs/decisions/009-closing.md
        """
        if self._closed is None:
            self._closed = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closed)  # a caller that is cancelled must not stop the closing half way

    async def _close(self) -> None:
        """Close the parts that were opened, the last first."""
        if hasattr(self, "tournaments"):  # else the start failed when nothing but the store was open
            self.dispatcher.matchmaker.closing = True
            self.tournaments.close()
            self.load.stop()
            self.dispatcher.runner.close()
            await self._last_saves()  # before the goodbyes: what is saved now can still be told
            await asyncio.gather(self.web.stop(), self.gateway.stop(CLOSING))
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
            async with asyncio.timeout(LAST_SAVES_S):
                await self.standings.close()

    async def _last_saves(self) -> None:
        """Wait until what was submitted is saved and told: who is told of the end of a match need not ask for it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_SAVES_S):
                while self.store.waiting:  # noqa: ASYNC110  (a store has no event for it)
                    await asyncio.sleep(LOOK_S)


def _is_open(config: ServerConfig) -> bool:
    """Whether names without a token may play."""
    if config.open_registration is not None:
        return config.open_registration
    return is_loopback(config.host) and not config.public_url  # what a proxy passes on comes from anywhere


def _cause(error: OSError) -> str:
    """Why a port cannot be had; the event loop's own words repeat the address."""
    if error.errno == errno.EADDRINUSE:
        return "another program listens there (choose another port; 0 takes any free one)"
    if error.errno is not None and error.errno in errno.errorcode:
        return os.strerror(error.errno).lower()
    return str(error.strerror or error)  # of looking up a name
