"""A shortened transcript of sent and received messages, for the report of a failure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from tabiya.protocol.messages.client import WireMessage

ENTRIES_KEPT, SHOWN = 200, 12
LONGEST_LIST = 6
LONGEST_TEXT = 70
LONGEST_ENTRY = 600


class TranscriptLine(NamedTuple):
    """One line. at_s: seconds since the check began.  who: `server`, `bot` or `note`."""

    at_s: float
    who: str
    text: str


class Transcript:
    """The last entries, over all connections."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        """now_s: seconds on a clock that never goes back."""
        self._now_s, self._began_s = now_s, now_s()
        self._entries: deque[TranscriptLine] = deque(maxlen=ENTRIES_KEPT)
        self.written = 0

    def add(self, who: str, text: str) -> None:
        """Write a line."""
        self.written += 1
        self._entries.append(TranscriptLine(round(self._now_s() - self._began_s, 3), who, text[:LONGEST_ENTRY]))

    def message(self, who: str, message: WireMessage) -> None:
        """Write a message as JSON, long lists and texts cut."""
        self.add(who, msgspec.json.encode(_short(msgspec.to_builtins(message))).decode())

    def since(self, mark: int) -> tuple[TranscriptLine, ...]:
        """The last entries of those written since `written` was `mark`."""
        # `written` counts on where the deque has dropped entries
        count = min(self.written - mark, SHOWN, len(self._entries))
        return tuple(self._entries)[len(self._entries) - count :]


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _short(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        more = [f"… {len(value) - LONGEST_LIST} more"] if len(value) > LONGEST_LIST else []
        return [*map(_short, value[:LONGEST_LIST]), *more]
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}… ({len(value)} characters)"
    return value
