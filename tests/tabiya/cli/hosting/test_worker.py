"""`tabiya worker`, and the one that `tabiya serve --hosted` keeps running."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import psutil
import pytest

from tabiya.api_client.api import with_token
from tabiya.api_client.settings import ClientSettings
from tabiya.hosting.hosting import ProgramHosting
from tests.live import live_server
from tests.tabiya.cli.command_runner import PATIENCE_S, Shell, tabiya


def test_a_worker_without_a_token_says_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TABIYA_WORKER_TOKEN", raising=False)
    assert "`tabiya serve --hosted` prints" in tabiya("worker").sentence


@pytest.mark.slow
async def test_a_worker_that_the_server_does_not_want_ends_with_the_reason(shell: Shell) -> None:
    async with live_server() as server:
        words = ("worker", "--server", server.pages_url, "--sandbox", "none", "--token")
        await shell.start(*words, "guessed").says("a worker's token is not right")
        hosting = ProgramHosting("landlock")
        await hosting.serve(server)
        server.hosting = hosting
        await shell.start(*words, server.accounts.new_worker_token()).says("at least as strong as landlock")


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_server_with_hosted_programs_keeps_a_worker_running_that_ends_with_it(
    shell: Shell, tmp_path: Path
) -> None:
    ready = tmp_path / "ready.json"
    words = ("--hosted", "--sandbox", "none", "--port", "0", "--pages-port", "0", "--ready-file", str(ready))
    served = shell.start("serve", "--database", str(tmp_path / "games.db"), *words)
    await served.says("data:")
    async with asyncio.timeout(PATIENCE_S):
        while not ready.exists():  # noqa: ASYNC110  # it is another process
            await asyncio.sleep(0.1)
    api = with_token(ClientSettings(json.loads(ready.read_text())["pages"]), "")

    async def its_worker(not_this: int = 0) -> psutil.Process:
        while True:
            for child in psutil.Process(served.process.pid).children():
                listed = await asyncio.to_thread(api.get, "/workers")
                if child.pid != not_this and "worker" in child.cmdline() and listed["workers"]:
                    return child
            await asyncio.sleep(0.2)

    async with asyncio.timeout(4 * PATIENCE_S):
        first = await its_worker()
        (seen,) = (await asyncio.to_thread(api.get, "/workers"))["workers"]
        assert (seen["at_once"], seen["sandbox"], seen["programs"]) == (2, "none", [])
        first.kill()
        await served.says("the worker of this machine has ended (signal SIGKILL) and is started again")
        second = await its_worker(first.pid)
    await served.ends(signal.SIGTERM)
    assert not second.is_running()
