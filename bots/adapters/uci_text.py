"""The words of UCI, without any input or output: what to say, and what a line that came means.

Source: the protocol by Rudolf Huber and Stefan Meyer-Kahlen, docs/sources.md#uci
"""

from __future__ import annotations

from dataclasses import dataclass

from tabiya.bots.adapters.engine_options import OfferedOption, whole_number
from tabiya.bots.players.api import MoveRequest

MATE_SCORE = 30_000


@dataclass(frozen=True, slots=True)
class UciInfo:
    """What an engine last said of its thinking. score: for the side to move, in hundredths of a pawn."""

    depth: int | None = None
    score: int | None = None
    nodes: int | None = None
    pv: tuple[str, ...] = ()


def position_line(request: MoveRequest) -> str:
    """The position, with the moves that show repetitions."""
    moves = f" moves {' '.join(request.history_moves)}" if request.history_moves else ""
    return f"position fen {request.history_position}{moves}"


def go_line(request: MoveRequest, movetime_ms: int | None) -> str:
    """The order to think. movetime_ms: for this move alone; None to let the engine manage the clocks."""
    if movetime_ms is not None or request.remaining_ms is None:
        return f"go movetime {max(1, movetime_ms or 1)}"
    own, other = request.remaining_ms, request.opponent_ms if request.opponent_ms is not None else request.remaining_ms
    white, black = (own, other) if request.seat == 0 else (other, own)
    increment = request.increment_ms  # both sides play by one time control
    to_go = f" movestogo {request.moves_to_go}" if request.moves_to_go else ""
    return f"go wtime {white} btime {black} winc {increment} binc {increment}{to_go}"


def engine_name(line: str) -> str:
    """What an engine calls itself in an `id name` line, "" in every other line."""
    words = line.split(maxsplit=2)
    return words[2].strip() if words[:2] == ["id", "name"] and len(words) == 3 else ""


def offered_option(line: str) -> OfferedOption | None:
    """The option that a line offers, None for every other line. Names may have spaces."""
    words = line.split()
    if words[:2] != ["option", "name"] or "type" not in words:
        return None
    at = words.index("type")
    name, kind = " ".join(words[2:at]), words[at + 1 :]
    least, most = whole_number(_after(kind, "min")), whole_number(_after(kind, "max"))
    if kind[:1] != ["spin"] or least is None or most is None:
        return OfferedOption(name)
    return OfferedOption(name, (least, most))


def option_line(name: str, value: str) -> str:
    """The order to set an option; one without a value is a button that is pressed."""
    return f"setoption name {name}" + (f" value {value}" if value else "")


def best_move(line: str) -> str | None:
    """The move of a `bestmove` line ("" if it names none), None for every other line."""
    words = line.split()
    if not words or words[0] != "bestmove":
        return None
    return words[1] if len(words) > 1 and words[1] not in ("(none)", "0000") else ""


def read_info(line: str, info: UciInfo) -> UciInfo:
    """`info` with what an `info` line adds; unchanged by other lines, bounds, and what cannot be read."""
    words = line.split()
    if not words or words[0] != "info" or "string" in words[:2]:
        return info
    if "multipv" in words and _after(words, "multipv") != "1":
        return info
    depth, score, nodes = whole_number(_after(words, "depth")), _score(words), whole_number(_after(words, "nodes"))
    return UciInfo(
        info.depth if depth is None else depth,
        info.score if score is None else score,
        info.nodes if nodes is None else nodes,
        tuple(words[words.index("pv") + 1 :]) if "pv" in words else info.pv,
    )


def _score(words: list[str]) -> int | None:
    at = words.index("score") + 1 if "score" in words else len(words)
    number = whole_number(words[at + 1]) if at + 1 < len(words) else None
    if number is None or "lowerbound" in words or "upperbound" in words:
        return None
    if words[at] == "cp":
        return number
    if words[at] == "mate":  # moves become plies
        return MATE_SCORE - 2 * number + 1 if number > 0 else -MATE_SCORE - 2 * number
    return None


def _after(words: list[str], word: str) -> str:
    at = words.index(word) + 1 if word in words else len(words)
    return words[at] if at < len(words) else ""
