"""What the listings of the textbooks call a board, a position or a state: one small protocol.

An explicit tree (`tree.py`) and a position of any game (`board.py`) both satisfy it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Protocol

INFINITY = 1_000_000  # above every value; a whole number, so that `alpha + 1` in a null window means something


class Wins(StrEnum):
    """What a won game is worth. The books differ, and none of them prefers a nearer win."""

    SOONER = "sooner"  # 30000 less the plies until then, or 20000 and the margin where margins matter: ours
    INFINITE = "infinite"  # 000: plus or minus infinity
    ONE = "one"  # 002 and 004: 1, -1 and 0; positions that go on are 0 too


class Node(Protocol):
    """One position of a tree."""

    @property
    def seat(self) -> int:
        """Who is to move: 0 is Max, blue or White, 1 is Min, red or Black. Known at leaves too."""

    @property
    def takes_turns(self) -> bool:
        """Whether after every move of this tree the other seat is to move."""

    @property
    def over(self) -> bool:
        """GameOver(b), final?(state), "P is terminal". Listings that never ask search on until no move is left."""

    @property
    def ply(self) -> int:
        """Plies below the root."""

    @property
    def move(self) -> str:
        """The move that led here, "" at the root."""

    def moves(self) -> Iterable[str]:
        """The legal moves, in the order in which they are to be tried."""

    def play(self, move: str) -> Node:
        """The position after the move: "copy b to c, make move m in c"."""

    def analysis(self) -> int:
        """The value for seat 0: 000's Analysis, 002's v', 003's first Evaluate. Exact when the game is over."""

    def eval(self) -> int:
        """The value for the side to move: 001's eval, 002's v, 003's second Evaluate."""

    def gain(self, move: str) -> int:
        """What the move changes for its mover, by the evaluation: 004's value of a move."""

    def captures(self) -> Iterable[str]:
        """The legal moves that must be played out before an evaluation means something; often none."""

    def estimate(self) -> int:
        """A cheap value for the side to move, to guess the order of moves with: `eval` without its parameters."""

    def rooted(self, horizon: int) -> Node:
        """The same position as the root of a search; `horizon` plies below it every position counts as over.

        The listings without a depth need that; an explicit tree ends by itself.
        """

    def quiet_visits(self) -> int:
        """Positions that quiescence has looked at so far in this search."""
