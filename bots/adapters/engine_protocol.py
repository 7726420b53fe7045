"""The interface of an engine protocol: lines to write and the meaning of lines read; no process, no clock, no waiting.

An object belongs to one running program: it keeps what the program has said during the present search.
`external_engine.py` connects it with a process.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from tabiya.bots.players.api import MoveReply, MoveRequest


class EngineProtocolError(ValueError):
    """The program cannot be used like this; the message ends a sentence about it."""


class EngineProtocol(Protocol):
    """Commands are lists of lines to write; `is_…` and `read_reply` are called with every line that comes."""

    protocol: str
    hello: str  # the word that ends a program's introduction, for error messages
    ready: str  # the word by which it says that it is ready, likewise
    name: str  # as the program calls itself; empty until it has
    farewell: str = "quit"  # the word that ends it
    says_ready: bool = True  # whether it says so, once it is greeted; else it is taken to be ready at once
    reusable: bool = True  # whether it plays another game, likewise; else each has a process of its own

    @abstractmethod
    def greeting(self) -> list[str]:
        """The first lines to write."""

    @abstractmethod
    def is_greeted(self, line: str) -> bool:
        """Whether this line ends the introduction. Raises EngineProtocolError for options that it does not have."""

    def more_time_s(self) -> float | None:
        """When the introduction is late: how many seconds more it may take, 0 to begin without its end, None: none.

        Raises as `is_greeted` does.
        """
        return None

    def settings(self) -> list[str]:
        """Options, sent once after the greeting."""
        return []

    @abstractmethod
    def new_game(self, game: str) -> list[str]:
        """Begin another game; the program reports when it is ready.

        game: its registered name.  Raises EngineProtocolError if the program does not play it.
        """

    @abstractmethod
    def is_ready(self, line: str) -> bool:
        """Whether this line says that everything before has been done. Raises EngineProtocolError if it refuses."""

    @abstractmethod
    def search(self, request: MoveRequest) -> list[str]:
        """Search this position for a move. Raises EngineProtocolError if the program cannot be given it."""

    @abstractmethod
    def read_reply(self, line: str) -> MoveReply | None:
        """The reply if this line brings the move (empty where it names none), None for every other line."""

    def ponder(self, request: MoveRequest) -> list[str]:
        """Think about the position that is expected, while the opponent does; after a reply that has `expected`."""
        return []

    def ponder_hit(self) -> list[str]:
        """The expected move has been played: the search goes on as one for the request that was given."""
        return []

    def game_over(self) -> list[str]:
        """Stop thinking; empty if the program does nothing on its opponent's time."""
        return []

    def stop(self) -> list[str]:
        """Answer at once; empty where the protocol has no word for it."""
        return []


class FollowedGame:
    """The game on the board of a program that gets each move once: finds the move that is still missing there."""

    def __init__(self) -> None:
        self._answered: MoveRequest | None = None

    def answered(self, request: MoveRequest) -> None:
        """It has answered this question, and has played its answer on its own board."""
        self._answered = request

    def forget(self) -> None:
        """Forget what the program has on its board."""
        self._answered = None

    def next_move(self, request: MoveRequest) -> str | None:
        """The opponent's move that leads to the requested position; None if the program needs the whole position.

        The ply shows that the program's own answer was played: after a refused answer the ply is the same.
        """
        last = self._answered
        follows = last is not None and (request.match, request.ply) == (last.match, last.ply + 2)
        return request.last_move if follows else None
