"""Hours of the day in which something is allowed."""

from __future__ import annotations

from datetime import datetime

import pytest

from tabiya.server.hours import is_within, read_hours


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("", (0, 1440)), ("18:00-08:00", (1080, 480)), ("8-18", (480, 1080)), ("9:30 - 24:00", (570, 1440))],
)
def test_hours_are_read_as_people_write_them(text: str, minutes: tuple[int, int]) -> None:
    assert read_hours(text) == minutes


@pytest.mark.parametrize("text", ["night", "18", "25-3", "8-8", "0-24:30", "18:60-8", "-1-8"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="are no hours; write them as 18:00-08:00"):
        read_hours(text)


@pytest.mark.parametrize(
    ("text", "time", "within"),
    [
        ("18:00-08:00", "18:00", True), ("18:00-08:00", "23:59", True), ("18:00-08:00", "07:59", True),
        ("18:00-08:00", "08:00", False), ("18:00-08:00", "12:00", False), ("", "12:00", True),
        ("8-18", "08:00", True), ("8-18", "18:00", False), ("0-24", "23:59", True),
    ],
)  # fmt: skip
def test_it_is_time_from_the_beginning_to_before_the_end(text: str, time: str, within: bool) -> None:
    assert is_within(text, datetime.fromisoformat(f"2026-11-26T{time}")) is within
