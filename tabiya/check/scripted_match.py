"""One match as the checker plays it: a position, its numbers, and the messages about it."""

from __future__ import annotations

from dataclasses import dataclass

from tabiya.games.position import Position
from tabiya.protocol.messages import Clocks, History, MatchEnded, MatchStarted, RunningMatch, Turn

OPPONENT = "checker"
ABORTED = "*"  # a result as PGN has it


@dataclass(frozen=True, slots=True)
class Timing:
    """The time fields of a turn. `clock_ms` is None in a match without clocks."""

    control: str = "10+0.1"
    clock_ms: int | None = 10_000
    limit_ms: int = 10_000
    increment_ms: int = 100
    moves_to_go: int | None = None


DEFAULT_TIMING = Timing()


@dataclass(slots=True)
class ScriptedMatch:
    """A match of the bot, which has `seat`, against the checker."""

    number: int
    position: Position
    seat: int
    bot: str = "bot"
    opponent: str = OPPONENT
    timing: Timing = DEFAULT_TIMING

    @property
    def game(self) -> str:
        return self.position.game.name

    @property
    def names(self) -> tuple[str, str]:
        """Names by seat."""
        return (self.bot, self.opponent) if self.seat == 0 else (self.opponent, self.bot)

    @property
    def is_bots_turn(self) -> bool:
        """Whether it is the bot's turn."""
        return self.position.outcome() is None and self.position.to_move == self.seat

    def started(self) -> MatchStarted:
        """The message that it begins; everything played so far is its opening."""
        at = self.position
        return MatchStarted(
            match=self.number,
            game=self.game,
            seat=self.seat,
            names=self.names,
            position=at.start_text,
            opening=at.moves,
            time_control=self.timing.control,
            rated=False,
        )

    def turn(self, *, legal_moves: bool) -> Turn:
        """The bot's turn, with or without the list."""
        at, timing = self.position, self.timing
        base, since = at.history()
        clocks = None if timing.clock_ms is None else Clocks(you=timing.clock_ms, opponent=timing.clock_ms)
        return Turn(
            match=self.number,
            game=self.game,
            position=at.text(),
            seat=self.seat,
            ply=at.ply,
            last_move=at.last_move,
            legal_moves=at.legal_moves() if legal_moves else None,
            history=History(position=base, moves=since),
            clock_ms=clocks,
            time_control=timing.control,
            increment_ms=timing.increment_ms,
            moves_to_go=timing.moves_to_go,
            move_limit_ms=timing.limit_ms,
        )

    def running(self) -> RunningMatch:
        """The match in the list of `welcome`."""
        return RunningMatch(match=self.number, game=self.game, seat=self.seat, opponent=self.opponent)

    def ended(self) -> MatchEnded:
        """The end as the rules say; while the game goes on: the opponent resigns."""
        outcome = self.position.outcome()
        winner = self.seat if outcome is None else outcome.winner
        score = 0.5 if winner is None else float(winner == self.seat)
        result = "1/2-1/2" if winner is None else ("1-0", "0-1")[winner]
        ending = "resignation" if outcome is None else str(outcome.ending)
        reason = f"{OPPONENT} resigned" if outcome is None else ""
        return self._ended(result, winner, score, ending, reason)

    def aborted(self) -> MatchEnded:
        """An end without a result."""
        return self._ended(ABORTED, None, None, "aborted", "the operator has ended this match")

    def _ended(self, result: str, winner: int | None, score: float | None, ending: str, reason: str) -> MatchEnded:
        clock_ms = self.timing.clock_ms
        return MatchEnded(
            match=self.number,
            game=self.game,
            seat=self.seat,
            result=result,
            winner=winner,
            score=score,
            ending=ending,
            reason=reason,
            position=self.position.text(),
            last_move=self.position.last_move,
            clock_ms=None if clock_ms is None else (clock_ms, clock_ms),
            plies=self.position.ply,
        )
