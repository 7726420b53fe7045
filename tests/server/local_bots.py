"""A whole server and scripted bots in one process, over local lines, under virtual time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from random import Random
from typing import Any, TypeVar

from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import (
    Accept,
    Challenged,
    ClientMessage,
    Hello,
    MatchStarted,
    Move,
    MoveInfo,
    Refused,
    Seek,
    ServerMessage,
    Turn,
    Welcome,
)
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tabiya.server.pairing import Format, Plan
from tabiya.server.pairing.state import PairingState
from tabiya.server.tournaments.pairing_process import PairingExecutor
from tabiya.storage.memory_tables import MemoryTables
from tests.fakes.local_network import LocalClient, LocalNetwork
from tests.fakes.store import FaultyStore
from tests.server.invariants import broken_invariants
from tests.virtual_time import now_ns, wall_ns

M = TypeVar("M", bound=ServerMessage)
T = TypeVar("T")
Choose = Callable[[Turn], str | None]
PATIENCE_S = 7_200.0


def first_legal(turn: Turn) -> str:
    """The first of the legal moves."""
    assert turn.legal_moves
    return turn.legal_moves[0]


def at_random(seed: int) -> Choose:
    """Some legal move; the same ones for the same seed."""
    draw = Random(seed)

    def choose(turn: Turn) -> str:
        assert turn.legal_moves
        return draw.choice(turn.legal_moves)

    return choose


def silent(turn: Turn) -> None:
    """No move: the bot lets its clock run."""


class LocalBot:
    """A bot on a local line: keeps all it hears, answers each turn after `think_s` with what `choose` says."""

    def __init__(
        self, network: LocalNetwork, name: str, choose: Choose = first_legal, think_s: float = 0.0, **line: Any
    ) -> None:
        self.name, self.choose, self.think_s = name, choose, think_s
        self.inbox: list[ServerMessage] = []
        self.says: Callable[[Turn], MoveInfo | None] = lambda turn: None  # of its thinking, with its move
        self.accepts = False  # every challenge
        self.closed: tuple[int, str] | None = None
        self._arrived = asyncio.Event()
        self.client: LocalClient = network.connect(self._hear, self._end, **line)

    def say(self, message: ClientMessage) -> None:
        """Send a message."""
        self.client.send(message)

    def _hear(self, message: ServerMessage) -> None:
        self.inbox.append(message)
        self._arrived.set()
        if isinstance(message, Challenged) and self.accepts and not message.yours:
            self.say(Accept(challenge=message.challenge))
        if isinstance(message, Turn):
            move = self.choose(message)
            if move is not None:
                answer = Move(match=message.match, ply=message.ply, move=move, info=self.says(message))
                asyncio.get_running_loop().call_later(self.think_s, self.say, answer)

    def _end(self, code: int, reason: str) -> None:
        self.closed = code, reason
        self._arrived.set()

    def received(self, kind: type[M]) -> list[M]:
        """The messages of a kind so far."""
        return [message for message in self.inbox if isinstance(message, kind)]

    async def receives(self, kind: type[M], count: int = 1) -> M:
        """The message of this kind with this number (from 1), waited for in virtual time."""
        await self.until(lambda: len(self.received(kind)) >= count)
        return self.received(kind)[count - 1]

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until something is true of this bot; looked at after each message."""
        async with asyncio.timeout(PATIENCE_S):
            while not true():
                self._arrived.clear()
                await self._arrived.wait()

    async def ends(self) -> tuple[int, str]:
        """Close code and reason, waited for."""
        await self.until(lambda: self.closed is not None)
        assert self.closed is not None
        return self.closed

    async def refusal(self, message: ClientMessage) -> Refused:
        """The refusal that answers a message."""
        before = len(self.received(Refused))
        self.say(message)
        return await self.receives(Refused, before + 1)


class Table:
    """A server and its local bots."""

    def __init__(self, server: TabiyaServer, store: FaultyStore) -> None:
        self.server, self.store, self.dispatcher = server, store, server.dispatcher
        self.network = LocalNetwork(server.dispatcher, server.config.limits, now_ns)
        self.crashed = False

    async def bot(self, name: str, choose: Choose = first_legal, think_s: float = 0.0, **options: Any) -> LocalBot:
        """A welcomed bot. options: fields of `hello`; encoding and delay_s belong to the line."""
        line = {key: options.pop(key) for key in ("encoding", "delay_s") if key in options}
        bot = LocalBot(self.network, name, choose, think_s, **line)
        bot.say(Hello(name=name, **options))
        await bot.receives(Welcome)
        return bot

    async def two_seated(
        self, game: str, first: Choose = silent, second: Choose = silent, think_s: float = 0.0, **terms: Any
    ) -> tuple[LocalBot, LocalBot, int]:
        """Two bots in a match of `game`: seat 0, seat 1 and the number of the match."""
        ada = await self.bot("ada", first, think_s)
        bob = await self.bot("bob", second, think_s)
        for bot in (ada, bob):
            bot.say(Seek(game=game, **terms))
        started = await ada.receives(MatchStarted)
        await bob.receives(MatchStarted)
        if started.seat == 1:
            ada.choose, bob.choose = bob.choose, ada.choose
            ada, bob = bob, ada
        return ada, bob, started.match

    async def idle(self) -> None:
        """Let everything happen that needs no time."""
        for _ in range(50):
            await asyncio.sleep(0)

    async def crash(self) -> MemoryTables:
        """End as a killed process does: nothing is said or saved any more; what was committed stays."""
        self.crashed = True
        self.store.crash()
        self.dispatcher.runner.close()
        for task in self.dispatcher._tasks:
            task.cancel()
        for line in list(self.network.connections):
            line.client.cut()
        await self.dispatcher.settle()
        return self.store.tables


class AtOnce(PairingExecutor):
    """Does it here: under virtual time there are no threads."""

    async def run(self, work: Callable[..., T], *given: Any) -> T:
        return work(*given)

    async def advance(self, form: Format, plan: Plan, state: PairingState) -> PairingState:
        return form.advance(plan, state)


@contextlib.asynccontextmanager
async def table(
    tables: MemoryTables | None = None, limits: WireLimits | None = None, **config: Any
) -> AsyncIterator[Table]:
    """A running server for local bots, stopped afterwards; what it remembers must then fit together.

    tables: what an earlier server has saved.  config: fields of ServerConfig.
    """
    store = FaultyStore(tables)
    settings = ServerConfig(database_url="memory:", limits=limits or WireLimits(), **config)
    server = TabiyaServer(settings, store=store, now_ns=now_ns, wall_ns=wall_ns, listens=False, executor=AtOnce())
    await server.start()
    there = Table(server, store)
    yield there
    if not there.crashed:
        await there.idle()
        assert broken_invariants(server.dispatcher) == []
        there.network.close("the test is over")
        await server.stop()
