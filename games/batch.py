"""Many games of one kind at once, by compiled code: steps, legal moves, observations, random games.

A move is given by its action, a number that the caller assigns to its text; tabiya/research makes environments of this.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tabiya.games.compiled.bits import U, mix
from tabiya.games.compiled.jit import njit
from tabiya.games.rules import DRAW, ONGOING, States

NOBODY = -1
REPEATED = -2  # beside what `outcome` says: the position stands for the third time
LONGEST_WORD = 8  # bytes of a move's text, at most: it is looked up as one number
UNKNOWN = -1
STEP, LOW, BYTE = U(0x9E3779B97F4A7C15), U(32), U(8)


class Games(NamedTuple):
    """The arrays of n games; each is [n] or has n rows."""

    start: States  # [1], where they begin
    child: States  # [1], scratch
    states: States
    live: Any  # bool: whether it goes on
    keys: Any  # uint64[n, room]: of the positions since the last irreversible move
    since: Any  # int32: how many these are
    moves: Any  # int32[n, max_moves]: the legal moves' own numbers
    actions: Any  # int32[n, max_moves]: and their actions
    counts: Any  # int32: how many these are
    masks: Any  # int8[n, actions]
    to_move: Any  # int8
    rewards: Any  # float32[n, 2], by seat
    done: Any  # bool: whether it has ended, with the last step if games begin again
    results: Any  # int64: of the game that ended last, as `outcome` or REPEATED
    texts: Any  # uint8[n, max_move_text]: the last move, zeros behind it
    random: Any  # uint64: what the next random move of this game is drawn from


class Words(NamedTuple):
    """Actions by the text of the move: a hash table with open addressing, its size a power of two."""

    words: Any  # uint64: texts as `word_of` has them
    actions: Any  # int32, UNKNOWN where there is no word


def no_words(size: int) -> Words:
    """An empty table."""
    return Words(np.zeros(size, np.uint64), np.full(size, UNKNOWN, np.int32))


@njit
def word_of(text: Any, size: Any) -> Any:
    """The first `size` bytes, at most LONGEST_WORD and none of them 0, as one number."""
    word = U(0)
    for at in range(size):
        word = word << BYTE | U(text[at])
    return word


@njit
def place_of(words: Any, word: Any) -> Any:
    """The index of a word in the table, or the free index at which it would be added."""
    last = len(words.words) - 1
    at = np.int64(mix(word) & U(last))
    while words.actions[at] != UNKNOWN and words.words[at] != word:
        at = (at + 1) & last
    return at


@njit(cache=True)
def add_word(words: Any, text: Any, action: Any) -> None:
    """Add a text (uint8, all of it) to a table that is not full."""
    at = place_of(words, word_of(text, len(text)))
    words.words[at], words.actions[at] = word_of(text, len(text)), action


@njit(cache=True)
def chosen_moves(games: Any, actions: Any, chosen: Any) -> int:
    """Write the moves of these actions (int64) into `chosen` (int32); return the first game whose action is illegal.

    Returns the number of games if all are legal. Ended games are skipped.
    """
    for i in range(len(actions)):
        at = 0
        while at < games.counts[i] and games.actions[i, at] != actions[i]:
            at += 1
        if at < games.counts[i]:
            chosen[i] = games.moves[i, at]
        elif games.live[i]:
            return i
    return len(actions)


@njit(cache=True)
def play(game: Any, games: Any, chosen: Any) -> None:
    """Make a move in each game that goes on. `describe` comes next."""
    for i in range(len(chosen)):
        games.rewards[i] = 0
        if games.live[i]:
            for at in range(games.counts[i]):
                games.masks[i, games.actions[i, at]] = 0
            games.texts[i] = 0
            game.write_move(games.states[i], chosen[i], games.texts[i], 0)
            game.make(games.states[i], chosen[i], games.child[0])
            games.states[i] = games.child[0]


@njit(cache=True)
def describe(game: Any, games: Any, words: Any, letters: Any, begin: Any, again: Any) -> int:
    """Find legal moves and ends of all games from number `begin` on; the first one with a move of unknown action.

    The number of games if all are known. In a game that is stopped at nothing but `moves` has changed, so it is gone on
    with there. again: whether games that have ended begin again.  letters: uint8[max_move_text], scratch.
    """
    for i in range(begin, len(games.live)):
        if not games.live[i]:
            continue
        state = games.states[i]
        count = game.generate(state, games.moves[i])
        result = game.outcome(state, count)
        if result == ONGOING:
            if not translate(game, games, words, letters, i, count):
                return i
            if comes_again(game, games, i):
                result = np.int64(REPEATED)
        games.done[i] = result != ONGOING
        if result != ONGOING:
            games.results[i] = result
            if result >= 0 and result % 3 != DRAW:
                games.rewards[i, result % 3], games.rewards[i, 1 - result % 3] = 1, -1
            games.live[i], count = again, 0
            if again:
                games.states[i], games.since[i] = games.start[0], 0
                count = game.generate(games.states[i], games.moves[i])
                translate(game, games, words, letters, i, count)
                comes_again(game, games, i)
        games.to_move[i] = game.to_move(games.states[i])
        games.counts[i] = count
        for at in range(count):
            games.masks[i, games.actions[i, at]] = 1
    return len(games.live)


@njit
def translate(game: Any, games: Any, words: Any, letters: Any, i: Any, count: Any) -> bool:
    """Write the actions of the legal moves; return False if one is unknown."""
    for at in range(count):
        size = game.write_move(games.states[i], games.moves[i, at], letters, 0)
        action = words.actions[place_of(words, word_of(letters, size))]
        if action == UNKNOWN:
            return False
        games.actions[i, at] = action
    return True


@njit
def comes_again(game: Any, games: Any, i: Any) -> bool:
    """Remember the position's key; return whether it has occurred for the third time."""
    state = games.states[i]
    if game.repeats(state) == 0:
        games.since[i] = 0
    key, times = game.key(state), 1
    for at in range(games.since[i]):
        if games.keys[i, at] == key:
            times += 1
    games.keys[i, games.since[i]] = key
    games.since[i] += 1
    return times > 2


@njit(cache=True)
def draw_actions(games: Any, drawn: Any) -> None:
    """Write a random legal action of each game; 0 for ended games."""
    for i in range(len(drawn)):
        games.random[i] += STEP
        drawn[i] = games.actions[i, below(games.random[i], games.counts[i])] if games.live[i] else 0


@njit
def below(random: Any, count: Any) -> Any:
    """A uniform random number from 0 to count - 1: the upper half of a product with a 32-bit fraction."""
    return np.int64(((mix(random) >> LOW) * U(count)) >> LOW)


@njit(cache=True)
def observe(game: Any, states: Any, cells: Any, pieces: Any, out: Any) -> None:
    """Write positions as planes of zeros and ones: pieces, switches, side to move.

    cells: int64[:, 3], the number of a cell, its row and its column in `out`.  pieces: how many planes they take.
    out: int8[positions, rows, columns, planes].
    """
    out[:] = 0
    movers = out.shape[3] - 2
    for i in range(len(states)):
        state = states[i]
        for at in range(len(cells)):
            piece = game.piece_on(state, cells[at, 0])
            if piece >= 0:
                out[i, cells[at, 1], cells[at, 2], piece] = 1
        for plane in range(pieces, movers):
            if game.switch_is_on(state, plane - pieces):
                out[i, :, :, plane] = 1
        out[i, :, :, movers + game.to_move(state)] = 1


@njit(cache=True)
def play_out(game: Any, first: Any, scratch: Any, moves: Any, seed: Any, most: Any, winners: Any, plies: Any) -> None:
    """Play games from first[0] to their ends, or to `most` plies, every move drawn from all legal ones.

    scratch: two records.  winners, plies: arrays to be filled.  seed: of the first; of the next one more.
    """
    for number in range(len(winners)):
        random = mix(seed + U(number))
        state, ply = first[0], 0
        while True:
            count = game.generate(state, moves)
            outcome = game.outcome(state, count)
            if outcome != ONGOING:
                winners[number] = NOBODY if outcome % 3 == DRAW else outcome % 3
                break
            if ply == most:
                break
            random += STEP
            child = scratch[ply & 1]
            game.make(state, moves[below(random, count)], child)
            state = child
            ply += 1
        plies[number] = ply
