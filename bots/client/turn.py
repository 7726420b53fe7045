"""`Turn`: the argument of a bot's `choose`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tabiya.bots.players.lazy_rules import position_of
from tabiya.protocol.messages import History, MoveAccount
from tabiya.protocol.messages import Turn as TurnMessage

if TYPE_CHECKING:
    from tabiya.games.position import Position


class Turn:
    """It is your move. All values are those at its arrival; only the time runs on.

    message: what the server sent (protocol/messages/server.py). Its fields are attributes here, except
    the text of the position: that is `position_text`.
    refused: why your last answer to this turn was refused; empty the first time.
    deadline: when your time for this move ends, in seconds of `time.monotonic()`.
    """

    __slots__ = ("_clock", "_position", "_stop", "deadline", "message", "received", "refused")

    def __init__(
        self, message: TurnMessage, received: float, refused: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        """received: when the message was read, in seconds of `clock`."""
        self.message, self.received, self.refused = message, received, refused
        self.deadline = received + message.move_limit_ms / 1000
        self._clock = clock
        self._position: Position | None = None
        self._stop = threading.Event()

    def position(self) -> Position:
        """The position with full rules, built at the first call: legal moves, playing moves, outcome.

        It has the moves since the last irreversible one, so it counts repetitions as the server does.
        Raises NeedsEngine if the `engine` extra is not installed.
        """
        if self._position is None:
            self._position = position_of(self.game, self.history.position, self.history.moves)
        return self._position

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """All legal moves: the server's list, or computed by the rules if the bot asked for no list."""
        listed = self.message.legal_moves
        return self.position().legal_moves() if listed is None else listed

    @property
    def time_left(self) -> float:
        """Seconds until the deadline; negative after it."""
        return self.deadline - self._clock()

    @property
    def stopped(self) -> bool:
        """Whether the answer is no longer needed; check it during a long search."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Mark the answer as no longer needed."""
        self._stop.set()

    @property
    def match(self) -> int:
        """Number of the match."""
        return self.message.match

    @property
    def game(self) -> str:
        """Name of the game."""
        return self.message.game

    @property
    def position_text(self) -> str:
        """The position in the notation of the game, side to move included."""
        return self.message.position

    @property
    def seat(self) -> int:
        """Your seat: 0 is the first player of the rules, 1 the second."""
        return self.message.seat

    @property
    def ply(self) -> int:
        """Moves played so far, with those of the opening."""
        return self.message.ply

    @property
    def last_move(self) -> str | None:
        """The last move; None before the first."""
        return self.message.last_move

    @property
    def history(self) -> History:
        """The position after the last irreversible move, and the moves since."""
        return self.message.history

    @property
    def clock_ms(self) -> int | None:
        """Your time left when the turn was sent; None in a match without clocks."""
        return None if self.message.clock_ms is None else self.message.clock_ms.you

    @property
    def opponent_clock_ms(self) -> int | None:
        """The opponent's time left; None in a match without clocks."""
        return None if self.message.clock_ms is None else self.message.clock_ms.opponent

    @property
    def time_control(self) -> str:
        """The time control of the match, such as 60+0.5, 40/60, 2/move or none."""
        return self.message.time_control

    @property
    def increment_ms(self) -> int:
        """Time that each of your moves adds."""
        return self.message.increment_ms

    @property
    def moves_to_go(self) -> int | None:
        """Moves until the next period's time is added, with this one; None without periods."""
        return self.message.moves_to_go

    @property
    def move_limit_ms(self) -> int:
        """Time for this move from its sending; `deadline` and `time_left` are easier to use."""
        return self.message.move_limit_ms

    @property
    def draw_offered(self) -> bool:
        """Whether the opponent offers a draw."""
        return self.message.draw_offered

    @property
    def illegal_moves(self) -> int:
        """Illegal moves you have sent in this match."""
        return self.message.illegal_moves

    @property
    def illegal_limit(self) -> int:
        """The illegal move with this number loses the match."""
        return self.message.illegal_limit

    @property
    def last_move_account(self) -> MoveAccount | None:
        """What the server measured for your previous move."""
        return self.message.last_move_account

    def __deepcopy__(self, memo: dict[int, Any]) -> Turn:
        return self  # it is only read

    def __repr__(self) -> str:
        return f"<Turn {self.ply} of match {self.match} ({self.game}): {self.position_text}>"
