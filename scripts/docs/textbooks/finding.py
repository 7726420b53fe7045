"""The result of a function that judges an item of the textbooks, and the error it raises."""

from __future__ import annotations

from typing import Any

Finding = tuple[bool, dict[str, Any]]  # whether the verdict holds, and what was counted


class Changed(AssertionError):
    """A recorded verdict no longer holds."""
