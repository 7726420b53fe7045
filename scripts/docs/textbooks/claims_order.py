"""Claims about the order of moves, judged on random trees: counts, the same on every machine."""

from __future__ import annotations

import functools
import heapq
import random
from dataclasses import dataclass
from statistics import mean

from scripts.docs.textbooks.claims_trees import DEPTH, SEED, WIDTH, forest, leaves
from scripts.docs.textbooks.judged import Verdict, Word, claim, judged
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.random_trees import (
    best_first,
    hopeless_tree,
    mostly_best_first,
    random_tree,
    worst_first,
)
from tabiya.bots.textbook.run_listing import run_listing
from tabiya.bots.textbook.tree import Tree

SHARES = (0.0, 0.5, 0.8, 0.9, 0.95, 1.0)


@claim("worst-order", "001", "with the best move always last alpha-beta does as much work as minimax",
       "tabiya analyse --tree 001 -a minimax,alphabeta-failhard --order worst")  # fmt: skip
def _worst() -> Verdict:
    shallow = [leaves("alphabeta-failhard", _distinct(depth)) for depth in (1, 2, 3)]
    deep = [leaves("alphabeta-failhard", _distinct(depth)) for depth in (4, 5, 6)]
    hopeless = run_listing(find("alphabeta-failhard"), hopeless_tree(WIDTH, DEPTH), DEPTH).leaves
    return judged(
        Word.CONDITION,
        shallow == [4, 16, 64] and deep[2] < 4096 == hopeless,
        "true down to three plies (4, 16, 64 of 4, 16, 64 leaves). From four plies on bounds from further up still "
        f"cut: worst first {', '.join(f'{count:,.0f}' for count in deep)} of 256, 1,024, 4,096 on the average of 20 "
        f"random trees; trees can be made in which nothing is cut: {hopeless:,} of 4,096",
    )


def _distinct(depth: int) -> tuple[Tree, ...]:
    draw = random.Random(SEED + depth)
    return tuple(worst_first(random_tree(draw, WIDTH, depth, INFINITY - 1)) for _ in range(20))


SHAPES = ((2, 5), (3, 4), (4, 4), (4, 6), (8, 3), (30, 2))


@claim("perfect-order", "001", "best move first, the fewest leaves are visited: b^(d/2 up) + b^(d/2 down) - 1",
       "tabiya analyse --tree 001 -a alphabeta-failhard --order perfect")  # fmt: skip
def _perfect() -> Verdict:
    draw, told, right = random.Random(SEED), list[str](), True
    for width, depth in SHAPES:
        count = run_listing(find("alphabeta-failhard"), best_first(random_tree(draw, width, depth)), depth).leaves
        right &= count == fewest(width, depth)
        told.append(f"{count:,} of {width**depth:,} ({width} moves, {depth} plies)")
    return judged(Word.TRUE, right, f"exactly so: {'; '.join(told)}")


def fewest(width: int, depth: int) -> int:
    """The leaves of the smallest tree that proves a value."""
    return int(width ** -(-depth // 2) + width ** (depth // 2) - 1)


@claim("twice-as-deep", "001", "the best move first, the search goes twice as deep in the same time")
def _twice() -> Verdict:
    draw = random.Random(SEED)
    counts = [(w, d, run_listing(find("alphabeta-failhard"), best_first(random_tree(draw, w, 2 * d)), 2 * d).leaves)
              for w, d in ((3, 3), (4, 3), (20, 1))]  # fmt: skip
    return judged(
        Word.TRUE,
        all(count == 2 * w**d - 1 for w, d, count in counts),
        "twice as deep for twice the leaves less one: "
        + "; ".join(f"minimax {w**d:,} at {d} plies, alpha-beta {count:,} at {2 * d}" for w, d, count in counts),
    )


@claim("rest-of-the-order", "001", "once the best move is first the order of the others does not matter")
def _rest() -> Verdict:
    draw = random.Random(SEED)
    counts = {
        run_listing(find("alphabeta-failhard"), mostly_best_first(tree, 1.0, draw), 6).leaves
        for tree in forest(10)
        for _ in range(5)
    }
    return judged(
        Word.TRUE,
        counts == {fewest(4, 6)},
        f"10 trees, the best move first at every node and the others shuffled five times: always {counts.pop()} leaves",
    )


@dataclass(frozen=True, slots=True)
class Race:
    """Alpha-beta and PVS on the same trees. share: of nodes where the best move is first."""

    share: float
    alphabeta: float
    pvs: float
    researches: float


@functools.cache
def races() -> tuple[Race, ...]:
    """By quality of the order: 30 trees of 6 moves and 5 plies."""
    trees, draw, found = forest(30, 6, 5), random.Random(SEED), list[Race]()
    for share in SHARES:
        ordered = [mostly_best_first(tree, share, draw) for tree in trees]
        plain = mean(run_listing(find("alphabeta-failhard"), tree, 5).leaves for tree in ordered)
        reports = [run_listing(find("pvs-failhard"), tree, 5) for tree in ordered]
        found.append(Race(share, plain, mean(r.leaves for r in reports), mean(r.researches for r in reports)))
    return tuple(found)


@claim("pvs-and-order", "001", "PVS is a small gain if the order is good; if it is not, it searches again")
def _pvs() -> Verdict:
    told = "; ".join(
        f"{race.share:.0%}: {race.alphabeta:,.0f} / {race.pvs:,.0f} ({race.researches:,.0f})" for race in races()
    )
    first, last = races()[0], races()[-1]
    return judged(
        Word.CONDITION,
        first.pvs > first.alphabeta and last.pvs == last.alphabeta and races()[2].pvs < races()[2].alphabeta,
        "leaves of alpha-beta / of PVS (searched again), by the share of nodes with the best move first, 30 trees of 6 "
        f"moves and 5 plies: {told}. Unordered it loses; the gain is largest where the order is good, and nothing is "
        "left to gain where it is perfect",
    )


class _Compared:
    """A score that counts how often it is compared."""

    comparisons = 0

    def __init__(self, score: int) -> None:
        self.score = score

    def __lt__(self, other: _Compared) -> bool:
        _Compared.comparisons += 1
        return self.score < other.score


@claim("heap", "000", "a heap is more efficient than sorting, because after a cut-off the rest need not be sorted")
def _heap() -> Verdict:
    told, better = [], []
    for width in (5, 10, 20, 40):
        for taken in (1, width):
            sort, heap = _comparisons(width, taken)
            better.append((taken == 1) == (heap < sort))
            told.append(f"{width} moves, {'one' if taken == 1 else 'all'} taken: {sort:.0f} / {heap:.0f}")
    return judged(
        Word.CONDITION,
        all(better[2:]),
        f"comparisons of sorting / of a heap, mean of 200 random orders: {'; '.join(told)}. A heap gains where the "
        "first moves cut, and loses at nodes that look at every move",
    )


def _comparisons(width: int, taken: int) -> tuple[float, float]:
    draw, sort, heap = random.Random(SEED), 0, 0
    for _ in range(200):
        scores = [_Compared(draw.randint(-100, 100)) for _ in range(width)]
        _Compared.comparisons = 0
        sorted(scores)
        sort += _Compared.comparisons
        _Compared.comparisons = 0
        waiting = list(scores)
        heapq.heapify(waiting)
        for _ in range(taken):
            heapq.heappop(waiting)
        heap += _Compared.comparisons
    return sort / 200, heap / 200
