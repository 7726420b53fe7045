"""Who still has the material to mate.

The rule is lichess's and python-chess's reading of FIDE 6.9: a player cannot win if no series of legal moves, however
helpful the opponent, ends in mate, judged by material alone (blocked positions are not looked at).
"""

from __future__ import annotations

from typing import Any

from tabiya.games.chess.board import BISHOP, BLACK, KING, KNIGHT, PAWN, QUEEN, ROOK, WHITE
from tabiya.games.compiled.bits import ZERO, U, popcount
from tabiya.games.compiled.jit import njit

MEN = {"q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
DARK_SQUARES = U(0xAA55AA55AA55AA55)


@njit
def can_mate(state: Any, seat: Any) -> Any:
    """Whether `seat` could mate with what it has and what the opponent's own men could block.

    Pawns, rooks and queens can.  A lone king cannot.  Knights can if there are two, with another piece, or if the
    opponent has a man other than king and queens to take squares from its king.  Bishops can unless all bishops on the
    board stand on one colour and there is no knight and no pawn.
    """
    pieces, own, theirs = state.pieces, state.colours[seat], state.colours[1 - seat]
    if own & (pieces[PAWN] | pieces[ROOK] | pieces[QUEEN]) != ZERO:
        return True
    if own & pieces[KNIGHT] != ZERO:
        return popcount(own) > 2 or theirs & ~(pieces[KING] | pieces[QUEEN]) != ZERO
    if own & pieces[BISHOP] != ZERO:
        dark, light = pieces[BISHOP] & DARK_SQUARES, pieces[BISHOP] & ~DARK_SQUARES
        return (dark != ZERO and light != ZERO) or pieces[PAWN] | pieces[KNIGHT] != ZERO
    return False


@njit
def is_insufficient(state: Any) -> Any:
    """Whether neither side can mate: bare kings, a lone knight or bishop, or bishops all on one colour."""
    return not can_mate(state, WHITE) and not can_mate(state, BLACK)


def leads(fen: str) -> tuple[str, str]:
    """The men that each side, White first, has more than the other: `+ rook, 2 pawns`; "" for none."""
    placement = fen.partition(" ")[0]
    more = {name: placement.count(man.upper()) - placement.count(man) for man, name in MEN.items()}
    return _listed(more), _listed({name: -lead for name, lead in more.items()})


def _listed(more: dict[str, int]) -> str:
    named = [name if lead == 1 else f"{lead} {name}s" for name, lead in more.items() if lead > 0]
    return f"+ {', '.join(named)}" if named else ""
