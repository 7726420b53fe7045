"""What each technique saves on one position or drawn tree: the same search with it and without it.

The two searches differ in nothing else. Where a listing has two things that another one lacks, a third is put between:
004's alpha-beta as printed forgets bounds and cuts at > only, so it is compared with one that cuts at > only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tabiya.bots.textbook.analysis import searched
from tabiya.bots.textbook.catalogue import Fail
from tabiya.bots.textbook.node import INFINITY, Wins
from tabiya.bots.textbook.observers import TooBig
from tabiya.bots.textbook.recording.question import Order, SearchQuestion
from tabiya.bots.textbook.tree import TreeError

MOST_NODES = 20_000_000  # of each search: some seconds
Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Technique:
    """Two searches that differ in one thing. applied, left_out: what is changed of the question.

    about: what it does, a sentence without its full stop.  in_play: whether the question has it.
    """

    name: str
    about: str
    in_play: bool
    applied: Fields
    left_out: Fields


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a search. nodes: with the positions that quiescence visited.  problem: why there is no search."""

    nodes: int | None = None
    leaves: int | None = None
    value: int | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Effect:
    """The outcomes with a technique and without it."""

    technique: Technique
    applied: Outcome
    left_out: Outcome

    @property
    def saved(self) -> float | None:
        """The share of nodes that it saves; negative if it costs."""
        if self.applied.nodes is None or not self.left_out.nodes:
            return None
        return 1 - self.applied.nodes / self.left_out.nodes

    @property
    def changes_something(self) -> bool:
        """Whether the search with it is possible, and has other nodes or another value."""
        return not self.applied.problem and self.applied != self.left_out

    @property
    def says(self) -> str:
        """One sentence."""
        return f"{self.technique.about}: {self._effect()}"

    def _effect(self) -> str:
        if self.applied.problem:
            return self.applied.problem
        if self.left_out.problem:
            return f"without it {self.left_out.problem}"
        saved, value = self.saved or 0.0, ""
        if self.applied.value != self.left_out.value:
            value = f", and the value is {self.applied.value} instead of {self.left_out.value}"
        if saved == 0:
            return f"no node more or less here{value}"
        return f"{abs(saved):.0%} of the nodes {'saved' if saved > 0 else 'added'}{value}"


def effects(question: SearchQuestion, limit: int = MOST_NODES, as_printed: bool = False) -> list[Effect]:
    """Every technique that the question has or could have; of the latter only what changes something.

    limit: nodes of each search.  Raises what `SearchQuestion.checked` raises.
    """
    checked = question.checked()
    searches = _Searches(checked, limit, as_printed)
    found = (Effect(each, *map(searches.outcome, (each.applied, each.left_out))) for each in techniques(checked))
    return [effect for effect in found if effect.technique.in_play or effect.changes_something]


class _Searches:
    """Runs each search once."""

    def __init__(self, question: SearchQuestion, limit: int, as_printed: bool) -> None:
        self._question, self._limit, self._as_printed = question, limit, as_printed
        self._found: dict[SearchQuestion, Outcome] = {}

    def outcome(self, changed: Fields) -> Outcome:
        """The outcome of the question with these changes."""
        try:
            question = replace(self._question, **changed).checked()
            if question not in self._found:
                self._found[question] = self._searched(question)
            return self._found[question]
        except TreeError as error:
            return Outcome(problem=str(error))

    def _searched(self, question: SearchQuestion) -> Outcome:
        try:
            report = searched(question, self._limit, self._as_printed)
        except TooBig as error:
            return Outcome(problem=str(error))
        return Outcome(report.nodes + report.quiet, report.leaves, report.value)


def techniques(question: SearchQuestion) -> Iterator[Technique]:
    """What can be switched on or off for this question."""
    yield from _of_the_search(question)
    yield from _of_the_order(question)
    if question.game:
        yield from _of_the_game(question)


def _of_the_search(question: SearchQuestion) -> Iterator[Technique]:
    listing = question.listing
    has_window = listing.fail is not Fail.EXACT
    yield Technique(
        "window",
        "alpha-beta drops a move once the other side is known to have a better one elsewhere; minimax looks at all",
        has_window,
        {"algorithm": "alphabeta-failhard"},
        {"algorithm": "minimax"},
    )
    yield Technique(
        "deep cut-offs",
        "a bound cuts at any depth; 004's alpha-beta as printed forgets it after one ply (both cut at > only)",
        has_window and not listing.resets,
        {"algorithm": "alphabeta-strict"},
        {"algorithm": "alphabeta-printed"},
    )
    yield Technique(
        "equal bounds",
        "a value that reaches the bound cuts (>=), without it only one that passes it (>)",
        has_window and not listing.strict,
        {"algorithm": "alphabeta-failhard"},
        {"algorithm": "alphabeta-strict"},
    )
    yield Technique(
        "null windows",
        "PVS only asks if a later move is better than the best so far, and searches it again if so",
        listing.null_windows,
        {"algorithm": "pvs-failhard"},
        {"algorithm": "alphabeta-failhard"},
    )
    if question.tree or question.wins == Wins.ONE:
        yield Technique(
            "preclusion",
            "where values are -1, 0 and 1 a winning move ends the node; minimax looks at all",
            listing.precludes,
            {"algorithm": "preclusion"},
            {"algorithm": "minimax"},
        )
    if question.window != (-INFINITY, INFINITY):
        yield Technique(
            "narrow window",
            "values outside the window that was given need not be exact",
            has_window,
            {},
            {"alpha": -INFINITY, "beta": INFINITY},
        )


ORDERS = {
    Order.EVALUATION: "moves with a better evaluation first (evaluating for the order is not counted)",
    Order.CAPTURES: "captures first",
    Order.ITERATION: "the line of the search one ply less deep first (the searches before are counted)",
    Order.KILLER: "moves first that cut in other nodes of the same ply",
    Order.HISTORY: "moves first that cut anywhere",
    Order.PERFECT: "the best move first at every node, which no order can improve on",
    Order.WORST: "the worst move first at every node",
}
OF_TREES = (Order.PERFECT,)
OF_GAMES = (Order.EVALUATION, Order.CAPTURES, Order.ITERATION, Order.KILLER, Order.HISTORY)


def _of_the_order(question: SearchQuestion) -> Iterator[Technique]:
    asked = Order(question.order)
    for order in (OF_GAMES if question.game else OF_TREES) if asked is Order.NONE else (asked,):
        yield Technique(f"order: {order}", ORDERS[order], order is asked, {"order": order.value}, {"order": "none"})
    if question.sort_top:
        about = f"only the best {question.sort_top} moves are sorted to the front"
        yield Technique("partial sorting", about, True, {}, {"sort_top": 0})
    if question.iterate:
        yield Technique("iteration", "1, 2, 3, ... plies before (counted)", True, {}, {"iterate": False})


def _of_the_game(question: SearchQuestion) -> Iterator[Technique]:
    yield Technique(
        "quiescence",
        "captures are played out before a position is evaluated (counted), so that no exchange is cut in half",
        question.quiescence,
        {"quiescence": True},
        {"quiescence": False},
    )
    yield Technique(
        "candidates only",
        "only moves that the evaluation thinks worth searching",
        question.near,
        {"near": True},
        {"near": False},
    )
    if question.grain > 1:
        about = f"the evaluation divided by {question.grain}: fewer values, more that are equal"
        yield Technique("granularity", about, True, {}, {"grain": 1})
