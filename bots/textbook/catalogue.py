"""Every listing of the five texts by name: where it is printed, what it promises, how it is called.

    listing = find("001-alphabeta")
    listing.search(parse_tree("[[9,8,7],[6,5,4]]"), depth=2)   -> 7, as printed, nobody watching

A name is the text and the listing; the four families (`minimax`, `alphabeta-failsoft`, `alphabeta-failhard`,
`pvs-failhard`) and some more are short names of listings that test for the end of the game.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import ModuleType
from typing import Any, NamedTuple

from tabiya.bots.textbook.instrument import CallNotifier, Observer, Wrap, copied
from tabiya.bots.textbook.moving_again import MovingAgain
from tabiya.bots.textbook.node import INFINITY, Node

Functions = Mapping[str, Callable[..., Any]]
# functions, node, depth in plies, alpha, beta (the last two from the listing's view)
Call = Callable[[Functions, Node, int, int, int], Any]


class Answer(NamedTuple):
    """value: for the side to move.  moves: all that reach it, from the listings that return them."""

    value: int
    moves: tuple[str, ...]


class UnknownListing(ValueError):
    """No listing has that name."""


class Fail(StrEnum):
    """The meaning of a value outside the window."""

    EXACT = "exact"  # there is no window
    SOFT = "fail-soft"  # a bound, the best that was seen
    HARD = "fail-hard"  # the edge of the window
    BOUND = "theorem"  # 002: the edge below, the best seen above; an end keeps its value


class Horizon(StrEnum):
    """How far ahead a listing looks."""

    TO_DEPTH = "as deep as it is told"
    TO_THE_END = "to terminal positions"  # as the node defines them
    ONE_PLY = "one ply"
    AT_MOVES = "at the moves themselves"


@dataclass(frozen=True, slots=True)
class Listing:
    """One listing.

    functions: those that search a node, by their names in the book.  of_mover: values are for the side to move, else
    for Max (seat 0).  tests_ends: whether it asks if the game is over; else no move means lost.  strict: equal bounds
    do not cut.  resets: its own bound, at every node.  precludes: stops at value 1.  null_windows: of PVS.
    remembers: leaves something behind beside its value.  by_seat: `functions` are one for each seat.  family: the short
    name, or "".
    """

    name: str
    functions: tuple[str, ...]
    call: Call
    of_mover: bool
    about: str
    fail: Fail = Fail.EXACT
    tests_ends: bool = True
    strict: bool = False
    resets: bool = False
    precludes: bool = False
    null_windows: bool = False
    remembers: bool = False
    by_seat: bool = False
    looks: Horizon = Horizon.TO_DEPTH
    family: str = ""

    @property
    def source(self) -> str:
        """Which text: "000" to "004"."""
        return self.name[:3]

    @property
    def module_name(self) -> str:
        """The module that holds it."""
        return f"tabiya.bots.textbook.text_{self.source}.{self.name[4:].replace('-', '_')}"

    @property
    def path(self) -> str:
        """Its file, from the repository's root."""
        return self.module_name.removeprefix("tabiya.").replace(".", "/") + ".py"

    @property
    def module(self) -> ModuleType:
        """Its module, imported at the first use."""
        return importlib.import_module(self.module_name)

    def plies(self, depth: int) -> int:
        """How many plies it searches for a `depth`."""
        return 1 if self.looks in (Horizon.ONE_PLY, Horizon.AT_MOVES) else depth

    def search(
        self, node: Node, depth: int, alpha: int = -INFINITY, beta: int = INFINITY, observer: Observer | None = None
    ) -> int:
        """The value of `node` for the side to move there, `depth` plies deep (ignored by listings without a depth).

        alpha, beta: the window, for the side to move; ignored by listings without one.
        """
        return self.answer(node, depth, alpha, beta, observer).value

    def answer(
        self, node: Node, depth: int, alpha: int = -INFINITY, beta: int = INFINITY, observer: Observer | None = None
    ) -> Answer:
        """What `search` finds, with the best moves where the listing itself returns them (004)."""
        functions: Functions = vars(self.module)
        if observer is not None or not node.takes_turns:
            functions = self.functions_with(node, _itself if observer is None else CallNotifier(observer).wrap)
        turned = not self.of_mover and node.seat == 1
        result = self.call(functions, node, depth, *((-beta, -alpha) if turned else (alpha, beta)))
        value, moves = result if isinstance(result, tuple) else (result, ())
        return Answer(-value if turned else value, tuple(moves))

    def functions_with(self, root: Node, wrap: Wrap) -> Functions:
        """Its functions, copied for a search of `root` in which each call of those that search a node is wrapped."""
        again = MovingAgain(self.functions, self.of_mover, self.by_seat)
        return copied(self.module, self.functions, wrap if root.takes_turns else again.around(wrap))


def find(name: str) -> Listing:
    """The listing of that name or family. Raises UnknownListing."""
    if name not in _BY_NAME:
        raise UnknownListing(f"there is no algorithm {name!r} (there are: {', '.join(_BY_NAME)})")
    return _BY_NAME[name]


def names() -> tuple[str, ...]:
    """All names, the families first."""
    return tuple(_BY_NAME)


def _itself(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _two(first: str, second: str, call: Callable[[Callable[..., Any], Node, int, int, int], Any]) -> Call:
    """A pair of functions: the first for seat 0, the second for seat 1."""
    return lambda f, b, depth, alpha, beta: call(f[(first, second)[b.seat]], b, depth, alpha, beta)


def _triangular(f: Functions, b: Node, depth: int, alpha: int, beta: int) -> int:
    return int(f["minimax"](b, 0, depth, {ply: {} for ply in range(depth + 2)}, {}))


LISTINGS: tuple[Listing, ...] = (
    Listing(
        "000-minimax",
        ("BlueValue", "RedValue"),
        _two("BlueValue", "RedValue", lambda f, b, d, lo, hi: f(b, 0, d - 1)),
        of_mover=False,
        by_seat=True,
        about="two functions, both from blue's view",
    ),
    Listing(
        "000-negamax",
        ("NegaMax",),
        lambda f, b, d, lo, hi: f["NegaMax"](b, 0, b.seat, d - 1),
        of_mover=True,
        about="one function, sign[color] at the leaves",
        family="minimax",
    ),
    Listing(
        "000-alphabeta",
        ("BlueValue", "RedValue"),
        _two("BlueValue", "RedValue", lambda f, b, d, lo, hi: f(b, 0, lo, hi, d - 1)),
        of_mover=False,
        by_seat=True,
        about="two functions with bounds",
        fail=Fail.SOFT,
    ),
    Listing(
        "000-negamax-alphabeta",
        ("NegaMax",),
        lambda f, b, d, lo, hi: f["NegaMax"](b, 0, b.seat, lo, hi, d - 1),
        of_mover=True,
        about="negamax with bounds",
        fail=Fail.SOFT,
        family="alphabeta-failsoft",
    ),
    Listing(
        "000-alphabeta-strict",
        ("NegaMax",),
        lambda f, b, d, lo, hi: f["NegaMax"](b, 0, b.seat, lo, hi, d - 1),
        of_mover=True,
        about="the same, but equal bounds do not cut",
        fail=Fail.SOFT,
        strict=True,
        family="alphabeta-strict",
    ),
    Listing(
        "000-greedy",
        ("Greedy", "A"),
        lambda f, b, d, lo, hi: f["Greedy"](b),
        of_mover=False,
        about="the best analysis value after one move",
        looks=Horizon.ONE_PLY,
    ),
    Listing(
        "001-minimax",
        ("minimax",),
        lambda f, b, d, lo, hi: f["minimax"](b, d),
        of_mover=True,
        about="negamax, under that name",
        tests_ends=False,
    ),
    Listing(
        "001-alphabeta",
        ("alphabeta",),
        lambda f, b, d, lo, hi: f["alphabeta"](b, d, lo, hi),
        of_mover=True,
        about="as printed",
        fail=Fail.HARD,
        tests_ends=False,
    ),
    Listing(
        "001-alphabeta-checked",
        ("alphabeta",),
        lambda f, b, d, lo, hi: f["alphabeta"](b, d, lo, hi),
        of_mover=True,
        about="with the test of the end",
        fail=Fail.HARD,
        family="alphabeta-failhard",
    ),
    Listing(
        "001-alphabetapvs",
        ("alphabetapvs",),
        lambda f, b, d, lo, hi: f["alphabetapvs"](b, 0, d, lo, hi),
        of_mover=True,
        about="as printed",
        fail=Fail.HARD,
        tests_ends=False,
        null_windows=True,
    ),
    Listing(
        "001-alphabetapvs-checked",
        ("alphabetapvs",),
        lambda f, b, d, lo, hi: f["alphabetapvs"](b, 0, d, lo, hi),
        of_mover=True,
        about="with the test of the end",
        fail=Fail.HARD,
        null_windows=True,
        family="pvs-failhard",
    ),
    Listing(
        "001-triangular",
        ("minimax",),
        _triangular,
        of_mover=True,
        about="minimax that collects the principal variation",
        tests_ends=False,
        remembers=True,
    ),
    Listing(
        "002-negamax",
        ("negamax",),
        lambda f, b, d, lo, hi: f["negamax"](b),
        of_mover=True,
        about="exact recursion to the terminal positions",
        looks=Horizon.TO_THE_END,
    ),
    Listing(
        "002-max-min",
        ("Max", "Min"),
        _two("Max", "Min", lambda f, b, d, lo, hi: f(b)),
        of_mover=False,
        by_seat=True,
        about="the same from the view of Max",
        looks=Horizon.TO_THE_END,
    ),
    Listing(
        "002-preclusion",
        ("negamax",),
        lambda f, b, d, lo, hi: f["negamax"](b),
        of_mover=True,
        about="stops at a winning move; values -1, 0, 1",
        precludes=True,
        looks=Horizon.TO_THE_END,
        family="preclusion",
    ),
    Listing(
        "002-maxab-minab",
        ("MaxAB", "MinAB"),
        _two("MaxAB", "MinAB", lambda f, b, d, lo, hi: f(lo, hi, b)),
        of_mover=False,
        by_seat=True,
        about="two functions with the window's theorem",
        fail=Fail.BOUND,
        looks=Horizon.TO_THE_END,
    ),
    Listing(
        "002-ab",
        ("AB",),
        lambda f, b, d, lo, hi: f["AB"](lo, hi, b),
        of_mover=True,
        about="the two folded into one",
        fail=Fail.BOUND,
        looks=Horizon.TO_THE_END,
        family="alphabeta-theorem",
    ),
    Listing(
        "003-minmax",
        ("Max", "Min"),
        lambda f, b, d, lo, hi: f["MinMax"](b, d),
        of_mover=False,
        by_seat=True,
        about="MinMax, Max and Min",
        tests_ends=False,
    ),
    Listing(
        "003-negamax",
        ("NegaMax",),
        lambda f, b, d, lo, hi: f["NegaMax"](b, d),
        of_mover=True,
        about="one function",
        tests_ends=False,
    ),
    Listing(
        "004-minimax",
        ("Minimax",),
        lambda f, b, d, lo, hi: f["Minimax"](b),
        of_mover=False,
        about="the best result with all its moves",
        looks=Horizon.TO_THE_END,
    ),
    Listing(
        "004-lookahead",
        ("Minimax",),
        lambda f, b, d, lo, hi: f["Minimax"](b, d),
        of_mover=False,
        about="with a limit on the lookahead",
    ),
    Listing(
        "004-alphabeta-printed",
        ("Minimax",),
        lambda f, b, d, lo, hi: f["Minimax"](b, d, lo, hi),
        of_mover=False,
        about="as printed: own bound reset, strict test",
        fail=Fail.SOFT,
        strict=True,
        resets=True,
        family="alphabeta-printed",
    ),
    Listing(
        "004-alphabeta-corrected",
        ("Minimax",),
        lambda f, b, d, lo, hi: f["Minimax"](b, d, lo, hi),
        of_mover=False,
        about="bounds inherited, equal bounds cut",
        fail=Fail.BOUND,
    ),
    Listing(
        "004-greedy",
        ("BestMoves",),
        lambda f, b, d, lo, hi: f["BestMoves"](b),
        of_mover=True,
        about="the move that changes the value most",
        looks=Horizon.AT_MOVES,
    ),
)
_BY_NAME: dict[str, Listing] = {listing.family: listing for listing in LISTINGS if listing.family} | {
    listing.name: listing for listing in LISTINGS
}
