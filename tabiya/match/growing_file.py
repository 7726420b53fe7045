"""A file of JSON lines that repeated runs extend; the first line has their common settings."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import msgspec
from msgspec import Struct

from tabiya.match.participants import MatchFailed


class GrowingFile:
    """Held for this process as long as it is open, as far as the system can. A line that a kill has cut off is none."""

    command: str
    """Of `tabiya`, whose files these are."""

    def __init__(self, path: Path, first: Struct) -> None:
        """Open it and read what it has, or begin it with this line, also in the place of another first line alone.

        Raises MatchFailed for a file of something else, and OSError, also where another process holds it.
        """
        self.path = path
        if path.exists() and not (path.is_file() or path.is_dir()):  # a folder is refused by `open`
            raise MatchFailed(f"{path} is a device or a pipe, which cannot be continued; name another file")
        self._file: BinaryIO = path.open("a+b")
        try:
            lock_for_writing(self._file, path)
            self._begin(first)
            self._read(self._lines())
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def _terms_differ(self, earlier: Any) -> str:
        """How the first line of the file differs from the one that was given, as a sentence."""
        raise NotImplementedError

    def _read(self, lines: Iterator[bytes]) -> None:
        """Take all lines behind the first."""
        raise NotImplementedError

    def _begin(self, first: Struct) -> None:
        self._file.seek(0)
        line, whole = self._file.readline(), msgspec.json.encode(first) + b"\n"
        try:
            earlier = msgspec.json.decode(line, type=type(first))
        except msgspec.MsgspecError:
            earlier = None
        if line != whole and (whole.startswith(line) or (earlier is not None and not self._file.read(1))):
            self._file.truncate(0)  # a new or empty file
            self._add(first, on_disk=True)
            line = whole
        elif earlier is None:
            raise MatchFailed(f"{self.path} was not written by `tabiya {self.command}`; name another file")
        elif earlier != first:
            raise MatchFailed(f"{self.path} {self._terms_differ(earlier)}; name another file")
        self._file.seek(len(line))

    def _lines(self) -> Iterator[bytes]:
        end = self._file.tell()
        while (line := self._file.readline()).endswith(b"\n"):
            yield line
            end += len(line)
        self._file.truncate(end)

    def _add(self, *lines: Struct, on_disk: bool = False) -> None:
        """Write lines. on_disk: synced when this returns, else only passed to the system. Raises OSError."""
        self._file.write(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
        self._file.flush()
        if on_disk:
            os.fsync(self._file.fileno())


def lock_for_writing(file: BinaryIO, path: Path) -> None:
    """Lock the file against other Tabiya commands, as far as the system can. Raises BlockingIOError."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BlockingIOError(errno.EAGAIN, "another command is writing it", str(path)) from None
    except (ImportError, OSError):  # Windows, and network file systems without locks
        return
