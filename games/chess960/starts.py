"""The 960 starts by their numbers (Scharnagl): 518 is that of chess."""

from __future__ import annotations

from itertools import combinations

ORTHODOX, STARTS = 518, 960
KNIGHTS = tuple(combinations(range(5), 2))  # which of the five free squares they take
EMPTY = "."


def back_rank(number: int) -> str:
    """White's men from a1 to h1, in capitals. number: 0..959."""
    rest, light = divmod(number, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    men = [EMPTY] * 8
    men[2 * light + 1] = men[2 * dark] = "B"
    men[_free(men)[queen]] = "Q"
    free = _free(men)
    for knight in KNIGHTS[knights]:
        men[free[knight]] = "N"
    for square, man in zip(_free(men), "RKR", strict=True):
        men[square] = man
    return "".join(men)


def start_fen(number: int) -> str:
    """The start position of a number as X-FEN."""
    men = back_rank(number)
    return f"{men.lower()}/pppppppp/8/8/8/8/PPPPPPPP/{men} w KQkq - 0 1"


def _free(men: list[str]) -> list[int]:
    return [square for square, man in enumerate(men) if man == EMPTY]
