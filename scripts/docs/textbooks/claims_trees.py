"""Claims judged on drawn and on random trees: counts, the same on every machine."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from statistics import mean
from types import ModuleType

from scripts.docs.textbooks.judged import Verdict, Word, claim, judged
from tabiya.bots.textbook.catalogue import LISTINGS, Fail, find
from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.observers import Trace, Visit
from tabiya.bots.textbook.random_trees import exact, random_tree
from tabiya.bots.textbook.run_listing import run_listing
from tabiya.bots.textbook.tree import Tree

SEED = 2011
WIDTH, DEPTH, TREES = 4, 6, 200


@functools.cache
def forest(count: int = TREES, width: int = WIDTH, depth: int = DEPTH, most: int = 100) -> tuple[Tree, ...]:
    """Random trees, Max and Min to move in turn at their roots."""
    draw = random.Random(SEED)
    return tuple(random_tree(draw, width, depth, most, seat=number % 2) for number in range(count))


def leaves(name: str, trees: tuple[Tree, ...]) -> float:
    """Leaves that a listing visits in a tree, on the average."""
    return mean(run_listing(find(name), tree, tree.height()).leaves for tree in trees)


def value_for_mover(tree: Tree) -> int:
    """The exact value for the side to move at the root."""
    return exact(tree) if tree.seat == 0 else -exact(tree)


@claim("same-value-fewer-nodes", "000, 001, 003", "alpha-beta returns the value of minimax and visits far fewer nodes",
       "tabiya analyse --tree '[[9,8,7],[6,5,4]]'")  # fmt: skip
def _same_value() -> Verdict:
    names = ("minimax", "000-alphabeta", "001-alphabeta", "002-maxab-minab", "004-alphabeta-corrected")
    wrong = sum(find(name).search(tree, DEPTH) != value_for_mover(tree) for name in names for tree in forest())
    counts = [leaves(name, forest()) for name in names]
    return judged(
        Word.TRUE,
        wrong == 0 and len(set(counts[1:])) == 1,
        f"{TREES} random trees ({WIDTH} moves, {DEPTH} plies): minimax visits {counts[0]:,.0f} leaves, the alpha-betas "
        f"of 000, 001, 002 and of 004 corrected {counts[1]:,.0f} each on the average; {wrong} values differ",
    )


@claim("printed-004", "004", "its alpha-beta as printed prunes",
       "tabiya analyse --tree '[5,[[[3,9],7],6]]' -a 004-alphabeta-printed,002-maxab-minab --trace")  # fmt: skip
def _printed() -> Verdict:
    wrong = sum(find("004-alphabeta-printed").search(tree, DEPTH) != value_for_mover(tree) for tree in forest())
    printed, corrected = (leaves(f"004-alphabeta-{form}", forest()) for form in ("printed", "corrected"))
    return judged(
        Word.HALF,
        wrong == 0 and printed > 1.3 * corrected,
        f"the value is right in all {TREES} trees, but setting alpha to -infinity at every maximising node (beta at "
        f"every minimising one) forgets all bounds from further up: {printed:,.0f} leaves against {corrected:,.0f} "
        "without that",
    )


@claim("deep-cut-offs", "002", "pruning can occur many levels deep in the tree",
       "tabiya analyse --tree '[5,[[[3,9],7],6]]' -a 002-ab --trace")  # fmt: skip
def _deep() -> Verdict:
    found = [deepest_reach(tree) for tree in forest(40)]
    return judged(
        Word.TRUE,
        max(found) >= 3,
        f"in {sum(reach >= 3 for reach in found)} of 40 trees a bound cuts three plies below the node that set it or "
        "deeper",
    )


def deepest_reach(tree: Tree) -> int:
    """Over how many plies a bound travelled before it cut, at most."""
    trace = Trace()
    run_listing(find("002-maxab-minab"), tree, tree.height(), observers=[trace])
    assert trace.root is not None
    return max(_reaches(trace.root, []), default=0)


def _reaches(visit: Visit, path: list[Visit]) -> list[int]:
    found = []
    if visit.left:
        bound = "alpha" if visit.node.seat == 1 else "beta"
        same = [at for at, above in enumerate(path) if getattr(above, bound) == getattr(visit, bound)]
        found.append(len(path) - (same[0] - 1 if same else len(path) - 1))
    for below in visit.below:
        found += _reaches(below, [*path, visit])
    return found


@claim("contracts-differ", "000, 001, 002", "fail-soft, fail-hard and the theorem's form: one algorithm?",
       "tabiya analyse --tree 001 --window=2,5 -a alphabeta-failsoft,alphabeta-failhard,alphabeta-theorem")  # fmt: skip
def _contracts() -> Verdict:
    draw, trees = random.Random(SEED), forest(300, 3, 4, 20)
    different = full = 0
    for tree in trees:
        alpha = draw.randint(-20, 19)
        windows = ((alpha, alpha + draw.randint(1, 8)), (-INFINITY, INFINITY))
        for at, window in enumerate(windows):
            values = {find(n).search(tree, 4, *window) for n in ("000-negamax-alphabeta", "001-alphabeta", "002-ab")}
            different += len(values) > 1 and at == 0
            full += len(values) > 1 and at == 1
    return judged(
        Word.HALF,
        different > 100 and full == 0,
        f"narrow windows: they return different numbers in {different} of 300 trees; the full window: in {full}",
    )


@claim("window-theorem", "002", "X <= alpha, between, or >= beta: what a returned X says of the exact value")
def _theorem() -> Verdict:
    draw, cases, wrong = random.Random(SEED), [0, 0, 0], 0
    windowed = [listing for listing in LISTINGS if listing.fail is not Fail.EXACT]
    for tree in forest(300, 3, 4, 20):
        alpha = draw.randint(-20, 19)
        beta = alpha + draw.randint(1, 8)
        value = value_for_mover(tree)
        for listing in windowed:
            found = listing.search(tree, 4, alpha, beta)
            case = 0 if found <= alpha else 2 if found >= beta else 1
            cases[case] += 1
            wrong += not (value <= alpha, value == found, value >= beta)[case]
    return judged(
        Word.TRUE,
        wrong == 0,
        f"{len(windowed)} listings on 300 trees with narrow windows: {cases[0]:,} times below, {cases[1]:,} inside, "
        f"{cases[2]:,} above, {wrong} exceptions",
    )


@claim("some-leaf", "002", "every returned value is the value of some leaf")
def _some_leaf() -> Verdict:
    full = narrow = values = 0
    draw = random.Random(SEED)
    for tree in forest(60, 3, 4, 20):
        known = _leaf_values(tree)
        alpha = draw.randint(-20, 19)
        for window in ((-INFINITY, INFINITY), (alpha, alpha + 3)):
            trace = Trace()
            find("002-maxab-minab").search(tree, 4, *window, observer=trace)
            assert trace.root is not None
            strange = [value for value in _values(trace.root) if value not in known]
            values += len(_values(trace.root)) * (window[0] == -INFINITY)
            full += len(strange) * (window[0] == -INFINITY)
            narrow += len(strange) * (window[0] != -INFINITY)
    return judged(
        Word.CONDITION,
        full == 0 and narrow > 0,
        f"true for a search with the full window: {values:,} values, {full} of them no leaf's. Called with a narrow "
        f"window of its own the root returns its edge: {narrow} values that no leaf has",
    )


def _leaf_values(tree: Tree) -> set[int]:
    return set().union(*map(_leaf_values, tree.children)) if tree.children else {tree.analysis()}


def _values(visit: Visit) -> list[int]:
    return [visit.value, *(value for below in visit.below for value in _values(below))]


@claim("equal-cuts", "000", "cutting at alpha >= beta instead of alpha > beta is slightly faster",
       "tabiya analyse --tree '[[1,2],[1,2]]' -a alphabeta-failsoft,alphabeta-strict --trace")  # fmt: skip
def _equal() -> Verdict:
    told, better = [], True
    for most in (1, 5, 100, 100_000):
        trees = forest(40, 4, 6, most)
        usual, strict = leaves("alphabeta-failsoft", trees), leaves("alphabeta-strict", trees)
        better &= usual <= strict
        told.append(f"{2 * most + 1:,}: {usual:,.0f} / {strict:,.0f}")
    return judged(
        Word.TRUE,
        better,
        "the more so the fewer values there are: leaves of >= / of > in 40 trees of 4 moves and 6 plies, by the number "
        f"of possible values: {'; '.join(told)}",
    )


@claim("same-nodes", "000, 001, 002, 003", "negamax visits the nodes of minimax, in the same order, with its result",
       "tabiya analyse --tree 001 -a 003-minmax,003-negamax --trace")  # fmt: skip
def _same_nodes() -> Verdict:
    pairs = (
        ("003-minmax", "003-negamax"),
        ("003-minmax", "001-minimax"),
        ("000-minimax", "000-negamax"),
        ("002-max-min", "002-negamax"),
        ("000-alphabeta", "000-negamax-alphabeta"),
        ("002-maxab-minab", "002-ab"),
    )
    same = sum(_path(one, tree) == _path(other, tree) for one, other in pairs for tree in forest(40, 3, 4))
    return judged(
        Word.TRUE,
        same == 40 * len(pairs),
        f"{same} of {40 * len(pairs)}: {len(pairs)} pairs of listings of 000 to 003, with and without bounds, on 40 "
        "trees",
    )


def _path(name: str, tree: Tree) -> tuple[int, tuple[int, ...]]:
    trace = Trace()
    value = find(name).search(tree, tree.height(), observer=trace)
    assert trace.root is not None
    return value, tuple(_numbers(trace.root))


def _numbers(visit: Visit) -> list[int]:
    assert isinstance(visit.node, Tree)
    return [visit.node.number, *(number for below in visit.below for number in _numbers(below))]


@claim("lost-sign", "000, 001", "a lost minus or sign[color] plays the worst moves for both sides, or for one of them")
def _lost_sign() -> Verdict:
    from tabiya.bots.textbook.text_000 import negamax

    told, wrongs = [], []
    for what, sign, before, after in (
        ("without the minus", 1, "x = -NegaMax", "x = NegaMax"),
        ("without sign[color]", -1, "sign[color] * b.analysis()", "b.analysis()"),
    ):
        broken = _changed(negamax, before, after)
        wrong = [0, 0]
        for tree in forest(200, 3, 3):
            wrong[tree.seat] += _chosen(broken, sign, tree) != _chosen(negamax.NegaMax, -1, tree)
        wrongs.append(wrong)
        told.append(f"{what} another move is chosen in {wrong[0]} of 100 trees for blue and {wrong[1]} of 100 for red")
    philosophy = sum(_of_one_side(tree, 3) != find("001-minimax").search(tree, 3) for tree in forest(200, 3, 3))
    return judged(
        Word.TRUE,
        min(wrongs[0]) > 50 and min(wrongs[1]) == 0 < max(wrongs[1]) and philosophy > 50,
        "; ".join(told) + f". 001's minimax with an eval that is always White's gets {philosophy} of 200 values wrong. "
        "Three plies; every such change of a listing fails a test",
    )


def _of_one_side(tree: Tree, depth: int) -> int:
    """001's minimax with an evaluation from White's view instead of the mover's."""
    return tree.analysis() if depth == 0 else max(-_of_one_side(child, depth - 1) for child in tree.children)


def _changed(module: ModuleType, before: str, after: str) -> Callable[..., int]:
    import inspect

    source = inspect.getsource(module)
    assert source.count(before) == 1
    namespace: dict[str, Callable[..., int]] = {}
    exec(source.replace(before, after), namespace)  # noqa: S102 - our own listing with one sign less
    return namespace["NegaMax"]


def _chosen(function: Callable[..., int], sign: int, tree: Tree) -> str:
    """The move with the best x, as the listing's own loop would find it at the root."""
    values = {child.move: sign * function(child, 1, child.seat, 2) for child in tree.children}
    return max(values, key=lambda move: values[move])


@claim("one-ply-more", "000, 001", "depth > MaxDepth and depth == 0 bound the same search",
       "tabiya analyse --tree 001 -a 000-minimax,001-minimax")  # fmt: skip
def _one_ply_more() -> Verdict:
    from tabiya.bots.textbook.text_000.minimax import BlueValue
    from tabiya.bots.textbook.text_001.minimax import minimax

    same = sum(BlueValue(tree, 0, 3) == minimax(tree, 4) for tree in forest(100, 3, 4) if tree.seat == 0)
    return judged(
        Word.HALF,
        same == 50,
        f"000's MaxDepth = 3 searches four plies, as 001's minimax(4) and 003's MinMax(4): {same} of 50 values agree. "
        "Our commands mean plies everywhere",
    )


@claim("triangular-array", "001", "the line is triangularArray[0][0..triangularLength[0]]",
       "tabiya analyse --tree 001 -a 001-triangular")  # fmt: skip
def _triangular() -> Verdict:
    from tabiya.bots.textbook.text_001.triangular import minimax

    right = 0
    for tree in forest(100, 3, 4):
        array: dict[int, dict[int, str]] = {ply: {} for ply in range(6)}
        length: dict[int, int] = {}
        minimax(tree, 0, 4, array, length)
        line = tuple(array[0][at] for at in range(length[0]))
        right += line == run_listing(find("minimax"), tree, 4).line and length[0] == 4 and 4 not in array[0]
    return judged(
        Word.HALF,
        right == 100,
        f"the length is one past the last move: [0..triangularLength[0]] read with its end names a move that does not "
        f"exist, without it the line is right ({right} of 100 trees of four plies)",
    )


@claim("preclusion-saves", "002", "where values are -1, 0 and 1 a search may stop at a winning move",
       "tabiya analyse nim -o heaps=3,4,5 -d 12 -a 002-negamax,002-preclusion,002-ab --wins one")  # fmt: skip
def _preclusion() -> Verdict:
    trees = forest(40, 4, 6, 1)
    wrong = sum(find("preclusion").search(tree, 6) != value_for_mover(tree) for tree in trees)
    whole, precluded, windowed = (mean(run_listing(find(name), tree, 6).nodes for tree in trees)
                                  for name in ("002-negamax", "002-preclusion", "002-ab"))  # fmt: skip
    return judged(
        Word.TRUE,
        wrong == 0 and windowed <= precluded < whole,
        f"{wrong} of 40 values change; nodes on the average: {whole:,.0f} without, {precluded:,.0f} with it, and "
        f"{windowed:,.0f} by alpha-beta, its generalisation",
    )
