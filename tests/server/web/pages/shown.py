"""A page as a strict browser reads it."""

from __future__ import annotations

from tests.server.web.page_reader import Page
from tests.server.web.web_server import WebServer


async def page(web: WebServer, path: str, status: int = 200) -> Page:
    """The page at a path, which has no faults."""
    answer = await web.get(path)
    assert answer.status == status, answer.text
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    read = Page(answer.text)
    read.addresses(path)
    assert read.faults == [], path
    return read
