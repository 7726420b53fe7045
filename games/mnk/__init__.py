"""m,n,k games: k stones in a row on a board of m columns and n rows. Tic-tac-toe is (3, 3, 3)."""

from tabiya.games.mnk.rules import Mnk

__all__ = ["Mnk"]
