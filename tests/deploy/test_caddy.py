"""The proxy of the compose file, as a real Caddy in front of what only answers who it is."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from tests.live import PATIENCE_S
from tests.ports import free_port
from tests.programs import program
from tests.source_rules.sources import ROOT

CADDYFILE = ROOT / "deploy" / "caddy" / "Caddyfile"
NAMES = ("server:8080", "standby:8080", "pages:8080", "gateway:8765", "gateway-2:8765")


class Named:
    """Answers its name, whether it is ready, and 421 where it is said to."""

    def __init__(self, name: str) -> None:
        self.name, self.ready, self.elsewhere = name, not name.startswith("standby"), name.startswith("pages")

    async def answer(self, request: web.Request) -> web.Response:
        if request.path == "/readyz":
            return web.Response(status=200 if self.ready else 503)
        if self.name.startswith("gateway") and request.path == "/":
            return web.Response(status=426 if self.ready else 503)
        return web.Response(text=self.name, status=421 if self.elsewhere and request.path == "/my-bot" else 200)


@asynccontextmanager
async def listening(named: Named) -> AsyncIterator[int]:
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", named.answer)
    runner, port = web.AppRunner(application), free_port()
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield port
    finally:
        await runner.cleanup()


class Proxy:
    """Caddy with our settings. https, inside, bots: its ports."""

    def __init__(self, behind: dict[str, Named], https: int, inside: int, bots: int) -> None:
        self.behind, self.https, self.inside, self.bots = behind, https, inside, bots
        self._trusting = ssl.create_default_context()
        self._trusting.check_hostname, self._trusting.verify_mode = False, ssl.CERT_NONE

    async def asked(self, method: str, url: str) -> tuple[int, str]:
        async with aiohttp.ClientSession() as session, session.request(method, url, ssl=self._trusting) as answer:
            return answer.status, await answer.text()

    async def look(self, path: str, method: str = "GET") -> tuple[int, str]:
        return await self.asked(method, f"https://localhost:{self.https}{path}")

    async def until(self, path: str, text: str) -> None:
        """Wait until this is who answers."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    if (await self.look(path))[1] == text:
                        return
                except aiohttp.ClientError:
                    pass
                await asyncio.sleep(0.05)  # Caddy tells nobody when it listens, nor what it has found


@pytest.fixture
async def proxy(tmp_path: Path) -> AsyncIterator[Proxy]:
    async with AsyncExitStack() as stack:
        behind = {name: Named(name) for name in NAMES}
        https, inside, bots = (free_port() for _ in range(3))
        text = CADDYFILE.read_text("utf-8").replace("http://:8080", f"http://:{inside}")
        text = re.sub(r"\thealth_port .*\n", "", text.replace("http://:8765", f"http://:{bots}"))
        for name, named in behind.items():
            text = text.replace(name, f"127.0.0.1:{await stack.enter_async_context(listening(named))}")
        settings = f"admin off\ndefault_bind 127.0.0.1\nskip_install_trust\nhttps_port {https}\nhttp_port {free_port()}"
        file = tmp_path / "Caddyfile"
        file.write_text(f"{{\n{settings}\n}}\n{text}")
        process = await asyncio.create_subprocess_exec(
            *(program("caddy"), "run", "--adapter", "caddyfile", "--config", str(file)),
            env={"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)},
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            running = Proxy(behind, https, inside, bots)
            await running.until("/", "pages:8080")
            yield running
        finally:
            process.kill()
            await process.wait()


@pytest.mark.slow
async def test_what_is_looked_at_goes_to_the_pages_and_all_else_to_the_server_that_is_ready(proxy: Proxy) -> None:
    assert await proxy.look("/standings/chess") == (200, "pages:8080")
    assert await proxy.look("/my-bot") == (200, "server:8080")
    assert await proxy.look("/api/v1/register", "POST") == (200, "server:8080")
    assert (await proxy.look("/websocket"))[1] in ("gateway:8765", "gateway-2:8765")
    assert (await proxy.look("/metrics"))[0] == 404
    assert await proxy.asked("GET", f"http://127.0.0.1:{proxy.inside}/api/v1/server") == (200, "server:8080")
    assert (await proxy.asked("GET", f"http://127.0.0.1:{proxy.bots}/websocket"))[1].startswith("gateway")


@pytest.mark.slow
async def test_when_the_standby_takes_over_or_the_pages_are_gone_another_one_answers(proxy: Proxy) -> None:
    for name, named in proxy.behind.items():
        named.ready = name not in ("server:8080", "gateway:8765")
    await proxy.until("/my-bot", "standby:8080")
    async with asyncio.timeout(PATIENCE_S):
        while {(await proxy.look("/websocket"))[1] for _ in range(16)} != {"gateway-2:8765"}:
            pass
    assert await proxy.look("/") == (200, "pages:8080")
    proxy.behind["pages:8080"].ready = False
    await proxy.until("/", "standby:8080")
