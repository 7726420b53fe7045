"""How long a database that fails is left alone."""

from __future__ import annotations

import pytest

from tabiya.server.core.policy import MatchPolicy
from tabiya.storage.sql.database import LONGEST_PAUSE_S, WriteFailures

GOES_ON_S = 6.0  # docs/how-to/when-the-server-fails.md


def test_the_pause_doubles_up_to_its_bound_and_is_forgotten() -> None:
    now_s = [0.0]
    failures = WriteFailures("a database", lambda: now_s[0])
    for pause_s in (0.1, 0.2, 0.4, 0.8, 1.0, 1.0):
        failures.failed([], OSError("gone"))
        now_s[0] += pause_s - 0.001
        assert failures.is_paused([])
        now_s[0] += 0.002
        assert not failures.is_paused([])
    failures.failed([], OSError("gone"))
    failures.succeeded()
    assert not failures.is_paused([])
    failures.failed([], OSError("gone"))
    now_s[0] += 0.101
    assert not failures.is_paused([])


def test_a_failure_is_logged_once_until_it_is_another_or_saving_works_again(caplog: pytest.LogCaptureFixture) -> None:
    failures = WriteFailures("a database", lambda: 0.0)
    for reason in ("gone", "gone", "full", "full"):
        failures.failed([], OSError(reason))
    failures.succeeded()
    failures.failed([], OSError("full"))
    assert [record.message.rpartition(" ")[2] for record in caplog.records] == ["gone", "full", "full"]


def test_a_match_that_waits_goes_on_soon_after_its_database_is_back() -> None:
    """It can come back right after an attempt, and the match try again right before the next one may be made."""
    assert MatchPolicy().retry_longest_ms / 1000 + LONGEST_PAUSE_S <= GOES_ON_S
