"""The websocket gateway against real sockets: encodings, hello, garbage, floods and slow readers."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any, cast

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from scripts.websocket_frames import handshake
from tabiya.games.registry import names
from tabiya.protocol.codec import Encoding
from tabiya.protocol.codes import CloseCode
from tabiya.protocol.limits import WireLimits
from tabiya.protocol.messages import (
    Accept,
    Challenge,
    Challenged,
    ChallengeEnded,
    Decline,
    Hello,
    MatchStarted,
    Move,
    Refused,
    Seek,
    Turn,
    Unseek,
    Welcome,
)
from tabiya.server.transport.allowed_hosts import AllowedHosts
from tabiya.server.transport.gateway import Gateway
from tests.live import PATIENCE_S, connected, eventually, expect_alive, live_server, raw_line, welcomed
from tests.present import present
from tests.virtual_time import now_ns, virtual_time

pytestmark = pytest.mark.usefixtures("short_grace")
GAME = names()[0]


@pytest.mark.parametrize("encoding", Encoding)
async def test_a_bot_is_welcomed_in_the_encoding_it_has_chosen(encoding: Encoding) -> None:
    async with live_server() as server, connected(server.websocket_url, encoding) as bot:
        await bot.say(Hello(name="ada"))
        welcome = await bot.hear()
        assert isinstance(welcome, Welcome)
        assert (welcome.name, welcome.games) == ("ada", names())


async def test_unknown_subprotocols_are_refused_with_400() -> None:
    async with live_server() as server:
        with pytest.raises(InvalidStatus) as refused:
            await connect(server.websocket_url, subprotocols=[Subprotocol("chat")], proxy=None)
        assert refused.value.response.status_code == 400
        assert b"none of the subprotocols chat is supported" in (refused.value.response.body or b"")


async def test_pages_of_other_sites_are_refused_and_pages_of_this_server_accepted() -> None:
    async with live_server() as server:
        url = server.websocket_url
        for origin in ("https://evil.example", "null", "http://[", "http://127.0.0.1.evil.example"):
            with pytest.raises(InvalidStatus) as refused:
                await connect(url, origin=Origin(origin), proxy=None)
            assert refused.value.response.status_code == 403
        async with raw_line(server) as line:
            assert b" 403 " in await line.upgrade("Origin: http://localhost", "Origin: http://localhost")
        async with connect(url, origin=Origin("http://127.0.0.1:8080"), proxy=None) as socket:
            await socket.send('{"type":"hello","name":"ada"}')
            assert json.loads(await socket.recv())["type"] == "welcome"  # who offers no subprotocol speaks JSON


async def test_a_foreign_name_that_points_here_is_refused_with_the_setting_and_a_known_one_is_accepted() -> None:
    async with live_server(allowed_hosts="class.example") as server:
        upgrade = handshake("").decode().split("\r\n")[:-2]
        for host, origin, status in (
            ("evil.example:8765", (), b" 403 "),
            ("evil.example:8765", ("Origin: http://evil.example:8765",), b" 403 "),  # its page, and its name for us
            ("class.example:8765", (), b" 101 "),
            ("class.example", ("Origin: https://class.example",), b" 101 "),
        ):
            async with raw_line(server) as line:
                lines = [f"Host: {host}" if word.startswith("Host:") else word for word in upgrade]
                assert status in await line.request(*lines, *origin)
                if status == b" 403 ":
                    assert b"TABIYA_ALLOWED_HOSTS=evil.example" in await line.end()


REQUESTS = ("GET / HTTP/1.1", "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade")
BODIES = (b"\x03{}{}", b"\xff" * 40, b"\x89\x80\0\0\0\0", b"")


async def test_a_wrong_handshake_is_told_what_this_port_is_and_is_no_server_error() -> None:
    async with live_server() as server, welcomed(server.websocket_url, "ada") as ada:
        async with raw_line(server) as line:
            assert b" 426 " in await line.request("GET / HTTP/1.1", "Host: localhost")
            assert b"websocket address of a Tabiya server" in await line.end()
        frames = [f"{asked}\r\nHost: localhost\r\n\r\n".encode() + rest for asked in REQUESTS for rest in BODIES]
        for sent in (b"\x16\x03\x01 this is no HTTP\r\n\r\n", *frames):
            async with raw_line(server) as line:
                line.writer.write(sent)
                if sent.endswith(b"\r\n\r\n"):
                    line.writer.write_eof()
                await line.end()
        await eventually(lambda: not server.gateway._handshaking)
        await expect_alive(ada)


async def test_a_server_that_stood_still_waits_that_much_longer_for_a_hello() -> None:
    async with live_server() as server, connected(server.websocket_url) as bot:
        await eventually(lambda: server.gateway.connections == 1)
        ((connection, timer),) = server.gateway._open.items()
        server.gateway._process_paused(0, 60_000_000_000)
        server.gateway._hello_timeout(connection)  # as the timer does
        assert present(server.gateway._open[connection]).when() >= present(timer).when() + 50
        await bot.say(Hello(name="ada"))
        assert isinstance(await bot.hear(), Welcome)


async def test_a_connection_without_hello_is_closed_and_a_welcomed_one_may_be_silent() -> None:
    async with live_server() as server, welcomed(server.websocket_url, "ada") as ada:
        (connection,) = server.gateway._open
        server.gateway.limits = WireLimits(hello_timeout_s=0.05)
        async with connected(server.websocket_url) as bot:
            assert await bot.ends() == (CloseCode.HELLO_TIMEOUT, "no hello within 0.05 seconds")
        server.gateway._hello_timeout(connection)  # as the timer does
        await expect_alive(ada)


TOO_DEEP, HALF_A_SURROGATE = "[" * 5_000, '{"type":"move","match":1,"ply":0,"move":"\\ud800"}'
GARBAGE: list[tuple[Encoding, str | bytes]] = [
    *((Encoding.JSON, frame) for frame in ("{", b"\x81", "[]", TOO_DEEP, HALF_A_SURROGATE)),
    (Encoding.MSGPACK, '{"type":"seek","game":"chess"}'),
]


async def test_garbage_closes_that_connection_alone_and_the_match_of_others_goes_on() -> None:
    async with (
        live_server() as server,
        welcomed(server.websocket_url, "ada", seek=(GAME,)) as ada,
        welcomed(server.websocket_url, "bob", seek=(GAME,)) as bob,
    ):
        started = await ada.receives(MatchStarted)
        for encoding, frame in GARBAGE:
            async with welcomed(server.websocket_url, "eve", encoding) as eve:
                await eve.socket.send(frame)
                code, reason = await eve.ends()
                assert (code, bool(reason)) == (CloseCode.GARBAGE, True), frame
        async with raw_line(server) as line:
            await line.upgrade()
            line.say(type="hello", name="eve")
            line.frame(1, b'{"type":"\xff"}')  # not UTF-8
            assert close_code(await line.end()) == CloseCode.GARBAGE
        mover, other = (ada, bob) if started.seat == 0 else (bob, ada)
        turn = await mover.receives(Turn)
        await mover.say(Move(match=turn.match, ply=turn.ply, move=turn.legal_moves[0]))
        assert (await other.receives(Turn)).ply == turn.ply + 1


def close_code(data: bytes) -> int:
    """The status in the close frame at the end of what a server has sent."""
    at = data.rindex(b"\x88")
    return int.from_bytes(data[at + 2 : at + 4], "big")


async def test_a_frame_in_pieces_is_one_message() -> None:
    async with live_server() as server, connected(server.websocket_url) as bot:
        text = json.dumps({"type": "hello", "name": "ada"})
        await bot.socket.send(iter(text))
        assert isinstance(await bot.hear(), Welcome)


async def test_a_message_in_endless_pieces_is_a_flood() -> None:
    async with live_server() as server, raw_line(server) as line:
        await line.upgrade()
        line.frame(1, fin=False)
        for _ in range(1_100):
            line.frame(0, fin=False)
        assert close_code(await line.end()) == CloseCode.FLOOD


async def test_a_frame_that_is_too_large_closes_the_connection_even_if_the_peer_does_not_answer() -> None:
    async with live_server() as server, raw_line(server) as line:
        await line.upgrade()
        line.say(type="hello", name="ada")
        line.frame(1, b" " * 20_000)
        assert close_code(await line.end()) == CloseCode.OVERSIZE
        await eventually(lambda: len(server.dispatcher.sessions) == 0 and server.gateway.connections == 0)


async def test_a_flood_of_messages_closes_the_connection() -> None:
    limits = WireLimits(messages_per_second=1, message_burst=10)
    async with live_server(limits=limits) as server, welcomed(server.websocket_url, "ada") as bot:
        for _ in range(9):
            await bot.say(Unseek(game=GAME))
        await bot.receives(Refused)
        await bot.say(Unseek(game=GAME))
        assert (await bot.ends())[0] == CloseCode.FLOOD
        assert server.gateway.counts["flood"] == 1


async def test_two_bots_that_answer_each_turn_at_once_are_no_flood_however_quick_they_are() -> None:
    limits = WireLimits(messages_per_second=1, message_burst=10)
    async with (
        live_server(limits=limits) as server,
        welcomed(server.websocket_url, "ada", seek=(GAME,)) as ada,
        welcomed(server.websocket_url, "bob", seek=(GAME,)) as bob,
    ):
        for _ in range(5):
            await asyncio.gather(ada.plays(), bob.plays())
            await asyncio.gather(*(bot.say(Seek(game=GAME)) for bot in (ada, bob)))
        assert server.gateway.counts["messages"] > 2 * 10
        assert server.gateway.counts["flood"] == 0


@pytest.mark.parametrize("answer", [Accept, Decline])
async def test_answers_to_many_challenges_at_once_do_not_count_as_a_flood(answer: type[Any]) -> None:
    limits = WireLimits(messages_per_second=1, message_burst=20)
    async with (
        live_server(limits=limits) as server,
        welcomed(server.websocket_url, "victim", max_matches=64) as bot,
        contextlib.AsyncExitStack() as stack,
    ):
        for number in range(20):
            guest = await stack.enter_async_context(welcomed(server.websocket_url, f"guest {number}"))
            for _ in range(4):
                await guest.say(Challenge(opponent="victim", game=GAME))
        asked = [await bot.receives(Challenged) for _ in range(80)]  # it has been thinking: now it answers them all
        for one in asked:
            await bot.say(answer(challenge=one.challenge))
        for _ in asked:
            await bot.receives(ChallengeEnded)
        for _ in range(18):  # nor do the answers eat up what it may say of its own
            await expect_alive(bot)
        assert server.gateway.counts["flood"] == 0
        await asyncio.gather(*(bot.say(Unseek(game=GAME)) for _ in range(200)))
        assert (await bot.ends())[0] == CloseCode.FLOOD


@pytest.mark.parametrize("opcode", [9, 10], ids=["pings", "pongs"])
async def test_a_flood_of_pings_or_pongs_closes_the_connection(opcode: int) -> None:
    limits = WireLimits(messages_per_second=1, message_burst=50)
    async with live_server(limits=limits) as server, raw_line(server) as line:
        await line.upgrade()
        line.say(type="hello", name="ada")
        for _ in range(2_000):
            line.frame(opcode)
        assert close_code(await line.end()) == CloseCode.FLOOD


@pytest.mark.slow
async def test_the_server_soon_stops_reading_from_a_peer_that_it_has_closed() -> None:
    async with live_server() as server, raw_line(server) as line:
        await line.upgrade()
        line.say(type="hello", name="ada")
        line.frame(1, b"garbage")
        for _ in range(300_000):
            line.frame(9)
        await line.end()
        assert server.gateway.counts["messages"] == 2
        await eventually(lambda: server.gateway.connections == 0)


class Line:
    """A connection that is looked at. pinged: after so many seconds."""

    def __init__(self) -> None:
        self.pinged: list[float] = []
        self.began_s = asyncio.get_running_loop().time()

    def check_write_timeout(self, now: float) -> None:
        """It reads."""

    def ping(self) -> None:
        self.pinged.append(round(asyncio.get_running_loop().time() - self.began_s, 3))


@virtual_time
async def test_each_connection_is_pinged_at_instants_of_its_own_also_after_a_pause() -> None:
    gateway = Gateway(cast(Any, None), WireLimits(ping_interval_s=5.0), now_ns, AllowedHosts("", "127.0.0.1"))
    line, loop = Line(), asyncio.get_running_loop()
    gateway._schedule_check(cast(Any, line), loop.time())
    await asyncio.sleep(12)
    assert line.pinged == [5, 10]
    gateway._check_timers.popitem()[1].cancel()
    gateway._schedule_check(cast(Any, line), loop.time() - 12)  # it should have been looked at twice meanwhile
    await asyncio.sleep(10)
    assert line.pinged[2:] == [15, 20]
    gateway._check_timers.popitem()[1].cancel()


async def test_compression_is_never_accepted() -> None:
    async with live_server() as server, raw_line(server) as line:
        head = await line.upgrade("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits")
        assert b" 101 " in head
        assert b"deflate" not in head.lower()
        line.frame(1 | 0x40, b"\x00" * 100)  # marked as compressed
        assert close_code(await line.end()) == 1002


@pytest.mark.slow
async def test_a_client_that_does_not_read_is_cut_and_delays_nobody() -> None:
    limits = WireLimits(send_buffer_bytes=20_000, messages_per_second=100_000, message_burst=100_000)
    async with (
        live_server(limits=limits) as server,
        raw_line(server) as line,
        welcomed(server.websocket_url, "ada") as ada,
    ):
        await line.upgrade()
        line.say(type="hello", name="slow")
        await eventually(lambda: server.dispatcher.sessions.by_name("slow") is not None)
        line.reader._transport.pause_reading()  # type: ignore[attr-defined]
        for number in range(60_000):
            line.say(type="watch", match=1)
            if number % 1_000 == 0:
                await line.writer.drain()
                if server.gateway.counts["slow_reader"]:
                    break
        await eventually(lambda: server.dispatcher.sessions.by_name("slow") is None)
        assert server.gateway.counts["slow_reader"] == 1
        await expect_alive(ada)


async def test_a_stopping_server_says_goodbye_to_everybody_and_leaves_no_task() -> None:
    before = asyncio.all_tasks()
    async with live_server() as server:
        async with (
            welcomed(server.websocket_url, "ada") as ada,
            connected(server.websocket_url) as silent,
            raw_line(server),
        ):
            await server.stop()
            assert (await ada.ends())[0] == CloseCode.SERVER_CLOSING
            assert (await silent.ends())[0] == CloseCode.SERVER_CLOSING
        assert server.gateway.connections == 0
    await eventually(lambda: asyncio.all_tasks() == before)


async def test_a_stopping_server_does_not_wait_for_a_peer_that_says_nothing() -> None:
    async with live_server() as server, raw_line(server) as line:
        await line.upgrade()
        line.say(type="hello", name="mute")
        await eventually(lambda: len(server.dispatcher.sessions) == 1)
        line.reader._transport.pause_reading()  # type: ignore[attr-defined]
        async with asyncio.timeout(PATIENCE_S):
            await server.stop()


async def test_a_server_stops_although_an_error_of_ours_came_of_a_lost_connection(
    monkeypatch: pytest.MonkeyPatch, errors_expected: None
) -> None:
    def fail(connection: object) -> None:
        raise ValueError("planted")

    async with live_server() as server, welcomed(server.websocket_url, "ada"):
        monkeypatch.setattr(server.gateway.handler, "closed", fail)
        async with asyncio.timeout(PATIENCE_S):
            await server.gateway.stop("the test is over")
