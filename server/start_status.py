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
AGAIN_S = 5
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="{again_s}"><title>Tabiya</title>
<style>:root {{ color-scheme: light dark }} body {{ font: 1.5rem system-ui, sans-serif; margin: 20vh 10vw }}</style>
</head>
<body><p>{sentence}.</p><p>This page looks again by itself.</p></body></html>
"""
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

    def wait_for_other(self) -> None:
        """Answer from now on that another server has to be gone first."""
        self.status = WAITING

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
        sentence, again = SENTENCES[self.status], {"Retry-After": str(AGAIN_S)}
        if "text/html" in request.headers.get("Accept", ""):
            page = PAGE.format(again_s=AGAIN_S, sentence=sentence[0].upper() + sentence[1:])
            return web.Response(text=page, content_type="text/html", status=503, headers=again)
        return web.json_response({"error": sentence}, status=503, headers=again)
