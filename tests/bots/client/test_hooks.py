from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable

import pytest

from tabiya.bots.client.hooks import call, in_thread


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


async def test_an_error_arrives_as_it_is() -> None:
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


async def test_a_cancelled_call_ends_at_once_and_its_thread_is_no_obstacle() -> None:
    release = threading.Event()
    task = asyncio.create_task(in_thread(release.wait, 10))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    threads = [thread for thread in threading.enumerate() if thread.name.startswith("bot ")]
    assert all(thread.daemon for thread in threads)
    release.set()
