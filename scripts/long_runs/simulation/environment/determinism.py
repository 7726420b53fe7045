"""Makes a run deterministic: it sees no real clock, no real randomness, no order by memory addresses.

What is left of chance in the product comes from here: tokens, keys and invitations are drawn by the seed, all clocks
are the loop's, and sets of connections are ordered by the numbers of the connections.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import time
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import tabiya.server.transport.websocket
from tabiya.server.cluster.remote_gateways import RemoteConnection
from tabiya.server.matches.spectators import ConnectionViewer
from tabiya.server.transport.websocket import WebsocketConnection
from tests.virtual_time import NOON_NS


def _number(line: WebsocketConnection) -> int:
    return int(line.id[1:])


def _number_of_viewer(viewer: ConnectionViewer) -> int:
    return hash(viewer.connection)


def _number_at_gateway(connection: RemoteConnection) -> int:
    return connection.number


HASHES: tuple[tuple[type, Callable[[Any], int]], ...] = (
    (WebsocketConnection, _number),
    (RemoteConnection, _number_at_gateway),
    (ConnectionViewer, _number_of_viewer),
)


@contextlib.contextmanager
def deterministic(draw: random.Random, now_s: Callable[[], float]) -> Iterator[None]:
    """Replace every source of the real world by the seed's. now_s: the loop's time."""
    with contextlib.ExitStack() as seals:
        for name, scale in (("time", 1.0), ("monotonic", 0.0), ("perf_counter", 0.0)):
            since_s = NOON_NS / 1e9 * scale
            seals.enter_context(patch.object(time, name, lambda since_s=since_s: since_s + now_s()))
            seals.enter_context(
                patch.object(time, f"{name}_ns", lambda since_s=since_s: round((since_s + now_s()) * 1e9))
            )
        for module, name in ((os, "urandom"), (random, "_urandom")):
            seals.enter_context(patch.object(module, name, draw.randbytes))
        seals.enter_context(patch.object(tabiya.server.transport.websocket, "_numbers", itertools.count(1)))
        for kind, number in HASHES:
            seals.enter_context(patch.object(kind, "__hash__", number))
        yield
