"""What one engine protocol says and understands, line by line: no process, no clock, no waiting.

A dialect belongs to one running program: it keeps what the program has said of its present thought. The shells are
`engine_player.py` (a thread that waits) and `loop_engine.py` (an event loop that does not).
"""

from __future__ import annotations

from typing import Protocol

from tabiya.bots.players.api import ThinkRequest, Thought


class DialectError(ValueError):
    """The program cannot be used as asked; the message is the end of a sentence about it."""


class Dialect(Protocol):
    """Questions are lists of lines to write; `is_…` and `answer` are asked about every line that comes."""

    protocol: str
    hello: str  # what a program says to be greeted, in messages
    ready: str  # and to be ready
    name: str  # as the program calls itself; empty until it has

    def greeting(self) -> list[str]:
        """The first words."""

    def is_greeted(self, line: str) -> bool:
        """Whether this line ends the program's own introduction. Raises DialectError for options it does not have."""

    def settings(self) -> list[str]:
        """What is set once, after the greeting."""

    def new_game(self) -> list[str]:
        """Another game begins; the program is to say when it is ready."""

    def is_ready(self, line: str) -> bool:
        """Whether this line says that everything before has been done."""

    def question(self, request: ThinkRequest) -> list[str]:
        """Think about this position."""

    def answer(self, line: str) -> Thought | None:
        """The thought if this line brings the move (empty where it names none), None for every other line."""

    def stop(self) -> list[str]:
        """Answer at once; empty where the protocol has no word for it."""
