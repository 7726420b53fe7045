"""The address of this server's pages, as others can reach it."""

from __future__ import annotations

from urllib.parse import urlsplit

from aiohttp import web

from tabiya.server.web.http.auth import host_of
from tabiya.server.web.http.server_view import ServerView


def reachable_address(request: web.Request, facade: ServerView) -> str:
    """The address of these pages for other machines: as it is set, else as the client has typed it.

    Unless that is a loopback address, and the server is there for others.
    """
    if facade.public is not None:
        return facade.public.url
    host = facade.reachable_host(host_of(request))
    try:
        port = urlsplit(f"//{request.headers.get('Host', '')}").port
    except ValueError:
        port = None
    name = f"[{host}]" if ":" in host else host
    return f"{request.scheme}://{name}" + (f":{port}" if port else "")
