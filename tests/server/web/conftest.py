"""A house for every test that wants one."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.server.web.house import House, house


@pytest.fixture
async def there() -> AsyncIterator[House]:
    """A running server with its pages."""
    async with house() as opened:
        yield opened
