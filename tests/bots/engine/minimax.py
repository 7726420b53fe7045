"""Plain minimax with the engine's rules for leaves and repetitions: what its sound switches must not change."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from tabiya.bots.engine.quiescence import EVASION_PLIES
from tabiya.bots.players.catalogue import evaluator_for
from tabiya.bots.search.node_path import repeated
from tabiya.bots.search.record import HISTORY_KEYS, new_record
from tabiya.bots.search.scores import DRAWN, INFINITE, PLIES, final_value
from tabiya.games.compiled.jit import njit
from tabiya.games.position import Position
from tabiya.games.rules import ONGOING


@njit
def leaf_value(game: Any, stack: Any, work: Any, alpha: Any, beta: Any, ply: Any, evasions: Any) -> Any:
    """The evaluation; with work.quiescence once noisy moves are played out, for attacked movers all moves."""
    state, moves = stack[ply], work.moves[ply]
    attacked = evasions > 0 and work.quiescence != 0 and ply < PLIES - 2 and game.in_check(state)
    count = np.int64(game.generate(state, moves))
    outcome = np.int64(game.outcome(state, count))
    if outcome != ONGOING:
        return final_value(game, state, outcome, ply)
    best = -INFINITE
    if not attacked:
        best = np.int64(game.evaluate(state))
        if work.quiescence == 0 or best >= beta or ply >= PLIES - 2:
            return best
        count = np.int64(game.noisy(state, moves))
    for i in range(count):
        game.make(state, np.int64(moves[i]), stack[ply + 1])
        best = max(best, -leaf_value(game, stack, work, -beta, -max(alpha, best), ply + 1, evasions - 1))
        if best >= beta:
            break
    return best


@njit
def minimax(game: Any, stack: Any, work: Any, depth: Any, ply: Any) -> Any:
    """The exact value of stack[ply], `depth` plies deep, for the side to move."""
    state, moves = stack[ply], work.moves[ply]
    if repeated(game, state, game.key(state), work, ply) and ply > 0:
        return DRAWN
    if depth <= 0:
        return leaf_value(game, stack, work, -INFINITE, INFINITE, ply, EVASION_PLIES)
    count = np.int64(game.candidates(state, moves))
    outcome = np.int64(game.outcome(state, count))
    if outcome != ONGOING:
        return final_value(game, state, outcome, ply)
    best = -INFINITE
    for i in range(count):
        game.make(state, np.int64(moves[i]), stack[ply + 1])
        best = max(best, -minimax(game, stack, work, depth - 1, ply + 1))
    return best


@numba.njit  # type: ignore[untyped-decorator]
def value_at_root(game: Any, stack: Any, work: Any, depth: Any) -> Any:
    """Starts the recursion with typed numbers, for it must have one signature."""
    return minimax(game, stack, work, np.int64(depth), np.int64(0))


def minimax_value(position: Position, depth: int, *, quiescence: bool = False) -> int:
    """The value for the side to move."""
    evaluator = evaluator_for(position.game)
    fields = [
        ("quiescence", np.int64),
        ("earlier", np.int64),
        ("keys", np.uint64, (HISTORY_KEYS + PLIES,)),
        ("moves", np.int32, (PLIES, position.game.max_moves)),
    ]
    work = new_record(np.dtype(fields, align=True))
    stack = np.zeros(PLIES + 1, evaluator.state).view(np.recarray)
    keys = position.earlier_keys[-HISTORY_KEYS:]
    work.quiescence, work.earlier, work["keys"][: len(keys)] = quiescence, len(keys), keys
    stack[0] = position.state
    return int(value_at_root(evaluator, stack, work, depth))
