"""The address by which others reach a server behind a proxy: it is a setting, never taken from a request."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from tabiya.server.transport.allowed_hosts import ANY, configured_hosts, hostname, is_address

WEBSOCKET_PATH = "/websocket"  # the path that the proxy forwards to the bots' port; all others go to the pages' port
PATHLESS = re.compile(r"[a-zA-Z]+://[^/?#@]+/?")
ALLOWED = "an address such as https://games.example.org, without a path"


class PublicAddress(NamedTuple):
    """scheme: http or https.  netloc: host and, where it is not the scheme's own, port."""

    scheme: str
    netloc: str

    @property
    def url(self) -> str:
        """The address of the pages."""
        return f"{self.scheme}://{self.netloc}"

    @property
    def host(self) -> str:
        """Its name without port."""
        return hostname(self.netloc)

    @property
    def websocket(self) -> str:
        """Where bots connect."""
        return f"{'wss' if self.is_secure else 'ws'}://{self.netloc}{WEBSOCKET_PATH}"

    @property
    def is_secure(self) -> bool:
        """Whether what travels to the proxy is encrypted."""
        return self.scheme == "https"


def read_public_url(text: str) -> PublicAddress | None:
    """The address in a setting; None if it is empty. Raises ValueError."""
    if not text:
        return None
    parts = _parts(text.strip())
    if parts is None or parts.scheme not in ("http", "https"):
        raise ValueError(f"{ALLOWED}, not {text!r}")
    return PublicAddress(parts.scheme, parts.netloc.lower())


def _parts(text: str) -> SplitResult | None:
    """The parts of an address without a path; None if it is none."""
    try:
        parts = urlsplit(text)
        _ = parts.port  # raises an error if it is invalid
        host = hostname(parts.netloc)
        names = [host] if is_address(host) else configured_hosts(host)
    except ValueError:
        return None
    return parts if names and names != [ANY] and PATHLESS.fullmatch(text) else None
