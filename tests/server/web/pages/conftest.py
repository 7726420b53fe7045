"""Pages as they are at this very moment."""

from __future__ import annotations

import pytest

from tabiya.server.web.pages import pages


@pytest.fixture(autouse=True)
def always_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No page is shared, so that every one shows this very moment."""
    monkeypatch.setattr(pages, "PAGE_CACHE_S", 0.0)
