from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable

import pytest

from tabiya.bots.client.bot import Bot
from tabiya.bots.client.choice import Choice
from tabiya.bots.client.events import Event, Note
from tabiya.bots.client.hooks import BotHooks, OnError, call, in_thread
from tabiya.bots.client.session import Think
from tabiya.bots.client.turn import Turn
from tests.bots.client.fake_server import turn
from tests.virtual_time import compute, virtual_time


async def test_a_plain_function_runs_in_another_thread() -> None:
    assert await call(threading.get_ident) != threading.get_ident()


async def test_an_async_function_runs_in_the_event_loop() -> None:
    async def ident() -> int:
        return threading.get_ident()

    assert await call(ident) == threading.get_ident()


async def test_a_plain_function_may_return_something_to_await() -> None:
    async def later() -> str:
        return "d3"

    def choose() -> Awaitable[str]:
        return later()

    assert await call(choose) == "d3"


async def test_an_error_arrives_unchanged() -> None:
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda: 1 // 0)


@pytest.mark.parametrize("error", [SystemExit(3), StopIteration(), KeyboardInterrupt()])
async def test_what_would_end_the_event_loop_becomes_an_ordinary_error(error: BaseException) -> None:
    def choose() -> None:
        raise error

    with pytest.raises(RuntimeError, match=f"raised {type(error).__name__}"):
        await in_thread(choose)


async def test_the_loop_goes_on_while_a_function_blocks() -> None:
    release = threading.Event()
    task = asyncio.create_task(in_thread(release.wait, 10))
    await asyncio.sleep(0)
    assert not task.done()
    release.set()
    assert await task is True


async def test_a_cancelled_call_ends_at_once_without_waiting_for_its_thread() -> None:
    release = threading.Event()
    task = asyncio.create_task(in_thread(release.wait, 10))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("bot ")]
    assert all(thread.daemon for thread in threads)
    release.set()


class Computes(Bot):
    """For so many seconds; then it waits, if it waits at all."""

    def __init__(self, seconds: float, *, waits: bool) -> None:
        self.seconds, self.waits = seconds, waits

    async def choose(self, turn: Turn) -> str:
        compute(self.seconds)
        if self.waits:
            await asyncio.sleep(0)
        return "a1"


@pytest.mark.parametrize(("seconds", "waits", "remarked"), [(2.0, False, 1), (0.5, False, 0), (2.0, True, 0)])
def test_an_async_choose_that_holds_up_everything_for_long_is_remarked_on_once(
    seconds: float, waits: bool, remarked: int
) -> None:
    events: list[Event] = []
    answers: list[str] = []

    async def chosen(_: int, choice: Choice) -> None:
        answers.append(choice.move)

    async def no_offer(*_: object) -> None:
        raise AssertionError

    @virtual_time
    async def asks_twice() -> None:
        bot = Computes(seconds, waits=waits)
        hooks = BotHooks(bot, OnError.RESIGN, events.append, chosen, no_offer, no_offer)
        for number in (1, 2):
            hooks.think(Think(number, turn(), time.monotonic()))
            await asyncio.sleep(1)

    asks_twice()
    assert answers == ["a1", "a1"]
    assert len(events) == remarked
    for event in events:
        assert isinstance(event, Note)
        assert event.text.startswith("remark: choose is an async def that computed for 2.0 s without an await: ")
