"""Claims about values, best moves and strategies, judged on drawn and random trees and on tic-tac-toe."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

from scripts.docs.textbooks.claims_trees import SEED, forest, value_for_mover
from scripts.docs.textbooks.judged import Verdict, Word, claim, judged
from tabiya.bots.textbook.board import Judge, Wins
from tabiya.bots.textbook.catalogue import find
from tabiya.bots.textbook.compiled.searcher import CompiledListing
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.bots.textbook.node import INFINITY
from tabiya.bots.textbook.observers import Trace, Visit
from tabiya.bots.textbook.random_trees import random_tree
from tabiya.bots.textbook.run_listing import best_moves, run_listing
from tabiya.bots.textbook.tree import Tree, branch, leaf, numbered
from tabiya.games.position import Position
from tabiya.games.registry import load_game


def drawn(name: str, tree: Tree) -> Visit:
    """What a listing visits in a tree, and with which values."""
    trace = Trace()
    run_listing(find(name), tree, tree.height(), observers=[trace])
    assert trace.root is not None
    return trace.root


@claim("best-child", "000", "to find the best move take the child with the best value",
       "tabiya analyse --tree '[[3,5],[3,9],[2,7]]' -a minimax,alphabeta-failhard --trace")  # fmt: skip
def _best_child() -> Verdict:
    misled = {"000-negamax": 0, "001-alphabeta": 0}
    first = dict.fromkeys(misled, 0)
    trees = forest(100, 3, 4)
    for tree in trees:
        best = best_moves(find("minimax"), tree, 4)
        for name in misled:
            seen = drawn(name, tree).below
            most = max(-visit.value for visit in seen)
            equal = tuple(visit.node.move for visit in seen if -visit.value == most)
            misled[name] += equal != best
            first[name] += equal[0] != best[0]
    return judged(
        Word.CONDITION,
        misled["000-negamax"] == first["000-negamax"] == first["001-alphabeta"] == 0 < misled["001-alphabeta"],
        "true of minimax, and of the first best child of alpha-beta. But a child that alpha-beta has refuted may "
        f"return a bound equal to the best value: in {misled['001-alphabeta']} of {len(trees)} trees a move that is "
        "not best looks as good, so every best move has to be searched with the full window (our `best moves` are)",
    )


@claim("value-of-the-root", "000", "NegaMax(b, 0, c) returns the value that b has in minimax",
       "tabiya analyse --tree '[3,5]' --min -a 000-minimax,000-negamax --trace --view mover")  # fmt: skip
def _root() -> Verdict:
    from tabiya.bots.textbook.text_000.minimax import BlueValue, RedValue
    from tabiya.bots.textbook.text_000.negamax import NegaMax

    same, turned = [0, 0], [0, 0]
    for tree in forest(100, 3, 4):
        minimax = (BlueValue, RedValue)[tree.seat](tree, 0, 3)
        found = NegaMax(tree, 0, tree.seat, 3)
        same[tree.seat] += found == minimax
        turned[tree.seat] += found == -minimax
    return judged(
        Word.FALSE,
        same[0] == turned[1] == 50 and same[1] < 5,
        f"for blue in {same[0]} of 50 trees; for red in {same[1]} of 50: there it is minimax's value times -1 "
        f"({turned[1]} of 50), as the text says in the sentences before: the value is the one seen by color",
    )


@claim("moving-bounds", "000, 001", "within a node one bound stays and the other moves; alpha only grows, beta falls",
       "tabiya analyse --tree 001 -a 000-alphabeta --trace")  # fmt: skip
def _bounds() -> Verdict:
    nodes = wrong = 0
    for tree in forest(40):
        waiting = [drawn("000-alphabeta", tree)]
        while waiting:
            at = waiting.pop()
            waiting += at.below
            windows = [(at.alpha, at.beta), *((child.alpha, child.beta) for child in at.below)]
            moved, stayed = (0, 1) if at.node.seat == 0 else (1, 0)
            sign = 1 if at.node.seat == 0 else -1
            ends = [sign * window[moved] for window in windows]
            nodes += bool(at.below)
            wrong += ends != sorted(ends) or len({window[stayed] for window in windows}) > 1
            wrong += any(alpha >= beta for alpha, beta in windows)
    return judged(
        Word.TRUE, wrong == 0, f"windows of all children in 40 trees: {nodes:,} inner nodes, {wrong} exceptions"
    )


@claim("crossed-bounds", "001", "when beta becomes less than alpha the position need not be explored any further",
       "tabiya analyse --tree '[[1,2],[1,2]]' -a 001-alphabeta,alphabeta-strict --trace")  # fmt: skip
def _crossed() -> Verdict:
    equal = less = 0
    for tree in forest(40, most=5):
        waiting = [drawn("001-alphabeta", tree)]
        while waiting:
            at = waiting.pop()
            waiting += at.below
            if at.left:
                equal += -at.below[-1].value == at.beta
                less += -at.below[-1].value > at.beta
    return judged(
        Word.HALF,
        equal > 0 and less >= 0,
        f"not only then: the listing cuts when they meet (val >= beta). With eleven possible values {equal:,} of "
        f"{equal + less:,} cut-offs happen where val equals beta, and a search that waits for less visits more nodes",
    )


@claim("last-raise", "001", "the last move with val > best was the best move",
       "tabiya analyse --tree 001 -a 001-minimax")  # fmt: skip
def _last_raise() -> Verdict:
    right = several = 0
    trees = forest(100, 3, 4, 5)
    for tree in trees:
        best, move = -INFINITY, ""
        for visit in drawn("001-minimax", tree).below:
            if -visit.value > best:
                best, move = -visit.value, visit.node.move
        equal = best_moves(find("001-minimax"), tree, 4)
        right += move == equal[0]
        several += len(equal) > 1
    return judged(
        Word.TRUE,
        right == len(trees) and several > 10,
        f"in {right} of {len(trees)} trees; where several are best ({several} trees) it is the first of them",
    )


@claim("called-negascout", "001", "the comment in its alphabeta calls it Negascout",
       "tabiya analyse --tree '[[5,6],[7,8]]' -a 001-alphabeta,001-alphabetapvs --trace")  # fmt: skip
def _negascout() -> Verdict:
    narrow, same = {"001-alphabeta": 0, "001-alphabetapvs": 0}, 0
    trees = forest(40)
    for tree in trees:
        same += _numbers(drawn("001-alphabeta", tree)) == _numbers(drawn("000-negamax-alphabeta", tree))
        for name in narrow:
            narrow[name] += _null_windows(drawn(name, tree))
    return judged(
        Word.FALSE,
        same == len(trees) and narrow["001-alphabeta"] < narrow["001-alphabetapvs"] // 20,
        f"it is plain alpha-beta: in {same} of {len(trees)} trees it visits the nodes of 000's. What scouts with null "
        f"windows is its alphabetapvs ({narrow['001-alphabetapvs']:,} null windows; {narrow['001-alphabeta']:,} arise "
        "by themselves in alphabeta)",
    )


def _numbers(visit: Visit) -> list[int]:
    assert isinstance(visit.node, Tree)
    return [visit.node.number, *(number for below in visit.below for number in _numbers(below))]


def _null_windows(visit: Visit) -> int:
    return (visit.beta - visit.alpha == 1) + sum(map(_null_windows, visit.below))


@claim("null-window", "001", "the window (-alpha - 1, -alpha) assumes whole numbers (the text does not say so)")
def _null_window() -> Verdict:
    draw, wrong, again = random.Random(SEED), [0, 0], [0, 0]
    for _ in range(200):
        whole = random_tree(draw, 4, 4, 30)
        for at, tree in enumerate((whole, _tenths(whole))):
            report = run_listing(find("pvs-failhard"), tree, 4)
            wrong[at] += report.value != find("minimax").search(tree, 4)
            again[at] += report.researches
    return judged(
        Word.HALF,
        wrong == [0, 0] and again[0] != again[1],
        f"200 trees with whole numbers and with the same divided by ten: {wrong[0]} and {wrong[1]} wrong values. What "
        "lies between alpha and alpha + 1 comes back inside the window and is searched again, so the value is right "
        f"either way; only the searches again change ({again[0]:,} and {again[1]:,})",
    )


def _tenths(tree: Tree) -> Tree:
    """The tree with its leaves divided by ten: fractions, which drawn trees never have."""

    def divided(node: Tree) -> Tree:
        if node.over:
            tenth: Any = node.analysis() / 10
            return leaf(tenth)
        return branch([divided(child) for child in node.children])

    return numbered(divided(tree), tree.seat)


@claim("strategies", "002", "m = v(P): one strategy wins at least m, another lets the moving player win at most m")
def _strategies() -> Verdict:
    trees = forest(100, 3, 4)
    least = sum(_against_all(tree, tree.seat) == value_for_mover(tree) for tree in trees)
    most = sum(-_against_all(tree, 1 - tree.seat) == value_for_mover(tree) for tree in trees)
    return judged(
        Word.TRUE,
        least == most == len(trees),
        "the table of best moves against every possible play of the other side: the moving player wins at least v(P), "
        f"and exactly that against the best play, in {least} of {len(trees)} trees; as the other side it lets the "
        f"moving player win at most v(P) in {most}",
    )


def _against_all(tree: Tree, seat: int) -> int:
    """The worst that can happen to `seat`, for itself, when it always plays the best move and the other anything."""
    if tree.over:
        return tree.analysis() if seat == 0 else -tree.analysis()
    if tree.seat == seat:
        line = run_listing(find("minimax"), tree, tree.height()).line
        return _against_all(tree.play(line[0]), seat)
    return min(_against_all(child, seat) for child in tree.children)


@claim("perfect-play", "003, 004", "minimax never loses tic-tac-toe, whatever the other side plays",
       "tabiya play minimax:9 --game tictactoe")  # fmt: skip
def _perfect_play() -> Verdict:
    games, lost = [0, 0], [0, 0]
    for seat in (0, 1):
        for result in _all_games(load_game("tictactoe").start(), seat, _solver()):
            games[seat] += 1
            lost[seat] += result == 1 - seat
    return judged(
        Word.TRUE,
        lost == [0, 0] and min(games) > 50,
        f"against every possible reply: {games[0]:,} games as X, {lost[0]} lost; {games[1]:,} as O, {lost[1]} lost",
    )


def _solver() -> Callable[[Position], str]:
    twin = CompiledListing(find("minimax"), Judge(book_evaluator(load_game("tictactoe"))))
    return functools.cache(lambda position: twin.search(position, 9).move or position.legal_moves()[0])


def _all_games(position: Position, seat: int, choose: Callable[[Position], str]) -> list[int | None]:
    """The winner of every game that can arise when `seat` plays as `choose` says and the other side anything."""
    outcome = position.outcome()
    if outcome is not None:
        return [outcome.winner]
    moves = [choose(position)] if position.to_move == seat else position.legal_moves()
    return [winner for move in moves for winner in _all_games(position.play(move), seat, choose)]


@claim("as-bad-as-lost", "004", "being forced to lose later is as bad as having lost",
       "tabiya analyse tictactoe -p '3x3x3 XX-O-O--- X' -d 9 -a 004-minimax --wins one")  # fmt: skip
def _as_bad() -> Verdict:
    game, dawdling, decided = load_game("tictactoe"), 0, 0
    one, sooner = (
        CompiledListing(find("minimax"), Judge(book_evaluator(game), wins=wins)) for wins in (Wins.ONE, Wins.SOONER)
    )
    for position in _open_positions(game.start()):
        if one.search(position, 9).value:
            decided += 1
            dawdling += set(one.best_moves(position, 9)) > set(sooner.best_moves(position, 9))
    return judged(
        Word.CONDITION,
        0 < dawdling < decided,
        f"right for the value, with a price: in {dawdling:,} of {decided:,} decided positions of tic-tac-toe more "
        "moves are best than those that win soonest or lose latest, and a program may put off its win. With "
        "`--wins sooner`, our usual, a win in n plies is worth 30,000 - n",
    )


def _open_positions(start: Position) -> list[Position]:
    seen, waiting = {start.text(): start}, [start]
    while waiting:
        at = waiting.pop()
        for child in map(at.play, at.legal_moves()):
            if child.text() not in seen and child.outcome() is None:
                seen[child.text()] = child
                waiting.append(child)
    return list(seen.values())
