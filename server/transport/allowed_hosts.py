"""Which requests may come, by the name they ask for (Host) and the page that made a browser send them (Origin).

A page of a stranger can have its own name resolved to this server's address (DNS rebinding): the browser then takes
our answers for that page's own, and its Origin fits. Only Host tells, for it holds the stranger's name. So a name must
be one that a stranger cannot have, or be set; an address cannot be rebound.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
from collections.abc import Sequence
from urllib.parse import urlsplit

from tabiya.server.transport.addresses import is_loopback_name

ANY = "*"
NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
# Given out in a local network alone, never on the internet: RFC 6762 and 8375, ICANN's "internal", what routers use.
LOCAL_DOMAINS = (".local", ".internal", ".home.arpa", ".lan")
OTHER_SITES = "pages of other sites cannot connect here, nor give orders"


class AllowedHosts:
    """The names of one server.

    Without being set: every address, the names of the loopback address, of this machine, and the one it listens on;
    where it listens for others also names without a dot and of local domains, as machines and containers have them.
    """

    def __init__(self, listens_on: str, configured: str = "", public_url: str = "") -> None:
        """listens_on: the host of the sockets.  configured: further names, separated by commas, or `*` for all.

        public_url: where others reach the pages through a proxy, whose name need not be among them.
        """
        self._public_url = public_url
        self._this_machine_only = is_loopback_name(listens_on)
        self._configured = frozenset((*configured_hosts(configured), *filter(None, [hostname(site_of(public_url))])))
        self._own = {listens_on.lower()} | _names_of(socket.gethostname())

    def learn_full_name(self) -> None:
        """Learn this machine's name with its domain, from the network, which may take long or never answer."""
        threading.Thread(target=self._learn_full_name, name="full-name", daemon=True).start()

    def _learn_full_name(self) -> None:
        self._own |= _names_of(socket.getfqdn())

    def refusal(self, hosts: Sequence[str], origins: Sequence[str], *, same_port: bool = False) -> str:
        """Why a request with these headers is refused, as a sentence; empty if it may pass.

        same_port: whether only a page of the very address asked may have sent it. Bots have a port of their own, and a
        page of this server may connect there.
        """
        if any(hosts) and not (len(hosts) == 1 and self._is_allowed(hostname(hosts[0]))):  # every browser sends one
            return self._foreign(hosts)
        if origins and not (len(origins) == 1 and _is_same_site(origins[0], hosts, same_port)):
            lost = self._public_url and origins[0] == self._public_url
            return self._proxy_hint(hosts) if lost else OTHER_SITES
        return ""

    def _proxy_hint(self, hosts: Sequence[str]) -> str:
        """Why the name is wrong if a page of this server asks through a proxy that has replaced it."""
        asked = ascii(", ".join(hosts))[:100]
        return f"the proxy of {self._public_url} asks for {asked}; let it keep the name that was asked for (Host)"

    def is_configured(self, host: str) -> bool:
        """Whether this name has been set."""
        return bool(self._configured & {ANY, host})

    def _is_allowed(self, host: str) -> bool:
        if not host:
            return False
        if is_address(host) or is_loopback_name(host) or host in self._own or self.is_configured(host):
            return True
        # a neighbour can have one, too: he reaches a server for others anyway, but not one for this machine only
        is_local = "." not in host or host.endswith(LOCAL_DOMAINS)
        return is_local and not self._this_machine_only and bool(NAME.fullmatch(host))

    def _foreign(self, hosts: Sequence[str]) -> str:
        host = hostname(hosts[0]) if len(hosts) == 1 else ""
        shown = host if NAME.fullmatch(host) else ascii(", ".join(hosts))
        where = "; it listens on this machine only, as 127.0.0.1 or localhost" if self._this_machine_only else ""
        setting = f"TABIYA_ALLOWED_HOSTS={host if NAME.fullmatch(host) else 'NAME'}"
        return f"this server does not go by the name {shown[:100]}{where}. If it shall, start it with {setting[:200]}"


def configured_hosts(text: str) -> list[str]:
    """The names of a list, in small letters. Raises ValueError for what is no name."""
    hosts = [host.strip().lower().rstrip(".") for host in text.split(",") if host.strip()]
    for host in hosts:
        if host != ANY and not NAME.fullmatch(host):
            raise ValueError(f"names without scheme and port, separated by commas, or *, not {host!r}")
    return hosts


def hostname(netloc: str) -> str:
    """Name or address in a Host header, in small letters and without port; empty if it cannot be read."""
    try:
        return (urlsplit(f"//{netloc}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_same_site(origin: str, hosts: Sequence[str], same_port: bool) -> bool:
    host, site = hosts[0] if hosts else "", site_of(origin)
    return bool(site) and (site == host if same_port else hostname(site) == hostname(host) != "")


def site_of(origin: str) -> str:
    """Host and port of an origin such as `https://games.example.org:8443`."""
    return origin.partition("://")[2]


def is_address(host: str) -> bool:
    """Whether this is an IP address and no name."""
    try:
        ipaddress.ip_address(host.partition("%")[0])  # fe80::1%eth0 names an interface
    except ValueError:
        return False
    return True


def _names_of(machine: str) -> set[str]:
    full = machine.lower().rstrip(".")
    first = full.partition(".")[0]
    return {full, first, f"{first}.local"}
