"""`tabiya gateway`: what keeps it from starting, and what it says when it has."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from tabiya.cli.hosting import gateway
from tabiya.server.cluster.nats_bus import NatsBus
from tests.fakes.bus import LocalBus
from tests.tabiya.cli.command_runner import tabiya


@pytest.fixture(autouse=True)
def bus(monkeypatch: pytest.MonkeyPatch) -> None:
    async def connect(url: str) -> Any:
        return LocalBus()

    monkeypatch.setattr(NatsBus, "connect", connect)


def test_a_port_that_is_taken_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = tabiya("gateway", "--bus", "nats://bus:1", "--port", str(port))
    assert result.sentence.startswith(f"cannot listen on 127.0.0.1 port {port}: another program listens there")


@pytest.mark.skipif(not socket.has_ipv6, reason="needs IPv6")
def test_an_address_of_ipv6_is_said_as_bots_write_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "stop_on_signals", asyncio.Event.set)  # it ends as soon as it serves
    result = tabiya("gateway", "--bus", "nats://bus:1", "--host", "::1", "--port", "0")
    assert result.status == 0
    assert ": bots connect to ws://[::1]:" in result.err
