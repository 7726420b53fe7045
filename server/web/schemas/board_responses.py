"""Response models of boards: of a match, and of a position that can be set up by hand."""

from __future__ import annotations

from typing import Annotated

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.responses import BoardPicture, ResponseModel


class PieceInfo(ResponseModel, frozen=True, kw_only=True):
    """A piece that can be placed."""

    symbol: Annotated[str, doc("Value for `piece`.")]
    name: Annotated[str, doc("Name in words, as in `content` of a place.")]
    svg: Annotated[str, doc("An SVG document.")]


class SwitchInfo(ResponseModel, frozen=True, kw_only=True):
    """A property of a board that can be switched on or off."""

    name: Annotated[str, doc("Value for `switch`.")]
    title: Annotated[str, doc("In words.")]
    is_on: Annotated[bool, doc("Whether the board has it.")]


class GameEnd(ResponseModel, frozen=True, kw_only=True):
    """The end of a game."""

    winner: Annotated[int | None, doc("The winning seat; null for a draw.")]
    ending: Annotated[str, doc("How it ended, from the protocol's list of endings.")]
    sentence: Annotated[str, doc("The same as a sentence with the names of the seats.")]


class PlayedBoard(BoardPicture, frozen=True, kw_only=True):
    """A board, the moves before it and its legal moves."""

    moves: Annotated[tuple[str, ...], doc("The moves so far, in the game's notation.")]
    readable: Annotated[tuple[str, ...], doc("The same as written for people.")]
    legal: Annotated[tuple[str, ...], doc("Legal moves; empty if the game is over or the board is no position.")]
    legal_readable: Annotated[tuple[str, ...], doc("The same as written for people.")]


class GameBoard(PlayedBoard, frozen=True, kw_only=True):
    """A board of a game, and the possible changes."""

    start: Annotated[str, doc("The position before the moves.")]
    position: Annotated[str, doc("The board after them, in the game's notation.")]
    to_move: Annotated[int, doc("The seat to move.")]
    end: Annotated[GameEnd | None, doc("The end of the game; null before it.")]
    tally: Annotated[tuple[str, str], doc("The count of each seat, such as `34 discs`.")]
    problem: Annotated[str | None, doc("Why this is not a legal position, as a sentence; null if it is.")]
    pieces: Annotated[
        tuple[PieceInfo, ...], doc("Pieces that can be placed; empty: boards of this game cannot be set up by hand.")
    ]
    switches: Annotated[tuple[SwitchInfo, ...], doc("Switches, such as castling rights.")]
