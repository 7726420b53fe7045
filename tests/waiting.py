"""How long tests wait in real time for what must happen, and the waiting for what tells nobody that it has happened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

WITHIN_S = (
    50.0  # on a loaded machine; less than the 60 s after which statements and programs are given up by themselves
)


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until another task, thread or process has made it so."""
    async with asyncio.timeout(WITHIN_S):
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
