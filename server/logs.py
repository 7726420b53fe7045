"""The server's log: one line an event on standard error, plain for people or JSON for programs."""

from __future__ import annotations

import logging
import sys
from typing import Any

import msgspec

FIELDS = ("match", "game", "bots", "tournament", "bot", "bot_id", "connection", "program")
"""What a line is about, as far as it is: each given to the logger by `extra`, and a field of its own in JSON."""

QUIET = ("tabiya.websockets", "aiohttp.access", "alembic", "asyncio")


class JsonLines(logging.Formatter):
    """A log record as one JSON object: at (seconds since 1970), level, part, message, error, and the FIELDS it has."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line of JSON."""
        line: dict[str, Any] = {
            "at": round(record.created, 3),
            "level": record.levelname.lower(),
            "part": record.name.removeprefix("tabiya."),
            "message": _encodable(record.getMessage()),
        }
        line |= {name: value for name in FIELDS if (value := getattr(record, name, None)) is not None}
        if record.exc_info:
            line["error"] = _encodable(self.formatException(record.exc_info))
        return msgspec.json.encode(line).decode()


class PlainLines(logging.Formatter):
    """A log record for people: one line, and a traceback indented below it.

    What a peer has sent may be in either: it is shown without control characters, and begins no line of its own.
    """

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-8s %(message)s", datefmt="%H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  the library's name
        """The record as one printable line."""
        return _printable(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """The traceback, each line indented and printable."""
        return "\n".join(f"  {_printable(line)}" for line in super().formatException(ei).splitlines())


def _encodable(text: str) -> str:
    """Without halves of surrogate pairs, which JSON cannot hold."""
    return text.encode("utf-8", "backslashreplace").decode()


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def set_up_logging(level: str, *, as_json: bool) -> None:
    """Send the log to standard error. level: debug, info, warning or error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if as_json else PlainLines())
    # No line says where in the source it was written, nor in which thread: looking takes longer than the rest. These
    # are the switches that Python's documentation names ("Optimization" in the how-to of logging).
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    if level != "debug":
        for name in QUIET:
            logging.getLogger(name).setLevel(logging.WARNING)
