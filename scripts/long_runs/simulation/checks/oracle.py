"""The true state, independent of the server's: durable rows, messages sent, and their times.

Every message is checked when the server writes it, every row when it is durable. A fault is a sentence.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import NamedTuple

from scripts.long_runs.simulation.checks.timing import Timing
from scripts.long_runs.simulation.environment.network import Link
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tabiya.protocol.messages import (
    ChallengeEnded,
    ClientMessage,
    MatchEnded,
    MatchStarted,
    Move,
    Refused,
    ServerMessage,
    Turn,
    Watching,
    Welcome,
)
from tabiya.server.cluster.hosts import SERVER
from tabiya.storage.memory_tables import MemoryTables
from tabiya.storage.records import MatchId, MoveRecord, ResultRecord
from tabiya.storage.writes import AppendMove, FinishMatch, MoveMatches, Write


class SentMove(NamedTuple):
    """A move that had reached the server."""

    peer: str
    match: int
    ply: int
    text: str


class Oracle:
    """Checks a run. tables: the durable rows; set before the first message."""

    tables: MemoryTables

    def __init__(self, now_s: Callable[[], float], fault: Callable[[str], None]) -> None:
        """fault: called with each thing that must not be."""
        self._now_s, self._fault = now_s, fault
        self.timing = Timing(now_s, fault)
        self._positions: dict[MatchId, list[Position]] = {}
        self._sent_plies: defaultdict[tuple[str, MatchId], int] = defaultdict(int)
        self._ends_received: set[tuple[object, int]] = set()
        self._sent_moves: set[SentMove] = set()
        self._unanswered: Counter[tuple[str, int, int]] = Counter()  # moves by who, in which match and for which ply
        self._saved: set[tuple[MatchId, int]] = set()
        self._names: defaultdict[str, set[str]] = defaultdict(set)
        self._host_of: dict[MatchId, int] = {}
        self.through_gateways = False
        """Whether what hosts say is told on its way to gateways: that is judged then, and not when a bot gets it."""
        self.with_hosts = False
        """Whether others than the server play."""
        self.checked = 0
        self.games_ended = 0  # by a move that is durable, whether or not its result is

    # --- messages of peers

    def readable(self, link: Link, message: ClientMessage) -> None:
        """A message has reached the server."""
        if isinstance(message, Move):
            self._sent_moves.add(SentMove(link.name, message.match, message.ply, message.move))
            self._unanswered[link.name, message.match, message.ply] += 1
            self.timing.readable(link, message)

    # --- durable writes

    def committed(self, write: Write) -> None:
        """A write is durable from now on."""
        if isinstance(write, AppendMove):
            self._row(write.move)
        elif isinstance(write, FinishMatch):
            if write.move is not None:
                self._row(write.move)
            self._result(write.result, by_move=write.move is not None)
        elif isinstance(write, MoveMatches):
            for match in self.tables.matches.values():
                if self._host_of.get(match.id) != match.host:
                    self._host_of[match.id] = match.host
                    self.timing.begins_anew(match.id)

    def restarted(self) -> None:
        """A new server plays what no host plays."""
        self.timing.restarted([match.id for match in self.tables.matches.values() if not match.host])

    def _row(self, row: MoveRecord) -> None:
        match = self.tables.matches[row.match_id]
        before = self.position(row.match_id, row.ply)
        if before is None:
            self._fault(f"match {row.match_id}: ply {row.ply} is saved, and not every ply before it")
            return
        if row.seat != before.to_move or before.outcome() is not None:
            self._fault(f"match {row.match_id}: ply {row.ply} is by seat {row.seat}, who is not to move there")
        elif row.text not in before.legal_moves():
            self._fault(f"match {row.match_id}: ply {row.ply} is {row.text}, which is not legal")
        elif SentMove(match.seats[row.seat].bot, row.match_id, row.ply, row.text) not in self._sent_moves:
            self._fault(f"match {row.match_id}: nobody has said {row.text} for ply {row.ply}")
        if (row.match_id, row.ply) not in self._saved:  # else saved again, because the answer was lost
            self._saved.add((row.match_id, row.ply))
            self._answered(match.seats[row.seat].bot, row.match_id, row.ply)
        self.timing.row(match, row, self.tables.moves[row.match_id])
        after = self.position(row.match_id, row.ply + 1)
        self.games_ended += after is not None and after.outcome() is not None

    def _result(self, result: ResultRecord, *, by_move: bool) -> None:
        match = self.tables.matches[result.match_id]
        end = self.position(result.match_id, len(self.tables.moves[result.match_id]))
        if end is None:
            return
        outcome = end.outcome()
        if outcome is not None and (outcome.winner, str(outcome.ending)) != (result.winner, result.ending):
            self._fault(f"match {result.match_id} is over by the rules ({outcome}), its result is {result}")
        if outcome is None and by_move:
            self._fault(f"match {result.match_id} is ended by a move ({result.ending}) and not over by the rules")
        self.timing.result(match, result, end, self.tables.moves[result.match_id])

    def position(self, match_id: MatchId, ply: int) -> Position | None:
        """The position after `ply` plies, from the durable rows alone; None if there are fewer."""
        match, rows = self.tables.matches[match_id], self.tables.moves[match_id]
        reached = self._positions.get(match_id)
        if reached is None:
            reached = self._positions[match_id] = [load_game(match.game).parse(match.start_text)]
        while len(reached) <= ply:
            row = rows.get(len(reached) - 1)
            if row is None:
                return None
            reached.append(reached[-1].play(row.text))
        return reached[ply]

    # --- messages of the server

    def sent(self, link: Link, message: ServerMessage) -> None:
        """A message was written to a bot."""
        match message:
            case Turn():
                self.timing.turn(link, message)
                self._check_order(link, MatchId(message.match), message.ply)
            case Refused(about="move", match=int(number), ply=int(ply)):
                self._answered(link.name, number, ply)
            case MatchEnded():
                self._end_received(link, MatchId(message.match))
                self._check_order(link, MatchId(message.match), message.plies)
            case Welcome():
                link.name, link.welcomed_s = message.name, self._now_s()
                self._welcomed(link, message)
        if not self.through_gateways:
            self.judge(link, message)

    def _answered(self, name: str, number: int, ply: int) -> None:
        """A move was saved or refused: at most once for each time that it was sent."""
        self._unanswered[name, number, ply] -= 1
        if self._unanswered[name, number, ply] < 0:
            self._fault(
                f"match {number}: what {name} has said for ply {ply} was carried out more often than it was said"
            )

    def _end_received(self, link: Link, match_id: MatchId) -> None:
        if (self._listener(link), match_id) in self._ends_received:
            self._fault(f"match {match_id}: its end is told twice to {link.name}")
        self._ends_received.add((self._listener(link), match_id))

    def _listener(self, link: Link) -> object:
        """The receiver that must get the end of a match once: with gateways each connection, else each bot."""
        return link.number if self.through_gateways else link.name

    def _welcomed(self, link: Link, welcome: Welcome) -> None:
        """A guest that comes back by another gateway before its first is missed gets another name."""
        names = self._names[link.peer.name]
        names.add(welcome.name)
        for running in welcome.matches:
            if (self._listener(link), MatchId(running.match)) in self._ends_received:
                self._fault(f"match {running.match}: {link.name} is told that it runs after its end was told")
        if len(names) > 1:
            self.timing.renamed |= names

    def judge(self, link: Link, message: ServerMessage, host: int = 0) -> None:
        """Check a message to a bot: everything in it must be durable.

        host: the number of who has said it, 0 where there is but one server.  Who plays a match no more and does not
        know it yet may say again what was so; whether a bot hears that after what is newer is seen in `sent`.
        """
        self.checked += 1
        match message:
            case Turn():
                self._turn(link, message, host)
            case MatchEnded():
                self._ended(link, message)
            case Watching():
                self._watching(message)
            case MatchStarted():
                self._exists(message.match)
            case Welcome():
                link.name = message.name
                for running in message.matches:
                    self._exists(running.match)
            case ChallengeEnded(match=int(number)):
                self._exists(number)

    def _exists(self, number: int) -> bool:
        found = number in self.tables.matches
        if not found:
            self._fault(f"match {number} is told of and not durable")
        return found

    def _server(self) -> int:
        """The number of the newest server."""
        return max((host.number for host in self.tables.hosts.values() if host.name == SERVER), default=0)

    def _turn(self, link: Link, turn: Turn, host: int) -> None:
        if not self._exists(turn.match):
            return
        match_id = MatchId(turn.match)
        record, position = self.tables.matches[match_id], self.position(match_id, turn.ply)
        if position is None:
            self._fault(f"match {match_id}: {turn.last_move} before ply {turn.ply} is told and not durable")
            return
        is_present = not host or host == (record.host or self._server())
        if is_present and len(self.tables.moves[match_id]) != turn.ply:
            self._fault(f"match {match_id}: the turn of ply {turn.ply} is told, and that ply is durable")
        last = position.moves[-1] if position.moves else None
        if (turn.last_move, turn.position) != (last, position.text()):
            self._fault(f"match {match_id}, ply {turn.ply}: told is {turn.last_move}, {turn.position}; it was {last}")
        if turn.legal_moves is not None and turn.legal_moves != position.legal_moves():
            self._fault(f"match {match_id}, ply {turn.ply}: the legal moves are others than {turn.legal_moves}")
        if turn.seat != position.to_move or record.seats[turn.seat].bot != link.name:
            self._fault(f"match {match_id}, ply {turn.ply}: the turn is told to {link.name}, whose it is not")
        if is_present and record.result is not None:
            self._fault(f"match {match_id}: a turn is told after the result is durable")

    def _check_order(self, link: Link, match_id: MatchId, ply: int) -> None:
        """A match never goes back for its bot. On a line that is over, it hears nothing."""
        if link.over:
            return
        sent = self._sent_plies[link.name, match_id]
        if ply < sent:
            self._fault(f"match {match_id} goes back: ply {sent} was told to {link.name}, now {ply}")
        self._sent_plies[link.name, match_id] = max(ply, sent)

    def _ended(self, link: Link, ended: MatchEnded) -> None:
        if not self._exists(ended.match):
            return
        match_id = MatchId(ended.match)
        result = self.tables.matches[match_id].result
        if result is None:
            self._fault(f"match {match_id}: the result {ended.result} is told and not durable")
        elif (ended.winner, ended.ending) != (result.winner, result.ending):
            self._fault(f"match {match_id}: told is {ended.winner}, {ended.ending}; durable is {result}")
        if len(self.tables.moves[match_id]) != ended.plies:
            self._fault(f"match {match_id}: {ended.plies} plies are told, {len(self.tables.moves[match_id])} durable")

    def _watching(self, state: Watching) -> None:
        if not self._exists(state.match):
            return
        match_id = MatchId(state.match)
        rows, result = self.tables.moves[match_id], self.tables.matches[match_id].result
        if tuple(state.moves) != tuple(rows[ply].text for ply in sorted(rows))[: len(state.moves)]:
            self._fault(f"match {match_id}: watchers are shown {state.moves}, which is not durable")
        if state.ending and (result is None or result.ending != state.ending):
            self._fault(f"match {match_id}: watchers are shown the end {state.ending}, which is not durable")
