"""Depth-first proof-number search for wins by fours and threes.

Every position has two numbers: how many positions must at least be proved won, one after the other, to prove that the
attack wins (its proof number), and how many lost to prove that it does not (its disproof number). The search goes
where the smaller effort lies and keeps the numbers in a table (docs/sources.md#proof-numbers). Stones only come, so no
position comes again, and what is proved is true: there, and in later searches of any game.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tabiya.bots.search.node_path import interrupted
from tabiya.bots.search.scores import PLIES
from tabiya.bots.solvers.mnk.threats import (
    ATTACKER,
    CELLS,
    GOES_ON,
    NOBODY,
    THREATS,
    WON,
    list_attacks,
    list_defences,
)
from tabiya.games.compiled.bits import ZERO, U, mix
from tabiya.games.compiled.jit import njit
from tabiya.games.mnk.rules import has

PROVED = np.int64(1 << 24)  # the number of what can no longer be
UNKNOWN = np.int64(1)
UNKNOWN_THREE = np.int64(8)  # the proof number of a three: fours are looked at first
ROOM = 4  # a position may become worse than the second best by a quarter before the search turns to that
POSITIONS = 1 << 17
ODD = U(0x9E3779B97F4A7C15)
DEFENDERS_TURN = U(0x5851F42D4C957F2D)

ENTRY = np.dtype(
    [("key", np.uint64), ("proof", np.int32), ("disproof", np.int32), ("plies", np.int64)],
    align=True,
)
WORK = np.dtype(
    [
        *((name, np.int64) for name in ("nodes", "node_limit", "deadline_ns", "stop")),
        *((name, np.int64) for name in ("proof", "disproof", "plies", "other", "second")),  # of the last position
        ("extra", np.uint64),  # the key of a stone of the defender, see numbers_after
        ("line", np.int32, (PLIES,)),
        *THREATS,
        ("keys", np.uint64, (PLIES, CELLS)),  # of the positions after the moves
        ("table", ENTRY, (POSITIONS,)),
    ],
    align=True,
)


@njit
def stone_key(seat: Any, cell: Any) -> Any:
    """What a stone adds to the key of a position."""
    return mix(ODD * U(2 * cell + seat + 1))


@njit
def key_of_attack(state: Any) -> Any:
    """The key of a position in which its mover attacks: board, attacker and stones."""
    columns, rows = np.int64(state.columns), np.int64(state.rows)
    key = mix(U((((columns << 5) + rows << 5) + np.int64(state.k)) * 2 + np.int64(state.side)))
    for cell in range(columns * rows):
        for seat in range(2):
            if has(state.stones, seat, cell):
                key ^= stone_key(np.int64(seat), np.int64(cell))
    return key


@njit
def entry_of(work: Any, key: Any) -> Any:
    """The place in the table for this key; it may hold another one."""
    return work.table[np.int64(key >> U(40)) & (POSITIONS - 1)]


@njit
def store(work: Any, key: Any) -> None:
    """Keep the numbers of a position, which are in `work`."""
    entry = entry_of(work, key)
    entry.key, entry.proof, entry.disproof, entry.plies = key, work.proof, work.disproof, work.plies


@njit
def write_keys(state: Any, work: Any, ply: Any, key: Any) -> None:
    """The keys of the positions after the moves that are listed; after fours: after the reply."""
    seat = np.int64(state.side)
    for i in range(work.many[ply]):
        after, reply = key ^ stone_key(seat, np.int64(work.moves[ply, i])), np.int64(work.replies[ply, i])
        work.keys[ply, i] = after ^ (DEFENDERS_TURN if reply == NOBODY else stone_key(1 - seat, reply))


@njit
def numbers_after(work: Any, ply: Any, turn: Any, i: Any) -> Any:
    """Proof number, disproof number, and plies to the end where the proof number is 0, of the `i`-th move.

    If the table lacks the position, it is looked up without the defender's tried move (work.extra): an attack that
    failed then fails now, and one that won is tried first.
    """
    key, reply = work.keys[ply, i], work.replies[ply, i]
    entry = entry_of(work, key)
    if entry.key == key:
        steps = 1 if reply == NOBODY else 2
        return np.int64(entry.proof), np.int64(entry.disproof), np.int64(entry.plies + steps if entry.proof == 0 else 0)
    without = entry_of(work, key ^ work.extra)
    if without.key == key ^ work.extra:
        if without.disproof == 0:
            return PROVED, np.int64(0), np.int64(0)
        if without.proof == 0:
            return UNKNOWN, UNKNOWN, np.int64(0)
    return UNKNOWN_THREE if turn == ATTACKER and reply == NOBODY else UNKNOWN, UNKNOWN, np.int64(0)


@njit
def weigh(work: Any, ply: Any, turn: Any) -> Any:
    """Write the numbers of a position, by those after its moves, into `work`; return the index of the best move.

    Of a won position that is the shortest win that is known, or the longest defence.
    """
    least = second = (PROVED + 1) * PLIES
    total, best = np.int64(0), np.int64(0)
    for i in range(work.many[ply]):
        proof, disproof, plies = numbers_after(work, ply, turn, np.int64(i))
        own, other = (proof, disproof) if turn == ATTACKER else (disproof, proof)
        total = min(PROVED, total + other)
        rank = own * PLIES + (plies if turn == ATTACKER else PLIES - 1 - plies)
        if rank < least:
            second, least, best = least, rank, np.int64(i)
            work.plies, work.other = plies, other
        elif rank < second:
            second = rank
    work.second = second // PLIES
    work.proof, work.disproof = (least // PLIES, total) if turn == ATTACKER else (total, least // PLIES)
    return best


@njit
def play(game: Any, stack: Any, work: Any, ply: Any, i: Any) -> Any:
    """Play the `i`-th move, and the reply to a four, from stack[ply] on; return the ply that is reached."""
    work.line[ply] = work.moves[ply, i]
    game.make(stack[ply], np.int64(work.moves[ply, i]), stack[ply + 1])
    if work.replies[ply, i] == NOBODY:
        return ply + 1
    work.line[ply + 1] = work.replies[ply, i]
    game.make(stack[ply + 1], np.int64(work.replies[ply, i]), stack[ply + 2])
    return ply + 2


@njit
def next_turn(turn: Any, ply: Any, after: Any) -> Any:
    """Whose turn it is at ply `after`: the other's after one move, the attacker's after a four and its reply."""
    return 1 - turn if after == ply + 1 else turn


@njit
def prove(game: Any, stack: Any, work: Any, ply: Any, key: Any, turn: Any, most_proof: Any, most_disproof: Any) -> Any:
    """Search until a number of stack[ply] reaches its limit; return the index of the best move.

    Void when work.stop is set. The numbers are left in `work`, and in the table: proof, disproof, and plies to the end
    where the first is 0.
    """
    if interrupted(work):
        return NOBODY
    state = stack[ply]
    verdict = list_attacks(state, work, ply) if turn == ATTACKER else list_defences(state, work, ply)
    if verdict == GOES_ON:
        write_keys(state, work, ply, key)
    while True:
        best = np.int64(0)
        if verdict == GOES_ON:
            best = weigh(work, ply, turn)
        else:
            work.proof, work.disproof, work.plies = (0, PROVED, 1) if verdict == WON else (PROVED, 0, 0)
        if verdict != GOES_ON or work.proof >= most_proof or work.disproof >= most_disproof:
            store(work, key)
            return best
        room = work.second + work.second // ROOM + 1
        if turn == ATTACKER:
            proof, disproof = min(most_proof, room), most_disproof - work.disproof + work.other
        else:
            proof, disproof = most_proof - work.proof + work.other, min(most_disproof, room)
        after = play(game, stack, work, ply, best)
        prove(game, stack, work, after, work.keys[ply, best], next_turn(turn, ply, after), proof, disproof)
        if work.stop != 0:
            return NOBODY


@njit(cache=True)
def find_win(game: Any, stack: Any, work: Any, move: Any) -> Any:
    """How many plies of a win by fours and threes are in work.line; 0: none was found.

    move: after which the opponent of the mover of stack[0] attacks; NOBODY: the mover itself does.
    It is the whole win unless a limit was reached after the proof. In work.plies the plies that it takes at most.
    """
    work.extra = ZERO
    if move != NOBODY:
        work.extra = stone_key(np.int64(stack[0].side), move)
        game.make(stack[0], move, stack[1])
        stack[0] = stack[1]
    ply, turn, key, plies = np.int64(0), ATTACKER, key_of_attack(stack[0]), np.int64(0)
    while stack[ply].winner < 0:
        best = prove(game, stack, work, ply, key, turn, PROVED, PROVED)
        if work.stop != 0 or work.proof != 0:
            break
        if ply == 0:
            plies = np.int64(work.plies)
        key = work.keys[ply, best]
        after = play(game, stack, work, ply, best)
        ply, turn = after, next_turn(turn, ply, after)
    work.plies = plies
    return ply
