"""`Turn`: what a bot is given to choose on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tabiya.bots.players.lazy_rules import position_of
from tabiya.protocol.messages import History, MoveAccount
from tabiya.protocol.messages import Turn as TurnMessage

if TYPE_CHECKING:
    from tabiya.games.position import Position


class Turn:
    """It is your move. Everything in it was valid when it arrived; only the time runs on.

    message: what the server sent (protocol/messages/server.py); its fields can be read here directly, but for
    the text of the position, which is `position_text`, because `position()` has the rules with it.
    refused: why your last answer to this very turn was refused; empty the first time.
    deadline: when your time for this move ends, on the clock `time.monotonic()`, in seconds.
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

        It remembers the moves since the last irreversible one, so repetitions are seen as the referee sees them.
        Raises NeedsEngine (a sentence) when the `engine` extra is not installed.
        """
        if self._position is None:
            self._position = position_of(self.game, self.history.position, self.history.moves)
        return self._position

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """Every move you may play: the server's list, or the rules' own if the bot has declined the list."""
        listed = self.message.legal_moves
        return self.position().legal_moves() if listed is None else listed

    @property
    def time_left(self) -> float:
        """Seconds until the deadline; negative when it has passed."""
        return self.deadline - self._clock()

    @property
    def stopped(self) -> bool:
        """Whether the answer is no longer needed; a bot that thinks long should look now and then."""
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
        """Moves played so far, those of the opening included."""
        return self.message.ply

    @property
    def last_move(self) -> str | None:
        """The move just played; None before the first."""
        return self.message.last_move

    @property
    def history(self) -> History:
        """The position after the last irreversible move, and the moves since."""
        return self.message.history

    @property
    def clock_ms(self) -> int | None:
        """Time left to you in the match when the turn was sent; None in a match without clocks."""
        return None if self.message.clock_ms is None else self.message.clock_ms.you

    @property
    def opponent_clock_ms(self) -> int | None:
        """Time left to the opponent; None in a match without clocks."""
        return None if self.message.clock_ms is None else self.message.clock_ms.opponent

    @property
    def time_control(self) -> str:
        """The time control of the match, such as 60+0.5, 40/60, 2/move or none."""
        return self.message.time_control

    @property
    def increment_ms(self) -> int:
        """Time that each of your moves will give you."""
        return self.message.increment_ms

    @property
    def moves_to_go(self) -> int | None:
        """Moves until the next period's time is added, this one included; None without periods."""
        return self.message.moves_to_go

    @property
    def move_limit_ms(self) -> int:
        """How long after its sending your time for this move ended; `deadline` and `time_left` are easier."""
        return self.message.move_limit_ms

    @property
    def draw_offered(self) -> bool:
        """Whether the opponent's draw offer stands."""
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

    def __repr__(self) -> str:
        return f"<Turn {self.ply} of match {self.match} ({self.game}): {self.position_text}>"
