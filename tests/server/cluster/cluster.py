"""A cluster in the event loop of a test: a bus, gateways, servers one after the other, and hosts beside them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from tabiya.protocol.messages import MatchEnded, MatchStarted, Move, Resign, Seek, Turn, Unseek
from tabiya.server.app import TabiyaServer
from tabiya.server.cluster.bus import HOSTS, host_subject, orders_subject
from tabiya.server.cluster.gateway_process import GatewayServer
from tabiya.server.cluster.match_host import MatchHost
from tabiya.server.cluster.messages import HostBatch, HostNews, HostPresence, unpack
from tabiya.server.config import ServerConfig
from tabiya.storage.memory import MemoryStore
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.records import MatchId
from tests.fakes.bus import LocalBus
from tests.live import PlainBot, eventually, welcomed

QUICK = "nim"


class Cluster:
    """A bus, gateways, and servers and hosts on the same tables."""

    def __init__(self) -> None:
        self.bus, self.tables = LocalBus(), MemoryTables()
        self.gateways: list[GatewayServer] = []
        self.config = ServerConfig(port=0, pages_port=0, open_registration=True)

    @contextlib.asynccontextmanager
    async def server(self) -> AsyncIterator[TabiyaServer]:
        """A server."""
        server = TabiyaServer(self.config, store=MemoryStore(self.tables), bus=self.bus)
        await server.start()
        try:
            yield server
        finally:
            await server.stop()

    @contextlib.asynccontextmanager
    async def host(self) -> AsyncIterator[MatchHost]:
        """A host beside the server."""
        number = await MemoryStore(self.tables).register_host("host", 0.0)
        host = MatchHost(self.config, self.bus, MemoryStore(self.tables, host=number), number)
        await host.start()
        try:
            yield host
        finally:
            await host.stop()

    @contextlib.asynccontextmanager
    async def playing(self, server: TabiyaServer) -> AsyncIterator[MatchHost]:
        """A host of which the server knows: it plays what is begun from now on."""
        async with self.host() as host:
            await eventually(lambda: server.hosts is not None and host.number in server.hosts.numbers)
            yield host

    @contextlib.asynccontextmanager
    async def process(self, server: TabiyaServer) -> AsyncIterator[tuple[MatchHost, GatewayServer]]:
        """A host and a gateway in one process, of which the server knows."""
        number = await MemoryStore(self.tables).register_host("process", 0.0)
        gateway = GatewayServer(self.config, self.bus)
        parts = self.config, self.bus, MemoryStore(self.tables, host=number), number
        host = MatchHost(*parts, gateway=gateway.relay.name)
        gateway.relay.plays_here(number, host.dispatcher)
        await gateway.start()
        await host.start()
        try:
            await eventually(lambda: server.hosts is not None and number in server.hosts.numbers)
            await eventually(lambda: gateway.relay.host > 0)
            yield host, gateway
        finally:
            await asyncio.gather(host.stop(hands_on=False), gateway.stop())

    def cut_off(self, number: int) -> None:
        """From now on nothing comes from the host of this number, and nothing reaches it."""

        def passes(subject: str, data: bytes) -> int:
            reported: HostPresence | HostNews | HostBatch | None
            if subject == HOSTS:
                reported = unpack(data, HostPresence)
            else:
                reported = unpack(data, HostNews) if ".news." in subject else unpack(data, HostBatch)
            is_from_it = reported is not None and reported.host == number
            return int(not is_from_it and subject not in (host_subject(number), orders_subject(number)))

        self.bus.passes = passes

    @contextlib.asynccontextmanager
    async def gateway(self) -> AsyncIterator[GatewayServer]:
        """A gateway, and where bots connect."""
        gateway = GatewayServer(self.config, self.bus)
        await gateway.start()
        try:
            yield gateway
        finally:
            await gateway.stop()


def url(gateway: GatewayServer) -> str:
    return f"ws://127.0.0.1:{gateway.port}"


async def begun(ada: PlainBot, bob: PlainBot, time: str = "60+0") -> tuple[PlainBot, PlainBot, Turn]:
    """The players of a new match of chess in the order of their seats, and the first turn."""
    for bot in (ada, bob):
        await bot.say(Seek(game="chess", time=time))
    seat = (await ada.receives(MatchStarted)).seat
    await bob.receives(MatchStarted)
    for bot in (ada, bob):
        await bot.say(Unseek(game="chess"))
    white, black = (ada, bob) if seat == 0 else (bob, ada)
    return white, black, await white.receives(Turn)


@contextlib.asynccontextmanager
async def two_bots(there: Cluster) -> AsyncIterator[tuple[PlainBot, PlainBot]]:
    """A server, a gateway, and ada and bob behind it."""
    async with there.server(), there.gateway() as gateway:  # noqa: SIM117
        async with welcomed(url(gateway), "ada") as ada, welcomed(url(gateway), "bob") as bob:
            yield ada, bob


async def answer(bot: PlainBot, turn: Turn) -> None:
    assert turn.legal_moves
    await bot.say(Move(match=turn.match, ply=turn.ply, move=turn.legal_moves[0]))


async def play_on(there: Cluster, first: PlainBot, second: PlainBot, turn: Turn) -> None:
    """Four moves more, then who moves first resigns; all that was played is stored."""
    loser = turn.seat
    for mover, other in ((first, second), (second, first)) * 2:
        await answer(mover, turn)
        turn = await other.receives(Turn)
    await first.say(Resign(match=turn.match))
    ends = [await bot.receives(MatchEnded) for bot in (first, second)]
    assert [end.winner for end in ends] == [1 - loser] * 2
    assert list(there.tables.moves[MatchId(turn.match)]) == list(range(turn.ply))
