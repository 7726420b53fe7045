"""Anchors: bots whose rating an operator fixes, so that others are measured against them: `random=1000,greedy=1200`."""

from __future__ import annotations

import math

from tabiya.games.errors import shown

LOWEST, HIGHEST = -10_000.0, 10_000.0
MOST = 100


class AnchorError(ValueError):
    """Anchors that cannot be read; the text says what was given and what is allowed."""


def read_anchors(text: str) -> dict[str, float]:
    """Bot -> its fixed rating, from `NAME=RATING,NAME=RATING`; empty for an empty text. Raises AnchorError."""
    anchors: dict[str, float] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, equals, given = part.rpartition("=")
        rating = _rating(given)
        if not equals or not name.strip() or rating is None:
            between = f"between {LOWEST:,.0f} and {HIGHEST:,.0f}"
            raise AnchorError(f"an anchor is NAME=RATING with a rating {between}, not {shown(part)}")
        if anchors.setdefault(name.strip(), rating) != rating:
            raise AnchorError(f"the anchor {shown(name.strip())} is given two ratings")
    if len(anchors) > MOST:
        raise AnchorError(f"there can be {MOST} anchors, not {len(anchors)}")
    return anchors


def _rating(text: str) -> float | None:
    try:
        rating = float(text)
    except ValueError:
        return None
    return rating if math.isfinite(rating) and LOWEST <= rating <= HIGHEST else None
