"""The client on a real socket, against a server that says what the test tells it to: lines cut, closed and refused."""

from __future__ import annotations

import threading
from collections.abc import Awaitable

import pytest
from websockets.exceptions import ConnectionClosedError

from tabiya.bots.client.connection import Client
from tabiya.bots.client.errors import ClientError, Rejected, Unreachable
from tabiya.bots.client.events import BotError, Disconnected, Note
from tabiya.bots.client.summary import Summary
from tabiya.bots.client.turn import Turn
from tabiya.protocol.codec import Encoding
from tabiya.protocol.codes import CloseCode, close_text
from tabiya.protocol.messages import Busy, Hello, Move, Unseek
from tests.bots.client.fake_server import GAME, Peer, ended, fake_server, started, turn, welcome
from tests.bots.client.running_bot import Amy, Slow, playing, running
from tests.waiting import until


@pytest.mark.parametrize("encoding", list(Encoding))
async def test_a_match_from_hello_to_the_summary(encoding: Encoding) -> None:
    async with fake_server() as server, running(Amy(), server, encoding=encoding, seek=GAME, matches=1) as run:
        peer = await server.connection()
        assert peer.encoding is encoding
        hello = await peer.welcome()
        assert (hello.name, hello.seek, hello.max_matches, hello.legal_moves) == ("amy", (GAME,), 1, True)
        await peer.send(started(), turn())
        assert await peer.expect(Unseek) == Unseek(game=GAME)
        assert await peer.expect(Move) == Move(match=1, ply=0, move="a1")
        await peer.send(ended(score=1.0))
        assert await peer.gone() == 1000
        assert await run.result() == Summary("amy", won=1)


async def test_messagepack_is_spoken_unless_something_else_is_asked_for() -> None:
    async with fake_server() as server, running(Amy(), server):
        assert (await server.connection()).encoding is Encoding.MSGPACK


async def test_the_address_of_the_pages_will_do() -> None:
    async with fake_server() as server:
        server.pages["/api/v1/server"] = (200, f'{{"websocket": "{server.url}"}}'.encode())
        async with running(Amy(), f"http://127.0.0.1:{server.port}"):
            assert (await (await server.connection()).welcome()).name == "amy"


async def test_pings_are_answered_and_other_matches_played_while_a_bot_blocks() -> None:
    class Blocks(Amy):
        def choose(self, turn: Turn) -> str:
            if turn.match == 1:
                release.wait(10)
            return "b2"

    release = threading.Event()
    async with playing(Blocks(), at_once=2) as (peer, _):
        await peer.send(turn(match=1), turn(match=2))
        assert (await peer.expect(Move)).match == 2
        await peer.quiet()
        release.set()
        assert (await peer.expect(Move)).match == 1


async def test_a_connection_cut_during_the_thought_is_resumed_and_the_bot_asked_once() -> None:
    bot = Slow()
    async with fake_server() as server, running(bot, server) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.send(started(), turn())
        await bot.asked.wait()
        await peer.cut()
        peer = await server.connection()
        await peer.welcome(running=(1,))
        await peer.send(turn(move_limit_ms=50_000))
        await peer.quiet()
        bot.answer.set_result("c3")
        assert await peer.expect(Move) == Move(match=1, ply=0, move="c3")
        assert len(bot.calls) == 1
        assert [event.text for event in run.received(Disconnected)] == ["the connection broke"]
        assert 0.125 <= run.slept[0] <= 0.25


async def test_an_answer_found_without_connection_is_sent_when_its_turn_comes_again() -> None:
    bot = Slow()
    async with fake_server() as server, running(bot, server) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.send(turn())
        await bot.asked.wait()
        await peer.cut()
        peer = await server.connection()
        bot.answer.set_result("c3")
        hello = await peer.expect(Hello)
        await peer.quiet()
        await peer.send(welcome(hello.name, running=(1,)), turn())
        assert await peer.expect(Move) == Move(match=1, ply=0, move="c3")
        assert len(bot.calls) == 1
        assert not run.received(BotError)


@pytest.mark.parametrize("reason", ["", "a newer connection has taken over"])
@pytest.mark.parametrize("code", [code for code in CloseCode if code in (4001, 4003, 4005, 4010)])
async def test_a_final_close_code_ends_the_run_with_its_cause_and_cure(code: CloseCode, reason: str) -> None:
    async with fake_server() as server, running(Amy(), server) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.close(code, reason)
        with pytest.raises(Rejected) as caught:
            await run.result()
        assert caught.value.code == code
        text = close_text(code)
        assert str(caught.value).endswith(f": {reason or text.cause.rstrip('.')}. {text.cure}")
        assert run.slept == []
        assert server.handshakes == 1


async def test_of_several_servers_the_next_one_is_tried_at_once_and_waited_for_after_all_of_them() -> None:
    async with (
        fake_server() as one,
        fake_server() as other,
        running(Amy(), f"{one.url}, ws://127.0.0.1:9,{other.url}") as run,
    ):
        peer = await one.connection()
        await peer.welcome()
        await peer.cut()
        peer = await other.connection()
        await peer.welcome()
        assert run.slept == [0, 0]
        await peer.cut()
        await (await one.connection()).welcome()
        assert 0.125 <= run.slept[2] <= 0.25


async def test_none_of_several_servers_answers() -> None:
    async with running(Amy(), "ws://127.0.0.1:9,ws://127.0.0.1:19") as run:
        with pytest.raises(Unreachable, match=r"127\.0\.0\.1:19"):
            await run.result()


async def test_a_busy_server_is_given_its_time() -> None:
    async with fake_server() as server, running(Amy(), server) as run:
        peer = await server.connection()
        await peer.expect(Hello)
        await peer.send(Busy(retry_ms=3_000, about="hello"))
        await peer.close(CloseCode.BUSY, "too many")
        await (await server.connection()).welcome()
        assert len(run.slept) == 1
        assert 3.0 <= run.slept[0] <= 6.0
        assert [note.text for note in run.received(Note)] == ["the server is busy: hello"]


async def test_a_closing_server_is_waited_for_with_growing_delays() -> None:
    async with fake_server() as server, running(Amy(), server) as run:
        peer = await server.connection()
        await peer.welcome()
        server.refuse_handshakes = 4
        await peer.close(CloseCode.SERVER_CLOSING, "restarting")
        await (await server.connection()).welcome()
        ceilings = [0.25, 0.5, 1.0, 2.0, 4.0]
        assert len(run.slept) == 5
        assert all(limit / 2 <= slept <= limit for slept, limit in zip(run.slept, ceilings, strict=True))
        assert "takes no bots now (HTTP 503)" in run.received(Disconnected)[1].text


async def test_a_refused_handshake_shows_the_servers_words() -> None:
    async with fake_server() as server:
        server.pages["/"] = (403, b"set TABIYA_ALLOWED_HOSTS\n")
        async with running(Amy(), server) as run:
            with pytest.raises(Unreachable, match=r"\(HTTP 403: set TABIYA_ALLOWED_HOSTS\)"):
                await run.result()


async def test_after_a_welcome_the_delays_begin_anew() -> None:
    async with fake_server() as server, running(Amy(), server) as run:
        for _ in range(4):
            peer = await server.connection()
            await peer.welcome()
            await peer.cut()
        await server.connection()
        assert all(slept <= 0.25 for slept in run.slept)


async def test_an_unreachable_server_is_one_sentence_at_once() -> None:
    async with fake_server() as server:
        address = f"127.0.0.1:{server.port}"
    async with running(Amy(), address) as run:
        with pytest.raises(Unreachable, match=f"no server answers at {address}"):
            await run.result()
        assert run.slept == []


async def test_a_line_that_is_reset_before_its_handshake_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    connects = Client._connect
    resets = iter([True, True])

    class Reset:
        async def __aenter__(self) -> None:
            raise ConnectionClosedError(None, None)

        async def __aexit__(self, *_: object) -> None:
            raise AssertionError("never entered")

    monkeypatch.setattr(Client, "_connect", lambda self: Reset() if next(resets, False) else connects(self))
    async with fake_server() as server, running(Amy(), server, wait_s=60) as run:
        await (await server.connection()).welcome()
        assert [event.text for event in run.received(Disconnected)] == [
            f"no server answers at {server.url} (the connection broke)"
        ] * 2


async def test_an_unknown_game_ends_the_run() -> None:
    async with fake_server() as server, running(Amy(), server, seek="ludo") as run:
        await (await server.connection()).welcome()
        with pytest.raises(ClientError, match="no game 'ludo'"):
            await run.result()


async def test_a_server_of_the_future_is_understood_as_far_as_possible() -> None:
    async with playing(Amy(), encoding="json") as (peer, run):
        await peer.socket.send('{"type": "fanfare", "volume": 11}')
        await peer.socket.send('{"type": "turn"}')
        await peer.send(turn())
        await peer.expect(Move)
        assert ["could not be read" in str(note) for note in run.received(Note)] == [True]


async def test_a_game_that_the_server_lacks_is_reported_to_the_author() -> None:
    class Both(Amy):
        games = ("ludo", GAME)

    async with playing(Both()) as (_, run):
        await until(lambda: bool(run.received(Note)))
        assert [str(note) for note in run.received(Note)] == ["the server does not have ludo (it has: tictactoe, nim)"]


async def test_prepare_comes_before_the_connection_and_close_after_everything() -> None:
    class Careful(Amy):
        async def prepare(self, games: tuple[str, ...]) -> None:
            self.calls.append(("prepare", games, server.handshakes))

        def close(self) -> Awaitable[None] | None:
            self.calls.append("close")
            return None

    bot = Careful()
    async with fake_server() as server:
        async with running(bot, server, seek=["nim", GAME]):
            await (await server.connection()).welcome()
        assert bot.calls == [("prepare", ("nim", GAME), 0), "close"]


async def test_a_stopped_run_says_goodbye() -> None:
    async with fake_server() as server:
        async with running(Amy(), server):
            peer: Peer = await server.connection()
            await peer.welcome()
        assert await peer.gone() == 1001
