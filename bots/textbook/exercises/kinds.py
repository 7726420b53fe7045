"""The kinds of exercises: questions about a tree, answered by a search.

A kind rejects a tree (None) if its question has more than one answer, or a trivial one. Leaves of the
trees all differ, so it does not matter whether equal bounds cut. Windows and values are those of Max.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.recording.drawing import number
from tabiya.bots.textbook.recording.minimum import fewest_leaves
from tabiya.bots.textbook.recording.question import Order, SearchQuestion
from tabiya.bots.textbook.tree import Tree


class Part(NamedTuple):
    """One question and its answer."""

    asked: str
    answer: str


class Questions(NamedTuple):
    """The questions about one tree. search: shows the answers.  other: a second search that shows them, too."""

    task: str
    parts: tuple[Part, ...]
    search: SearchQuestion
    other: SearchQuestion | None = None


class Kind(NamedTuple):
    """name: in addresses.  ask: of a tree, given as a question without an algorithm.

    even: all nodes must have as many moves, all leaves be equally deep.  max_begins: at the root.
    """

    name: str
    title: str
    ask: Callable[[random.Random, SearchQuestion], Questions | None]
    even: bool = False
    max_begins: bool = False


class Search:
    """A search of a tree by one listing, read by the numbers of nodes."""

    def __init__(self, question: SearchQuestion, algorithm: str) -> None:
        self.question = replace(question, algorithm=algorithm)
        self.recording, self.report = self.question.checked().recorded()
        self.tree = self.question.tree_searched()

    @cached_property
    def nodes(self) -> dict[int, Tree]:
        """All nodes of the tree by number."""
        return {node.number: node for node in _nodes(self.tree)}

    @cached_property
    def visits(self) -> dict[int, int]:
        """The first visit of every node that was visited."""
        numbers = self.recording.columns["number"]
        return {numbers[visit]: visit for visit in reversed(range(len(numbers)))}

    def value(self, node: int) -> int:
        """What the first visit returned."""
        return self.recording.seen_by(self.visits[node])[2]

    def window(self, visit: int) -> tuple[int, int]:
        """Alpha and beta at a visit."""
        return self.recording.seen_by(visit)[:2]

    def leaves(self, *, seen: bool) -> list[int]:
        """The values of the leaves that were visited, or (seen false) were not, from left to right."""
        return [leaf.analysis() for leaf in _leaves(self.tree) if (leaf.number in self.visits) == seen]


def _nodes(tree: Tree) -> Iterator[Tree]:
    yield tree
    for child in tree.children:
        yield from _nodes(child)


def _leaves(tree: Tree) -> Iterator[Tree]:
    return (node for node in _nodes(tree) if node.over)


def _listed(values: list[int]) -> str:
    return ", ".join(map(number, values))


def _node(node: int) -> str:
    return f"#{node}"


# --- the kinds


def _values(draw: random.Random, given: SearchQuestion) -> Questions | None:
    search = Search(given, "minimax")
    values = [search.value(child.number) for child in search.tree.children]
    if values.count(search.value(0)) > 1:
        return None
    best = search.tree.children[values.index(search.value(0))]
    inner = [node.number for node in search.nodes.values() if not node.over]
    return Questions(
        "Write the minimax value into each node where somebody is to move. Which move is best at the root?",
        (*(Part(_node(node), number(search.value(node))) for node in inner), Part("best move: to", _node(best.number))),
        search.question,
    )


def _cuts(draw: random.Random, given: SearchQuestion) -> Questions | None:
    search = Search(given, "alphabeta-failhard")
    unseen, seen = search.leaves(seen=False), search.leaves(seen=True)
    if not 2 <= len(unseen) <= len(seen):
        return None
    return Questions(
        "Alpha-beta searches this tree from left to right. Which leaves does it never look at?",
        (Part("leaves not looked at", _listed(unseen)), Part("how many it looks at", str(len(seen)))),
        search.question,
    )


def _windows(draw: random.Random, given: SearchQuestion) -> Questions | None:
    search = Search(given, "alphabeta-failhard")
    bounds = {node: sum(abs(bound) < INFINITY for bound in search.window(at)) for node, at in search.visits.items()}
    half, whole = ([node for node, known in bounds.items() if known == wanted] for wanted in (1, 2))
    if not half or not whole:
        return None
    asked = sorted((draw.choice(half), draw.choice(whole)))
    return Questions(
        "Alpha-beta searches this tree from left to right. What are alpha and beta when it enters these nodes?",
        tuple(
            Part(f"{name} at {_node(node)}", number(bound))
            for node in asked
            for name, bound in zip(("alpha", "beta"), search.window(search.visits[node]), strict=True)
        ),
        search.question,
    )


def _order(draw: random.Random, given: SearchQuestion) -> Questions | None:
    drawn, values = Search(given, "alphabeta-failhard"), Search(given, "minimax")
    best = Search(replace(given, order=Order.PERFECT.value), "alphabeta-failhard")
    siblings = ([values.value(child.number) for child in node.children] for node in values.nodes.values())
    if best.report.leaves == drawn.report.leaves or any(len(set(each)) < len(each) for each in siblings):
        return None
    moves, depth = len(drawn.tree.children), drawn.tree.height()
    return Questions(
        "Draw this tree again with the moves of every node in order, the best for its mover first. How much does "
        "alpha-beta look at then?",
        (
            Part("leaves looked at in the order as drawn", str(drawn.report.leaves)),
            Part("all leaves in the best order", _listed([leaf.analysis() for leaf in _leaves(best.tree)])),
            Part("those not looked at", _listed(best.leaves(seen=False))),
            Part(
                f"fewest leaves for b = {moves} moves and d = {depth} plies: b^⌈d/2⌉ + b^⌊d/2⌋ - 1",
                str(fewest_leaves(values.recording).leaves),
            ),
        ),
        best.question,
        drawn.question,
    )


def _narrow(draw: random.Random, given: SearchQuestion) -> Questions | None:
    exact = Search(given, "minimax").report.value
    away, width = draw.randint(1, 4), draw.randint(2, 4)
    is_low = draw.random() < 0.5
    alpha, beta = (exact + away, exact + away + width) if is_low else (exact - away - width, exact - away)
    given = replace(given, alpha=alpha, beta=beta)
    soft, hard = Search(given, "alphabeta-failsoft"), Search(given, "alphabeta-failhard")
    if soft.report.value == hard.report.value:
        return None
    bound = "at most" if is_low else "at least"
    return Questions(
        f"Alpha-beta is called at the root with alpha = {alpha} and beta = {beta}. What does it return, and what is "
        "known then?",
        (
            Part("fail-soft returns", number(soft.report.value)),
            Part("fail-hard returns", number(hard.report.value)),
            Part("after fail-soft: the minimax value is", f"{bound} {number(soft.report.value)}"),
            Part("after fail-hard: the minimax value is", f"{bound} {number(hard.report.value)}"),
        ),
        soft.question,
        hard.question,
    )


def _again(draw: random.Random, given: SearchQuestion) -> Questions | None:
    search = Search(given, "pvs-failhard")
    again = [visit for visit in range(len(search.recording)) if search.recording.is_again(visit)]
    if len(again) != 1:
        return None
    node = search.recording.columns["number"][again[0]]
    first, second = (", ".join(map(number, search.window(visit))) for visit in (search.visits[node], again[0]))
    return Questions(
        "Principal variation search goes through this tree from left to right and searches one node a second time. "
        "Which one, and with which windows?",
        (
            Part("searched again", _node(node)),
            Part("alpha, beta the first time", first),
            Part("alpha, beta the second time", second),
            Part("value at the root", number(search.value(0))),
        ),
        search.question,
    )


KINDS = (
    Kind("values", "Minimax values", _values),
    Kind("cuts", "What alpha-beta never looks at", _cuts),
    Kind("windows", "Alpha and beta on the way", _windows),
    Kind("order", "The order that cuts most", _order, even=True),
    Kind("narrow", "A narrow window", _narrow, max_begins=True),
    Kind("again", "Searched again", _again),
)
