"""How long a database that fails is left alone."""

from __future__ import annotations

from itertools import pairwise

from server.core.policy import MatchPolicy
from storage.sql.backoff import FIRST_S, Backoff

GOES_ON_S = 6.0  # docs/how-to/when-something-fails.md


def pauses(failures: int) -> list[float]:
    backoff, found = Backoff(), list[float]()
    for _ in range(failures):
        backoff.failed(100.0)
        found.append(round(backoff.left_s(100.0), 9))
    return found


def test_pauses_double_from_the_first_on_and_a_success_forgets_them() -> None:
    found = pauses(20)
    assert found[0] == FIRST_S
    assert all(after in (2 * before, found[-1]) for before, after in pairwise(found))
    backoff = Backoff()
    backoff.failed(5.0)
    backoff.succeeded()
    assert backoff.left_s(5.0) == 0


def test_a_match_that_waits_goes_on_soon_after_its_database_is_back() -> None:
    """It can come back right after an attempt, and the match try again right before the next one may be made."""
    assert MatchPolicy().retry_longest_ms / 1000 + max(pauses(50)) <= GOES_ON_S
