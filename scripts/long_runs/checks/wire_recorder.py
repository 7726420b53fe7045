"""Records the moves and results that a server has sent: it must never lose or change them.

recorder = WireRecorder()
proxy = Proxy(target, draw, tap=recorder.listener)      # gets the server's bytes of every line
...
faults = recorder.missing(rows, results)                # sent, but not stored so
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from scripts.websocket_frames import BINARY, TEXT, FrameReader
from tabiya.protocol.codec import CodecError, Encoding, decode_server
from tabiya.protocol.messages import MatchEnded, ServerMessage, Turn
from tabiya.storage.records import MatchId, MoveRecord, ResultRecord

US_PER_MS = 1_000


class SentTurn(Struct, frozen=True):
    """A turn that was sent.  opponent_ms: the clock that does not run in it; None without clocks."""

    ply: int
    last_move: str | None
    seat: int
    opponent_ms: int | None


class _Listener:
    """Reads the server's bytes of one connection."""

    def __init__(self, recorder: WireRecorder, number: int) -> None:
        self._recorder, self._number, self._frames = recorder, number, FrameReader()

    def __call__(self, data: bytes) -> None:
        for opcode, payload in self._frames.read(data):
            if opcode in (TEXT, BINARY):
                is_packed = Encoding.MSGPACK.subprotocol.encode() in self._frames.head
                encoding = Encoding.MSGPACK if is_packed else Encoding.JSON
                try:
                    message = decode_server(payload.decode() if opcode == TEXT else payload, encoding)
                except (CodecError, UnicodeDecodeError) as error:
                    self._recorder.wrong.append(f"the server sent what is no message: {error}")
                else:
                    self._recorder.record(message, self._number)


class WireRecorder:
    """Remembers every sent turn and result, and whether two of them contradict each other."""

    def __init__(self) -> None:
        self.turns: dict[tuple[int, int], SentTurn] = {}
        self.ends: dict[int, tuple[int | None, str, int, str | None]] = {}  # winner, ending, plies, last move
        self.wrong: list[str] = []
        self.moves = 0  # that have been sent to any bot
        self._listeners = 0
        self._ended_on: set[tuple[int, int]] = set()  # number of a connection, match

    def listener(self) -> Callable[[bytes], object]:
        """A reader for the server's bytes of one new line."""
        self._listeners += 1
        return _Listener(self, self._listeners)

    def record(self, message: ServerMessage, connection: int = 0) -> None:
        """Note one message to any bot. The order of two is known only within one connection."""
        if isinstance(message, Turn):
            self._turn(message)
            if (connection, message.match) in self._ended_on:
                self.wrong.append(f"match {message.match}: a turn of ply {message.ply} was told after its end")
        elif isinstance(message, MatchEnded):
            self._ended_on.add((connection, message.match))
            end = message.winner, message.ending, message.plies, message.last_move
            if self.ends.setdefault(message.match, end) != end:
                self.wrong.append(f"match {message.match} ended as {self.ends[message.match]} and as {end}")

    def _turn(self, turn: Turn) -> None:
        opponent_ms = turn.clock_ms.opponent if turn.clock_ms is not None else None
        sent = SentTurn(turn.ply, turn.last_move, turn.seat, opponent_ms)
        self.moves += turn.last_move is not None and (turn.match, turn.ply) not in self.turns
        if self.turns.setdefault((turn.match, turn.ply), sent) != sent:
            before = self.turns[turn.match, turn.ply]
            self.wrong.append(f"match {turn.match}: ply {turn.ply} was told as {before} and as {sent}")

    def missing(
        self, rows: Mapping[MatchId, Iterable[MoveRecord]], results: Mapping[MatchId, ResultRecord]
    ) -> list[str]:
        """The sent moves and results that are stored otherwise or not at all. rows, results: by match."""
        stored = {(int(match), row.ply): row for match, moves in rows.items() for row in moves}
        found = list(self.wrong)
        for (match, ply), turn in self.turns.items():
            row = stored.get((match, ply - 1))
            if turn.last_move is not None:
                found += _differs(match, ply - 1, turn, row)
        for match, (winner, ending, plies, last_move) in self.ends.items():
            result, last = results.get(MatchId(match)), stored.get((match, plies - 1))
            if result is None or (result.winner, result.ending) != (winner, ending):
                found.append(f"match {match} was told to have ended by {ending}, winner {winner}; stored is {result}")
            if last_move is not None and (last is None or last.text != last_move):
                found.append(f"match {match}: the last move {last_move} was told; stored is {last}")
        return found


def _differs(match: int, ply: int, turn: SentTurn, row: MoveRecord | None) -> list[str]:
    """How the stored move before a turn differs from the turn."""
    if row is None or row.text != turn.last_move:
        return [f"match {match}: {turn.last_move} was told as ply {ply}; stored is {row.text if row else 'nothing'}"]
    stored_ms = row.remaining_us[1 - turn.seat] // US_PER_MS
    if turn.opponent_ms is not None and turn.opponent_ms != stored_ms:
        return [f"match {match}, ply {ply}: {turn.opponent_ms} ms were told for a clock stored with {stored_ms} ms"]
    return []
