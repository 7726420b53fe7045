"""The weights of the chess evaluation: one record with a field for each term, read from chess_numbers.py.

A weight is two numbers, early and late in the game, packed into one int64 so that both are added at once: late in the
upper half, early in the lower. `record_of` puts them together, `early_of` and `late_of` take a sum apart. Units:
hundredths of a pawn. The fields of DANGER are single numbers, in units of their own (chess_evaluation.py).

A compiled function takes the record as an argument (`evaluate_chess(state, weights)`), so another evaluation can bring
its own: `read(text)`, changed where it likes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tabiya.bots.evaluators.chess.weight_values import NUMBERS
from tabiya.games.compiled.jit import njit

Numbers = np.ndarray[Any, np.dtype[np.int64]]
EARLY, LATE = 0, 1
HALF = 32
MOST_REACHED = 28  # one more than a queen can reach

# Fields of weights with an early and a late number.
PAIRS: dict[str, tuple[int, ...]] = {
    "squares": (6, 64),  # by kind and square: a man on it, its material included; a1 is square 0, seen by its owner
    "reach": (4, MOST_REACHED),  # knight to queen, by the number of squares it can safely go to
    "bishop_pair": (),
    "bishop_pawn": (),  # of each own pawn on the colour of a bishop
    "rook_open": (2,),  # on a file without own pawns: with pawns of the other, without
    "rook_seventh": (),  # beside the other king's first rank, with something to win there
    "outpost": (2,),  # knight, bishop: guarded by a pawn where no pawn can attack it
    "isolated": (),
    "doubled": (),
    "backward": (),
    "linked": (8,),  # a pawn guarded by or beside another, by rank
    "passed": (8,),  # by rank
    "passed_free": (8,),  # more, if its next square is empty and not attacked
    "passed_own_king": (8,),  # of each step from our king to its next square
    "passed_other_king": (8,),  # of each step from the other king
    "shield": (2,),  # of each pawn one and two steps before the king
    "storm": (2,),  # of each pawn of the other, up to three steps before the king, and up to five
    "king_file": (2,),  # of each file beside and of the king without own pawns: with pawns of the other, without
    "by_pawn": (6,),  # attacked by a pawn, by the attacked man's kind
    "by_minor": (6,),  # attacked by a knight or bishop
    "by_rook": (6,),
    "hanging": (),  # attacked and not guarded
    "tempo": (),  # having the move
}
# Fields of single numbers: how much of a danger to the other king something is.
DANGER: dict[str, tuple[int, ...]] = {
    "pressure": (4,),  # knight to queen, of each square beside the king that it reaches
    "check": (4,),  # of each safe square from which one of them would give check
    "weak": (),  # of each square beside the king that is attacked and guarded by the king alone
    "calm": (),  # of every king
    "queenless": (),  # of a king whose opponent has no queen
}
WEIGHTS_TYPE = np.dtype([(name, np.int64, shape) for name, shape in {**PAIRS, **DANGER}.items()], align=True)


@njit
def early_of(both: Any) -> Any:
    """The early number of a packed sum."""
    return np.int64(np.int32(both & 0xFFFFFFFF))


@njit
def late_of(both: Any) -> Any:
    """The late number of a packed sum."""
    return (both + 0x80000000) >> HALF


def record_of(numbers: Mapping[str, Numbers]) -> Any:
    """An array of one record of the weights; numbers by field: (2, ...) for PAIRS, early first, one for DANGER.

    An array, because compiled code copies a record that is a constant at every use, and the element of an array never.
    """
    weights = np.zeros(1, WEIGHTS_TYPE).view(np.recarray)
    for name in PAIRS:
        weights[name][0] = (numbers[name][LATE].astype(np.int64) << HALF) + numbers[name][EARLY]
    for name in DANGER:
        weights[name][0] = numbers[name]
    return weights


def read(text: str) -> dict[str, Numbers]:
    """The numbers of each field as `write` writes them. Raises ValueError if a field is missing or has another size."""
    found: dict[str, list[int]] = {}
    at: list[int] = []
    for line in text.split("\n"):
        word = line.strip()
        if word and word[0].isalpha():
            at = found.setdefault(word, [])
        else:
            at.extend(map(int, word.split()))
    fields = {**{name: (2, *shape) for name, shape in PAIRS.items()}, **DANGER}
    if sorted(found) != sorted(fields):
        raise ValueError(f"the weights have the fields {sorted(found)}; needed are {sorted(fields)}")
    return {name: _turned(name, np.array(found[name], np.int64).reshape(shape)) for name, shape in fields.items()}


def write(numbers: Mapping[str, Numbers]) -> str:
    """The numbers as text: a field's name, then its numbers, early before late; boards as White sees them."""
    lines = []
    for name in (*PAIRS, *DANGER):
        rows = _turned(name, numbers[name])
        width = 8 if name == "squares" else rows.shape[-1] if rows.ndim > 1 else max(1, rows.size)
        lines.append(name)
        lines += ["".join(f"{number:6d}" for number in row) for row in rows.reshape(-1, min(width, 14))]
    return "\n".join(lines) + "\n"


def _turned(name: str, numbers: Numbers) -> Numbers:
    """Boards with their ranks exchanged: as texts show them, rank 8 first, or back."""
    return numbers.reshape(2, 6, 8, 8)[:, :, ::-1].reshape(2, 6, 64) if name == "squares" else numbers


WEIGHTS = record_of(read(NUMBERS))
