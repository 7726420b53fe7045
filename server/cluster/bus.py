"""The interface of the bus between gateways and hosts: bytes arrive at most once, and in order until it breaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

PREFIX = "tabiya"
HOSTS = f"{PREFIX}.hosts"
"""Where a host says that it is there; every gateway listens, and server and hosts do."""

Arrived = Callable[[bytes], None]


class BusError(Exception):
    """The bus cannot be reached; the text is one sentence."""


class Bus(Protocol):
    """A way to publish and to subscribe; both are plain calls on the event loop."""

    def publish(self, subject: str, data: bytes) -> None:
        """Send to all who have subscribed. Never blocks, never raises; what cannot be sent is lost."""

    async def subscribe(self, subject: str, arrived: Arrived) -> None:
        """Call `arrived` with everything published there from now on. Raises BusError."""

    async def close(self) -> None:
        """Send what is waiting, then disconnect. Raises nothing."""


def host_subject(host: int) -> str:
    """The subject on which gateways send to the host of this number."""
    return f"{PREFIX}.host.{host}"


def orders_subject(host: int) -> str:
    """The subject on which the server sends orders to the host of this number."""
    return f"{PREFIX}.orders.{host}"


def news_subject(server: int) -> str:
    """The subject on which hosts report their matches to the server of this number."""
    return f"{PREFIX}.news.{server}"


def gateway_subject(gateway: str) -> str:
    """The subject on which hosts send to this gateway."""
    return f"{PREFIX}.gateway.{gateway}"
