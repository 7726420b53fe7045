"""What pages of other sites may read (CORS): public answers of the API, on a server for others.

A server for this machine alone can be read by pages of this machine alone: else any page that is open in a browser here
could ask it, though nobody else reaches it. The check of the name in Host (server/transport/allowed_hosts.py) holds
before, for these too.
"""

from __future__ import annotations

from aiohttp import web
from aiohttp.typedefs import Handler

from tabiya.server.transport.addresses import is_loopback_name
from tabiya.server.transport.allowed_hosts import hostname
from tabiya.server.web.http.route import is_versioned

EXPOSED = "Deprecation, ETag, Link, Retry-After"  # what a script may read of the headers, beside the usual ones


class CrossOriginReads:
    """Who of other sites may read what."""

    def __init__(self, listens_on: str, *, behind_proxy: bool = False) -> None:
        """listens_on: the host of the pages.  behind_proxy: whether others reach them all the same."""
        self._this_machine_only = is_loopback_name(listens_on) and not behind_proxy
        self._public: set[Handler] = set()

    def open(self, handler: Handler) -> None:
        """Let pages of other sites read what this handler answers."""
        self._public.add(handler)

    def may_read(self, request: web.Request) -> bool:
        """Whether the page that sent the request may, wherever it is from."""
        if not self._is_public(request):
            return False
        return not self._this_machine_only or is_loopback_name(hostname(_site(request)))

    def add_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        """Add the headers by which a browser lets a page of another site read the answer; never with credentials."""
        if not self._is_public(request):
            return
        if self._this_machine_only:
            response.headers.add("Vary", "Origin")
        if self.may_read(request):
            # not `*` on a server for this machine: a cache would show such an answer to every site
            origin = request.headers["Origin"] if self._this_machine_only else "*"
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Expose-Headers"] = EXPOSED

    def _is_public(self, request: web.Request) -> bool:
        return request.match_info.handler in self._public and is_versioned(request.path)


def _site(request: web.Request) -> str:
    """Host and port of the page that sent the request; empty if it is not told, or more than once."""
    origins = request.headers.getall("Origin", [])
    return origins[0].partition("://")[2] if len(origins) == 1 else ""
