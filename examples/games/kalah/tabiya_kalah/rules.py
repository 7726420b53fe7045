"""The rules of Kalah: seeds are sown around the board; who sows the last one into its own store moves again.

A move is the letter of one of the mover's pits, a being the farthest from its store, and its number the pit's. South is
seat 0. A last seed in an own pit that was empty takes the seeds opposite, if there are any, and goes with them into the
store. When a row is empty after a move, the other one goes into its owner's store.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from tabiya.game import (
    DRAW,
    ONGOING,
    EdgeCase,
    Game,
    Option,
    OptionValue,
    Place,
    PositionError,
    ShownBoard,
    State,
    U,
    mix,
    write_number,
)
from tabiya_kalah.picture import drawing, picture, pits_of

MOST, SEEDS = 6, 72  # pits in a row, and seeds on the board, at most
SPACE, COMMA, LETTER_A = 32, 44, 97
SEATS = np.frombuffer(b"SN", np.uint8)
MORE, EQUAL = 0, 1  # as in `endings`
TEXT = re.compile(r"(\d\d?(?:,\d\d?){1,6}) (\d\d?(?:,\d\d?){1,6}) ([SN])", re.ASCII)


class Kalah(Game):
    """Kalah with 1 to 6 pits a side. In a row of the record the store follows the pits, so its place is `store`."""

    state = np.dtype([("rows", np.int64, (2, MOST + 1)), ("store", np.int64), ("side", np.int64)], align=True)
    options = (Option("pits", 6, "pits of each player", 1, MOST), Option("seeds", 4, "seeds in each pit", 1, 6))
    rules_version = 1
    seat_names, seat_colours = ("South", "North"), ("#0072b2", "#e69f00")
    endings = ("more_seeds", "equal_seeds")
    draws_possible = True
    opening_plies = 2
    # until a seed comes to a store every move takes one nearer to it: at most 5 steps for each of 72, 71, 70, ... seeds
    max_moves, max_plies, max_text, max_move_text = MOST, 6 * SEEDS * (SEEDS + 1) // 2, 45, 1
    move_pattern = re.compile("[a-f]")
    move_hint = "the letter of a pit, such as c"

    def takes_turns(self) -> Any:
        return False

    def generate(self, state: State, moves: Any) -> Any:
        count = 0
        for pit in range(state.store):
            if state.rows[state.side, pit] > 0:
                moves[count] = pit
                count += 1
        return count

    def make(self, state: State, move: int, child: State) -> None:
        mine, other, store = state.side, 1 - state.side, state.store
        child.rows[:], child.store = state.rows, store
        child.rows[mine, move] = 0
        at = move
        for _ in range(state.rows[mine, move]):
            at = (at + 1) % (2 * store + 1)
            if at <= store:
                child.rows[mine, at] += 1
            else:
                child.rows[other, at - store - 1] += 1
        if at < store and child.rows[mine, at] == 1 and child.rows[other, store - 1 - at] > 0:
            child.rows[mine, store] += 1 + child.rows[other, store - 1 - at]
            child.rows[mine, at] = child.rows[other, store - 1 - at] = 0
        child.side = mine if at == store else other
        left, right = child.rows[0, :store].sum(), child.rows[1, :store].sum()
        if left == 0 or right == 0:
            child.rows[:, :store] = 0
            child.rows[0, store] += left
            child.rows[1, store] += right

    def outcome(self, state: State, count: int) -> Any:
        if np.any(state.rows[:, : state.store]):
            return np.int64(ONGOING)
        lead = state.rows[0, state.store] - state.rows[1, state.store]
        return np.int64(3 * EQUAL + DRAW if lead == 0 else 3 * MORE + (lead < 0))

    def can_win(self, state: State, seat: int) -> Any:
        return 2 * state.rows[1 - seat, state.store] < state.rows.sum()

    def key(self, state: State) -> Any:
        h = U(2 * state.store + state.side)
        for seeds in state.rows.flat:
            h = mix(h ^ U(seeds))
        return h

    def same(self, state: State, other: State) -> Any:
        return state.side == other.side and state.store == other.store and np.all(state.rows == other.rows)

    def write_state(self, state: State, out: Any) -> Any:
        at = 0
        for seat in range(2):
            for bowl in range(state.store + 1):
                at = write_number(state.rows[seat, bowl], out, at)
                out[at] = COMMA if bowl < state.store else SPACE
                at += 1
        out[at] = SEATS[state.side]
        return at + 1

    def write_move(self, state: State, move: int, out: Any, at: int) -> Any:
        out[at] = LETTER_A + move
        return at + 1

    def start_state(self, options: Mapping[str, OptionValue]) -> State:
        state = self.new_state()
        state.store = options["pits"]
        state.rows[:, : state.store] = options["seeds"]
        return state

    def parse_state(self, text: str) -> State:
        found, state = TEXT.fullmatch(text), self.new_state()
        rows = [[int(number) for number in row.split(",")] for row in found.group(1, 2)] if found else [[], [0]]
        if found is None or len(rows[0]) != len(rows[1]) or not 0 < sum(map(sum, rows)) <= SEEDS:
            raise PositionError(f"a position is South's pits and store, North's, and S or N, with 1 to {SEEDS} seeds")
        if any(rows[0][:-1]) != any(rows[1][:-1]):
            raise PositionError("one row is empty, so the seeds of the other belong into its store")
        state.store, state.side = len(rows[0]) - 1, "SN".index(found[3])
        state.rows[:, : len(rows[0])] = rows
        return state

    def edge_cases(self) -> tuple[EdgeCase, ...]:
        return (EdgeCase("the player moves again", "0,0,0,1,0,1,5 1,0,0,0,0,0,5 S"),)

    def draw(self, state: State) -> str:
        return drawing(state)

    def tally(self, position: ShownBoard) -> tuple[str, str]:
        state = self.parse_state(position.text())
        return f"{state.rows[0, state.store]} seeds", f"{state.rows[1, state.store]} seeds"

    def places(self, position: ShownBoard, seat: int = 0) -> tuple[Place, ...]:
        return pits_of(self.parse_state(position.text()))

    def svg(self, position: ShownBoard, seat: int = 0) -> str:
        return picture(f"{self.title}: {position.text()}", self.parse_state(position.text()), self.seat_colours)
