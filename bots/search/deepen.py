"""The root: iterative deepening over any algorithm, ties broken by chance if asked, results published per iteration.

The algorithm is a kernel type like the game, so each pair of both is compiled once and calls directly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from bots.search.alphabeta import alphabeta
from bots.search.clock import now_ns
from bots.search.minimax import minimax
from bots.search.order import NO_MOVE, bring_best, list_moves, score_moves
from bots.search.path import keep_line
from bots.search.pvs import pvs
from bots.search.values import DRAWN, INFINITE, MATE, NEAREST_MATE
from games.compiled.bits import U, mix
from games.compiled.glue import Kernel, compiled

ROOT_PLY, CHILD_PLY = np.int64(0), np.int64(1)
GOLDEN = U(0x9E3779B97F4A7C15)


class Algorithm(Kernel):
    """How the root asks for the value of a child."""

    @compiled
    def child_value(
        self, game: Any, stack: Any, work: Any, table: Any, depth: Any, alpha: Any, beta: Any, number: Any
    ) -> Any:
        """The value, for the mover at the root, of stack[1], the root's move `number` by order; fail-soft.

        depth: plies left below the child.
        """
        raise NotImplementedError


class Minimax(Algorithm):
    """Exact values of all moves."""

    def child_value(
        self, game: Any, stack: Any, work: Any, table: Any, depth: Any, alpha: Any, beta: Any, number: Any
    ) -> Any:
        return -minimax(game, stack, work, depth, CHILD_PLY)


class AlphaBeta(Algorithm):
    """The full rest of the window for every move."""

    def child_value(
        self, game: Any, stack: Any, work: Any, table: Any, depth: Any, alpha: Any, beta: Any, number: Any
    ) -> Any:
        return -alphabeta(game, stack, work, depth, -beta, -alpha, CHILD_PLY)


class PrincipalVariation(Algorithm):
    """A null window for every move but the first, searched again if it turns out better."""

    def child_value(
        self, game: Any, stack: Any, work: Any, table: Any, depth: Any, alpha: Any, beta: Any, number: Any
    ) -> Any:
        if number > 0:
            value = -pvs(game, stack, work, table, depth, -alpha - 1, -alpha, CHILD_PLY)
            if value <= alpha:
                return value
        return -pvs(game, stack, work, table, depth, -beta, -alpha, CHILD_PLY)


@njit(nogil=True)
def chance(work: Any, among: Any) -> Any:
    """A random number 0..among - 1 from the record's own generator (splitmix64)."""
    work.random += GOLDEN
    return np.int64(mix(work.random) >> U(33)) % among


@njit(nogil=True)
def search_root(algorithm: Any, game: Any, stack: Any, work: Any, table: Any, depth: Any, count: Any) -> Any:
    """The value of stack[0], `depth` plies deep; the best move and line are left in work.line[0].

    With work.ties the window stays open by one for equal moves, and one of the best is drawn by lot.
    """
    moves = work.moves[0]
    best, equals = -INFINITE, 0
    work.nodes += 1
    for i in range(count):
        move = np.int64(moves[i])
        game.make(stack[0], move, stack[1])
        alpha = best - 1 if work.ties != 0 and equals > 0 else best
        value = algorithm.child_value(game, stack, work, table, np.int64(depth - 1), alpha, INFINITE, np.int64(i))
        if work.stop != 0:
            return DRAWN
        if value > best:
            best, equals = value, 1
            keep_line(work, ROOT_PLY, move)
        elif value == best and work.ties != 0:
            equals += 1
            if chance(work, equals) == 0:
                keep_line(work, ROOT_PLY, move)
    return best


@njit(nogil=True)
def publish(work: Any, value: Any, depth: Any, count: Any) -> None:
    """A finished iteration becomes the result, and its best move the first of the next."""
    work.value, work.depth, work.best = value, depth, work.line[0, 0]
    work.exact = 1 if work.guesses == 0 else 0
    work.best_line_length = work.line_length[0]
    for i in range(work.line_length[0]):
        work.best_line[i] = work.line[0, i]
    moves = work.moves[0]
    i = 0
    while i < count - 1 and moves[i] != work.best:
        i += 1
    for j in range(i, 0, -1):
        moves[j] = moves[j - 1]
    moves[0] = work.best


@njit(cache=True, nogil=True)
def deepen(algorithm: Any, game: Any, stack: Any, work: Any, table: Any) -> Any:
    """Search stack[0], in which a move is legal, to depths work.first_depth..work.last_depth, or until told to stop.

    Leaves best, value, depth, nodes and best_line in `work`; returns the best move. When stopped before the first
    iteration ends, the move is the first by order and the depth 0. Ends early once a deeper search cannot change the
    value (no evaluation took part, or the nearest possible end has been found), and no iteration begins after
    work.soft_ns.
    """
    state = stack[0]
    ends = np.int64(game.solve_depth(state)) if work.forced != 0 else ROOT_PLY
    if ends > 0:
        work.reductions = 0
        work.last_depth = max(work.last_depth, ends)
    count = list_moves(game, state, work, ROOT_PLY)
    if work.ordering != 0:
        score_moves(game, state, work, ROOT_PLY, count, NO_MOVE)
        for i in range(count):
            bring_best(work.moves[0], work.scores[0], np.int64(i), count)
    work.keys[work.earlier] = game.key(state)
    work.best = work.moves[0, 0]
    for depth in range(work.first_depth, work.last_depth + 1):
        work.root_depth = depth
        work.guesses = 0
        value = search_root(algorithm, game, stack, work, table, depth, count)
        if work.stop != 0:
            break
        publish(work, value, depth, count)
        if work.guesses == 0 or (abs(value) >= NEAREST_MATE and MATE - abs(value) <= depth):
            break
        if work.soft_ns != 0 and now_ns() >= work.soft_ns:
            break
    return work.best
