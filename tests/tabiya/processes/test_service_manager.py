"""systemd is told when a server is ready, that it lives, and that it ends; elsewhere nobody is told anything."""

from __future__ import annotations

import asyncio
import select
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tabiya.processes.service_manager import ServiceManager
from tests.live import serving

WARM_S = 100.0  # rules that have changed are compiled first

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="systemd is on Linux alone")


@pytest.fixture
def messages(tmp_path: Path) -> Iterator[socket.socket]:
    """The socket on which systemd listens, at `notify` in the folder of the test."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.setblocking(False)
        yield listening


async def receives(messages: socket.socket, *words: str) -> None:
    """Wait until something that begins so has been told, one after the other."""
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(WARM_S):
        for word in words:
            while not (await loop.sock_recv(messages, 4096)).decode().startswith(word):
                pass


@pytest.mark.slow
async def test_a_server_says_that_it_lives_that_it_is_ready_and_that_it_ends(
    messages: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    monkeypatch.setenv("WATCHDOG_USEC", "100000")
    async with serving(tmp_path / "games.db") as process:
        await receives(messages, "WATCHDOG=1", "READY=1\nSTATUS=it serves", "WATCHDOG=1", "WATCHDOG=1")
        process.send_signal(signal.SIGTERM)
        await receives(messages, "STOPPING=1")


async def test_a_loop_that_hangs_says_nothing_more(messages: socket.socket, tmp_path: Path) -> None:
    environment = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "20000"}
    ServiceManager(environment).keep_alive()
    await receives(messages, "WATCHDOG=1", "WATCHDOG=1")
    assert select.select([messages], [], [], 0.05)[0] == []  # meanwhile the loop is held up
    await receives(messages, "WATCHDOG=1")


async def test_where_nobody_listens_or_is_named_nothing_happens(tmp_path: Path) -> None:
    for environment in ({}, {"NOTIFY_SOCKET": str(tmp_path / "nobody")}, {"WATCHDOG_USEC": "20000"}):
        manager = ServiceManager(environment)
        manager.keep_alive()
        manager.notify("READY=1")


async def test_a_name_that_is_none_of_the_file_system_is_understood() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind("")  # the system chooses an abstract name
        name = listening.getsockname()
        ServiceManager({"NOTIFY_SOCKET": "@" + name[1:].decode()}).notify("READY=1", "STATUS=it serves")
        assert listening.recv(4096) == b"READY=1\nSTATUS=it serves"
