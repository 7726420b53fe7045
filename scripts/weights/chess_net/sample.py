"""Positions as the network's inputs, and its targets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scripts.weights.chess_games import GAME, read_games
from tabiya.bots.evaluators.chess.network import GROUPS, KINDS, SQUARES, input_of, turn_of
from tabiya.bots.textbook.evaluations.index import book_evaluator
from tabiya.games.chess.board import ALL_SQUARES, NO_SQUARE, NOTHING, in_check, occupied_squares, put
from tabiya.games.chess.make import make_move
from tabiya.games.chess.movegen import generate_moves
from tabiya.games.compiled.bits import ONE, ZERO, bit, lsb
from tabiya.games.compiled.jit import njit
from tabiya.games.registry import load_game

MOST_MEN = 32
HELD_OUT = 40  # one in so many games is held out, to test the fit
SPACE, SLASH, BLACK, NEWLINE = (np.int64(ord(sign)) for sign in " /b\n")
KIND_OF = np.full(128, -1, np.int64)  # by letter: 0..5 White's pawn to king, 6..11 Black's
for _number, _letter in enumerate("PNBRQKpnbrqk"):
    KIND_OF[ord(_letter)] = _number
LONGEST_WALK = 4
WALK_LIMIT = 2_500  # hundredths, from which on a position teaches nothing


class Sample(NamedTuple):
    """ours[i, :men[i]] are the inputs that the side to move sees, theirs what the other does; group: see chess_net.py.

    values: what is known of the position, for the side to move, in hundredths.  points: its own in the game's end.
    """

    ours: Any
    theirs: Any
    men: Any
    group: Any
    values: Any
    points: Any

    def part(self, chosen: Any) -> Sample:
        """Some of the positions."""
        return Sample(*(column[chosen] for column in self))


@njit
def set_up(text: Any, at: Any, state: Any) -> Any:
    """Put the men and the side to move of the FEN at text[at] into an empty record; return where its line ends."""
    rank, file = np.int64(7), np.int64(0)
    while text[at] != SPACE:
        sign = np.int64(text[at])
        kind = KIND_OF[sign]
        if kind >= 0:
            put(state, kind // KINDS, kind % KINDS, np.int64(8 * rank + file))
            file += 1
        elif sign == SLASH:
            rank, file = rank - 1, np.int64(0)
        else:
            file += sign - 48
        at += 1
    state.side = np.int64(text[at + 1] == BLACK)
    while text[at] != NEWLINE:
        at += 1
    return at


@njit
def clear(state: Any) -> None:
    """Make a record the empty board."""
    for kind in range(KINDS):
        state.pieces[kind] = ZERO
    state.colours[0], state.colours[1], state.hash = ZERO, ZERO, ZERO
    for square in range(SQUARES):
        state.kinds[square] = NOTHING
    state.castling, state.en_passant, state.halfmoves, state.fullmove = 0, NO_SQUARE, 0, 1


@njit
def write_inputs(state: Any, ours: Any, theirs: Any) -> Any:
    """Fill what both sides see; return how many men there are."""
    us, count = np.int64(state.side), np.int64(0)
    turn, other_turn = turn_of(state, us), turn_of(state, 1 - us)
    men, own = occupied_squares(state), state.colours[us]
    while men != ZERO:
        square = lsb(men)
        men &= men - ONE
        kind, is_own = np.int64(state.kinds[square]), own & bit(square) != ZERO
        ours[count] = input_of(kind, is_own, square, turn)
        theirs[count] = input_of(kind, not is_own, square, other_turn)
        count += 1
    return count


@njit(cache=True)
def write_all(text: Any, states: Any, ours: Any, theirs: Any, men: Any) -> None:
    """The inputs of all positions of `text`, FENs each with a newline. states: one record of scratch space."""
    at = np.int64(0)
    for i in range(men.size):
        clear(states[0])
        at = set_up(text, at, states[0]) + 1
        men[i] = write_inputs(states[0], ours[i], theirs[i])


@njit(cache=True)
def walk_all(game: Any, text: Any, seed: Any, each: Any, path: Any, moves: Any, columns: Any, values: Any) -> Any:
    """Positions up to LONGEST_WALK random moves away from those of `text`, and what `game.evaluate` says of them.

    each: walks from every position.  path: LONGEST_WALK + 1 records.  columns: ours, theirs, men.  Returns how many.
    """
    np.random.seed(seed)
    ours, theirs, men = columns
    at, count = np.int64(0), np.int64(0)
    while at < text.size:
        clear(path[0])
        at = set_up(text, at, path[0]) + 1
        for _ in range(each):
            far = np.int64(0)
            for _step in range(np.random.randint(1, LONGEST_WALK + 1)):
                legal = np.int64(generate_moves(path[far], moves, ALL_SQUARES))
                if legal > 0:
                    make_move(path[far], np.int64(moves[np.random.randint(0, legal)]), path[far + 1])
                    far += 1
            value = np.int64(game.evaluate(path[far]))
            if not in_check(path[far]) and abs(value) < WALK_LIMIT:
                men[count] = write_inputs(path[far], ours[count], theirs[count])
                values[count] = value
                count += 1
    return count


def group_of(men: Any) -> Any:
    """The group of positions with so many men."""
    return (men.astype(np.int64) - 1) * GROUPS >> 5


def empty_columns(count: int) -> tuple[Any, Any, Any]:
    """Room for the inputs of `count` positions."""
    return (*np.zeros((2, count, MOST_MEN), np.uint16), np.zeros(count, np.int64))


def scratch(count: int) -> Any:
    """Records of positions."""
    return np.zeros(count, load_game(GAME).state).view(np.recarray)


def of_games(paths: Sequence[Path]) -> tuple[Sample, Any, Any]:
    """The positions of the files, which of them are held out, and their FENs, each with a newline, as bytes.

    Raises ValueError if there are none.
    """
    games = [game for path in paths for game in read_games(path)]
    texts = [text for game in games for text in game.positions]
    if not texts:
        raise ValueError(f"no positions in {', '.join(map(str, paths))}")
    text = np.frombuffer("".join(f"{text}\n" for text in texts).encode("ascii"), np.uint8)
    ours, theirs, men = empty_columns(len(texts))
    write_all(text, scratch(1), ours, theirs, men)
    sign = np.array([-1 if " b " in text else 1 for text in texts])
    values = sign * np.array([value for game in games for value in game.values])
    points = 0.5 + sign * np.array([game.points - 0.5 for game in games for _ in game.positions])
    held = np.array([game.number % HELD_OUT == 0 for game in games for _ in game.positions])
    return Sample(ours, theirs, men, group_of(men), values, points), held, text


def of_walks(text: Any, count: int, each: int, seed: int) -> Sample:
    """Positions near those of `text`, valued by the evaluation of the books; without points."""
    *columns, values = *empty_columns(each * count), np.zeros(each * count, np.int64)
    moves = np.zeros(load_game(GAME).max_moves, np.int32)
    evaluator, path = book_evaluator(load_game(GAME)), scratch(LONGEST_WALK + 1)
    found = walk_all(evaluator, text, seed, each, path, moves, tuple(columns), values)
    ours, theirs, men = (column[:found] for column in columns)
    return Sample(ours, theirs, men, group_of(men), values[:found], np.zeros(found))
