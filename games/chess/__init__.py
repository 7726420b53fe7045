"""Chess: positions as FEN, moves as UCI, games as PGN."""

from tabiya.games.chess.rules import Chess

__all__ = ["Chess"]
