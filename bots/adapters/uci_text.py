"""The text of UCI, without input or output: commands to write, and the meaning of lines read.

Source: the protocol by Rudolf Huber and Stefan Meyer-Kahlen, docs/sources.md#uci
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from tabiya.bots.adapters.engine_options import OfferedOption, whole_number
from tabiya.bots.players.api import MoveRequest

MATE_SCORE = 30_000


class UciInfo(NamedTuple):
    """What an engine last said of its thinking. score: for the side to move, in hundredths of a pawn."""

    depth: int | None = None
    score: int | None = None
    nodes: int | None = None
    pv: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether it has every field, so that earlier lines add nothing."""
        return bool(self.pv) and self.depth is not None and self.score is not None and self.nodes is not None


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
    gain = request.increment_ms
    other_gain = gain if request.opponent_increment_ms is None else request.opponent_increment_ms
    white_gain, black_gain = (gain, other_gain) if request.seat == 0 else (other_gain, gain)
    to_go = f" movestogo {request.moves_to_go}" if request.moves_to_go else ""
    return f"go wtime {white} btime {black} winc {white_gain} binc {black_gain}{to_go}"


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
    if kind[:1] == ["check"]:
        return OfferedOption(name, choices=("true", "false"))
    if kind[:1] == ["combo"]:
        return OfferedOption(name, choices=_choices(kind))
    least, most = whole_number(_after(kind, "min")), whole_number(_after(kind, "max"))
    if kind[:1] != ["spin"] or least is None or most is None:
        return OfferedOption(name)
    return OfferedOption(name, (least, most))


def _choices(kind: list[str]) -> tuple[str, ...]:
    """The values behind each `var`, of one word or several."""
    _, *values = " ".join(kind).split(" var ")
    return tuple(value.strip() for value in values)


def option_line(name: str, value: str) -> str:
    """The order to set an option; one without a value is a button that is pressed."""
    return f"setoption name {name}" + (f" value {value}" if value else "")


def expected_reply(line: str) -> str:
    """The reply that a `bestmove` line expects, "" if it names none."""
    words = line.split()
    return words[3] if words[2:3] == ["ponder"] and len(words) > 3 else ""


def best_move(line: str) -> str | None:
    """The move of a `bestmove` line ("" if it names none), None for every other line."""
    words = line.split()
    if not words or words[0] != "bestmove":
        return None
    return words[1] if len(words) > 1 and words[1] not in ("(none)", "0000") else ""


def read_info(line: str, later: UciInfo) -> UciInfo:
    """`later` completed from an earlier `info` line; unchanged if that is another line, a bound or unreadable."""
    words = line.partition(" string ")[0].split()  # behind it stands free text
    fields = dict(pairwise(words))  # each word with the one behind it
    if words[:1] != ["info"] or fields.get("multipv", "1") != "1":
        return later
    depth, score, nodes, pv = later
    return UciInfo(
        whole_number(fields.get("depth", "")) if depth is None else depth,
        _score(fields, words) if score is None else score,
        whole_number(fields.get("nodes", "")) if nodes is None else nodes,
        pv or (tuple(words[words.index("pv") + 1 :]) if "pv" in fields else ()),
    )


def _score(fields: dict[str, str], words: list[str]) -> int | None:
    kind = fields.get("score", "")
    number = whole_number(fields.get(kind, ""))
    if number is None or "lowerbound" in words or "upperbound" in words:
        return None
    if kind == "cp":
        return number
    if kind == "mate":  # moves become plies
        return MATE_SCORE - 2 * number + 1 if number > 0 else -MATE_SCORE - 2 * number
    return None


def _after(words: list[str], word: str) -> str:
    at = words.index(word) + 1 if word in words else len(words)
    return words[at] if at < len(words) else ""
