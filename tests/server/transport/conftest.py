"""For the tests of the transport."""

from __future__ import annotations

import pytest


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Peers that do not answer a close frame never will."""
    monkeypatch.setattr("tabiya.server.transport.websocket.CLOSING_GRACE_S", 0.1)
