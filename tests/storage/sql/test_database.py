"""How long a database that fails is left alone."""

from __future__ import annotations

from tabiya.server.core.policy import MatchPolicy
from tabiya.storage.sql.backoff import MOST_S, Backoff

GOES_ON_S = 6.0  # docs/how-to/when-something-fails.md


def test_the_pause_doubles_up_to_its_bound_and_is_forgotten() -> None:
    pause, lengths = Backoff(), []
    for _ in range(6):
        pause.failed(100.0)
        lengths.append(round(pause.left_s(100.0), 3))
    assert lengths == [0.1, 0.2, 0.4, 0.8, 1.0, 1.0]
    assert pause.left_s(101.0) == 0
    pause.succeeded()
    assert pause.left_s(100.0) == 0


def test_a_match_that_waits_goes_on_soon_after_its_database_is_back() -> None:
    """It can come back right after an attempt, and the match try again right before the next one may be made."""
    assert MatchPolicy().retry_longest_ms / 1000 + MOST_S <= GOES_ON_S
