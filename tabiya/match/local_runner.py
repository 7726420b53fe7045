"""The runner of `tabiya match`: a move is sent at once, and saved with others a moment later.

Moves are sent to the two players only, and they end with this process. What is counted and shown is the result,
which is announced when it is saved, after all its moves: docs/decisions/043-moves-saved-in-groups.md
"""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from tabiya.bots.evaluators.base import Evaluator
from tabiya.bots.evaluators.known_result import known_result
from tabiya.games.endings import Ending
from tabiya.games.rules import DRAW
from tabiya.match.engine_participant import EngineParticipant
from tabiya.server.core import effects, events
from tabiya.server.matches.runner import Runner
from tabiya.server.sessions.active_match import ActiveMatch
from tabiya.storage.errors import SaveFailed, StoreClosed, StoreError
from tabiya.storage.records import MoveRecord
from tabiya.storage.writes import AppendMove

log = logging.getLogger("tabiya.match")

GROUP_S = 0.05
"""For so long moves gather: of a run that is killed, what has come since the last save is played again. Twenty
transactions a second take less time than the players, however short their moves are."""


class _Group:
    """Moves in the order in which they were played, and results of games that have no move after these."""

    __slots__ = ("failed", "moves", "results", "unanswered")

    def __init__(self) -> None:
        self.moves: list[MoveRecord] = []
        self.results: list[tuple[ActiveMatch, effects.SaveResult]] = []
        self.unanswered, self.failed = 0, list[MoveRecord]()


class LocalRunner(Runner):
    """See `Runner`."""

    def __init__(self, *args: Any, evaluator: Evaluator | None = None) -> None:
        """evaluator: by which a game is ended whose result is known."""
        super().__init__(*args)
        self._evaluator = evaluator
        self._gathering = _Group()
        self._refused: set[int] = set()  # matches with a move that was refused for good: later moves cannot be stored
        self._saving: _Group | None = None  # one at a time: what failed is saved before what came later
        self._timer = self._loop.call_later(GROUP_S, self._on_timer)

    def close(self) -> None:
        """See `Runner.close`; the last moves are saved, too."""
        super().close()
        self._timer.cancel()
        group, self._gathering = self._gathering, _Group()
        self._submit(group)

    def _save(self, active: ActiveMatch, effect: effects.SaveMove | effects.SaveResult) -> None:
        if isinstance(effect, effects.SaveMove):
            self._gathering.moves.append(effect.move)
            self.post(active, events.MoveSaved(effect.move.ply, self.now_ns()))
        else:
            self._gathering.results.append((active, effect))
            self._save_group()

    def _on_timer(self) -> None:
        self._timer = self._loop.call_later(GROUP_S, self._on_timer)
        self._save_group()

    def _save_group(self) -> None:
        if self._saving is None:
            self._saving, self._gathering = self._gathering, _Group()
            self._submit(self._saving)
            if not self._saving.unanswered:
                self._group_saved(self._saving)

    def _submit(self, group: _Group) -> None:
        try:
            for move in group.moves:
                if move.match_id in self._refused:
                    continue
                self._store.submit(AppendMove(move), partial(self._move_saved, group, move))
                group.unanswered += 1
        except StoreClosed:
            log.info("the store was closed before the last moves; the match goes on before them with --resume")

    def _move_saved(self, group: _Group, move: MoveRecord, error: StoreError | None) -> None:
        match_id = move.match_id
        group.unanswered -= 1
        if error is None:
            self.moves_saved += 1
            if self.outage:
                self.outage.over(match_id)
        elif isinstance(error, SaveFailed):
            self.outage.failed(match_id, str(error))
            group.failed.append(move)
        elif not isinstance(error, StoreClosed):
            log.error("match %d: not saved: %s", match_id, error, extra={"match": match_id})
            self._refused.add(match_id)
            reason = f"the save was refused for good: {error}"
            self.post_to(match_id, events.RulesFailed(reason, self.now_ns()))
        if not group.unanswered:
            self._group_saved(group)

    def _group_saved(self, group: _Group) -> None:
        """Results follow their moves; what has failed is the beginning of the next group."""
        self._saving = None
        if group.failed:
            self._gathering.moves[:0] = group.failed
            self._gathering.results[:0] = group.results
            return
        for active, result in group.results:
            if not active.frozen:  # as where a move before it was refused
                super()._save(active, result)
        if self._gathering.results:
            self._save_group()

    def _send_turn(self, active: ActiveMatch, effect: effects.SendTurn) -> None:
        """A program is asked at once, and its clock starts then."""
        position: Any = active.match.position  # that of the rules
        if self._evaluator and (result := known_result(self._evaluator, position)) is not None:
            winner = None if result == DRAW else result
            how = "drawn" if winner is None else f"won by {active.match.terms.who(winner)}"
            reason = f"by right play the position after ply {effect.ply - 1} is {how}"
            self.post(active, events.Adjudicated(winner, reason, self.now_ns(), Ending.KNOWN_RESULT))
            return
        session = self._sessions.by_bot(active.record.seats[effect.seat].bot_id)
        if session is not None and isinstance(session.connection, EngineParticipant):
            session.connection.ask(active, effect)
            self.post(active, events.TurnSent(effect.ply, self.now_ns()))
        else:
            super()._send_turn(active, effect)
