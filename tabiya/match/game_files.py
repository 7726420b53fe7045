"""The games of a match in files, while it goes on: transcripts with the pairs together, a JSON line for each game."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from tabiya.match.plan import MatchPlan
from tabiya.server.archive.exports import ExportFormat, written_game
from tabiya.storage.records import MatchRecord, MoveRecord

GameWithMoves = tuple[MatchRecord, tuple[MoveRecord, ...]]


class GameFiles:
    """Both files, or one, or none, anew from the first game on. A game whose partner never came comes at the end."""

    def __init__(self, plan: MatchPlan, pgn: Path | None, lines: Path | None) -> None:
        """Raises OSError for a file that cannot be written, before anything is played."""
        self._plan, self._files = plan, ExitStack()
        self._open: dict[ExportFormat, BinaryIO] = {}
        self._waiting: dict[int, GameWithMoves] = {}
        for form, path in ((ExportFormat.PGN, pgn), (ExportFormat.JSONL, lines)):
            if path is not None:
                self._open[form] = self._files.enter_context(path.open("ab"))
        self._is_begun = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number in sorted(self._waiting):
            self._write(self._waiting[number])
        self._waiting.clear()
        self._files.close()

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
            file.flush()

    def _write(self, given: GameWithMoves) -> None:
        if not self._is_begun:  # what is there goes, also when a match is resumed: its games are all kept once more
            self._is_begun = True
            for file in self._open.values():
                file.truncate(0)
        for form, file in self._open.items():
            file.write(written_game(form, *given))
