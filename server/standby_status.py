"""What a standby answers at the address of its pages while it waits: that it lives, and that another one serves."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from aiohttp import web

ALIVE, WAITING = {"status": "ok"}, {"status": "waiting"}
ELSEWHERE = {"error": "this server waits until the other one on its database is gone; ask that one"}
NUMBERS = """# HELP tabiya_standby_waiting A standby that waits.
# TYPE tabiya_standby_waiting gauge
tabiya_standby_waiting 1
"""


async def _answer(request: web.Request) -> web.Response:
    match request.path:
        case "/healthz":
            return web.json_response(ALIVE)
        case "/metrics":
            return web.Response(text=NUMBERS)
        case "/readyz":
            return web.json_response(WAITING, status=503)
    return web.json_response(ELSEWHERE, status=503, headers={"Retry-After": "5"})


@contextlib.asynccontextmanager
async def standby_status(host: str, port: int) -> AsyncIterator[None]:
    """Answer meanwhile; nothing on port 0, which nobody could find, nor where another program listens."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", _answer)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0)
    try:
        if port:
            await runner.setup()
            with contextlib.suppress(OSError):  # the other server may be on this machine
                await web.TCPSite(runner, host or None, port, reuse_address=True).start()
        yield
    finally:
        await runner.cleanup()
