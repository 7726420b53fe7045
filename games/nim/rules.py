"""The rules of Nim, normal and misère play.

A move takes one or more objects from one heap. In normal play who takes the last object wins (who cannot move loses),
in misère play who takes it loses. Heaps are lettered from a. A move's number is 64 * heap + objects taken. Player 1
is seat 0. There are no draws.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from tabiya.games.board_setup import BoardSetup, ShownBoard, Switch
from tabiya.games.compiled.bits import U, mix
from tabiya.games.compiled.decimal import write_number
from tabiya.games.compiled.jit import njit
from tabiya.games.contract import EdgeCase, Game, Option, OptionValue
from tabiya.games.endings import Ending
from tabiya.games.errors import OptionError, PositionError
from tabiya.games.nim.edge_cases import EDGE_CASES
from tabiya.games.nim.picture import OBJECT, object_picture, picture, places, with_room
from tabiya.games.nim.text import LARGEST_HEAP, MOST_HEAPS, read_heaps, read_position, write_position
from tabiya.games.picture import EMPTY, LETTERS, Place
from tabiya.games.rules import ONGOING, State

STATE = np.dtype(
    [
        ("heaps", np.int32, (MOST_HEAPS,)),
        ("count", np.int32),  # heaps, empty ones too
        ("total", np.int32),  # objects left
        ("misere", np.int32),
        ("side", np.int32),
    ],
    align=True,
)
LETTER_A, COMMA, BLANK, DIGIT_1 = 97, 44, 32, 49
NORMAL = np.frombuffer(b" normal ", np.uint8)
MISERE = np.frombuffer(b" misere ", np.uint8)


@njit
def winner_when_over(state: Any) -> Any:
    """The seat that wins when no object is left: the other made the last move, and misère play turns it round."""
    return np.int64(state.side ^ 1 ^ state.misere)


class Nim(Game):
    """Nim with up to 26 heaps of up to 63 objects."""

    state = STATE
    rules_version = 1
    seat_names = ("First", "Second")
    seat_colours = ("#0072b2", "#e69f00")  # blue and orange, which nobody takes for one another
    endings = (Ending.LAST_OBJECT,)
    draws_possible = False
    pieces = MappingProxyType({"o": OBJECT})
    options = (
        Option("heaps", "3,5,7", f"objects in each heap, 1 to {MOST_HEAPS} heaps of at most {LARGEST_HEAP}"),
        Option("misere", False, "whether taking the last object loses"),
    )
    max_moves = max_plies = MOST_HEAPS * LARGEST_HEAP
    max_text = MOST_HEAPS * 3 + 9
    max_move_text = 3
    move_pattern = re.compile(r"[a-z](?:[1-9]|[1-5][0-9]|6[0-3])")
    move_hint = "heap letter and number of objects to take, such as b3"

    def generate(self, state: State, moves: Any) -> Any:
        count = 0
        for heap in range(state.count):
            for take in range(1, state.heaps[heap] + 1):
                moves[count] = 64 * heap + take
                count += 1
        return count

    def make(self, state: State, move: int, child: State) -> None:
        take = move & 63
        for heap in range(state.count):
            child.heaps[heap] = state.heaps[heap]
        for heap in range(state.count, MOST_HEAPS):
            child.heaps[heap] = 0
        child.heaps[move >> 6] -= take
        child.count = state.count
        child.total = state.total - take
        child.misere = state.misere
        child.side = 1 - state.side

    def to_move(self, state: State) -> Any:
        return np.int64(state.side)

    def outcome(self, state: State, count: int) -> Any:
        return winner_when_over(state) if state.total == 0 else np.int64(ONGOING)

    def can_win(self, state: State, seat: int) -> Any:
        """Exact: the game can last any number of plies from one a heap to one an object; its parity decides."""
        shortest = 0
        for heap in range(state.count):
            if state.heaps[heap] > 0:
                shortest += 1
        if state.total > shortest:
            return True
        return (winner_when_over(state) ^ (shortest & 1)) == seat

    def key(self, state: State) -> Any:
        h = U(2 * state.misere + state.side + 1)
        for heap in range(state.count):
            h = h * U(0x9E3779B97F4A7C15) + U(state.heaps[heap] + 1)
        return mix(h)

    def same(self, state: State, other: State) -> Any:
        for heap in range(MOST_HEAPS):
            if state.heaps[heap] != other.heaps[heap]:
                return False
        return state.count == other.count and state.misere == other.misere and state.side == other.side

    def repeats(self, state: State) -> Any:
        return 0

    def write_state(self, state: State, out: Any) -> Any:
        at = write_number(state.heaps[0], out, 0)
        for heap in range(1, state.count):
            out[at] = COMMA
            at = write_number(state.heaps[heap], out, at + 1)
        play = MISERE if state.misere else NORMAL
        for letter in play:
            out[at] = letter
            at += 1
        out[at] = DIGIT_1 + state.side
        return at + 1

    def write_move(self, state: State, move: int, out: Any, at: int) -> Any:
        out[at] = LETTER_A + (move >> 6)
        return write_number(move & 63, out, at + 1)

    def piece_on(self, state: State, cell: int) -> Any:
        return np.int64(0 if state.heaps[cell >> 6] >= cell & 63 else -1)

    def switch_is_on(self, state: State, number: int) -> Any:
        return state.misere != 0

    def start_state(self, options: Mapping[str, OptionValue]) -> State:
        heaps = self._heaps(str(options["heaps"]))
        if not any(heaps):
            raise OptionError(f"option heaps needs at least one object to start with, not only empty heaps: {heaps}")
        return self._state(heaps, bool(options["misere"]), side=0)

    @staticmethod
    def _heaps(text: str) -> tuple[int, ...]:
        try:
            return read_heaps(text)
        except PositionError as error:
            raise OptionError(f"option heaps: {error}") from None

    def _state(self, heaps: tuple[int, ...], misere: bool, side: int) -> State:
        state = self.new_state()
        state.heaps[: len(heaps)] = heaps
        state.count, state.total, state.misere, state.side = len(heaps), sum(heaps), misere, side
        return state

    def parse_state(self, text: str) -> State:
        return self._state(*read_position(text))

    def opening_options(self, options: dict[str, OptionValue], below: Callable[[int], int]) -> dict[str, OptionValue]:
        """As many heaps as asked for, each of 1 to as many objects as the largest has, in ascending order."""
        heaps = self._heaps(str(options["heaps"]))
        drawn = sorted(1 + below(max(1, *heaps)) for _ in heaps)
        return options | {"heaps": ",".join(map(str, drawn))}

    def edge_cases(self) -> tuple[EdgeCase, ...]:
        return EDGE_CASES

    def parse_setup(self, text: str) -> BoardSetup:
        now = read_position(text)
        return BoardSetup(self, text, now.side, with_room(now))

    def put_piece(self, text: str, place: str, piece: str) -> str:
        """An object stands on others: those before it come with it, those behind it go with it.

        With its first object a heap is gone, and the heaps behind it move up.
        """
        now, heap, number = read_position(text), LETTERS.index(place[0]), int(place[1:])
        heaps = [*now.heaps, 0] if heap == len(now.heaps) else [*now.heaps]
        heaps[heap] = min(heaps[heap], number - 1) if piece == EMPTY else max(heaps[heap], number)
        if not heaps[heap] and len(heaps) > 1:
            del heaps[heap]
        return write_position(now._replace(heaps=tuple(heaps)))

    def emptied(self, text: str) -> str:
        """As many heaps, with nothing in them."""
        now = read_position(text)
        return write_position(now._replace(heaps=(0,) * len(now.heaps)))

    def switches(self, board: BoardSetup) -> tuple[Switch, ...]:
        return (Switch("misere", "Who takes the last object loses", read_position(board.text()).misere),)

    def turn_switch(self, text: str, name: str) -> str:
        now = read_position(text)
        return write_position(now._replace(misere=not now.misere))

    def put_mover(self, text: str, seat: int) -> str:
        return write_position(read_position(text)._replace(side=seat))

    def svg(self, position: ShownBoard, seat: int = 0) -> str:
        return picture(position)

    def places(self, position: ShownBoard, seat: int = 0) -> tuple[Place, ...]:
        return places(position)

    def cell_numbers(self, places: Sequence[str]) -> Sequence[int]:
        """As those of moves."""
        return [64 * LETTERS.index(place[0]) + int(place[1:]) for place in places]

    def piece_svg(self, piece: str) -> str:
        return object_picture()

    def draw(self, state: State) -> str:
        return "\n".join(
            f"{chr(LETTER_A + heap)} {int(state.heaps[heap]):>2} {'|' * int(state.heaps[heap])}".rstrip()
            for heap in range(state.count)
        )
