"""Boards asked for by position: moves played on them, pieces put on them by hand. Called in a thread."""

from __future__ import annotations

import functools
import re
from typing import Any

from tabiya.games.board_setup import BoardSetup, ShownBoard
from tabiya.games.contract import Game
from tabiya.games.errors import IllegalMove, MoveFormatError, OptionError, PlacingError, PositionError, SwitchError
from tabiya.games.picture import EMPTY
from tabiya.games.position import Position
from tabiya.games.rules import Outcome
from tabiya.server.web.schemas.board_responses import GameBoard, GameEnd, PieceInfo, SwitchInfo
from tabiya.server.web.schemas.requests import GameBoardQuery
from tabiya.server.web.schemas.responses import PlaceInfo
from tabiya.server.web.views.presentation import end_sentence

NUMBER = re.compile(r"\d+\.+")  # of a move, as people write it before the move
FIELDS = {
    PositionError: "position",
    OptionError: "options",
    MoveFormatError: "moves",
    IllegalMove: "moves",
    PlacingError: "place",
    SwitchError: "switch",
}
"""The field of the query that each error is about."""


def game_board(game: Game, query: GameBoardQuery) -> GameBoard:
    """The board that a query asks for. Raises an error of FIELDS."""
    text, position, readable = _start(game, query), None, list[str]()
    if query.moves:
        position, readable = _played(game, game.parse(text), NUMBER.sub(" ", query.moves).split())
        text = position.text()
    changed = _changed(game, text, query)
    if position is None or changed != text:
        try:
            position, readable = game.parse(changed), []
        except PositionError as error:
            return _unfinished(game, game.setup(changed), query.seat, str(error))
    return _position(game, position, readable, query)


def _start(game: Game, query: GameBoardQuery) -> str:
    if query.position is not None:
        return query.position
    return game.start(dict(option.partition("=")[::2] for option in query.options.split())).text()


def _played(game: Game, position: Position, moves: list[str]) -> tuple[Position, list[str]]:
    """The position after these moves, and the moves as people write them."""
    readable = []
    for text in moves:
        move = game.read_move(position, text)
        readable.append(game.readable_move(position, move))
        position = position.play(move)
    return position, readable


def _changed(game: Game, text: str, query: GameBoardQuery) -> str:
    """The board with what the query changes by hand."""
    if query.empty:
        text = game.emptied(text)
    if query.place is not None or query.piece is not None:
        text = game.placed(text, query.place or "", EMPTY if query.piece is None else query.piece)
    if query.switch is not None:
        text = game.switched(text, query.switch)
    return text if query.mover is None else game.with_mover(text, query.mover)


def _unfinished(game: Game, board: BoardSetup, seat: int, problem: str) -> GameBoard:
    """A board that is no position, and why."""
    return GameBoard(
        **_drawn(game, board, seat),
        start=board.text(),
        moves=(),
        readable=(),
        position=board.text(),
        to_move=board.to_move,
        legal=(),
        legal_readable=(),
        end=None,
        tally=game.tally(board),
        problem=problem,
    )


def _position(game: Game, position: Position, readable: list[str], query: GameBoardQuery) -> GameBoard:
    """A position, and the moves that led to it."""
    outcome = position.outcome()
    legal = position.legal_moves() if outcome is None else ()
    drawn = game.setup(position.text()) if query.setup and game.pieces else position
    return GameBoard(
        **_drawn(game, drawn, query.seat),
        start=position.start_text,
        moves=position.moves,
        readable=tuple(readable),
        position=position.text(),
        to_move=position.to_move,
        legal=legal,
        legal_readable=tuple(game.readable_move(position, move) for move in legal),
        end=_end(game, outcome) if outcome else None,
        tally=game.tally(position),
        problem=None,
    )


def _drawn(game: Game, board: ShownBoard, seat: int) -> dict[str, Any]:
    places = tuple(PlaceInfo(**place._asdict()) for place in game.places(board, seat))
    turned = game.switches(game.setup(board.text())) if game.pieces else ()
    switches = tuple(SwitchInfo(**switch._asdict()) for switch in turned)
    return {"svg": game.svg(board, seat), "places": places, "pieces": _pieces(game), "switches": switches}


@functools.cache
def _pieces(game: Game) -> tuple[PieceInfo, ...]:
    return tuple(PieceInfo(symbol=each, name=name, svg=game.piece_svg(each)) for each, name in game.pieces.items())


def _end(game: Game, outcome: Outcome) -> GameEnd:
    sentence = end_sentence(outcome.winner, outcome.ending, game.seat_names)
    return GameEnd(winner=outcome.winner, ending=outcome.ending, sentence=sentence)
