"""Claims about values, best moves and strategies, judged on drawn and random trees and on tic-tac-toe."""

from __future__ import annotations

import functools
import random
from collections import Counter
from typing import Any

from scripts.docs.textbooks.finding import Finding
from scripts.docs.textbooks.positions import reachable, twin
from scripts.docs.textbooks.trees import SEED, forest, numbers, recorded, value_for_mover, windows
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.node import INFINITY, Wins
from tabiya.bots.textbook.random_trees import random_tree
from tabiya.bots.textbook.run_listing import best_moves, run_listing
from tabiya.bots.textbook.text_000.minimax import BlueValue, RedValue
from tabiya.bots.textbook.text_000.negamax import NegaMax
from tabiya.bots.textbook.tree import Tree, branch, leaf, numbered
from tabiya.games.position import Position
from tabiya.games.registry import load_game


def best_child() -> Finding:
    misled, first, trees = Counter[str](), Counter[str](), forest(100, 3, 4)
    for tree in trees:
        best = best_moves(find("minimax"), tree, 4)
        for name in ("000-negamax", "001-alphabeta"):
            seen = recorded(name, tree)
            values = {seen.move_of(visit): -seen.value[visit] for visit in seen.below(0)}
            equal = tuple(move for move, value in values.items() if value == max(values.values()))
            misled[name] += equal != best
            first[name] += equal[0] != best[0]
    holds = misled["000-negamax"] == first.total() == 0 < misled["001-alphabeta"]
    return holds, {"misled": misled["001-alphabeta"], "trees": len(trees)}


def value_of_the_root() -> Finding:
    same, turned = [0, 0], [0, 0]
    for tree in forest(100, 3, 4):
        minimax = (BlueValue, RedValue)[tree.seat](tree, 0, 3)
        found = NegaMax(tree, 0, tree.seat, 3)
        same[tree.seat] += found == minimax
        turned[tree.seat] += found == -minimax
    return same[0] == turned[1] == 50 and same[1] < 5, {"same": same, "turned": turned}


def moving_bounds() -> Finding:
    nodes = wrong = 0
    for seen in (recorded("000-alphabeta", tree) for tree in forest(40)):
        everywhere = windows(seen)
        for visit, seat in enumerate(seen.columns["seat"]):
            here = [everywhere[at] for at in (visit, *seen.below(visit))]
            moved, sign = (0, 1) if seat == 0 else (1, -1)
            ends = [sign * window[moved] for window in here]
            nodes += len(here) > 1
            wrong += ends != sorted(ends) or len({window[1 - moved] for window in here}) > 1
            wrong += any(alpha >= beta for alpha, beta in here)
    return wrong == 0, {"nodes": nodes, "wrong": wrong}


def crossed_bounds() -> Finding:
    beyond = list[int]()  # by how much what cut was above beta
    for seen in (recorded("001-alphabeta", tree) for tree in forest(40, most=5)):
        cuts = (visit for visit, left in enumerate(seen.left_count) if left)
        beyond += (-seen.value[list(seen.below(visit))[-1]] - seen.columns["beta"][visit] for visit in cuts)
    equal = beyond.count(0)
    return equal > 0 and min(beyond) == 0, {"equal": equal, "cuts": len(beyond)}


def last_raise() -> Finding:
    right, several, trees = 0, 0, forest(100, 3, 4, 5)
    for tree in trees:
        best, move = -INFINITY, ""
        seen = recorded("001-minimax", tree)
        for visit in seen.below(0):
            if -seen.value[visit] > best:
                best, move = -seen.value[visit], seen.move_of(visit)
        equal = best_moves(find("001-minimax"), tree, 4)
        right += move == equal[0]
        several += len(equal) > 1
    return right == len(trees) and several > 10, {"right": right, "trees": len(trees), "several": several}


def called_negascout() -> Finding:
    trees = forest(40)
    same = sum(
        numbers(recorded("001-alphabeta", tree)) == numbers(recorded("000-negamax-alphabeta", tree)) for tree in trees
    )
    plain, scouting = (
        sum(beta - alpha == 1 for tree in trees for alpha, beta in windows(recorded(name, tree)))
        for name in ("001-alphabeta", "001-alphabetapvs")
    )
    holds = same == len(trees) and plain < scouting // 20
    return holds, {"same": same, "trees": len(trees), "scouting": scouting, "plain": plain}


def null_window() -> Finding:
    draw, wrong, again = random.Random(SEED), [0, 0], [0, 0]
    for _ in range(200):
        whole = random_tree(draw, 4, 4, 30)
        for at, tree in enumerate((whole, numbered(_tenths(whole), whole.seat))):
            report = run_listing(find("pvs-failhard"), tree, 4)
            wrong[at] += report.value != find("minimax").search(tree, 4)
            again[at] += report.researches
    return wrong == [0, 0] and again[0] != again[1], {"wrong": wrong, "again": again}


def _tenths(node: Tree) -> Tree:
    """The tree with its leaves divided by ten: fractions, which drawn trees never have."""
    tenth: Any = node.analysis() / 10 if node.over else 0
    return leaf(tenth) if node.over else branch([_tenths(child) for child in node.children])


def strategies() -> Finding:
    trees = forest(100, 3, 4)
    least = sum(_against_all(tree, tree.seat) == value_for_mover(tree) for tree in trees)
    most = sum(-_against_all(tree, 1 - tree.seat) == value_for_mover(tree) for tree in trees)
    return least == most == len(trees), {"least": least, "most": most, "trees": len(trees)}


def _against_all(tree: Tree, seat: int) -> int:
    """The worst that can happen to `seat`, for itself, when it always plays the best move and the other anything."""
    if tree.over:
        return tree.analysis() if seat == 0 else -tree.analysis()
    if tree.seat == seat:
        line = run_listing(find("minimax"), tree, tree.height()).line
        return _against_all(tree.play(line[0]), seat)
    return min(_against_all(child, seat) for child in tree.children)


def perfect_play() -> Finding:
    games = [_winners(load_game("tictactoe").start(), seat) for seat in (0, 1)]
    lost = [winners.count(1 - seat) for seat, winners in enumerate(games)]
    played = [len(winners) for winners in games]
    return lost == [0, 0] and min(played) > 50, {"games": played, "lost": lost}


def _winners(position: Position, seat: int) -> list[int | None]:
    """The winner of every game that can arise when `seat` plays by minimax and the other side anything."""
    outcome = position.outcome()
    if outcome is not None:
        return [outcome.winner]
    moves = [_by_minimax(position)] if position.to_move == seat else position.legal_moves()
    return [winner for move in moves for winner in _winners(position.play(move), seat)]


@functools.cache
def _by_minimax(position: Position) -> str:
    return twin("minimax", position.game).search(position, 9).move or position.legal_moves()[0]


def as_bad_as_lost() -> Finding:
    game = load_game("tictactoe")
    one, sooner = (twin("minimax", game, wins=wins) for wins in (Wins.ONE, Wins.SOONER))
    undecided_too = (position for position in reachable(game.start()) if position.outcome() is None)
    decided = [position for position in undecided_too if one.search(position, 9).value]
    dawdling = sum(set(one.best_moves(at, 9)) > set(sooner.best_moves(at, 9)) for at in decided)
    return 0 < dawdling < len(decided), {"dawdling": dawdling, "decided": len(decided)}
