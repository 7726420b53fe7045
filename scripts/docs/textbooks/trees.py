"""The seeded random trees that claims are judged on, and the nodes that a listing visits in them."""

from __future__ import annotations

import functools
import random
from statistics import mean
from typing import NamedTuple

from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.random_trees import exact, mostly_best_first, random_tree
from tabiya.bots.textbook.recording.recording import Recorder, Recording
from tabiya.bots.textbook.run_listing import run_listing
from tabiya.bots.textbook.tree import Tree

SEED = 2011
WIDTH, DEPTH, TREES = 4, 6, 200
SHARES = (0.0, 0.5, 0.8, 0.9, 0.95, 1.0)  # of the nodes of a race at which the best move is first
FULL_WINDOW = (-INFINITY, INFINITY)


@functools.cache
def forest(count: int = TREES, width: int = WIDTH, depth: int = DEPTH, most: int = 100) -> tuple[Tree, ...]:
    """Random trees, Max and Min to move in turn at their roots."""
    draw = random.Random(SEED)
    return tuple(random_tree(draw, width, depth, most, seat=number % 2) for number in range(count))


def leaves(name: str, *trees: Tree) -> float:
    """Leaves that a listing visits in a tree, on the average."""
    return mean(run_listing(find(name), tree, tree.height()).leaves for tree in trees)


def value_for_mover(tree: Tree) -> int:
    """The exact value for the side to move at the root."""
    return exact(tree) if tree.seat == 0 else -exact(tree)


def wrong_values(name: str, trees: tuple[Tree, ...]) -> int:
    """In how many trees a listing does not return the exact value."""
    return sum(find(name).search(tree, tree.height()) != value_for_mover(tree) for tree in trees)


def recorded(name: str, tree: Tree, window: tuple[int, int] = FULL_WINDOW) -> Recording:
    """The search of a tree by a listing: which nodes it visits, with which windows and values."""
    listing, recorder = find(name), Recorder()
    listing.search(tree, tree.height(), *window, observer=recorder)
    return recorder.recording(of_mover=listing.of_mover)


def numbers(recording: Recording) -> list[int]:
    """The numbers of the visited nodes, in order."""
    return list(recording.columns["number"])


def windows(recording: Recording) -> list[tuple[int, int]]:
    """Alpha and beta of the visits, in order, from the listing's view."""
    return list(zip(recording.columns["alpha"], recording.columns["beta"], strict=True))


def fewest(width: int, depth: int) -> int:
    """The leaves of the smallest tree that proves a value."""
    return int(width ** -(-depth // 2) + width ** (depth // 2) - 1)


class Race(NamedTuple):
    """Leaves of alpha-beta and of PVS on the same trees. share: of nodes where the best move is first."""

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
        reports = [run_listing(find("pvs-failhard"), tree, 5) for tree in ordered]
        plain, researches = leaves("alphabeta-failhard", *ordered), mean(report.researches for report in reports)
        found.append(Race(share, plain, mean(report.leaves for report in reports), researches))
    return tuple(found)
