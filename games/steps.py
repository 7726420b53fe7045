"""The compiled steps between positions: one call a move gives the child, its moves and all their texts.

Texts are written in the kernel because they cost more than the rules when plain Python writes them (measured for a
chess position text: 14 microseconds against 4 for generating the moves).
"""

from __future__ import annotations

from typing import Any

from tabiya.games.compiled.jit import njit
from tabiya.games.rules import ONGOING

SPACE = 32


@njit(cache=True)
def survey(game: Any, state: Any, moves: Any, out: Any) -> Any:
    """Describe `state`: legal moves, `outcome`, `to_move`, `repeats`, end of the text, end of the moves' texts, `key`.

    moves: int32[game.max_moves], gets the legal moves.  out: uint8[...], gets the position text and then the texts of
    the moves, each followed by a space.
    """
    count = game.generate(state, moves)
    text_end = at = game.write_state(state, out)
    for i in range(count):
        at = game.write_move(state, moves[i], out, at)
        out[at] = SPACE
        at += 1
    outcome, seat, repeats = game.outcome(state, count), game.to_move(state), game.repeats(state)
    return int(count), int(outcome), int(seat), int(repeats), int(text_end), int(at), int(game.key(state))


@njit(cache=True)
def step(game: Any, parents: Any, move: Any, children: Any, moves: Any, out: Any) -> Any:
    """Make `move` (legal, int32) in parents[0] into children[0] and describe that as `survey` does.

    parents, children: arrays of one record; to hand over a record itself costs more than most rules.
    """
    game.make(parents[0], move, children[0])
    return survey(game, children[0], moves, out)


@njit(cache=True)
def replay(
    game: Any, states: Any, texts: Any, ends: Any, seats: Any, keys: Any, repeats: Any, moves: Any, out: Any
) -> int:
    """Play moves that are given as texts, each by the seat that is to move, and return how many could be played.

    states: records, one more than moves; the first is the start.  texts: uint8, the moves one behind the other; ends:
    int64, where each ends.  seats: int64, who makes each.  keys (uint64) and repeats (int64) of each state are filled.
    moves, out: as of `survey`, scratch.
    """
    begin = 0
    for ply in range(len(ends)):
        state, size = states[ply], ends[ply] - begin
        count = game.generate(state, moves)
        keys[ply] = game.key(state)
        if game.outcome(state, count) != ONGOING or game.to_move(state) != seats[ply]:
            return ply
        played = False
        for i in range(count):
            if game.write_move(state, moves[i], out, 0) == size and _equal(out, texts, begin, size):
                game.make(state, moves[i], states[ply + 1])
                repeats[ply + 1] = game.repeats(states[ply + 1])
                played = True
                break
        if not played:
            return ply
        begin = ends[ply]
    return len(ends)


@njit
def _equal(out: Any, texts: Any, begin: Any, size: Any) -> bool:
    same = 0
    while same < size and out[same] == texts[begin + same]:
        same += 1
    return bool(same == size)


@njit(cache=True)
def same(game: Any, state: Any, other: Any) -> bool:
    """Whether both are the same position by the rules of repetition."""
    return bool(game.same(state, other))


@njit(cache=True)
def can_win(game: Any, state: Any, seat: Any) -> bool:
    """Whether `seat` can still win from `state`."""
    return bool(game.can_win(state, seat))


@njit(cache=True)
def wins_at_once(game: Any, state: Any, child: Any, moves: Any, replies: Any) -> bool:
    """Whether the side to move has a move that wins on the spot.

    child: a scratch record.  moves, replies: int32[game.max_moves], scratch.
    """
    seat = game.to_move(state)
    for i in range(game.generate(state, moves)):
        game.make(state, moves[i], child)
        found = game.outcome(child, game.generate(child, replies))
        if found >= 0 and found % 3 == seat:
            return True
    return False


@njit(cache=True)
def perft(game: Any, stack: Any, moves: Any, depth: Any, ply: Any) -> Any:
    """Leaves `depth` plies below stack[ply]; the last ply is counted, not made.

    `leaves_when_over` says what a finished game counts.

    stack: records, at least ply + depth long.  moves: int32[len(stack), max_moves].  depth >= 1; start the recursion
    with np.int64 values (games/perft.py does).
    """
    count = game.generate(stack[ply], moves[ply])
    if count == 0:
        return game.leaves_when_over(stack[ply])
    if depth == 1:
        return count
    total = 0
    for i in range(count):
        game.make(stack[ply], moves[ply, i], stack[ply + 1])
        total += perft(game, stack, moves, depth - 1, ply + 1)
    return total
