"""Writing Portable Game Notation (Edwards 1994, the export format); pgn_reader.py reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabiya.games import transcript
from tabiya.games.chess.fen import START

if TYPE_CHECKING:
    from tabiya.games.contract import Game
    from tabiya.games.transcript import GameRecord


def write_pgn(game: Game, record: GameRecord) -> str:
    """The game as PGN, ending with a newline.

    Raises PositionError, MoveFormatError or IllegalMove for a record that cannot be played.
    """
    start = game.parse(record.start_text)
    tags = [] if start.text() == START else [("SetUp", "1"), ("FEN", start.text())]
    return transcript.write(game, record, start_tags=tags, number=int(start.state.fullmove))
