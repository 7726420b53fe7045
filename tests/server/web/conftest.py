"""A running server, and a tab of a browser, for every test that wants one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tabiya.games.registry import load_game, names
from tabiya.games.warm import warm
from tests.server.web.browser import Browser, browser, new_tab
from tests.server.web.web_server import OPERATOR, WebServer, web_server


@pytest.fixture(scope="session", autouse=True)
def warmed() -> None:
    """As `tabiya serve` does: nothing compiles while a clock runs."""
    for name in names():
        warm(load_game(name))


@pytest.fixture
async def web() -> AsyncIterator[WebServer]:
    """A running server with its pages."""
    async with web_server() as running:
        yield running


@pytest.fixture
async def shared() -> AsyncIterator[WebServer]:
    """A server for others, which asks everybody for a token."""
    async with web_server(host="0.0.0.0", operator_token=OPERATOR, invite_secret="tulip") as running:
        yield running


@pytest.fixture(scope="module")
def browser_address() -> Iterator[str]:
    """A running browser for all tests of a file."""
    with browser() as address:
        yield address


@pytest.fixture
async def tab(browser_address: str) -> AsyncIterator[Browser]:
    """A tab that nobody has used."""
    async with new_tab(browser_address) as opened:
        yield opened
