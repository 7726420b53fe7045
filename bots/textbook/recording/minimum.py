"""The fewest leaves that alpha-beta can visit: with the best move first everywhere (Knuth and Moore; 001)."""

from __future__ import annotations

from dataclasses import dataclass

from tabiya.bots.textbook.recording.recording import Recording
from tabiya.bots.textbook.tree import Tree

MOST_NODES = 20_000  # of a drawn tree whose own minimum is counted


@dataclass(frozen=True, slots=True)
class Minimum:
    """leaves: counted in a drawn tree, else b^(d/2 up) + b^(d/2 down) - 1 for `moves` = b and `depth` = d.

    moves: of a node on the average.  is_uniform: whether all have so many and all leaves are equally deep, so that the
    formula is exact.  is_exact: whether no order can do with less; else it is what a uniform tree would need.
    """

    leaves: int
    moves: float
    depth: int
    is_uniform: bool
    is_exact: bool


def fewest_leaves(recording: Recording, tree: Tree | None = None) -> Minimum:
    """The minimum of a searched tree, as far as the search has seen of it. tree: the drawn tree, if it was one."""
    inner = [visit for visit, size in enumerate(recording.sizes) if size > 1]
    widths = [
        recording.left_count[visit] + len({recording.columns["move"][below] for below in recording.below(visit)})
        for visit in inner
    ]
    depth = max(recording.ply)
    moves = sum(widths) / len(widths) if widths else 0.0
    ends = {ply for ply, size in zip(recording.ply, recording.sizes, strict=True) if size == 1}
    is_uniform = len(set(widths)) <= 1 and ends == {depth}
    counted = leaves_of_proof(tree) if tree is not None and tree.size() <= MOST_NODES else None
    leaves = round(moves ** -(-depth // 2) + moves ** (depth // 2) - 1) if counted is None else counted
    return Minimum(leaves, round(moves, 2), depth, is_uniform, is_uniform or counted is not None)


def leaves_of_proof(tree: Tree) -> int | None:
    """The leaves of the smallest part of a tree that proves its value; None where not all values are known."""
    values: dict[int, int] = {}
    return _exact(tree, values) if _values(tree, values) else None


def _values(node: Tree, values: dict[int, int]) -> bool:
    """Fill in the exact value of every node for Max, by number; False where a leaf has none."""
    if node.over:
        values[node.number] = node.value or 0
        return node.value is not None
    if not all(_values(child, values) for child in node.children):
        return False
    values[node.number] = (max, min)[node.seat](values[child.number] for child in node.children)
    return True


def _exact(node: Tree, values: dict[int, int]) -> int:
    """One best child exactly, and of each other one that it is no better."""
    if node.over:
        return 1
    value = values[node.number]
    bounds = {child.number: _no_better(child, value, node.seat, values) for child in node.children}
    best = (child for child in node.children if values[child.number] == value)
    return sum(bounds.values()) + min(_exact(child, values) - bounds[child.number] for child in best)


def _no_better(node: Tree, value: int, seat: int, values: dict[int, int]) -> int:
    """That a node is worth no more than `value` to a seat: one reply of the other seat holds it, or all of its own."""
    if node.over:
        return 1
    if node.seat == seat:
        return sum(_no_better(child, value, seat, values) for child in node.children)
    holding = [child for child in node.children if (values[child.number] - value) * (1 - 2 * seat) <= 0]
    return min(_no_better(child, value, seat, values) for child in holding)
