"""A game between two programs, played by a thread of its own while nothing but usual moves comes.

The thread does what cannot wait, with as little code as it can, because a processor that has just done something else
runs every line slowly: it reads from the program that thinks, plays the move, reckons the clock and asks the other one.
What else belongs to a move (what the program has said, the match, the row) is made up for by the event loop, for many
moves at once and by the same functions as on a server (`catch_up`). The event loop takes the game back for all that is
not usual: an illegal move, one too late, the last one, a program that has ended, a match that is stopped.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from tabiya.bots.adapters.engine_protocol import Answer
from tabiya.bots.client.choice import LONGEST_MOVE
from tabiya.games.errors import GameError
from tabiya.match.engine_participant import EngineParticipant, request_for, sayable
from tabiya.server.core.clock import NS_PER_US, after_move_us, ceil_us_ns, floor_us_ns, move_limit_us
from tabiya.server.core.events import Event, MoveArrived, RulesFailed
from tabiya.server.core.handlers.moves import played
from tabiya.server.core.handlers.turns import begin_turn
from tabiya.server.core.state import AwaitingMove, MatchPosition
from tabiya.server.sessions.active_match import ActiveMatch
from tabiya.server.transport.loop_lag import PROCESS_PAUSE_NS
from tabiya.storage.records import MoveRecord

log = logging.getLogger("tabiya.match")

LOOK_NS = 50_000_000  # how often is looked whether the game is wanted back


class _Played(NamedTuple):
    """A usual move. arrived_ns: when it was read.  asked_ns: when the other program had been asked after it."""

    after: MatchPosition
    answer: Answer
    arrived_ns: int
    asked_ns: int


class DirectGame:
    """One game that is lent to its thread. events: what the event loop has to do with it when it is back."""

    def __init__(
        self,
        active: ActiveMatch,
        programs: tuple[EngineParticipant, EngineParticipant],
        back: Callable[[DirectGame], None],
    ) -> None:
        """programs: by seat; their engines are lent, too.  back: called in the thread at its end."""
        self.active, self.programs, self.events, self._back = active, programs, list[Event](), back
        self._engines = [program.lend(active.record.id) for program in programs]
        self._control = str(active.match.terms.control)
        self._played, self._wanted_back = deque[_Played](), False
        self._last: tuple[Answer, int] | None = None  # the answer that is not usual, and when it was read
        self._thread = threading.Thread(target=self._run, name=f"game {active.record.id}", daemon=True)

    def start(self) -> None:
        """Play on."""
        self._thread.start()

    def end(self, *events: Event) -> None:
        """Have it given back soon, with these events."""
        self.events += events
        self._wanted_back = True

    def take_back(self) -> None:
        """The event loop reads from the programs again. Called there, before or behind the thread."""
        for engine in self._engines:
            engine.take_back()

    def catch_up(self) -> list[MoveRecord]:
        """Bring the match up to what has been played; the rows of its moves. Called on the event loop."""
        active, rows = self.active, list[MoveRecord]()
        while self._played:
            after, answer, arrived_ns, asked_ns = self._played.popleft()
            match, stage = active.match, active.match.stage
            assert type(stage) is AwaitingMove
            moved, row, _ = played(match, stage, self._arrived(answer, arrived_ns), after)
            active.match, _ = begin_turn(moved, asked_ns, sent=True)
            rows.append(row)
        return rows

    def last_move(self) -> MoveArrived | None:
        """What came and was not usual; None if nothing has come."""
        return None if self._last is None else self._arrived(*self._last)

    def _arrived(self, answer: Answer, arrived_ns: int) -> MoveArrived:
        position, stage = self.active.match.position, self.active.match.stage
        assert type(stage) is AwaitingMove
        seat = position.to_move
        move, info = sayable(self._engines[seat].reply_of(answer), (arrived_ns - stage.started_ns) / 1e9)
        return MoveArrived(seat, move, position.ply, arrived_ns, time.monotonic_ns(), info=info)

    # --- in its thread ---

    def _run(self) -> None:
        try:
            self._play()
        except EOFError:
            pass  # the event loop will see how the program has ended
        except Exception:
            log.exception("match %d: an error of ours", self.active.record.id, extra=self.active.log_fields)
            self.end(RulesFailed("an error of ours", time.monotonic_ns()))
        self._back(self)

    def _play(self) -> None:
        match, stage, engines = self.active.match, self.active.match.stage, self._engines
        assert type(stage) is AwaitingMove
        terms, position, now_ns = match.terms, match.position, time.monotonic_ns
        remaining_us = [seat.remaining_us for seat in match.seats]
        moves_made = [seat.moves_made for seat in match.seats]
        started_ns, deadline_ns = stage.started_ns, stage.deadline_ns
        while not self._wanted_back:
            seat, other, began_ns = position.to_move, 1 - position.to_move, now_ns()
            # no longer than to the deadline: what is there when the thread wakes behind it has come in time
            due_ns = min(deadline_ns, began_ns + LOOK_NS)
            answer = engines[seat].hear(max(0, due_ns - began_ns) / 1e9)
            read_ns = now_ns()
            arrived_ns = min(read_ns, due_ns)
            if answer is None:
                if read_ns > deadline_ns or read_ns - due_ns > PROCESS_PAUSE_NS:
                    return
                continue
            after = self._after(position, answer)
            if after is None or after.to_move != other or after.ply >= terms.max_plies:
                self._last = answer, arrived_ns
                return
            spent_us = max(0, floor_us_ns(arrived_ns) - started_ns) // NS_PER_US
            moves_made[seat] += 1
            remaining_us[seat] = after_move_us(terms.control, remaining_us[seat], spent_us, moves_made[seat])
            limit_us = move_limit_us(terms.control, remaining_us[other], terms.stall_us)
            both_us = remaining_us[0], remaining_us[1]
            engines[other].ask(request_for(terms, after, self._control, both_us, limit_us, moves_made[other]))
            started_ns = ceil_us_ns(now_ns())
            deadline_ns, position = started_ns + limit_us * NS_PER_US, after
            self._played.append(_Played(after, answer, arrived_ns, started_ns))

    def _after(self, position: MatchPosition, answer: Answer) -> MatchPosition | None:
        """The position after a move with which the game goes on."""
        if not 1 <= len(answer.move) <= LONGEST_MOVE:
            return None
        try:
            after = position.play(answer.move)
        except GameError:
            return None
        return after if after.outcome() is None else None
