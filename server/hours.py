"""Hours of the day in which something is allowed, as `18:00-08:00`."""

from __future__ import annotations

import re
from datetime import datetime

FORM = re.compile(r"([01]?\d|2[0-3])(?::([0-5]\d))?-([01]?\d|2[0-4])(?::([0-5]\d))?")
DAY = 24 * 60


def read_hours(text: str) -> tuple[int, int]:
    """Begin and end in minutes since midnight; all day for "". Raises ValueError with a sentence."""
    if not text:
        return 0, DAY
    found = FORM.fullmatch(text.replace(" ", ""))
    hours = [int(part or 0) for part in found.groups()] if found else [0, 0, 0, 0]
    begin, end = hours[0] * 60 + hours[1], hours[2] * 60 + hours[3]
    if begin == end or end > DAY:
        raise ValueError(f"{text!r} are no hours; write them as 18:00-08:00")
    return begin, end


def is_within(text: str, now: datetime) -> bool:
    """Whether it is time. The end is not within; an end before the beginning is on the next day."""
    (begin, end), minute = read_hours(text), now.hour * 60 + now.minute
    return begin <= minute < end if begin < end else minute >= begin or minute < end
