"""What the system is asked about its own addresses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Self

import pytest

from tabiya.server.transport import addresses


class Socket:
    """Knows its own address, which changes each time that one is opened."""

    opened = 0

    def __init__(self, *_: object) -> None:
        type(self).opened += 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def connect(self, address: object) -> None: ...

    def getsockname(self) -> tuple[str, int]:
        return f"192.168.1.{self.opened}", 0


def test_the_address_in_the_network_is_asked_for_once_a_second_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=-9.5)  # no second of this machine
    monkeypatch.setattr(addresses, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(addresses, "socket", SimpleNamespace(socket=Socket, AF_INET=0, SOCK_DGRAM=0))
    assert {addresses.lan_address() for _ in range(3)} == {"192.168.1.1"}
    clock.now += 1
    assert addresses.lan_address() == "192.168.1.2"
