"""Network addresses: whether one is this machine's, what counts as one source of traffic, and our own in the LAN."""

from __future__ import annotations

import functools
import ipaddress
import socket
import time

EVERY_ADDRESS = frozenset({"", "0.0.0.0", "::"})  # listening there means on every interface
DOCUMENTATION_ADDRESS = "192.0.2.1"  # RFC 5737: never routed; connecting a datagram socket sends nothing


@functools.lru_cache(maxsize=1_024)
def is_loopback(address: str) -> bool:
    """Whether an IP address text is of this machine."""
    try:
        return ipaddress.ip_address(address.split("%", maxsplit=1)[0]).is_loopback  # fe80::1%eth0 names an interface
    except ValueError:
        return False


def is_loopback_name(host: str) -> bool:
    """Whether a name always means the machine on which it is used."""
    return host == "localhost" or host.endswith(".localhost") or is_loopback(host)


def network_of(address: str) -> str:
    """What rate limits count by: the address, or the /64 network of an IPv6 host, who can take any address in it."""
    plain = address.split("%", maxsplit=1)[0]
    try:
        parsed = ipaddress.ip_address(plain)
    except ValueError:
        return plain
    return str(ipaddress.ip_network((parsed, 64), strict=False)) if parsed.version == 6 else plain


def lan_address() -> str:
    """This machine's address in the local network, as far as it can be told; looked up once a second at most."""
    return _lan_address(int(time.monotonic()))


@functools.lru_cache(maxsize=1)
def _lan_address(second: int) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((DOCUMENTATION_ADDRESS, 9))  # the system chooses the interface that has a route to others
            return str(probe.getsockname()[0])
        except OSError:  # no route at all
            return socket.gethostname()
