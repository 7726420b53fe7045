"""This machine's address for others."""

from __future__ import annotations

import socket

EVERY_ADDRESS = frozenset({"", "0.0.0.0", "::"})  # listening there means on every interface
DOCUMENTATION_ADDRESS = "192.0.2.1"  # RFC 5737: never routed; connecting a datagram socket sends nothing


def lan_address() -> str:
    """This machine's address in the local network, as far as it can be told."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((DOCUMENTATION_ADDRESS, 9))
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
