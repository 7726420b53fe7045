"""Checks a sample of the server's turns: each is decoded and played through; a match's turns come in order."""

from __future__ import annotations

from tabiya.games.registry import load_game
from tabiya.protocol.codec import Encoding, decode_server
from tabiya.protocol.messages import Turn

EVERY_TURN = 199
EVERY_MATCH = 20
MOST_TURNS = 400


class Samples:
    """The samples of a run, and the faults in them."""

    def __init__(self) -> None:
        self.turns: list[bytes] = []
        self.sent: dict[int, dict[int, str]] = {}
        self.wrong: list[str] = []
        self.out_of_order = 0

    def take(self, match: int, ply: int, move: bytes) -> None:
        """Keep the answer in a sampled match; each of its plies must be asked for once."""
        answered = self.sent.setdefault(match, {})
        if ply in answered or (answered and ply <= max(answered)):
            self.out_of_order += 1
        answered[ply] = move[1:].decode()

    def check(self) -> int:
        """Check the kept turns, return their number; faults go to `wrong`."""
        for frame in self.turns:
            fault = fault_of(frame)
            if fault:
                self.wrong.append(fault)
        if self.out_of_order:
            self.wrong.append(f"{self.out_of_order} turns came twice or out of order")
        return len(self.turns)


def fault_of(frame: bytes) -> str:
    """What is wrong with a turn, empty if nothing is."""
    turn = decode_server(frame, Encoding.MSGPACK)
    if not isinstance(turn, Turn):
        return f"{type(turn).__name__} was taken for a turn"
    position = load_game(turn.game).parse(turn.history.position)
    for move in turn.history.moves:
        position = position.play(move)
    played = turn.history.moves[-1] if turn.history.moves else turn.last_move
    checks = {
        "position": (turn.position, position.text()),
        "legal_moves": (turn.legal_moves, position.legal_moves()),
        "seat": (turn.seat, position.to_move),
        "last_move": (turn.last_move, played),
        "clock": (turn.clock_ms is not None and turn.clock_ms.you > 0 and turn.move_limit_ms > 0, True),
    }
    return "; ".join(f"{name} is {is_!r}, not {should!r}" for name, (is_, should) in checks.items() if is_ != should)
