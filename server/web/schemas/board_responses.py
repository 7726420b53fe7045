"""Response models of boards to play on: those of a match, and those asked for by position, which can be set up."""

from __future__ import annotations

from typing import Annotated

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.responses import BoardPicture, ResponseModel


class PieceInfo(ResponseModel, frozen=True, kw_only=True):
    """What can be put on a place."""

    symbol: Annotated[str, doc("As `piece` takes it.")]
    name: Annotated[str, doc("In words, as `content` of a place has it.")]
    svg: Annotated[str, doc("An SVG document.")]


class SwitchInfo(ResponseModel, frozen=True, kw_only=True):
    """What a board has or has not beside its pieces."""

    name: Annotated[str, doc("As `switch` takes it.")]
    title: Annotated[str, doc("In words.")]
    is_on: Annotated[bool, doc("Whether the board has it.")]


class GameEnd(ResponseModel, frozen=True, kw_only=True):
    """How a game is over."""

    winner: Annotated[int | None, doc("The seat that won; null for a draw.")]
    ending: Annotated[str, doc("How it ended, in one word of the protocol's list of endings.")]
    sentence: Annotated[str, doc("The same in a plain sentence with the names of the seats.")]


class PlayedBoard(BoardPicture, frozen=True, kw_only=True):
    """A board, the moves that led to it, and those that are legal on it."""

    moves: Annotated[tuple[str, ...], doc("The moves so far, in the game's notation.")]
    readable: Annotated[tuple[str, ...], doc("The same as people write them.")]
    legal: Annotated[
        tuple[str, ...], doc("The moves that are legal now; none if the game is over, or the board is no position.")
    ]
    legal_readable: Annotated[tuple[str, ...], doc("The same as people write them.")]


class GameBoard(PlayedBoard, frozen=True, kw_only=True):
    """A board of a game, and what can be done on it."""

    start: Annotated[str, doc("The position that the moves begin from.")]
    position: Annotated[str, doc("The board after them, in the game's notation.")]
    to_move: Annotated[int, doc("The seat to move.")]
    end: Annotated[GameEnd | None, doc("How the game is over; null while it goes on.")]
    tally: Annotated[tuple[str, str], doc("What each seat has of that which the game counts, such as `34 discs`.")]
    problem: Annotated[str | None, doc("Why this is no position yet, as a sentence; null for one that is.")]
    pieces: Annotated[
        tuple[PieceInfo, ...], doc("What can be put on places; none: this game's boards are not set up by hand.")
    ]
    switches: Annotated[tuple[SwitchInfo, ...], doc("What can be turned by hand, such as rights to castle.")]
