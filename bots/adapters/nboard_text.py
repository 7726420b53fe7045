"""The words of NBoard 2, without any input or output.

Source: Chris Welty's description of the protocol and of GGF, docs/sources.md#nboard
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tabiya.bots.players.api import MoveRequest

PASS, PASS_TEXT = "PA", "pass"
MOVE = re.compile(r"(?P<square>[A-Ha-h][1-8])|(?:PA(?:SS)?|pass|Pass)")
NUMBER = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True)
class NBoardMove:
    """What an engine answered. score: for the side to move, in hundredths of a disc."""

    move: str
    score: int | None


def game_line(request: MoveRequest) -> str:
    """`set game` in GGF: the board, the moves since, and the time left in whole seconds."""
    squares, _, side = request.history_position.partition(" ")
    rows = [squares[start : start + 8].replace("X", "*") for start in range(0, 64, 8)]
    board = f"8 {' '.join(rows)} {_disc(side)}"
    mover = "*O".index(_disc(side))
    moves = "".join(f"{'BW'[(mover + i) % 2]}[{_written(move)}]" for i, move in enumerate(request.history_moves))
    seconds = max(1, int(request.budget_s if request.remaining_ms is None else request.remaining_ms / 1000))
    clock = f"{seconds // 60}:{seconds % 60:02d}"
    return f"set game (;GM[Othello]PC[tabiya]PB[black]PW[white]RE[?]TI[{clock}]TY[8]BO[{board}]{moves};)"


def read_move(line: str) -> NBoardMove | None:
    """The answer of a `=== MOVE/EVAL/TIME` line, None for every other line."""
    if not line.startswith("==="):
        return None
    parts = [part.strip() for part in line.removeprefix("===").strip().split("/")]
    found = MOVE.fullmatch(parts[0])
    move = "" if found is None else (found["square"] or PASS_TEXT).lower()
    score = NUMBER.fullmatch(parts[1]) if len(parts) > 1 else None
    return NBoardMove(move, round(float(score[0]) * 100) if score else None)


def _disc(side: str) -> str:
    return "*" if side == "X" else "O"


def _written(move: str) -> str:
    return PASS if move == PASS_TEXT else move.upper()
