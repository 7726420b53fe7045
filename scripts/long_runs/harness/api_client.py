"""A client of a server's API that goes on while that server is killed and started again."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from typing import Any

import aiohttp

TOURNAMENT_LOOK_S = 0.5
OVER = ("ended", "cancelled")
ANSWER = aiohttp.ClientTimeout(total=60.0)  # one that stands still does not answer


class ApiClient:
    """Asks the server whose pages are at `pages` now. operator_token: of the one by whose right it orders."""

    pages = ""
    operator_token = ""

    async def ask(self, path: str, order: dict[str, Any] | None = None, *, token: str = "") -> Any:
        """The answer of the API; asked again while the server is away. Raises SystemExit for a refusal.

        order: what is posted, by the operator if there is a token of one.  token: who asks instead.
        """
        if order is not None:
            token = token or self.operator_token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        while True:
            with contextlib.suppress(aiohttp.ClientError, OSError, TimeoutError):
                method = "GET" if order is None else "POST"
                async with (
                    aiohttp.ClientSession(timeout=ANSWER) as session,
                    session.request(method, self.pages + path, json=order, headers=headers) as response,
                ):
                    answer = await response.json()
                    if response.status < 500:
                        if response.status >= 400:
                            raise SystemExit(f"{path}: {answer['error']}")
                        return answer
            await asyncio.sleep(0.1)


async def hold_tournament(server: ApiClient, order: dict[str, Any], longest_s: float = math.inf) -> dict[str, Any]:
    """Create a tournament and wait until it is over or the time is; the tournament as it then stands."""
    until = time.monotonic() + longest_s
    found = made = await server.ask("/api/v1/tournaments", order)
    while found["status"] not in OVER and time.monotonic() < until:
        await asyncio.sleep(TOURNAMENT_LOOK_S)
        found = await server.ask(f"/api/v1/tournaments/{made['id']}")
    return dict(found)


async def unfinished_tournaments(server: ApiClient) -> int:
    """How many tournaments are not over."""
    return sum(each["status"] not in OVER for each in (await server.ask("/api/v1/tournaments"))["tournaments"])
