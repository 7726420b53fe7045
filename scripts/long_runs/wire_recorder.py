"""What a server has told anybody, read from the wire: moves and results that it must never lose or change.

recorder = WireRecorder()
proxy = Proxy(target, draw, tap=recorder.listener)      # hears the server's side of every line
...
faults = recorder.missing(rows, results)                # what was told and is not stored so
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from tabiya.protocol.codec import CodecError, Encoding, decode_server
from tabiya.protocol.messages import MatchEnded, ServerMessage, Turn
from tabiya.storage.records import MatchId, MoveRecord, ResultRecord

TEXT, BINARY = 1, 2
US_PER_MS = 1_000


class ToldTurn(Struct, frozen=True):
    """A turn that was told.  opponent_ms: the clock that does not run in it; None without clocks."""

    ply: int
    last_move: str | None
    seat: int
    opponent_ms: int | None


class _Listener:
    """The server's bytes of one line: first the answer to the handshake, then frames, which a server never masks."""

    def __init__(self, heard: Callable[[ServerMessage], object], wrong: list[str]) -> None:
        self._heard, self._wrong = heard, wrong
        self._bytes = bytearray()
        self._encoding: Encoding | None = None

    def __call__(self, data: bytes) -> None:
        self._bytes += data
        if self._encoding is None and not self._answered():
            return
        while (frame := self._next_frame()) is not None:
            opcode, payload = frame
            if opcode in (TEXT, BINARY):
                self._message(payload.decode() if opcode == TEXT else payload)

    def _answered(self) -> bool:
        head, end, rest = self._bytes.partition(b"\r\n\r\n")
        if not end:
            return False
        is_packed = Encoding.MSGPACK.subprotocol.encode() in head
        self._encoding, self._bytes = Encoding.MSGPACK if is_packed else Encoding.JSON, rest
        return True

    def _next_frame(self) -> tuple[int, bytes] | None:
        """Opcode and payload of a frame that is there whole."""
        held = self._bytes
        if len(held) < 2:
            return None
        more = {126: 2, 127: 8}.get(held[1], 0)
        size = int.from_bytes(held[2 : 2 + more], "big") if more else held[1]
        begins, ends = 2 + more, 2 + more + size
        if len(held) < ends:
            return None
        opcode, payload = held[0] & 0x0F, bytes(held[begins:ends])
        del held[:ends]
        return opcode, payload

    def _message(self, frame: str | bytes) -> None:
        assert self._encoding is not None
        try:
            self._heard(decode_server(frame, self._encoding))
        except CodecError as error:
            self._wrong.append(f"the server sent what is no message: {error}")


class WireRecorder:
    """Remembers every turn and every end that was told, and whether two tellings contradict each other."""

    def __init__(self) -> None:
        self.turns: dict[tuple[int, int], ToldTurn] = {}
        self.ends: dict[int, tuple[int | None, str, int, str | None]] = {}  # winner, ending, plies, last move
        self.wrong: list[str] = []
        self.moves = 0  # that have been told to somebody

    def listener(self) -> Callable[[bytes], object]:
        """A reader for the server's bytes of one new line."""
        return _Listener(self.heard, self.wrong)

    def heard(self, message: ServerMessage) -> None:
        """One message, to anybody."""
        if isinstance(message, Turn):
            self._turn(message)
        elif isinstance(message, MatchEnded):
            end = message.winner, message.ending, message.plies, message.last_move
            if self.ends.setdefault(message.match, end) != end:
                self.wrong.append(f"match {message.match} ended as {self.ends[message.match]} and as {end}")

    def _turn(self, turn: Turn) -> None:
        opponent_ms = turn.clock_ms.opponent if turn.clock_ms is not None else None
        told = ToldTurn(turn.ply, turn.last_move, turn.seat, opponent_ms)
        self.moves += turn.last_move is not None and (turn.match, turn.ply) not in self.turns
        if self.turns.setdefault((turn.match, turn.ply), told) != told:
            before = self.turns[turn.match, turn.ply]
            self.wrong.append(f"match {turn.match}: ply {turn.ply} was told as {before} and as {told}")
        if turn.match in self.ends:
            self.wrong.append(f"match {turn.match}: a turn of ply {turn.ply} was told after its end")

    def missing(
        self, rows: Mapping[MatchId, Iterable[MoveRecord]], results: Mapping[MatchId, ResultRecord]
    ) -> list[str]:
        """What was told and is stored otherwise or not at all. rows, results: by match."""
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


def _differs(match: int, ply: int, turn: ToldTurn, row: MoveRecord | None) -> list[str]:
    """How the stored move before a turn differs from what the turn told."""
    if row is None or row.text != turn.last_move:
        return [f"match {match}: {turn.last_move} was told as ply {ply}; stored is {row.text if row else 'nothing'}"]
    stored_ms = row.remaining_us[1 - turn.seat] // US_PER_MS
    if turn.opponent_ms is not None and turn.opponent_ms != stored_ms:
        return [f"match {match}, ply {ply}: {turn.opponent_ms} ms were told for a clock stored with {stored_ms} ms"]
    return []
