"""The value of a leaf after all captures are played out. No text has a listing of it; 000 shows the horizon problem."""

from __future__ import annotations

from typing import Protocol

from tabiya.bots.textbook.node import Node

DEEPEST = 90  # plies below the root; no line of captures is as long


class Quiet(Protocol):
    """Counts the visited positions."""

    def visit(self) -> None:
        """One more."""


def quiesce(b: Node, alpha: int, beta: int, quiet: Quiet) -> int:
    """The value for the side to move when it may stop or make a noisy move, and so may the other; fail-soft.

    The evaluation of a position with a piece to take is no value, so only the noisy moves are searched, to their end.
    """
    best = b.estimate()
    if best >= beta or b.over or b.ply >= DEEPEST:
        return best
    for m in b.captures():
        quiet.visit()
        low, c = max(alpha, best), b.play(m)
        if c.seat == b.seat:  # it may move again
            best = max(best, quiesce(c, low, beta, quiet))
        else:
            best = max(best, -quiesce(c, -beta, -low, quiet))
        if best >= beta:
            break
    return best
