"""A bot's stored games beside their points: move times, how it lost, and problems to note at the grade."""

from __future__ import annotations

from dataclasses import dataclass

from tabiya.games.endings import LOST_ON_TIME, PROGRAM_FAILED, Ending
from tabiya.protocol.messages.parts import NOT_ITS_OWN
from tabiya.server.grading.move_times import MoveTimes
from tabiya.storage.records import MatchId, MatchRecord, MoveRecord, ResultRecord
from tabiya.storage.store import Store

LONGEST_ERROR = 200  # in a remark; `tabiya matches show` has all of it
WITHDRAWN = "it was withdrawn and forfeited what was left"


@dataclass(slots=True)
class GameCounts(MoveTimes):
    """One bot's move times in all its games, and what was odd in them.

    on_time, illegal: games lost so.  failed: because its program has failed.  left: because it was gone and did not
    come back.  by_order: games that an operator's order decided for it.  refused: illegal moves, also in games that it
    did not lose by them.  not_own: moves that were played in its place.  error: the latest by which its program failed.
    """

    on_time: int = 0
    illegal: int = 0
    failed: int = 0
    left: int = 0
    by_order: int = 0
    refused: int = 0
    not_own: int = 0
    error: str = ""

    @property
    def remarks(self) -> list[str]:
        """Problems to note at the grade."""
        counted = (
            (self.failed, "game", "its program failed in {}" + self._error),
            (self.left, "game", "it left {} and did not come back"),
            (self.on_time, "game", "{} lost on time"),
            (self.illegal, "game", "{} lost by illegal moves"),
            (self.refused, "illegal move", "{}"),
            (self.not_own, "move", "{} played in its place"),
            (self.by_order, "game", "{} won by an operator's order"),
        )
        return [text.replace("{}", _counted(count, what)) for count, what, text in counted if count]

    @property
    def _error(self) -> str:
        return f" ({self.error[:LONGEST_ERROR]})" if self.error else ""

    def include(self, other: GameCounts) -> None:
        """Count what another has counted of the same bot in later games."""
        self.moves += other.moves
        self.total_us += other.total_us
        self.longest_us = max(self.longest_us, other.longest_us)
        self.on_time += other.on_time
        self.illegal += other.illegal
        self.failed += other.failed
        self.left += other.left
        self.by_order += other.by_order
        self.refused += other.refused
        self.not_own += other.not_own
        self.error = other.error or self.error


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def withdrawn_staff(name: str) -> str:
    """The note about a withdrawn staff bot."""
    return f"{name} was withdrawn: games that it did not play count as won by its opponents"


async def counts_of(store: Store, match: MatchRecord) -> tuple[GameCounts, GameCounts]:
    """What one match says of its two bots, by seat. Raises StoreError."""
    counts = (GameCounts(), GameCounts())
    refused = _count_moves(counts, await store.moves(MatchId(match.id)))
    result = match.result
    if result is not None and result.winner is not None:
        loser = 1 - result.winner
        _count_loss(counts[loser], result)
        if (failure := await store.failure(MatchId(match.id))) is not None:
            counts[failure.seat].error = failure.text
        if result.ending == Ending.ILLEGAL_MOVES:
            refused[loser] = match.illegal_limit  # no move came after the last ones
        # in a class run no order is given: where one was, somebody has had the operator's token
        counts[result.winner].by_order += result.ending == Ending.ADJUDICATED
    for one, count in zip(counts, refused, strict=True):
        one.refused = count
    return counts


def _count_moves(counts: tuple[GameCounts, GameCounts], moves: tuple[MoveRecord, ...]) -> list[int]:
    """Count the moves that are no opening's. The illegal moves of each seat."""
    refused = [0, 0]
    for move in moves:
        refused = list(move.illegal_counts)
        if not move.opening:
            counts[move.seat].add(move.think_us)
            counts[move.seat].not_own += str((move.info or {}).get("text", "")).startswith(NOT_ITS_OWN)
    return refused


def _count_loss(loser: GameCounts, result: ResultRecord) -> None:
    loser.on_time += result.ending in LOST_ON_TIME
    loser.illegal += result.ending == Ending.ILLEGAL_MOVES
    loser.failed += result.ending == Ending.RESIGNATION and result.reason.endswith(PROGRAM_FAILED)
    loser.left += result.ending == Ending.ABANDONED
