"""Writing Portable Game Notation (Edwards 1994, the export format); pgn_reader.py reads it."""

from __future__ import annotations

from tabiya.games.chess.fen import START
from tabiya.games.chess.san import write_san
from tabiya.games.position import Position
from tabiya.games.transcript import GameRecord, write_transcript


def write_pgn(start: Position, record: GameRecord) -> str:
    """The game from the position `start` as PGN, ending with a newline.

    Raises MoveFormatError or IllegalMove for a record that cannot be played.
    """
    tags = [] if start.text() == START else [("SetUp", "1"), ("FEN", start.text())]
    return write_transcript(start, record, write_san, start_tags=tags, number=int(start.state.fullmove))
