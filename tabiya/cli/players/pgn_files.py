"""Games in files of transcripts: PGN, and what Tabiya writes of other games in the same form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from tabiya.errors import UserError, user_errors

if TYPE_CHECKING:
    from tabiya.games.transcript import GameRecord

LONGEST_LINE = 1024 * 1024  # bytes; a longer one is read in pieces
OWN_NUMBER = re.compile(r"match (\d{1,18})")


class UnreadGame(Struct, frozen=True):
    """A game of a file whose moves have not been looked at. line: its first in the file.

    match: its number, where Tabiya has written it, else its place in the file from 1.
    """

    file: Path
    line: int
    match: int
    game: str
    players: tuple[str, str]
    text: str

    def read(self) -> GameRecord:
        """The game. Raises UserError, which names file and line, for what cannot be understood."""
        from tabiya.games.errors import TranscriptError
        from tabiya.games.transcript_reader import read_transcripts
        from tabiya.loaded_game import game_named

        try:
            found = list(read_transcripts(game_named(self.game), self.text, self.line))
        except TranscriptError as error:
            raise UserError(f"{self.file}, {error}") from None
        if len(found) == 1:
            return found[0]
        wrong = (
            "there are several games, and only those that begin with tags are told apart"
            if found
            else "there is no game"
        )
        raise UserError(f"{self.file}, line {self.line}: {wrong}")


def transcripts_in(file: Path) -> Iterator[UnreadGame]:
    """The games of a file, one at a time. Raises UserError for a file that cannot be read."""
    from tabiya.games.errors import GameError
    from tabiya.games.registry import load_game, names
    from tabiya.games.transcript import UNKNOWN
    from tabiya.games.transcript_reader import game_named, players_in, separate_games, tags_of

    with user_errors(GameError):
        for number, (line, text) in enumerate(separate_games(_lines(file)), start=1):
            tags = tags_of(text)
            game = game_named(tags)
            site = OWN_NUMBER.fullmatch(tags.get("Site", ""))
            players = players_in(tags, load_game(game)) if game in names() else (UNKNOWN, UNKNOWN)
            yield UnreadGame(file, line, int(site[1]) if site else number, game, players, text)


def _lines(file: Path) -> Iterator[str]:
    try:
        with file.open("rb") as lines:
            while line := lines.readline(LONGEST_LINE):
                try:
                    yield line.decode()
                except UnicodeDecodeError:
                    yield line.decode("latin-1")  # which PGN was written in for a long time
    except OSError as error:
        raise UserError(f"{file} cannot be read: {error.strerror}") from None
