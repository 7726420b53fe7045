"""Where a compiled search begins: which function, how deep, one iteration after another."""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.search.clock import now_ns
from tabiya.bots.search.node_path import keep_line
from tabiya.bots.search.scores import MATE, high_below, low_below, sign_of
from tabiya.bots.textbook.compiled.leaf import INFINITY, NOTHING
from tabiya.bots.textbook.compiled.null_window import alphabetapvs
from tabiya.bots.textbook.compiled.order import next_move, open_node
from tabiya.bots.textbook.compiled.plain import minimax
from tabiya.bots.textbook.compiled.record import AT_MOVES, NULL_WINDOW, PLAIN
from tabiya.bots.textbook.compiled.window import alphabeta
from tabiya.games.compiled.bits import U, mix
from tabiya.games.compiled.jit import njit

GOLDEN = U(0x9E3779B97F4A7C15)
ROOT, CHILD, ONE_PLY = np.int64(0), np.int64(1), np.int64(1)


@njit
def book_value(game: Any, stack: Any, work: Any, depth: Any, alpha: Any, beta: Any, ply: Any) -> Any:
    """The value of stack[ply] for the side to move, by the function that work.form names.

    One entry for all forms: what they share is by far the most, and is compiled once per game.
    """
    if work.form == PLAIN:
        return minimax(game, stack, work, depth, ply)
    if work.form == NULL_WINDOW:
        return alphabetapvs(game, stack, work, depth, alpha, beta, ply)
    if work.form == AT_MOVES:
        return best_gain(game, stack, work)
    return alphabeta(game, stack, work, depth, alpha, beta, ply)


@njit
def best_gain(game: Any, stack: Any, work: Any) -> Any:
    """004's first approach: what the best move changes; no position after a move is looked at."""
    work.nodes += 1
    work.leaves += 1
    count = open_node(game, stack, work, ONE_PLY, ROOT)
    work.line_length[1] = 0
    best = -INFINITY
    for i in range(count):
        move = np.int64(work.moves[0, i])
        work.values[i] = game.priority(stack[0], move)
        if work.values[i] > best:
            best = work.values[i]
            keep_line(work, ROOT, move)
    work.root_moves = count
    return best


@njit
def random_below(work: Any, among: Any) -> Any:
    """A random number 0..among - 1 from the record's own generator (splitmix64)."""
    work.random += GOLDEN
    return np.int64(mix(work.random) >> U(33)) % among


@njit
def value_each(game: Any, stack: Any, work: Any, depth: Any) -> Any:
    """The value of stack[0]; work.values gets those of its moves: exact for the best, at most that for the others.

    The window stays open by one for equal moves. A random one of the best begins the line.
    """
    work.nodes += 1
    count = open_node(game, stack, work, depth, ROOT)
    best, equals = -INFINITY, np.int64(0)
    for i in range(count):
        move = next_move(work, ROOT, np.int64(i), count)
        game.make(stack[0], move, stack[1])
        low, sign = max(best - 1, -INFINITY), sign_of(game, stack[0], stack[1])
        near, far = np.int64(low_below(sign, low, INFINITY)), np.int64(high_below(sign, low, INFINITY))
        value = sign * book_value(game, stack, work, np.int64(depth - 1), near, far, CHILD)
        if work.stop != 0:
            return NOTHING
        work.values[i] = value
        equals = np.int64(1) if value > best or i == 0 else equals + np.int64(value == best)
        if value > best or i == 0 or (value == best and random_below(work, equals) == 0):
            best = value
            keep_line(work, ROOT, move)
    work.root_moves = count
    return best


@njit(cache=True)
def run(game: Any, stack: Any, work: Any) -> None:
    """Search stack[0] to depths work.first_depth..work.last_depth or until told to stop; results are in `work`.

    With work.soft_ns no iteration begins after that time, nor when the last one saw every game, or the nearest win, to
    its end.
    With work.each every move that reaches the value is found, see `value_each`.
    """
    work.on_line[0] = 1
    for depth in range(work.first_depth, work.last_depth + 1):
        inexact_nodes = work.inexact_nodes
        if work.each != 0:
            value = value_each(game, stack, work, np.int64(depth))
        else:
            value = book_value(game, stack, work, np.int64(depth), np.int64(work.alpha), np.int64(work.beta), ROOT)
        if work.stop != 0:
            break
        work.value, work.depth, work.best_line_length = value, depth, work.line_length[0]
        for i in range(work.line_length[0]):
            work.best_line[i] = work.line[0, i]
        decided = work.inexact_nodes == inexact_nodes or abs(value) >= MATE - depth
        if work.soft_ns != 0 and (decided or now_ns() >= work.soft_ns):
            break
