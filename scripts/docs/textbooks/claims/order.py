"""Claims about the order of moves, judged on random trees: counts, the same on every machine."""

from __future__ import annotations

import heapq
import random

from scripts.docs.textbooks.finding import Finding
from scripts.docs.textbooks.trees import DEPTH, SEED, WIDTH, fewest, forest, leaves, races
from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.random_trees import best_first, hopeless_tree, mostly_best_first, random_tree, worst_first

SHAPES = ((2, 5), (3, 4), (4, 4), (4, 6), (8, 3), (30, 2))


def worst_order() -> Finding:
    counts = [_worst_first_leaves(depth) for depth in range(1, 7)]
    hopeless = leaves("alphabeta-failhard", hopeless_tree(WIDTH, DEPTH))
    holds = counts[:3] == [4, 16, 64] and counts[5] < 4096 == hopeless
    return holds, {"deep": ", ".join(f"{count:,.0f}" for count in counts[3:]), "hopeless": hopeless}


def _worst_first_leaves(depth: int) -> float:
    draw = random.Random(SEED + depth)
    trees = (worst_first(random_tree(draw, WIDTH, depth, INFINITY - 1)) for _ in range(20))
    return leaves("alphabeta-failhard", *trees)


def perfect_order() -> Finding:
    draw, parts, right = random.Random(SEED), list[str](), True
    for width, depth in SHAPES:
        count = leaves("alphabeta-failhard", best_first(random_tree(draw, width, depth)))
        right &= count == fewest(width, depth)
        parts.append(f"{count:,} of {width**depth:,} ({width} moves, {depth} plies)")
    return right, {"told": "; ".join(parts)}


def twice_as_deep() -> Finding:
    draw, parts, right = random.Random(SEED), list[str](), True
    for width, depth in ((3, 3), (4, 3), (20, 1)):
        count, all_leaves = leaves("alphabeta-failhard", best_first(random_tree(draw, width, 2 * depth))), width**depth
        right &= count == 2 * all_leaves - 1
        parts.append(f"minimax {all_leaves:,} at {depth} plies, alpha-beta {count:,} at {2 * depth}")
    return right, {"told": "; ".join(parts)}


def rest_of_the_order() -> Finding:
    draw = random.Random(SEED)
    shuffled = [mostly_best_first(tree, 1.0, draw) for tree in forest(10) for _ in range(5)]
    counts = {leaves("alphabeta-failhard", tree) for tree in shuffled}
    return counts == {fewest(4, 6)}, {"leaves": counts.pop()}


def pvs_and_order() -> Finding:
    found = races()
    parts = (f"{race.share:.0%}: {race.alphabeta:,.0f} / {race.pvs:,.0f} ({race.researches:,.0f})" for race in found)
    first, good, last = found[0], found[2], found[-1]
    holds = first.pvs > first.alphabeta and last.pvs == last.alphabeta and good.pvs < good.alphabeta
    return holds, {"told": "; ".join(parts)}


class _Compared:
    """A score that counts how often it is compared."""

    comparisons = 0

    def __init__(self, score: int) -> None:
        self.score = score

    def __lt__(self, other: _Compared) -> bool:
        _Compared.comparisons += 1
        return self.score < other.score


def heap() -> Finding:
    parts, better = [], []
    for width in (5, 10, 20, 40):
        for taken in (1, width):
            by_sorting, by_heap = _comparisons(width, taken)
            better.append((taken == 1) == (by_heap < by_sorting))
            how_many = "one" if taken == 1 else "all"
            parts.append(f"{width} moves, {how_many} taken: {by_sorting:.0f} / {by_heap:.0f}")
    return all(better[2:]), {"told": "; ".join(parts)}


def _comparisons(width: int, taken: int) -> tuple[float, float]:
    draw, by_sorting, by_heap = random.Random(SEED), 0, 0
    for _ in range(200):
        scores = [_Compared(draw.randint(-100, 100)) for _ in range(width)]
        _Compared.comparisons = 0
        sorted(scores)
        by_sorting += _Compared.comparisons
        _Compared.comparisons = 0
        heapq.heapify(scores)
        for _ in range(taken):
            heapq.heappop(scores)
        by_heap += _Compared.comparisons
    return by_sorting / 200, by_heap / 200
