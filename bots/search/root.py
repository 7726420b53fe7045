"""The root: one iteration of either algorithm, ties broken by chance if asked. searcher.py deepens.

The algorithm is a kernel type like the game, so each pair of both is compiled once and calls directly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.search.alphabeta import alphabeta
from tabiya.bots.search.minimax import minimax
from tabiya.bots.search.move_order import next_move, score_moves
from tabiya.bots.search.node_path import keep_line
from tabiya.bots.search.scores import DRAWN, INFINITE
from tabiya.games.compiled.bits import U, mix
from tabiya.games.compiled.jit import njit
from tabiya.games.compiled.kernel_types import Kernel, compiled

ROOT_PLY, CHILD_PLY = np.int64(0), np.int64(1)
GOLDEN = U(0x9E3779B97F4A7C15)


class Algorithm(Kernel):
    """How the root asks for the value of a child."""

    @compiled
    def child_value(self, game: Any, stack: Any, work: Any, depth: Any, alpha: Any, beta: Any) -> Any:
        """The value, for the mover at the root, of stack[1]; fail-soft.

        depth: plies left below the child.
        """
        raise NotImplementedError


class Minimax(Algorithm):
    """Exact values of all moves."""

    def child_value(self, game: Any, stack: Any, work: Any, depth: Any, alpha: Any, beta: Any) -> Any:
        return -minimax(game, stack, work, depth, CHILD_PLY)


class AlphaBeta(Algorithm):
    """The full rest of the window for every move."""

    def child_value(self, game: Any, stack: Any, work: Any, depth: Any, alpha: Any, beta: Any) -> Any:
        return -alphabeta(game, stack, work, depth, -beta, -alpha, CHILD_PLY)


@njit
def chance(work: Any, among: Any) -> Any:
    """A random number 0..among - 1 from the record's own generator (splitmix64)."""
    work.random += GOLDEN
    return np.int64(mix(work.random) >> U(33)) % among


@njit
def list_root_moves(game: Any, state: Any, work: Any) -> None:
    """Write the root's moves in the order of their first trial; the first is the answer if time is up at once."""
    work.root_count = np.int64(game.candidates(state, work.moves[ROOT_PLY]))
    work.keys[work.earlier] = game.key(state)
    score_moves(game, state, work, ROOT_PLY, work.root_count)
    for i in range(work.root_count):
        next_move(work, ROOT_PLY, np.int64(i), np.int64(work.root_count))
    work.best = work.moves[0, 0]


@njit(cache=True)
def search_root(algorithm: Any, game: Any, stack: Any, work: Any) -> Any:
    """One iteration: the value of stack[0], work.root_depth plies deep; void when work.stop is set.

    The best move and line are left in work.line[0], and the best move goes first in the next iteration. With work.ties
    the window stays open by one for equal moves, and one of the best is drawn by lot.
    """
    if work.root_count == 0:
        list_root_moves(game, stack[0], work)
    moves, depth = work.moves[0], np.int64(work.root_depth - 1)
    best, number_of_best, equals = -INFINITE, 0, 0
    work.guesses = 0
    work.nodes += 1
    for i in range(work.root_count):
        move = np.int64(moves[i])
        game.make(stack[0], move, stack[1])
        alpha = best - 1 if work.ties != 0 and equals > 0 else best
        value = algorithm.child_value(game, stack, work, depth, alpha, INFINITE)
        if work.stop != 0:
            return DRAWN
        equals = 1 if value > best else (equals + 1 if value == best else equals)
        if value > best or (value == best and work.ties != 0 and chance(work, equals) == 0):
            best, number_of_best = value, i
            keep_line(work, ROOT_PLY, move)
    bring_to_front(moves, np.int64(number_of_best))
    return best


@njit
def bring_to_front(moves: Any, i: Any) -> None:
    """Move number `i` becomes the first; the others keep their order."""
    move = moves[i]
    for j in range(i, 0, -1):
        moves[j] = moves[j - 1]
    moves[0] = move
