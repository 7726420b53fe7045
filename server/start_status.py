"""Answers at the address of the pages while the server starts: it is alive, and what it waits for."""

from __future__ import annotations

import contextlib
from typing import Self

from aiohttp import web

ALIVE = {"status": "ok"}
STARTING, WAITING = "starting", "waiting"
SENTENCES = {
    STARTING: "this server is starting; the first time, the rules of its games are compiled, which can take a minute",
    WAITING: "this server waits until the other one on its database is gone; ask that one",
}
NUMBERS = """# HELP tabiya_standby_waiting A standby that waits.
# TYPE tabiya_standby_waiting gauge
tabiya_standby_waiting {}
"""


class StartStatus:
    """Answers from `async with` on until `await stop()`; nothing on port 0, nor where another program listens.

    status: `STARTING`, or `WAITING` for another server to be gone.
    """

    def __init__(self, host: str, port: int) -> None:
        self.status = STARTING
        self._host, self._port = host, port
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0)

    async def __aenter__(self) -> Self:
        if self._port:
            await self._runner.setup()
            with contextlib.suppress(OSError):  # the other server may be on this machine
                await web.TCPSite(self._runner, self._host or None, self._port, reuse_address=True).start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Leave the port to the pages. May be called twice."""
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        match request.path:
            case "/healthz":
                return web.json_response(ALIVE)
            case "/metrics":
                return web.Response(text=NUMBERS.format(int(self.status == WAITING)))
            case "/readyz":
                return web.json_response({"status": self.status}, status=503)
        return web.json_response({"error": SENTENCES[self.status]}, status=503, headers={"Retry-After": "5"})
