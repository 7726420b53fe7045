"""The bus over a real NATS, which is killed and comes again; hosts and gateways as processes."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import sys
from collections.abc import AsyncIterator

import pytest

from tabiya.protocol.messages import MatchEnded, Resign, Turn
from tabiya.server.cluster.bus import BusError
from tabiya.server.cluster.nats_bus import NatsBus
from tabiya.storage.open import open_store
from tabiya.storage.records import MatchId
from tests.live import PATIENCE_S, ROOT, PlainBot, eventually, listening, served, serving, welcomed
from tests.server.cluster.cluster import answer, begun
from tests.server.cluster.nats import nats
from tests.server.test_standby import printed
from tests.storage.postgres import private_cluster

pytestmark = pytest.mark.slow


@contextlib.asynccontextmanager
async def command(says: str, *words: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """A process of this command of ours, and what it has said of what is looked for; told to, it must end in order."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tabiya", *words, cwd=ROOT, stderr=asyncio.subprocess.PIPE
    )
    try:
        assert process.stderr is not None
        async with asyncio.timeout(PATIENCE_S):
            while not (found := re.search(says, (await process.stderr.readline()).decode())):
                pass
        yield process, found[0]
        if process.returncode is None:
            process.terminate()
            async with asyncio.timeout(PATIENCE_S):
                rest = (await process.stderr.read()).decode()
                assert (await process.wait(), "Traceback" in rest) == (0, False), rest
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@contextlib.asynccontextmanager
async def gateway_process(bus: str) -> AsyncIterator[str]:
    """Where `tabiya gateway` listens."""
    async with command(r"ws://\S+", "gateway", "--port", "0", "--bus", bus) as (_, url):
        yield url


async def plays_until(ply: int, bot: PlainBot) -> MatchEnded:
    """Answers every turn before this ply, also one that comes again, and resigns at it."""
    while not isinstance(message := await bot.hear(), MatchEnded):
        if isinstance(message, Turn) and message.ply < ply:
            await answer(bot, message)
        elif isinstance(message, Turn):
            await bot.say(Resign(match=message.match))
    return message


async def test_published_messages_arrive_in_order_also_after_the_server_was_killed() -> None:
    async with nats() as server:
        one, other = await NatsBus.connect(server.url), await NatsBus.connect(server.url)
        received: list[bytes] = []
        await other.subscribe("tabiya.test", received.append)
        for number in range(100):
            one.publish("tabiya.test", b"%d" % number)
        await eventually(lambda: len(received) == 100)
        await server.kill()
        await server.start()
        while received[-1] != b"last":
            one.publish("tabiya.test", b"last")
            await asyncio.sleep(0.05)
        assert received[:100] == [b"%d" % number for number in range(100)]
        await asyncio.gather(one.close(), other.close())


async def test_a_subscriber_misses_nothing_published_afterwards() -> None:
    async with nats() as server:
        one, other = await NatsBus.connect(server.url), await NatsBus.connect(server.url)
        received: list[bytes] = []
        for number in range(100):  # of which a tenth was missed when the library's flush was trusted
            await other.subscribe(f"tabiya.test.{number}", received.append)
            one.publish(f"tabiya.test.{number}", b"")
            await eventually(lambda wanted=number + 1: len(received) == wanted)  # type: ignore[misc]
        await asyncio.gather(one.close(), other.close())


async def test_closing_the_bus_is_not_losing_it(caplog: pytest.LogCaptureFixture) -> None:
    async with nats() as server:
        await (await NatsBus.connect(server.url)).close()
        assert caplog.records == []


async def test_a_line_that_is_lost_while_the_bus_is_let_go_of_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The event loop raises RuntimeError where what waits is written to a line that is closed."""
    async with nats() as server:
        bus = await NatsBus.connect(server.url)
        close = bus._client.close

        async def lose() -> None:
            await close()
            raise RuntimeError("unable to perform operation on a transport; the handler is closed")

        monkeypatch.setattr(bus._client, "close", lose)
        await bus.close()


@pytest.mark.parametrize("url", ["http://localhost:4222", "localhost:4222", "nats://", "nats://one:1,two"])
async def test_what_is_no_address_of_a_bus_is_one_sentence(url: str) -> None:
    with pytest.raises(BusError, match="is not the address of a bus; write nats://HOST:4222 or unix:FOLDER"):
        await NatsBus.connect(url)


async def test_a_bus_that_is_not_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabiya.server.cluster.nats_bus.START_S", 0.3)
    with pytest.raises(BusError, match="does not answer: is nats-server running"):
        await NatsBus.connect("nats://127.0.0.1:1")


@pytest.mark.timeout(400)
async def test_bots_of_a_gateway_play_on_when_the_server_is_killed_and_when_the_bus_is() -> None:
    with private_cluster() as cluster:
        address = cluster.create("games")
        async with (
            nats() as bus,
            served(address, "--bus", bus.url) as first,
            serving(address, "--standby", "--bus", bus.url) as process,
            gateway_process(bus.url) as url,
            welcomed(url, "ada") as ada,
            welcomed(url, "bob") as bob,
        ):
            mover, other, turn = await begun(ada, bob)
            await answer(mover, turn)
            turn, (mover, other) = await other.receives(Turn), (other, mover)
            await printed(process, "in use by another server")
            first.process.send_signal(signal.SIGKILL)
            async with asyncio.timeout(PATIENCE_S):
                second = await listening(process)
            asked = await mover.receives(Turn)
            assert (asked.ply, asked.position, asked.clock_ms) == (turn.ply, turn.position, turn.clock_ms)
            await answer(mover, asked)
            turn, (mover, other) = await other.receives(Turn), (other, mover)
            await bus.kill()
            await answer(mover, turn)
            await bus.start()
            last = turn.ply + 6
            ends = await asyncio.gather(*(plays_until(last, bot) for bot in (ada, bob)))
            assert ends[0].winner == ends[1].winner
            code, log = await second.end()
            assert (code, "Traceback" in log) == (0, False), log
        store = await open_store(address, create=False)
        assert [row.ply for row in await store.moves(MatchId(1))] == list(range(last))
        assert await store.check() == []
        await store.close()


@pytest.mark.timeout(400)
async def test_matches_go_on_when_a_host_is_killed_and_another_is_ended() -> None:
    with private_cluster() as cluster:
        address = cluster.create("games")
        async with contextlib.AsyncExitStack() as stack:
            bus = await stack.enter_async_context(nats())
            server = await stack.enter_async_context(served(address, "--bus", bus.url))
            url = await stack.enter_async_context(gateway_process(bus.url))
            hosts = []
            for _ in range(2):
                words = r"host \d+ plays", "host", "--bus", bus.url, "--database", address
                process, result = await stack.enter_async_context(command(*words))
                hosts.append((int(result.split()[1]), process))
            ada = await stack.enter_async_context(welcomed(url, "ada"))
            bob = await stack.enter_async_context(welcomed(url, "bob"))
            store = await open_store(address, create=False)
            stack.push_async_callback(store.close)
            mover, other, turn = await begun(ada, bob)
            for end in (signal.SIGKILL, signal.SIGTERM):
                await answer(mover, turn)
                turn, (mover, other) = await other.receives(Turn), (other, mover)
                number = (await store.hosts_of_matches())[MatchId(turn.match)]
                process = next(process for host, process in hosts if host == number)
                process.send_signal(end)
                asked = await mover.receives(Turn)
                async with asyncio.timeout(PATIENCE_S):  # a second signal, while it ends, would end it at once
                    assert await process.wait() == (0 if end == signal.SIGTERM else -end)
                assert (asked.ply, asked.position, asked.clock_ms) == (turn.ply, turn.position, turn.clock_ms)
                assert (await store.hosts_of_matches())[MatchId(turn.match)] != number
            await answer(mover, turn)
            ends = await asyncio.gather(*(plays_until(turn.ply + 4, bot) for bot in (ada, bob)))
            assert ends[0].winner == ends[1].winner
            assert [row.ply for row in await store.moves(MatchId(1))] == list(range(turn.ply + 4))
            code, log = await server.end()
            assert (code, "Traceback" in log) == (0, False), log
            assert await store.check() == []
