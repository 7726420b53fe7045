"""Generated trees: random ones, the worst ones for alpha-beta, and any tree with its moves in another order."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tabiya.bots.textbook.tree import Tree, branch, leaf, numbered


def random_tree(draw: random.Random, width: int, depth: int, most: int = 100, seat: int = 0) -> Tree:
    """A tree of `width` moves everywhere and `depth` plies, its leaves drawn from -most..most."""
    return numbered(_random(draw, width, width, depth, most), seat)


def ragged_tree(draw: random.Random, width: int, depth: int, most: int = 100, seat: int = 0, fewest: int = 1) -> Tree:
    """A tree of `fewest` to `width` moves and at most `depth` plies, some of its leaves higher up."""
    return numbered(_random(draw, fewest, width, depth, most, ends=0.15), seat)


def _random(draw: random.Random, fewest: int, width: int, depth: int, most: int, ends: float = 0.0) -> Tree:
    if depth == 0 or (ends and draw.random() < ends):
        return leaf(draw.randint(-most, most))
    count = draw.randint(fewest, width)
    return branch([_random(draw, fewest, width, depth - 1, most, ends) for _ in range(count)])


def different_leaves(tree: Tree, draw: random.Random, most: int, seat: int = 0) -> Tree:
    """The tree with other leaves, all different, drawn from -most..most. Raises ValueError: there are more of them."""
    values = iter(draw.sample(range(-most, most + 1), tree.leaves()))
    return numbered(_with_leaves(tree, values), seat)


def _with_leaves(tree: Tree, values: Iterator[int]) -> Tree:
    return leaf(next(values)) if tree.over else branch([_with_leaves(child, values) for child in tree.children])


def hopeless_tree(width: int, depth: int) -> Tree:
    """A tree of `width` moves and `depth` plies, all leaves different, in which alpha-beta can cut nothing.

    Every move is better for its mover than all before it, whatever is played below: values come in blocks.
    """
    return numbered(_blocks(width, depth, 0, width**depth, maximizing=True))


def _blocks(width: int, depth: int, low: int, high: int, maximizing: bool) -> Tree:
    if depth == 0:
        return leaf(low)
    step = (high - low) // width
    blocks = [(low + i * step, low + (i + 1) * step) for i in range(width)]
    ordered = blocks if maximizing else blocks[::-1]
    return branch([_blocks(width, depth - 1, *block, not maximizing) for block in ordered])


def exact(tree: Tree) -> int:
    """The minimax value of a tree for Max, written without any listing: what they all must return."""
    if tree.over:
        return tree.analysis()
    values = [exact(child) for child in tree.children]
    return max(values) if tree.seat == 0 else min(values)


def best_first(tree: Tree) -> Tree:
    """The tree with the moves of every node in order, the best for its mover first."""
    return numbered(_sorted(tree, best=True), tree.seat)


def worst_first(tree: Tree) -> Tree:
    """The tree with the moves of every node in order, the worst for its mover first."""
    return numbered(_sorted(tree, best=False), tree.seat)


def _sorted(tree: Tree, best: bool) -> Tree:
    if tree.over:
        return leaf(tree.value)
    descending = best == (tree.seat == 0)
    children = sorted(tree.children, key=exact, reverse=descending)
    return branch([_sorted(child, best) for child in children])


def mostly_best_first(tree: Tree, share: float, draw: random.Random) -> Tree:
    """The tree with the best move first in about `share` of the nodes, and a random order in the others."""
    return numbered(_mostly(tree, share, draw), tree.seat)


def _mostly(tree: Tree, share: float, draw: random.Random) -> Tree:
    if tree.over:
        return leaf(tree.value)
    children = draw.sample(tree.children, len(tree.children))
    if draw.random() < share:
        best = max(children, key=exact) if tree.seat == 0 else min(children, key=exact)
        children.remove(best)
        children.insert(0, best)
    return branch([_mostly(child, share, draw) for child in children])
