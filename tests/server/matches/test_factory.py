"""What the time of a match is counted from."""

from __future__ import annotations

from tabiya.server.matches.factory import epoch_of


def test_the_epoch_is_that_of_the_reading_that_was_interrupted_least() -> None:
    monotonic = iter(
        [0, 900_000, 1_000_000, 1_000_400, 2_000_000, 2_700_000, 3_000_000, 3_800_000, 4_000_000, 4_900_000]
    )
    wall = iter([800_000 + 10**18, 1_000_200 + 10**18, 2_000_100 + 10**18, 3_700_000 + 10**18, 4_000_000 + 10**18])
    assert epoch_of(wall.__next__, monotonic.__next__) == 10**18
