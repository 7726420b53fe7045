"""Perfect Nim without any search.

Bouton, "Nim, a game with a complete mathematical theory" (1901): in normal play the side to move loses exactly when the
XOR of the heaps is zero. In misère play the same holds while some heap has two objects or more; once all have one, the
side to move loses exactly when their number is odd.
"""

from __future__ import annotations

import random
from functools import reduce
from operator import xor
from typing import NamedTuple

from tabiya.bots.players.api import MatchInfo, MoveReply, MoveRequest

WON = 100  # the score of a won position: one object


class Heaps(NamedTuple):
    """A position of Nim without the side to move."""

    sizes: tuple[int, ...]
    misere: bool


def read_heaps(position: str) -> Heaps:
    """The heaps of a position text such as `3,5,7 normal 1`."""
    sizes, play, _ = position.split(" ")
    return Heaps(tuple(map(int, sizes.split(","))), play == "misere")


def is_won(heaps: Heaps) -> bool:
    """Whether the side to move wins with perfect play."""
    if heaps.misere and max(heaps.sizes) <= 1:
        return sum(heaps.sizes) % 2 == 0
    return reduce(xor, heaps.sizes) != 0


def moves(heaps: Heaps) -> list[tuple[int, int]]:
    """Every (heap, objects to take)."""
    return [(heap, take) for heap, size in enumerate(heaps.sizes) for take in range(1, size + 1)]


def after(heaps: Heaps, heap: int, take: int) -> Heaps:
    """The heaps once `take` objects are gone from one."""
    sizes = (*heaps.sizes[:heap], heaps.sizes[heap] - take, *heaps.sizes[heap + 1 :])
    return heaps._replace(sizes=sizes)


def best_moves(heaps: Heaps) -> list[tuple[int, int]]:
    """All winning moves; in a lost position those that take one object, which leave the most room for mistakes.

    A winning move leaves of its heap the XOR of the others, near the end of misère play perhaps one object or none.
    """
    nim_sum = reduce(xor, heaps.sizes)
    likely = [move for move in moves(heaps) if heaps.sizes[move[0]] - move[1] in {0, 1, heaps.sizes[move[0]] ^ nim_sum}]
    winning = [move for move in likely if not is_won(after(heaps, *move))]
    return winning or [move for move in moves(heaps) if move[1] == 1]


class PerfectNim:
    """Wins every won position; which of the winning moves, the request's seed decides."""

    def new_match(self, match: MatchInfo) -> None:
        """Nothing is remembered."""

    def choose(self, request: MoveRequest) -> MoveReply:
        """A winning move if there is one."""
        heaps = read_heaps(request.position)
        heap, take = random.Random(request.seed).choice(best_moves(heaps))
        move = f"{chr(ord('a') + heap)}{take}"
        won = is_won(heaps)
        return MoveReply(move=move, score=WON if won else -WON, pv=(move,), text="won" if won else "lost")

    def stop(self) -> None:
        """Nothing to do: it answers at once."""
