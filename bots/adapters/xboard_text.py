"""The words of the xboard protocol (CECP), without any input or output.

Source: the protocol by Tim Mann and H. G. Muller, docs/sources.md#xboard
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tabiya.bots.adapters.engine_options import OfferedOption, whole_number
from tabiya.bots.players.api import MoveRequest
from tabiya.bots.players.lazy_rules import NeedsEngine, load_game, position_of
from tabiya.games.errors import GameError
from tabiya.protocol.time_control import ControlKind, parse

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
UNTIMED_S = 1
FEATURE = re.compile(r'(?P<name>[A-Za-z0-9]+)=(?:"(?P<text>[^"]*)"|(?P<word>\S+))')
OPTION = re.compile(r"(?P<name>.+?) -(?P<kind>[a-z]+)\s*(?P<values>.*)")
MOVE = re.compile(r"(?:move|My move is\s*:)\s+(?P<move>\S+)", re.IGNORECASE)
COORDINATES = re.compile(r"(?P<squares>[a-h][1-8][a-h][1-8])=?(?P<piece>[qrbn])?", re.IGNORECASE)
THOUGHT = re.compile(r"(?P<depth>[0-9]{1,3})\S?\s+(?P<score>[+-]?[0-9]{1,9})\s+[0-9]+\s+(?P<nodes>[0-9]{1,15})\b")
LOST = ("0-1", "1-0")  # by seat
FISCHERANDOM = "fischerandom"  # Chess960, as a variant
CASTLING = "O-O"
MATE, MATE_SCORE = 100_000, 30_000  # theirs, and ours: bots/adapters/uci_text.py


@dataclass(frozen=True, slots=True)
class Thought:
    """What an engine last said of its thinking. score: for the side to move, in hundredths of a pawn."""

    depth: int | None = None
    score: int | None = None
    nodes: int | None = None


def read_features(line: str) -> list[tuple[str, str]]:
    """Names and values of a `feature` line, in its order; none of every other line."""
    if not line.startswith("feature "):
        return []
    return [
        (found["name"], found["word"] if found["text"] is None else found["text"]) for found in FEATURE.finditer(line)
    ]


def offered_option(text: str) -> OfferedOption:
    """The option that the value of an `option` feature offers."""
    found = OPTION.fullmatch(text)
    if found is None:
        return OfferedOption(text)
    numbers = [whole_number(word) for word in found["values"].split()]
    if found["kind"] in ("spin", "slider") and len(numbers) == 3 and numbers[1] is not None and numbers[2] is not None:
        return OfferedOption(found["name"], (numbers[1], numbers[2]))
    if found["kind"] == "combo":  # the present one has a star
        values = [value.strip().removeprefix("*") for value in found["values"].split("///")]
        return OfferedOption(found["name"], choices=tuple(values))
    return OfferedOption(found["name"])


def time_control_line(request: MoveRequest, margin_s: float) -> str:
    """`level` or `st`, which has whole seconds only. margin_s: kept of a time for one move."""
    control = parse(request.time_control)
    if request.remaining_ms is None:
        return f"st {UNTIMED_S}"
    if control.kind is ControlKind.PER_MOVE:
        return f"st {max(1, int(request.budget_s - margin_s))}"
    seconds = max(1, control.base_ms // 1000)
    return f"level {control.moves} {seconds // 60}:{seconds % 60:02d} {control.increment_ms / 1000:g}"


def clock_lines(request: MoveRequest) -> list[str]:
    """What is left on both clocks, in hundredths of a second; nothing without clocks."""
    own = request.remaining_ms
    if own is None:
        return []
    other = own if request.opponent_ms is None else request.opponent_ms
    return [f"time {own // 10}", f"otim {other // 10}"]


def edit_lines(fen: str) -> list[str]:
    """The position of a FEN for an engine without `setboard`; castling is allowed where king and rook are at home.

    Behind `new` and `force`: `edit` keeps the side to move, which only a move can change.
    """
    rows = fen.split(maxsplit=1)[0]
    pieces: dict[bool, list[str]] = {True: [], False: []}
    for row, text in zip(range(8, 0, -1), rows.split("/"), strict=True):
        column = 0
        for sign in text:
            if sign.isdigit():
                column += int(sign)
            else:
                pieces[sign.isupper()].append(f"{sign.upper()}{'abcdefgh'[column]}{row}")
                column += 1
    return ["edit", "#", *pieces[True], "c", *pieces[False], "."]


def written_move(game: str, base: str, moves: Sequence[str], move: str) -> str:
    """A legal move of Chess960, after these moves from `base`, as the protocol writes it: castling is O-O or O-O-O.

    Raises as `position_of`.
    """
    san = load_game(game).readable_move(position_of(game, base, moves), move).rstrip("+#")
    return san if san.startswith(CASTLING) else move


def read_move(line: str, request: MoveRequest) -> str | None:
    """The move of a line that brings one, None for every other.

    One in algebraic notation (SAN) is read by the rules; what they cannot read is left as it is.
    """
    found = MOVE.fullmatch(line)
    if found is None:
        return None
    if squares := COORDINATES.fullmatch(found["move"]):
        return f"{squares['squares']}{squares['piece'] or ''}".lower()
    with contextlib.suppress(GameError, NeedsEngine):
        position = position_of(request.game, request.history_position, request.history_moves)
        return load_game(request.game).read_move(position, found["move"])
    return found["move"]


def read_thought(line: str) -> Thought | None:
    """What a line of depth, score, time and nodes says of the thinking, None for every other line."""
    found = THOUGHT.match(line)
    if found is None:
        return None
    score = int(found["score"])
    if abs(score) >= MATE:  # moves become plies
        moves = abs(score) - MATE
        score = MATE_SCORE - 2 * moves + 1 if score > 0 else -MATE_SCORE + 2 * moves
    return Thought(int(found["depth"]), score, int(found["nodes"]))
