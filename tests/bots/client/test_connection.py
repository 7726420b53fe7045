"""The client on a real socket, against a server that says what the test tells it to."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from random import Random
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosedError

from bots.client.bot import Bot
from bots.client.choice import Choice
from bots.client.connection import Client, Summary
from bots.client.errors import ClientError, Rejected, Unreachable
from bots.client.events import Disconnected, Event, Fault, Late, MatchOver, Note
from bots.client.run import plan_of
from bots.client.turn import Turn
from protocol.codec import Encoding
from protocol.codes import CloseCode
from protocol.messages import (
    Accept,
    Busy,
    Challenged,
    Decline,
    DrawOffer,
    DrawOffered,
    Hello,
    MatchEnded,
    MatchStarted,
    Move,
    MoveInfo,
    Refused,
    Resign,
    Unseek,
)
from tests.bots.client.fake_server import GAME, FakeServer, Peer, ended, fake_server, started, turn, welcome


class Amy(Bot):
    """Plays the first legal move and writes down what it was called with."""

    name = "amy"
    needs_rules = False

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def choose(self, turn: Turn) -> str | Choice:
        self.calls.append(turn)
        return turn.legal_moves[0]


class Slow(Amy):
    """Answers when the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def choose(self, turn: Turn) -> str:  # type: ignore[override]  # an author would not derive twice
        self.calls.append(turn)
        self.asked.set()
        return await self.answer


class Run:
    """A client under test, with virtual waiting."""

    def __init__(self, bot: Bot, address: str, **options: Any) -> None:
        self.events: list[Event] = []
        self.slept: list[float] = []
        plan = plan_of(bot, address, **options)
        self.client = Client(bot, plan, self.events.append, random=Random(7), sleep=self.sleep)
        self.task = asyncio.create_task(self.client.run())

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)

    def heard(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    async def result(self) -> Summary:
        return await asyncio.wait_for(self.task, 10)


@contextlib.asynccontextmanager
async def running(bot: Bot, server: FakeServer | str, **options: Any) -> AsyncIterator[Run]:
    run = Run(bot, server if isinstance(server, str) else server.url, **options)
    try:
        yield run
    finally:
        run.task.cancel()
        with contextlib.suppress(asyncio.CancelledError, ClientError):
            await run.task


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another task or thread is about to do."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.001)


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
        server.pages["/api/server"] = (200, f'{{"websocket": "{server.url}"}}'.encode())
        async with running(Amy(), f"http://127.0.0.1:{server.port}"):
            assert (await (await server.connection()).welcome()).name == "amy"


async def test_pings_are_answered_and_other_matches_played_while_a_bot_blocks() -> None:
    class Blocks(Amy):
        def choose(self, turn: Turn) -> str:
            if turn.match == 1:
                release.wait(10)
            return "b2"

    release = threading.Event()
    async with fake_server() as server, running(Blocks(), server, at_once=2):
        peer = await server.connection()
        await peer.welcome()
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
        assert [event.text for event in run.heard(Disconnected)] == ["the connection broke"]
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
        assert not run.heard(Fault)


async def test_a_move_whose_fate_is_unknown_is_sent_again_and_not_thought_about_again() -> None:
    bot = Amy()
    async with fake_server() as server, running(bot, server):
        for _ in range(3):
            peer = await server.connection()
            await peer.welcome(running=(1,))
            await peer.send(turn())
            assert (await peer.expect(Move)).move == "a1"
            await peer.cut()
        assert len(bot.calls) == 1


async def test_a_refused_move_is_asked_for_again_with_the_reason() -> None:
    class Stubborn(Amy):
        def choose(self, turn: Turn) -> str:
            self.calls.append(turn.refused)
            return "b2" if turn.refused else "z9"

    bot = Stubborn()
    async with fake_server() as server, running(bot, server) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.send(turn())
        assert (await peer.expect(Move)).move == "z9"
        await peer.send(
            Refused(code="illegal_move", message="no such square", about="move", match=1, ply=0, illegal_left=2)
        )
        assert (await peer.expect(Move)).move == "b2"
        assert bot.calls == ["", "z9: no such square"]
        assert "no such square" in str(run.heard(Note)[0])


async def test_an_error_in_the_bot_is_reported_with_its_position_and_the_match_resigned() -> None:
    class Broken(Amy):
        def choose(self, turn: Turn) -> str:
            return turn.legal_moves[99]

    async with fake_server() as server, running(Broken(), server) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.send(turn(ply=4))
        assert await peer.expect(Resign) == Resign(match=1)
        (fault,) = run.heard(Fault)
        text = str(fault)
        assert "choose failed: IndexError" in text
        assert "position: --------- X" in text
        assert "match 1, game tictactoe, seat 0, ply 4" in text
        assert "return turn.legal_moves[99]" in text
        assert "calls.py" not in text
        assert "resigns" in text


async def test_an_error_in_the_bot_may_be_answered_with_a_legal_move() -> None:
    class Broken(Amy):
        async def choose(self, turn: Turn) -> str:  # type: ignore[override]
            raise KeyError("x")

    async with fake_server() as server, running(Broken(), server, on_error="legal") as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.send(turn())
        assert (await peer.expect(Move)).move == "a1"
        assert "plays a1 instead" in str(run.heard(Fault)[0])


async def test_a_bot_that_forgets_to_return_is_told_so() -> None:
    class Forgets(Amy):
        def choose(self, turn: Turn) -> str:
            return None  # type: ignore[return-value]

    async with fake_server() as server, running(Forgets(), server) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.send(turn())
        await peer.expect(Resign)
        assert "choose returned None" in str(run.heard(Fault)[0])


async def test_a_thought_past_its_deadline_is_reported_and_its_answer_still_sent() -> None:
    bot = Slow()
    async with fake_server() as server, running(bot, server) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.send(turn(move_limit_ms=0))
        await until(lambda: bool(run.heard(Late)))
        assert "has used all of its 0 s" in str(run.heard(Late)[0])
        bot.answer.set_result("b2")
        await peer.expect(Move)


async def test_the_end_of_a_match_stops_its_thought() -> None:
    bot = Slow()
    async with fake_server() as server, running(bot, server, matches=1) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.send(started(), turn())
        await bot.asked.wait()
        await peer.send(ended(score=0.0))
        assert await run.result() == Summary("amy", lost=1)
        assert bot.calls[0].stopped
        assert bot.answer.cancelled()


async def test_an_error_in_a_thought_that_nobody_waits_for_any_more_is_still_told_with_its_position() -> None:
    class InVain(Amy):
        def choose(self, turn: Turn) -> str:
            asked.set()
            go_on.wait(10)
            raise LookupError("found nothing")

    asked, go_on = threading.Event(), threading.Event()
    async with fake_server() as server, running(InVain(), server) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.send(started(), turn(ply=4))
        await until(asked.is_set)
        await peer.send(ended(score=0.0))
        await until(lambda: bool(run.heard(MatchOver)))
        assert not run.heard(Fault)
        go_on.set()
        await until(lambda: bool(run.heard(Fault)))
        text = str(run.heard(Fault)[0])
        assert "LookupError: found nothing" in text
        assert "match 1, game tictactoe, seat 0, ply 4" in text
        assert text.endswith("nobody was waiting for this move any more")


async def test_hooks_are_called_in_order_and_the_first_choice_waits_for_them() -> None:
    class Hooked(Amy):
        def match_started(self, match: MatchStarted) -> None:
            self.calls.append("started")

        def choose(self, turn: Turn) -> str:
            self.calls.append("choose")
            return "a1"

        async def match_ended(self, match: MatchEnded) -> None:
            await asyncio.sleep(0)
            self.calls.append("ended")

    bot = Hooked()
    async with fake_server() as server, running(bot, server, matches=1) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.send(started(), turn())
        await peer.expect(Move)
        await peer.send(ended(score=0.5))
        await run.result()
        assert bot.calls == ["started", "choose", "ended"]


async def test_a_broken_hook_is_reported_and_the_match_goes_on() -> None:
    class Broken(Amy):
        def match_started(self, match: MatchStarted) -> None:
            raise RuntimeError("no")

    async with fake_server() as server, running(Broken(), server) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.send(started(), turn())
        await peer.expect(Move)
        assert "match_started failed: RuntimeError: no" in str(run.heard(Fault)[0])


@pytest.mark.parametrize("accepts", [True, False])
async def test_an_offered_draw_is_asked_about_before_the_move(accepts: bool) -> None:
    class Peaceful(Amy):
        def opponent_offers_draw(self, turn: Turn) -> bool:
            return accepts

    async with fake_server() as server, running(Peaceful(), server):
        peer = await server.connection()
        await peer.welcome()
        await peer.send(turn(draw_offered=True))
        if accepts:
            assert await peer.expect(DrawOffer) == DrawOffer(match=1, ply=0)
        await peer.expect(Move)


async def test_a_draw_offered_during_the_thought_can_be_accepted() -> None:
    class Peaceful(Slow):
        async def opponent_offers_draw(self, turn: Turn) -> bool:
            return True

    bot = Peaceful()
    async with fake_server() as server, running(bot, server):
        peer = await server.connection()
        await peer.welcome()
        await peer.send(turn(), DrawOffered(match=1, ply=0))
        await peer.expect(DrawOffer)


async def test_challenges_are_accepted_unless_the_bot_says_no_or_does_not_play_the_game() -> None:
    class Choosy(Amy):
        games = (GAME,)

        def accepts_challenge(self, challenge: Challenged) -> bool:
            return challenge.opponent != "carl"

    def challenge(number: int, opponent: str, game: str = GAME) -> Challenged:
        return Challenged(challenge=number, opponent=opponent, game=game, time="60+0", lapses_ms=1000)

    async with fake_server() as server, running(Choosy(), server):
        peer = await server.connection()
        await peer.welcome()
        await peer.send(challenge(1, "bea"))
        assert await peer.expect(Accept) == Accept(challenge=1)
        await peer.send(challenge(2, "carl"))
        assert await peer.expect(Decline) == Decline(challenge=2)
        await peer.send(challenge(3, "bea", "nim"))
        assert await peer.expect(Decline) == Decline(challenge=3)


async def test_info_of_the_move_arrives() -> None:
    class Knows(Amy):
        def choose(self, turn: Turn) -> Choice:
            return Choice("b2", info=MoveInfo(depth=3, pv=("b2",)))

    async with fake_server() as server, running(Knows(), server):
        peer = await server.connection()
        await peer.welcome()
        await peer.send(turn())
        assert (await peer.expect(Move)).info == MoveInfo(depth=3, pv=("b2",))


@pytest.mark.parametrize("code", [code for code in CloseCode if code in (4001, 4003, 4005, 4010)])
async def test_a_final_close_code_ends_the_run_with_its_cure(code: CloseCode) -> None:
    async with fake_server() as server, running(Amy(), server) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.close(code, "")
        with pytest.raises(Rejected) as caught:
            await run.result()
        assert caught.value.code == code
        assert run.slept == []
        assert server.handshakes == 1


async def test_a_replaced_bot_does_not_throw_out_the_newer_one() -> None:
    async with fake_server() as server, running(Amy(), server) as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.close(CloseCode.REPLACED, "a newer connection of this bot has taken over")
        with pytest.raises(Rejected, match="a newer connection of this bot has taken over"):
            await run.result()
        assert server.handshakes == 1


async def test_a_busy_server_is_given_its_time() -> None:
    async with fake_server() as server, running(Amy(), server) as run:
        peer = await server.connection()
        await peer.expect(Hello)
        await peer.send(Busy(retry_ms=3_000, about="hello"))
        await peer.close(CloseCode.BUSY, "too many")
        await (await server.connection()).welcome()
        assert len(run.slept) == 1
        assert 3.0 <= run.slept[0] <= 6.0


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
        assert "HTTP 503" in run.heard(Disconnected)[1].text


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


async def test_a_bot_may_be_told_to_wait_for_the_server() -> None:
    async with fake_server() as server:
        server.refuse_handshakes = 3
        async with running(Amy(), server, wait_s=60):
            await (await server.connection()).welcome()


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
        assert [event.text for event in run.heard(Disconnected)] == [
            f"no server answers at {server.url} (the connection broke)"
        ] * 2


async def test_an_unknown_game_ends_the_run() -> None:
    async with fake_server() as server, running(Amy(), server, seek="ludo") as run:
        await (await server.connection()).welcome()
        with pytest.raises(ClientError, match="no game 'ludo'"):
            await run.result()


async def test_a_server_of_the_future_is_understood_as_far_as_possible() -> None:
    async with fake_server() as server, running(Amy(), server, encoding="json") as run:
        peer = await server.connection()
        await peer.welcome()
        await peer.socket.send('{"type": "fanfare", "volume": 11}')
        await peer.socket.send('{"type": "turn"}')
        await peer.send(turn())
        await peer.expect(Move)
        assert ["could not be read" in str(note) for note in run.heard(Note)] == [True]


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
