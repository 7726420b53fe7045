"""Chess960: chess from 960 starts, positions as X-FEN, castling as the king's move onto its rook."""

from tabiya.games.chess960.rules import Chess960

__all__ = ["Chess960"]
