"""What a server says while it loads the rules, and asks of the interpreter while it runs."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator

import aiohttp
import pytest

from tabiya.errors import UserError
from tabiya.processes import server_process
from tabiya.processes.server_process import run_server
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tests.ports import free_port


@pytest.fixture
def put_back() -> Iterator[None]:
    """The interpreter is as it was afterwards."""
    thresholds, interval_s = gc.get_threshold(), sys.getswitchinterval()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(interval_s)


async def test_a_running_server_seldom_looks_for_cycles_and_lets_the_saving_thread_in_soon(put_back: None) -> None:
    seen: list[tuple[bool, bool, bool]] = []

    def ready(server: TabiyaServer) -> None:
        seen.append((gc.get_threshold()[0] >= 10_000, gc.get_freeze_count() > 1_000, sys.getswitchinterval() < 0.002))
        os.kill(os.getpid(), signal.SIGTERM)

    await run_server(ServerConfig(port=0, pages_port=0, database_url="memory:"), ready)
    assert seen == [(True, True, True)]


@pytest.mark.parametrize("is_reported", [True, False])
async def test_a_server_that_is_told_to_stop_ends_in_order_also_if_its_database_is_taken_meanwhile(
    put_back: None, is_reported: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken(server: TabiyaServer) -> None:
        server.store.given_up.set_result("it has another owner")

    stop = TabiyaServer.stop

    async def stopping(server: TabiyaServer) -> None:
        if is_reported:
            taken(server)
        await stop(server)

    def ready(server: TabiyaServer) -> None:
        if is_reported:
            os.kill(os.getpid(), signal.SIGTERM)
        else:
            taken(server)

    monkeypatch.setattr(TabiyaServer, "stop", stopping)
    with contextlib.nullcontext() if is_reported else pytest.raises(UserError, match="it has another owner"):
        await run_server(ServerConfig(port=0, pages_port=0, database_url="memory:"), ready)


async def test_a_server_lives_while_it_loads_its_rules_and_is_ready_afterwards(
    put_back: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, served = threading.Event(), asyncio.Event()
    monkeypatch.setattr(server_process, "warm_rules", load.wait)
    config = ServerConfig(port=0, pages_port=free_port(), database_url="memory:")
    pages = f"http://127.0.0.1:{config.pages_port}"

    async def asked(path: str) -> tuple[int, str]:
        async with session.get(f"{pages}{path}") as answer:
            return answer.status, (await answer.json())["status"]

    async with aiohttp.ClientSession() as session:
        running = asyncio.create_task(run_server(config, lambda server: served.set()))
        while True:
            with contextlib.suppress(aiohttp.ClientConnectionError):
                assert [await asked("/healthz"), await asked("/readyz")] == [(200, "ok"), (503, "starting")]
                break
        load.set()
        await served.wait()
        assert [await asked("/healthz"), await asked("/readyz")] == [(200, "ok"), (200, "ok")]
        os.kill(os.getpid(), signal.SIGTERM)
        await running
