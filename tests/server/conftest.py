"""What every test of the server watches: an error in the log is a failure, unless the test provokes it."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture
def errors_expected() -> None:
    """Asked for by tests that make the server log an error."""


@pytest.fixture(autouse=True)
def no_errors_in_the_log(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing of ours has failed."""
    yield
    if "errors_expected" not in request.fixturenames:
        errors = [record for record in caplog.get_records("call") if record.levelno >= logging.ERROR]
        assert [record.getMessage() for record in errors] == []
