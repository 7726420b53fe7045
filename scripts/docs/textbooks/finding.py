"""What a function that judges an item of the textbooks returns or raises."""

from __future__ import annotations

from typing import Any

Finding = tuple[bool, dict[str, Any]]  # whether the verdict holds, and what was counted


class Changed(AssertionError):
    """A verdict that was written down does not hold any more."""
