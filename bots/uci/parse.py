"""What the words of a line ask for. Nothing here fails: what cannot be read is passed over, as the protocol says."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LONGEST_NUMBER = 12  # digits
COUNTS = ("depth", "nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "mate", "perft")
FLAGS = ("infinite", "ponder")
CHOSEN = "searchmoves"
QUIT = "quit"


class Order(NamedTuple):
    """A line. word: what is ordered, nothing if that is not known.  rest: the words behind it.  odd: those before."""

    word: str
    rest: list[str]
    odd: list[str]


@dataclass(frozen=True, slots=True)
class Go:
    """What one `go` asks. Times in milliseconds, a pair by seat; None where nothing was said.

    moves: the only ones to choose from, none for all.  mate: look for one in so many moves.  perft: count instead.
    odd: words that were passed over, also those that ask for a number and got none.
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
    odd: tuple[str, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether leaves are to be counted, even if nothing says how deep."""
        return self.perft is not None or "perft" in self.odd


@dataclass(frozen=True, slots=True)
class Place:
    """What one `position` names. text: None for the start of the game."""

    text: str | None
    moves: tuple[str, ...]


def read_order(line: str, known: Container[str]) -> Order:
    """What a line orders; words before the first that is known are passed over."""
    words = line.split()
    for at, word in enumerate(words):
        if word == QUIT or word in known:
            return Order(word, words[at + 1 :], words[:at])
    return Order("", [], words)


def read_go(words: Sequence[str]) -> Go:
    """The words behind `go`."""
    numbers, flags, moves, odd = dict[str, int](), set[str](), list[str](), list[str]()
    word = ""
    for said in words:
        if said in COUNTS or said in FLAGS or said == CHOSEN:
            odd += [word] if word in COUNTS else []
            word = said
            flags |= {said} & set(FLAGS)
        elif word == CHOSEN:
            moves.append(said)
        elif word in COUNTS and (number := read_number(said)) is not None:
            numbers[word], word = number, ""
        else:
            odd += [word, said] if word in COUNTS else [said]
            word = ""
    odd += [word] if word in COUNTS else []
    return Go(
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
        odd=tuple(odd),
    )


def read_place(words: Sequence[str]) -> Place | None:
    """The words behind `position`; None if they name none, or something else besides."""
    head, rest = (words[0], list(words[1:])) if words else ("", [])
    at = rest.index("moves") if "moves" in rest else len(rest)
    moves = tuple(rest[at + 1 :])
    if head == "startpos":
        return None if at else Place(None, moves)
    return Place(" ".join(rest[:at]), moves) if head == "fen" and at else None


def read_option(words: Sequence[str]) -> tuple[str, str]:
    """Name and value in the words behind `setoption`; both may have spaces."""
    rest = list(words[1:]) if words[:1] == ["name"] else list(words)
    at = rest.index("value") if "value" in rest else len(rest)
    return " ".join(rest[:at]), " ".join(rest[at + 1 :])


def read_number(word: str) -> int | None:
    """A whole number, or None."""
    digits = word.removeprefix("-")
    return int(word) if digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER else None
