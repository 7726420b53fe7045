"""A house for every test that wants one."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tabiya.games.registry import load_game, names
from tabiya.games.warm import warm
from tests.server.web.house import House, house


@pytest.fixture(scope="session", autouse=True)
def warmed() -> None:
    """As `tabiya serve` does: nothing compiles while a clock runs."""
    for name in names():
        warm(load_game(name))


@pytest.fixture
async def there() -> AsyncIterator[House]:
    """A running server with its pages."""
    async with house() as opened:
        yield opened
