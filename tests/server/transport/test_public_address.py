"""The address of a server behind a proxy, as it is set."""

from __future__ import annotations

import pytest

from tabiya.server.transport.public_address import read_public_url


@pytest.mark.parametrize(
    ("text", "url", "host", "websocket"),
    [
        ("https://Games.Example.org/", "https://games.example.org", "games.example.org", "wss://games.example.org/websocket"),
        ("http://lab:8000", "http://lab:8000", "lab", "ws://lab:8000/websocket"),
        ("https://[2001:db8::1]", "https://[2001:db8::1]", "2001:db8::1", "wss://[2001:db8::1]/websocket"),
    ],
)  # fmt: skip
def test_it_leads_to_the_pages_and_to_the_websocket(text: str, url: str, host: str, websocket: str) -> None:
    public = read_public_url(text)
    assert public is not None
    assert (public.url, public.host, public.websocket) == (url, host, websocket)


@pytest.mark.parametrize(
    "text",
    [
        "games.example.org", "//a.example", "ftp://a.example", "https://", "https://a.example/tabiya", "https://a.example?x",
        "https://a.example#x", "https://me@a.example", "https://a b", "https://a.example:port", "https://a.example:70000",
        "https://[::", "https://a..example",
    ],
)  # fmt: skip
def test_anything_but_scheme_host_and_port_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="https://"):
        read_public_url(text)


def test_nothing_set_is_no_proxy() -> None:
    assert read_public_url("") is None
