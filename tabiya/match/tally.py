"""Handles each finished game of a match, wherever it was played: counts it, passes it on, and asks the test."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from tabiya.games.endings import Ending
from tabiya.match.plan import MatchPlan
from tabiya.match.score import FinishedGame, MatchScore, digest_of
from tabiya.storage.records import MatchRecord, MoveRecord, ResultRecord

OnGameOver = Callable[[int, MatchRecord, tuple[MoveRecord, ...]], None]
"""Called with every game that is over: its number, its record, its moves."""


def has_result(record: MatchRecord) -> bool:
    """Whether a stored game counts: an aborted one is played again."""
    return record.result is not None and record.result.ending != Ending.ABORTED


class Tally:
    """Counts the games of one match into its score."""

    def __init__(self, plan: MatchPlan, score: MatchScore, on_game_over: OnGameOver) -> None:
        self._plan, self.score, self._on_game_over = plan, score, on_game_over

    def count(self, number: int, record: MatchRecord, result: ResultRecord, moves: Sequence[MoveRecord]) -> None:
        """A game is over."""
        game = FinishedGame(
            number=number,
            match=record.id,
            first_seat=number % 2,
            winner=result.winner,
            ending=str(result.ending),
            reason=result.reason,
            plies=sum(not move.opening for move in moves),
            moves_digest=digest_of(record.start_text, moves),
        )
        self.score.add(game, moves)
        self._on_game_over(number, replace(record, status="ended", result=result, plies=len(moves)), tuple(moves))

    def is_decided(self) -> bool:
        """Whether the sequential test has come to its verdict."""
        test = self._plan.sprt
        if test is not None and not self.score.verdict:
            verdict = test.verdict(self.score.pairs)
            self.score.verdict = "" if verdict == "go on" else verdict
        return bool(self.score.verdict)
