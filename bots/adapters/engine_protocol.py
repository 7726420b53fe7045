"""The interface of an engine protocol: lines to write and the meaning of lines read; no process, no clock, no waiting.

An object belongs to one running program: it keeps what the program has said during the present search.
`external_engine.py` connects it with a process.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from tabiya.bots.players.api import MoveReply, MoveRequest


class Answer(NamedTuple):
    """A move (empty where the program names none), and the lines that say what it thought of it."""

    move: str
    lines: tuple[str, ...]


class EngineProtocolError(ValueError):
    """The program cannot be used as asked; the message is the end of a sentence about it."""


class EngineProtocol(Protocol):
    """Commands are lists of lines to write; `is_…` and `read_answer` are called with every line that comes."""

    protocol: str
    hello: str  # the word that ends a program's introduction, for error messages
    ready: str  # the word by which it says that it is ready, likewise
    name: str  # as the program calls itself; empty until it has

    def greeting(self) -> list[str]:
        """The first words."""

    def is_greeted(self, line: str) -> bool:
        """Whether this line ends the introduction. Raises EngineProtocolError for options that it does not have."""

    def settings(self) -> list[str]:
        """Options, sent once after the greeting."""

    def new_game(self) -> list[str]:
        """Another game begins; the program is to say when it is ready."""

    def is_ready(self, line: str) -> bool:
        """Whether this line says that everything before has been done."""

    def search(self, request: MoveRequest) -> list[str]:
        """Search this position for a move."""

    def read_answer(self, line: str) -> Answer | None:
        """The answer if this line brings the move, None for every other line."""

    def reply_of(self, answer: Answer) -> MoveReply:
        """What an answer says; depends on nothing else, so that it can be read later."""

    def stop(self) -> list[str]:
        """Answer at once; empty where the protocol has no word for it."""
