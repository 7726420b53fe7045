"""Nim: heaps of objects, a move takes one or more from one heap."""

from tabiya.games.nim.rules import Nim

__all__ = ["Nim"]
