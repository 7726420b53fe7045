"""A real browser, driven by its own protocol: opens pages, presses keys, reads what is shown, keeps every complaint."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import psutil
from websockets.asyncio.client import ClientConnection, connect

# the first lacks what only a person sees: it starts in a third of the processor time and draws in half
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
    "--window-size=1400,1000",
)
WITHIN_S = 90.0  # a loaded machine is slow, and a test ends after 120
LOOK_MS = 20


class Browser:
    """One tab."""

    def __init__(self, line: ClientConnection) -> None:
        self._line = line
        self._numbers = itertools.count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.complaints: list[str] = []
        self._loads: set[str] = set()
        self._loaded = asyncio.Event()
        self._listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        async for text in self._line:
            message = json.loads(text)
            if "id" in message:
                self._answers.pop(message["id"]).set_result(message)
            elif message["method"] == "Runtime.exceptionThrown":
                details = message["params"]["exceptionDetails"]
                self.complaints.append(str(details.get("exception", details).get("description", details)))
            elif message["method"] == "Page.lifecycleEvent" and message["params"]["name"] == "load":
                self._loads.add(message["params"]["loaderId"])
                self._loaded.set()
            elif message["method"] == "Log.entryAdded":
                self.complaints.append(message["params"]["entry"]["text"])

    async def tell(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol."""
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        await self._line.send(json.dumps({"id": number, "method": method, "params": params}))
        async with asyncio.timeout(WITHIN_S):
            reply = await answer
        assert "error" not in reply, reply
        return dict(reply["result"])

    async def open(self, address: str) -> None:
        """Go to a page and wait until it, not the empty one before it, is loaded and its scripts have run once."""
        for domain in ("Runtime", "Log", "Page"):
            await self.tell(f"{domain}.enable")
        await self.tell("Page.setLifecycleEventsEnabled", enabled=True)
        asked = await self.tell("Page.navigate", url=address)
        async with asyncio.timeout(WITHIN_S):
            while asked["loaderId"] not in self._loads:
                self._loaded.clear()
                await self._loaded.wait()

    async def loads(self) -> None:
        """Wait until the page has gone to another by itself, or to itself again."""
        before = len(self._loads)
        async with asyncio.timeout(WITHIN_S):
            while len(self._loads) == before:
                self._loaded.clear()
                await self._loaded.wait()

    async def read(self, expression: str, **where: Any) -> Any:
        """The value of an expression in the page, of a promise when it is kept. where: `contextId`, of a frame."""
        reply = await self.tell(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, **where
        )
        assert "exceptionDetails" not in reply, reply
        return reply["result"].get("value")

    async def until(self, expression: str, **where: Any) -> None:
        """Wait until an expression is true in the page, or in the one to which it goes meanwhile."""
        there = f"document.readyState !== 'loading' && ({expression})"  # half a page lacks elements
        look = f"if ({there}) {{ clearInterval(timer); kept(); }}"
        promise = f"new Promise((kept) => {{ const timer = setInterval(() => {{ {look} }}, {LOOK_MS}); }})"
        try:
            await self.read(promise, **where)
        except AssertionError as error:
            if "navigated" not in str(error):
                raise
            await self.read(promise, **where)

    async def press(self, key: str, code: str = "") -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            await self.tell("Input.dispatchKeyEvent", type=kind, key=key, code=code or key)

    async def close(self) -> None:
        """Hang up."""
        self._listening.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._listening


def program() -> str:
    """The browser on this machine."""
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    assert found, "no Chromium is installed, which this test looks at the pages with: run scripts/setup.sh test"
    return found


@contextlib.contextmanager
def browser() -> Iterator[str]:
    """A browser with a profile of its own, ended afterwards: the address at which it takes commands."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [program(), *FLAGS, f"--user-data-dir={folder}"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield f"http://127.0.0.1:{_port(Path(folder, 'DevToolsActivePort'))}"
        finally:
            began = psutil.Process(process.pid)
            whole = [*began.children(recursive=True), began]  # the program may be a script that starts the browser
            for one in whole:
                with contextlib.suppress(psutil.NoSuchProcess):
                    one.terminate()
            process.wait()
            psutil.wait_procs(whole, timeout=WITHIN_S)


def _port(file: Path) -> int:
    """The port that the browser writes into its profile when it is ready."""
    until = time.monotonic() + WITHIN_S
    while time.monotonic() < until:
        if file.exists() and "\n" in (text := file.read_text()):
            return int(text.split()[0])
        time.sleep(LOOK_MS / 1_000)
    raise TimeoutError("the browser did not come up")


@contextlib.asynccontextmanager
async def new_tab(address: str) -> AsyncIterator[Browser]:
    """A tab of its own in a running browser."""
    async with aiohttp.ClientSession() as session:
        async with session.put(f"{address}/json/new") as answer:
            found = await answer.json()
        async with connect(found["webSocketDebuggerUrl"], max_size=None, ping_interval=None) as line:
            tab = Browser(line)
            yield tab
            await tab.close()
        await session.get(f"{address}/json/close/{found['id']}")
