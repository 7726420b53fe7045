"""The server's log: one line an event on standard error, plain for people or JSON for programs."""

from __future__ import annotations

import logging
import sys
from typing import Any

import msgspec

QUIET = ("tabiya.websockets", "aiohttp.access", "alembic", "asyncio")


class JsonLines(logging.Formatter):
    """A log record as one JSON object: at (seconds since 1970), level, part, message, error."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "at": round(record.created, 3),
            "level": record.levelname.lower(),
            "part": record.name.removeprefix("tabiya."),
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


class PlainLines(logging.Formatter):
    """A log record for people; what a peer has sent is shown without control characters."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-8s %(message)s", datefmt="%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        text = super().format(record)
        return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def set_up_logging(level: str, *, as_json: bool) -> None:
    """Send the log to standard error. level: debug, info, warning or error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if as_json else PlainLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    if level != "debug":
        for name in QUIET:
            logging.getLogger(name).setLevel(logging.WARNING)
