"""The runner of a match's own server: a move is told at once, and saved with others a moment later.

Nobody but the two players hears of a move, and they end with this process; what is counted and shown is the result,
which is told when it is saved, behind all its moves: docs/decisions/038-moves-saved-in-groups.md
"""

from __future__ import annotations

import logging
import os
from collections import defaultdict, deque
from functools import partial
from typing import Any, cast

from tabiya.match.direct_game import DirectGame
from tabiya.match.engine_participant import EngineParticipant
from tabiya.server.core import effects, events
from tabiya.server.core.match import advance
from tabiya.server.core.state import AwaitingMove, Match, Step
from tabiya.server.matches.runner import Runner
from tabiya.server.sessions.active_match import ActiveMatch
from tabiya.storage.errors import SaveFailed, StoreClosed, StoreError
from tabiya.storage.records import MatchId, MoveRecord
from tabiya.storage.writes import AppendMove

log = logging.getLogger("tabiya.match")

GROUP_S = 0.05
"""For so long moves gather: of a run that is killed, no more than that is played again. At twenty transactions a second
a database takes less time than the players, however short their moves are."""


def advance_at_once(match: Match, event: events.Event) -> Step:
    """As `advance`, but a move counts as saved when its save is asked for."""
    match, wanted = advance(match, event)
    if wanted and type(wanted[0]) is effects.SaveMove:
        match, more = advance(match, events.MoveSaved(wanted[0].move.ply, event.now_ns))
        return match, wanted + more
    return match, wanted


class _Unsaved:
    """The moves of one match that are not saved yet. sent: those that the store has now, with how many answers.

    result: waits for all of them.
    """

    __slots__ = ("answers", "error", "result", "sent", "waiting")

    def __init__(self) -> None:
        self.waiting: deque[MoveRecord] = deque()
        self.sent: list[MoveRecord] = []
        self.answers, self.error = 0, cast("StoreError | None", None)
        self.result: effects.SaveResult | None = None


class LocalRunner(Runner):
    """See `Runner`."""

    _advance = staticmethod(advance_at_once)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._unsaved: defaultdict[MatchId, _Unsaved] = defaultdict(_Unsaved)
        self._direct: dict[MatchId, DirectGame] = {}
        self._save_groups()

    def close(self) -> None:
        """See `Runner.close`."""
        super().close()
        self._timer.cancel()

    # --- saving ---

    def _save(self, active: ActiveMatch, effect: effects.SaveMove | effects.SaveResult) -> None:
        unsaved = self._unsaved[active.record.id]
        if isinstance(effect, effects.SaveMove):
            unsaved.waiting.append(effect.move)
        elif unsaved.waiting or unsaved.sent:
            unsaved.result = effect
            self._save_group(active.record.id, unsaved)
        else:
            super()._save(active, effect)

    def _save_groups(self) -> None:
        self._timer = self._loop.call_later(GROUP_S, self._save_groups)
        for game in self._direct.values():
            self._unsaved[game.active.record.id].waiting.extend(game.catch_up())
        for match_id, unsaved in self._unsaved.items():
            self._save_group(match_id, unsaved)

    def _save_group(self, match_id: MatchId, unsaved: _Unsaved) -> None:
        """One at a time: after a failure moves are saved again before those that follow."""
        if unsaved.sent:
            return
        while unsaved.waiting:
            unsaved.sent.append(unsaved.waiting.popleft())
        unsaved.answers, unsaved.error = 0, None
        answered = partial(self._answered, match_id, unsaved)
        try:
            for move in unsaved.sent:
                self._store.submit(AppendMove(move), answered)
        except StoreClosed:
            log.info("match %d: the store is closed before its last moves", match_id, extra={"match": match_id})

    def _answered(self, match_id: MatchId, unsaved: _Unsaved, error: StoreError | None) -> None:
        unsaved.answers += 1
        unsaved.error = unsaved.error or error
        if unsaved.answers < len(unsaved.sent):
            return
        sent, unsaved.sent = unsaved.sent, []
        if unsaved.error is None:
            self.moves_saved += len(sent)
            self.outage.over(match_id)
            self._save_result(match_id, unsaved)
        elif isinstance(unsaved.error, SaveFailed):  # the next group begins with them
            self.outage.failed(match_id, str(unsaved.error))
            unsaved.waiting.extendleft(reversed(sent))
        elif not isinstance(unsaved.error, StoreClosed):
            log.error("match %d: not saved: %s", match_id, unsaved.error, extra={"match": match_id})
            reason = f"the save was refused for good: {unsaved.error}"
            self.post_to(match_id, events.RulesFailed(reason, self.now_ns()))

    def _save_result(self, match_id: MatchId, unsaved: _Unsaved) -> None:
        active, result = self._active.get(match_id), unsaved.result
        if active is not None and result is not None:
            unsaved.result = None
            self._save(active, result)

    def _forget(self, active: ActiveMatch) -> None:
        super()._forget(active)
        del self._unsaved[active.record.id]

    # --- programs that are spoken to here ---

    def _program(self, active: ActiveMatch, seat: int) -> EngineParticipant | None:
        session = self._sessions.by_bot(active.record.seats[seat].bot_id)
        connection = None if session is None else session.connection
        return connection if isinstance(connection, EngineParticipant) else None

    def _send_turn(self, active: ActiveMatch, effect: effects.SendTurn) -> None:
        program = self._program(active, effect.seat)
        if program is None:
            super()._send_turn(active, effect)
        else:
            now_ns = program.ask(active, active.match, effect.remaining_us, effect.limit_us)
            self.post(active, events.TurnSent(effect.ply, now_ns))
            self._loop.call_soon(self._lend, active)

    # --- games that are played by threads of their own ---

    def post(self, active: ActiveMatch, event: events.Event) -> None:
        """See `Runner.post`; what happens to a game that a thread plays waits until it is back."""
        game = self._direct.get(active.record.id)
        if game is None:
            super().post(active, event)
        else:
            game.end(event)

    def _lend(self, active: ActiveMatch) -> None:
        """Give a game to a thread, if both its programs are spoken to here and scores cannot end it."""
        match_id = active.record.id
        first, second = self._program(active, 0), self._program(active, 1)
        if first is None or second is None or active.match.terms.adjudication is not None or os.name != "posix":
            return
        if first.may_lend(match_id) and second.may_lend(match_id):
            game = DirectGame(active, (first, second), self._given_back)
            # behind what has been read from them and not yet handed on
            self._loop.call_soon(self._begin_direct, game)

    def _begin_direct(self, game: DirectGame) -> None:
        active = game.active
        is_lent = all(program.is_lent(active.record.id) for program in game.programs)
        if is_lent and type(active.match.stage) is AwaitingMove and not active.inbox and not self._closed:
            active.cancel_timers()  # the thread sees itself when time has run out
            self._direct[active.record.id] = game
            game.start()
        else:
            self._go_on_here(game)

    def _given_back(self, game: DirectGame) -> None:
        self._loop.call_soon_threadsafe(self._take_back, game)

    def _take_back(self, game: DirectGame) -> None:
        del self._direct[game.active.record.id]
        self._unsaved[game.active.record.id].waiting.extend(game.catch_up())
        self._go_on_here(game)

    def _go_on_here(self, game: DirectGame) -> None:
        active, last = game.active, game.last_move()
        match, mover = active.match, active.match.position.to_move
        game.take_back()
        game.programs[mover].taken_back(match, is_mover=True, thinks=last is None)
        game.programs[1 - mover].taken_back(match, is_mover=False, thinks=False)
        if type(match.stage) is AwaitingMove:
            self._set_alarm(active, effects.SetAlarm(match.position.ply, match.stage.deadline_ns))
        for event in game.events if last is None else (last, *game.events):
            self.post(active, event)
