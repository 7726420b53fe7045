"""Several algorithms side by side on one position or drawn tree: what `tabiya analyse` shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from tabiya.bots.textbook.catalogue import Listing
from tabiya.bots.textbook.drawing import Style, draw, lines_of
from tabiya.bots.textbook.node import INFINITY, Node
from tabiya.bots.textbook.observers import TooBig, Trace
from tabiya.bots.textbook.order import Guess, Sorting
from tabiya.bots.textbook.random_trees import best_first, worst_first
from tabiya.bots.textbook.run_listing import Report, SearchSetup, best_moves, run_listing
from tabiya.bots.textbook.tree import Tree, TreeError

if TYPE_CHECKING:
    from tabiya.bots.textbook.board import Judge
    from tabiya.games.position import Position

MOST_NODES_COMPILED = 200_000_000
MOST_NODES_AS_PRINTED = 300_000
MOST_LINES = 2_000
ADVICE = "ask for less depth, or allow more with --max-nodes"
UNDECIDED = "it stops at the value 1, so every leaf must be -1, 0 or 1"


class Order(StrEnum):
    """How moves are ordered: the guesses of `order.py`, and for drawn trees two that know the answer."""

    NONE = "none"
    EVALUATION = "evaluation"
    CAPTURES = "captures"
    ITERATION = "iteration"
    KILLER = "killer"
    HISTORY = "history"
    PERFECT = "perfect"
    WORST = "worst"


@dataclass(frozen=True, slots=True)
class Question:
    """How the algorithms are run.

    limit: nodes at most, each.  window: for the side to move.  as_printed: the book forms even for games, function
    by function, instead of their compiled twins.
    """

    depth: int
    order: Order = Order.NONE
    sorting: Sorting = field(default_factory=Sorting)
    window: tuple[int, int] = (-INFINITY, INFINITY)
    limit: int | None = None
    as_printed: bool = False

    @property
    def setup(self) -> SearchSetup:
        """Order and sorting, as `run_listing` takes them."""
        known = self.order not in (Order.PERFECT, Order.WORST)
        return SearchSetup(Guess(self.order.value) if known else Guess.NONE, self.sorting)


@dataclass(frozen=True, slots=True)
class Finding:
    """One algorithm's answer. best: all the best moves, if they could be found.  problem: why there is no report."""

    name: str
    listing: Listing
    report: Report | None = None
    best: tuple[str, ...] = ()
    problem: str = ""


JudgeFor = Callable[[Listing], "Judge"]


def analyse_tree(tree: Tree, listings: Sequence[tuple[str, Listing]], question: Question) -> list[Finding]:
    """What each algorithm finds in a drawn tree. Raises TreeError where an order asks for what the tree lacks."""
    arranged = arrange(tree, question.order)
    limit = question.limit or MOST_NODES_AS_PRINTED
    return [
        Finding(name, listing, problem=UNDECIDED)
        if listing.precludes and not arranged.is_decided()
        else _as_printed(name, listing, arranged, question, limit)
        for name, listing in listings
    ]


def analyse_position(
    position: Position, listings: Sequence[tuple[str, Listing]], question: Question, judge_for: JudgeFor
) -> list[Finding]:
    """What each algorithm finds in a position in which a move can be made."""
    from tabiya.bots.textbook.board import Board

    if not question.as_printed:
        return [_compiled(name, listing, position, question, judge_for(listing)) for name, listing in listings]
    limit = question.limit or MOST_NODES_AS_PRINTED
    for _, listing in listings:  # compiles or loads what the evaluation needs, so that the times are the searches'
        run_listing(listing, Board(position, judge_for(listing)), 1, question.setup)
    return [
        _as_printed(name, listing, Board(position, judge_for(listing)), question, limit) for name, listing in listings
    ]


def trace(node: Node, listing: Listing, question: Question, style: Style) -> list[str]:
    """The search drawn as a tree; instead one line that says why where it is too big, or the tree lacks a value."""
    drawn = Trace()
    start = arrange(node, question.order) if isinstance(node, Tree) else node
    limit = question.limit or MOST_NODES_AS_PRINTED
    try:
        run_listing(listing, start, question.depth, question.setup, question.window, limit, [drawn])
        if listing.precludes and isinstance(start, Tree) and not start.is_decided():
            raise TreeError(UNDECIDED)
    except (TooBig, TreeError) as error:
        return [f"(not drawn: {error})"]
    assert drawn.root is not None
    if lines_of(drawn.root) > MOST_LINES:
        return [f"(not drawn: it would have {lines_of(drawn.root)} lines, and at most {MOST_LINES} are drawn)"]
    return list(draw(drawn.root, listing, style))


def arrange(tree: Tree, order: Order) -> Tree:
    """The tree in the order that knows the answer, if that is asked for."""
    if order is Order.PERFECT:
        return best_first(tree)
    return worst_first(tree) if order is Order.WORST else tree


def _as_printed(name: str, listing: Listing, node: Node, question: Question, limit: int) -> Finding:
    try:
        report = run_listing(listing, node, question.depth, question.setup, question.window, limit)
    except TooBig as error:
        return Finding(name, listing, problem=f"{error}: {ADVICE}")
    except TreeError as error:
        return Finding(name, listing, problem=str(error))
    return Finding(name, listing, report, _all_best(listing, node, question.depth, limit))


def _all_best(listing: Listing, node: Node, depth: int, limit: int) -> tuple[str, ...]:
    """All best moves; none where finding them all takes more than the search was allowed, or unknown leaves."""
    try:
        return best_moves(listing, node, depth, limit)
    except (TooBig, TreeError):
        return ()


def _compiled(name: str, listing: Listing, position: Position, question: Question, judge: Judge) -> Finding:
    from tabiya.bots.textbook.compiled.searcher import CompiledListing

    limit = question.limit or MOST_NODES_COMPILED
    compiled = CompiledListing(listing, judge, question.setup)
    compiled.search(position, 1)  # compiles or loads, so that the time below is the search's
    try:
        report = compiled.search(position, question.depth, question.window, limit)
    except TooBig as error:
        return Finding(name, listing, problem=f"{error}: {ADVICE}")
    try:
        best = compiled.best_moves(position, question.depth, limit)
    except TooBig:
        best = ()
    return Finding(name, listing, report, best)
