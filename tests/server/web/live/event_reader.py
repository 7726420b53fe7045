"""Reads a stream of server-sent events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import aiohttp


class Event(NamedTuple):
    """One event. number: its id; empty without one."""

    name: str
    number: str
    data: Any


async def events_of(answer: aiohttp.ClientResponse) -> AsyncIterator[Event]:
    """All events of an answer until it ends."""
    event: dict[str, str] = {}
    async for line in answer.content:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name:
            event[name] = value
        elif "data" in event:
            yield Event(event["event"], event.get("id", ""), json.loads(event["data"]))
            event = {}
