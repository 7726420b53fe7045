"""Parses UCI commands. Nothing here raises: what cannot be read is skipped, as the protocol demands."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LONGEST_NUMBER = 12  # digits
NUMBERS = ("depth", "nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "mate", "perft")
FLAGS = ("infinite", "ponder")
SEARCHMOVES = "searchmoves"
QUIT = "quit"


class Command(NamedTuple):
    """A line. word: the command, empty if there is none.  rest: the words behind it.  unknown: the words before it."""

    word: str
    rest: list[str]
    unknown: list[str]


@dataclass(frozen=True, slots=True)
class GoCommand:
    """The limits of one `go`. Times in milliseconds, a pair by seat; None where not given.

    moves: the only ones to choose from, none for all.  mate: look for one in so many moves.  perft: count instead.
    unknown: words that were skipped, also those that ask for a number and got none.
    """

    depth: int | None = None
    nodes: int | None = None
    movetime_ms: int | None = None
    clocks_ms: tuple[int | None, int | None] = (None, None)
    increments_ms: tuple[int, int] = (0, 0)
    moves_to_go: int | None = None
    mate: int | None = None
    perft: int | None = None
    moves: tuple[str, ...] = ()
    infinite: bool = False
    ponder: bool = False
    unknown: tuple[str, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether to count leaves (perft), even if no depth is given."""
        return self.perft is not None or "perft" in self.unknown


@dataclass(frozen=True, slots=True)
class PositionCommand:
    """The position of one `position` command. text: None for the start of the game."""

    text: str | None
    moves: tuple[str, ...]


def parse_command(line: str, known: Container[str]) -> Command:
    """The command in a line; words before the first known one are skipped."""
    words = line.split()
    for at, word in enumerate(words):
        if word == QUIT or word in known:
            return Command(word, words[at + 1 :], words[:at])
    return Command("", [], words)


def parse_go(words: Sequence[str]) -> GoCommand:
    """The words behind `go`."""
    numbers, flags, moves, unknown = dict[str, int](), set[str](), list[str](), list[str]()
    word = ""
    for token in words:
        if token in NUMBERS or token in FLAGS or token == SEARCHMOVES:
            unknown += [word] if word in NUMBERS else []
            word = token
            flags |= {token} & set(FLAGS)
        elif word == SEARCHMOVES:
            moves.append(token)
        elif word in NUMBERS and (number := parse_number(token)) is not None:
            numbers[word], word = number, ""
        else:
            unknown += [word, token] if word in NUMBERS else [token]
            word = ""
    unknown += [word] if word in NUMBERS else []
    return GoCommand(
        depth=numbers.get("depth"),
        nodes=numbers.get("nodes"),
        movetime_ms=numbers.get("movetime"),
        clocks_ms=(numbers.get("wtime"), numbers.get("btime")),
        increments_ms=(max(0, numbers.get("winc", 0)), max(0, numbers.get("binc", 0))),
        moves_to_go=max(1, numbers["movestogo"]) if "movestogo" in numbers else None,
        mate=numbers.get("mate"),
        perft=numbers.get("perft"),
        moves=tuple(moves),
        infinite="infinite" in flags,
        ponder="ponder" in flags,
        unknown=tuple(unknown),
    )


def parse_position(words: Sequence[str]) -> PositionCommand | None:
    """The words behind `position`; None if they name none, or something else besides."""
    head, rest = (words[0], list(words[1:])) if words else ("", [])
    at = rest.index("moves") if "moves" in rest else len(rest)
    moves = tuple(rest[at + 1 :])
    if head == "startpos":
        return None if at else PositionCommand(None, moves)
    return PositionCommand(" ".join(rest[:at]), moves) if head == "fen" and at else None


def parse_setoption(words: Sequence[str]) -> tuple[str, str]:
    """Name and value in the words behind `setoption`; both may have spaces."""
    rest = list(words[1:]) if words[:1] == ["name"] else list(words)
    at = rest.index("value") if "value" in rest else len(rest)
    return " ".join(rest[:at]), " ".join(rest[at + 1 :])


def parse_number(word: str) -> int | None:
    """A whole number, or None."""
    digits = word.removeprefix("-")
    return int(word) if digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER else None
