"""Reversi (Othello's rules): discs between two of the mover's turn over."""

from tabiya.games.reversi.rules import Reversi

__all__ = ["Reversi"]
