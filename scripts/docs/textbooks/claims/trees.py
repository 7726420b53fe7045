"""Claims judged on drawn and on random trees: counts, the same on every machine."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from statistics import mean
from types import ModuleType

from scripts.docs.textbooks.finding import Finding
from scripts.docs.textbooks.trees import (
    DEPTH,
    FULL_WINDOW,
    SEED,
    TREES,
    WIDTH,
    forest,
    leaves,
    numbers,
    recorded,
    value_for_mover,
    wrong_values,
)
from tabiya.bots.textbook.catalogue import LISTINGS, Fail, find
from tabiya.bots.textbook.recording.recording import Recording
from tabiya.bots.textbook.run_listing import run_listing
from tabiya.bots.textbook.text_000 import negamax
from tabiya.bots.textbook.text_000.minimax import BlueValue
from tabiya.bots.textbook.text_001 import minimax, triangular
from tabiya.bots.textbook.tree import Tree


def same_value_fewer_nodes() -> Finding:
    names = ("minimax", "000-alphabeta", "001-alphabeta", "002-maxab-minab", "004-alphabeta-corrected")
    wrong = sum(wrong_values(name, forest()) for name in names)
    counts = [leaves(name, *forest()) for name in names]
    holds = wrong == 0 and len(set(counts[1:])) == 1
    return holds, {"trees": TREES, "width": WIDTH, "depth": DEPTH, "counts": counts, "wrong": wrong}


def printed_004() -> Finding:
    printed, corrected = (leaves(f"004-alphabeta-{form}", *forest()) for form in ("printed", "corrected"))
    holds = wrong_values("004-alphabeta-printed", forest()) == 0 and printed > 1.3 * corrected
    return holds, {"trees": TREES, "printed": printed, "corrected": corrected}


def deep_cut_offs() -> Finding:
    found = [max(_reaches(recorded("002-maxab-minab", tree)), default=0) for tree in forest(40)]
    return max(found) >= 3, {"deep": sum(reach >= 3 for reach in found)}


def _reaches(recording: Recording) -> list[int]:
    """Over how many plies each bound that cuts has travelled."""
    found = []
    for visit in range(len(recording)):
        if recording.left_count[visit]:
            bounds = recording.columns["alpha" if recording.columns["seat"][visit] == 1 else "beta"]
            path = recording.path(visit)[:-1]
            same = [at for at, above in enumerate(path) if bounds[above] == bounds[visit]]
            found.append(len(path) - (same[0] - 1 if same else len(path) - 1))
    return found


def contracts_differ() -> Finding:
    draw, names = random.Random(SEED), ("000-negamax-alphabeta", "001-alphabeta", "002-ab")
    different = full = 0
    for tree in forest(300, 3, 4, 20):
        alpha = draw.randint(-20, 19)
        narrow = alpha, alpha + draw.randint(1, 8)
        different += len({find(name).search(tree, 4, *narrow) for name in names}) > 1
        full += len({find(name).search(tree, 4, *FULL_WINDOW) for name in names}) > 1
    return different > 100 and full == 0, {"different": different, "full": full}


def window_theorem() -> Finding:
    draw, cases, wrong = random.Random(SEED), [0, 0, 0], 0
    windowed = [listing for listing in LISTINGS if listing.fail is not Fail.EXACT]
    for tree in forest(300, 3, 4, 20):
        alpha = draw.randint(-20, 19)
        beta, value = alpha + draw.randint(1, 8), value_for_mover(tree)
        for listing in windowed:
            found = listing.search(tree, 4, alpha, beta)
            case = 0 if found <= alpha else 2 if found >= beta else 1
            cases[case] += 1
            wrong += not (value <= alpha, value == found, value >= beta)[case]
    return wrong == 0, {"listings": len(windowed), "cases": cases, "wrong": wrong}


def some_leaf() -> Finding:
    draw, values, full, narrow = random.Random(SEED), 0, 0, 0
    for tree in forest(60, 3, 4, 20):
        known, alpha = _leaf_values(tree), draw.randint(-20, 19)
        of_full, of_narrow = (
            [value not in known for value in recorded("002-maxab-minab", tree, window).value]
            for window in (FULL_WINDOW, (alpha, alpha + 3))
        )
        values += len(of_full)
        full += sum(of_full)
        narrow += sum(of_narrow)
    return full == 0 and narrow > 0, {"values": values, "full": full, "narrow": narrow}


def _leaf_values(tree: Tree) -> set[int]:
    return set().union(*map(_leaf_values, tree.children)) if tree.children else {tree.analysis()}


def equal_cuts() -> Finding:
    parts, better = [], True
    for most in (1, 5, 100, 100_000):
        trees = forest(40, 4, 6, most)
        usual, strict = leaves("alphabeta-failsoft", *trees), leaves("alphabeta-strict", *trees)
        better &= usual <= strict
        parts.append(f"{2 * most + 1:,}: {usual:,.0f} / {strict:,.0f}")
    return better, {"told": "; ".join(parts)}


def same_nodes() -> Finding:
    pairs = (
        ("003-minmax", "003-negamax"),
        ("003-minmax", "001-minimax"),
        ("000-minimax", "000-negamax"),
        ("002-max-min", "002-negamax"),
        ("000-alphabeta", "000-negamax-alphabeta"),
        ("002-maxab-minab", "002-ab"),
    )
    same = sum(_path(one, tree) == _path(other, tree) for one, other in pairs for tree in forest(40, 3, 4))
    return same == 40 * len(pairs), {"same": same, "all": 40 * len(pairs), "pairs": len(pairs)}


def _path(name: str, tree: Tree) -> tuple[int, list[int]]:
    return find(name).search(tree, tree.height()), numbers(recorded(name, tree))


def lost_sign() -> Finding:
    parts, wrongs = [], []
    for what, sign, before, after in (
        ("without the minus", 1, "x = -NegaMax", "x = NegaMax"),
        ("without sign[color]", -1, "sign[color] * b.analysis()", "b.analysis()"),
    ):
        broken, wrong = _changed(negamax, before, after), [0, 0]
        for tree in forest(200, 3, 3):
            wrong[tree.seat] += _chosen(broken, sign, tree) != _chosen(negamax.NegaMax, -1, tree)
        wrongs.append(wrong)
        parts.append(f"{what} another move is chosen in {wrong[0]} of 100 trees for blue and {wrong[1]} of 100 for red")
    one_sided = sum(_of_one_side(tree, 3) != find("001-minimax").search(tree, 3) for tree in forest(200, 3, 3))
    holds = min(wrongs[0]) > 50 and min(wrongs[1]) == 0 < max(wrongs[1]) and one_sided > 50
    return holds, {"told": "; ".join(parts), "one_sided": one_sided}


def _of_one_side(tree: Tree, depth: int) -> int:
    """001's minimax with an evaluation from White's view instead of the mover's."""
    return tree.analysis() if depth == 0 else max(-_of_one_side(child, depth - 1) for child in tree.children)


def _changed(module: ModuleType, before: str, after: str) -> Callable[..., int]:
    source = inspect.getsource(module)
    assert source.count(before) == 1
    namespace: dict[str, Callable[..., int]] = {}
    exec(source.replace(before, after), namespace)  # noqa: S102 - our own listing with one sign less
    return namespace["NegaMax"]


def _chosen(function: Callable[..., int], sign: int, tree: Tree) -> str:
    """The move with the best x, as the listing's own loop would find it at the root."""
    values = {child.move: sign * function(child, 1, child.seat, 2) for child in tree.children}
    return max(values, key=lambda move: values[move])


def one_ply_more() -> Finding:
    same = sum(BlueValue(tree, 0, 3) == minimax.minimax(tree, 4) for tree in forest(100, 3, 4) if tree.seat == 0)
    return same == 50, {"same": same}


def triangular_array() -> Finding:
    right = 0
    for tree in forest(100, 3, 4):
        array: dict[int, dict[int, str]] = {ply: {} for ply in range(6)}
        length: dict[int, int] = {}
        triangular.minimax(tree, 0, 4, array, length)
        line = tuple(array[0][at] for at in range(length[0]))
        right += line == run_listing(find("minimax"), tree, 4).line and length[0] == 4 and 4 not in array[0]
    return right == 100, {"right": right}


def preclusion_saves() -> Finding:
    trees = forest(40, 4, 6, 1)
    wrong = wrong_values("preclusion", trees)
    whole, precluded, windowed = (
        mean(run_listing(find(name), tree, 6).nodes for tree in trees)
        for name in ("002-negamax", "002-preclusion", "002-ab")
    )
    holds = wrong == 0 and windowed <= precluded < whole
    return holds, {"wrong": wrong, "whole": whole, "precluded": precluded, "windowed": windowed}
