"""Positions as planes of zeros and ones, and moves as numbers, made of what every game says of its pictures.

encoding = Encoding(load_game("…").start())
encoding.observe(position)                  # int8[rows, columns, planes]
encoding.mask(position)                     # int8[actions], 1 for each legal move
encoding.move(position, action)             # the text of the move
encoding.observe_all(states, out)           # many records at once, compiled for most games
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabiya.games import batch
from tabiya.games.contract import Game
from tabiya.games.errors import GameError
from tabiya.games.picture import Place, places_of
from tabiya.games.position import Position
from tabiya.games.rules import States

Array = NDArray[np.int8]


class EncodingError(ValueError):
    """A position or an action that does not fit; one sentence."""


class Encoding:
    """The arrays of all positions on the board of one start position; smaller heaps fit, other boards do not.

    shape: rows, columns and planes of an observation.  planes: what each plane is, in words.  actions: how many numbers
    of moves there are.  Of a game without kinds of pieces, such as one of counted seeds, the bits of the record are
    observed: a row of its bytes.
    """

    def __init__(self, start: Position) -> None:
        """Raises EncodingError for a game whose pictures have no places."""
        game = start.game
        assert isinstance(game, Game)
        self.game = game
        self._numbered: NDArray[np.int64] | None = None  # the cells that `piece_on` knows: number, row, column
        places = self.game.places(start)
        if not places:
            raise EncodingError(f"moves of {game.title} name no places of its picture, so they have no numbers")
        self._places = {place.name: place for place in places}
        if game.pieces:
            self._see_pieces(start, places)
        else:
            self.planes = tuple(f"bit {bit}" for bit in range(8))
            self.shape = 1, game.state.itemsize, len(self.planes)
        names = list(self._places)
        self._number = {name: number for number, name in enumerate(names)}
        self._letters = ("", *self.game.move_letters)
        self._actions: dict[str, int] = {}
        self._by_pairs = any(len(places_of(move, self._places)) == 2 for move in start.legal_moves())
        size = len(names)
        # the last is the move that names no place: a pass
        self.actions = 1 + (size * size * len(self._letters) if self._by_pairs else size)

    def _see_pieces(self, start: Position, places: tuple[Place, ...]) -> None:
        """Planes, one for each kind of piece, switch and mover."""
        board = self.game.setup(start.text())
        on_board = self.game.places(board)
        # a move may name what is no cell, such as a column
        stands = places if {place.name for place in places} <= {place.name for place in on_board} else on_board
        rows, columns = sorted({place.y for place in stands}), sorted({place.x for place in stands})
        self._cells = {place.name: (rows.index(place.y), columns.index(place.x)) for place in stands}
        if type(self.game).piece_on is not Game.piece_on:
            numbers = self.game.cell_numbers([*self._cells])
            self._numbered = np.array([(cell, *at) for cell, at in zip(numbers, self._cells.values(), strict=True)])
        switches = [switch.name for switch in self.game.switches(board)]
        self._planes = {word: plane for plane, word in enumerate(self.game.pieces.values())}
        self._switches = {name: plane for plane, name in enumerate(switches, len(self._planes))}
        movers = [f"{self.game.seat_names[seat]} is to move" for seat in (0, 1)]
        self.planes = (*self._planes, *switches, *movers)
        self.shape = len(rows), len(columns), len(self.planes)

    def __deepcopy__(self, memo: dict[int, Any]) -> Encoding:
        return self  # what it knows of a game does not change

    def observe(self, position: Position) -> Array:
        """The position without its history: pieces, switches, and the side to move."""
        if not self.game.pieces:
            record = np.frombuffer(position.state.tobytes(), np.uint8)
            return np.unpackbits(record, bitorder="little").astype(np.int8).reshape(self.shape)
        text = position.text()
        board = self.game.setup(text)
        planes = np.zeros(self.shape, np.int8)
        for place in self.game.places(board):
            if place.content in self._planes:  # some boards have room beside them, which is empty
                planes[(*self._cell(place.name, text), self._planes[place.content])] = 1
        for switch in self.game.switches(board):
            planes[:, :, self._switches[switch.name]] = switch.is_on
        planes[:, :, len(self.planes) - 2 + position.to_move] = 1
        return planes

    def observe_all(self, states: States, out: Array) -> None:
        """`observe` for an array of records, into int8[positions, rows, columns, planes].

        One by one, by their pictures, in a game whose rules have no `piece_on`.
        """
        if not self.game.pieces:
            records = states.view(np.uint8).reshape(len(states), -1)
            out[:] = np.unpackbits(records, axis=1, bitorder="little").reshape(out.shape)
        elif self._numbered is not None:
            batch.observe(self.game, states, self._numbered, np.int64(len(self._planes)), out)
        else:
            for at, state in enumerate(states):
                out[at] = self.observe(Position.at(self.game, state))

    def mask(self, position: Position) -> Array:
        """1 for the number of each legal move, 0 for all other numbers; all are 0 when the game has ended."""
        mask = np.zeros(self.actions, np.int8)
        if position.outcome() is None:
            mask[list(self._legal(position))] = 1
        return mask

    def move(self, position: Position, action: Any) -> str:
        """The legal move with this number. Raises EncodingError."""
        try:
            return self._legal(position)[int(action)]
        except (KeyError, TypeError, ValueError):
            raise EncodingError(f"action {action} is no legal move in {position.text()}") from None

    def action(self, move: str) -> int:
        """The number of a move. Raises EncodingError."""
        if move not in self._actions:
            try:
                self._actions[move] = self._action(move)
            except (LookupError, GameError) as error:
                raise EncodingError(f"the move {move!r} has no number on this board ({error})") from None
        return self._actions[move]

    def _action(self, move: str) -> int:
        names = [place.name for place in places_of(move, self._places)]
        if not names:
            self.game.check_move_format(move)
            return self._last(move)
        begin, *end = [self._number[name] for name in names]
        if not self._by_pairs:
            return begin
        letter = move[len("".join(names)) :]
        return (begin * len(self._places) + end[0]) * len(self._letters) + self._letters.index(letter)

    def _last(self, move: str) -> int:
        if any(character.isdigit() for character in move):  # it names a place that this board has not
            raise LookupError("there is no such place")
        return self.actions - 1

    def _legal(self, position: Position) -> dict[int, str]:
        return {self.action(move): move for move in position.legal_moves()}

    def _cell(self, name: str, text: str) -> tuple[int, int]:
        if name not in self._cells:
            raise EncodingError(f"{text} is no position of this board: it has a place {name}")
        return self._cells[name]
