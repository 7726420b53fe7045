"""The games of a match in files, while it goes on: transcripts with the pairs together, a JSON line for each game."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from tabiya.match.growing_file import lock_for_writing
from tabiya.match.plan import MatchPlan
from tabiya.server.archive.exports import ExportFormat, written_game
from tabiya.storage.records import MatchRecord, MoveRecord

GameWithMoves = tuple[MatchRecord, tuple[MoveRecord, ...]]


class GameFiles:
    """Both files, or one, or none. A game whose partner never ended is written last.

    A match that is resumed writes them again from the first game on. Errors of the system (OSError) name the file.
    """

    def __init__(self, plan: MatchPlan, pgn: Path | None, lines: Path | None) -> None:
        """Raises OSError, before anything is played, for a file that cannot be written or that another command writes.

        Also for one that is not empty, unless the match is resumed: it may hold the games of an earlier match.
        """
        self._open: dict[ExportFormat, BinaryIO] = {}
        self._waiting: dict[int, GameWithMoves] = {}
        self._is_begun = False
        with ExitStack() as files:
            for form, path in ((ExportFormat.PGN, pgn), (ExportFormat.JSONL, lines)):
                if path is None:
                    continue
                file = self._open[form] = path.open("ab")
                files.callback(_close, file)
                lock_for_writing(file, path)
                if not plan.resume and _size(file):
                    raise FileExistsError(errno.EEXIST, "it is not empty; name another file or remove it", str(path))
            self._files = files.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._files:
            for number in sorted(self._waiting):
                self._write(self._waiting[number])
            self._waiting.clear()

    def keep(self, number: int, record: MatchRecord, moves: tuple[MoveRecord, ...]) -> None:
        """A game is over; it is written when its partner is too."""
        if not self._open:
            return
        partner = self._waiting.pop(number ^ 1, None)  # a pair is 2k and 2k + 1
        if partner is None:
            self._waiting[number] = record, moves
            return
        pair = [(record, moves), partner] if number % 2 == 0 else [partner, (record, moves)]
        for given in pair:
            self._write(given)
        for file in self._open.values():  # so that a killed match leaves whole pairs
            with _named(file):
                file.flush()

    def _write(self, given: GameWithMoves) -> None:
        if not self._is_begun:  # what is there goes when a match is resumed: its games are all kept once more
            self._is_begun = True
            for file in self._open.values():
                if _size(file):  # otherwise it may be a pipe, which cannot be truncated
                    file.truncate(0)
        for form, file in self._open.items():
            with _named(file):
                file.write(written_game(form, *given))


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _close(file: BinaryIO) -> None:
    with _named(file):
        file.close()


@contextmanager
def _named(file: BinaryIO) -> Iterator[None]:
    """Errors of writing name the file; the system leaves that out."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, file.name) from None
