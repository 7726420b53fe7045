"""The events of a match that is followed from a ply on: only the news."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, UnsetType

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.responses import BoardChange, Millis, ResponseModel, ResultInfo, Times


class PagePieces(ResponseModel, frozen=True, kw_only=True):
    """The HTML and SVG that a move adds to the match's page; the format may change at any time."""

    row: Annotated[str, doc("Its row in the table of moves.")]
    bar: Annotated[str, doc("Its bar of thinking time.")]
    column: Annotated[str, doc("Its column of the graph, if its bot sent a score.")]
    point: Annotated[str, doc("Its point of the graph.")]


class LiveMove(ResponseModel, frozen=True, kw_only=True):
    """One new move of a match."""

    ply: Annotated[int, doc("Number of moves, with this one.")]
    seat: Annotated[int, doc("The seat that moved.")]
    move: Annotated[str, doc("The move in the game's notation.")]
    readable: Annotated[str, doc("The move as written for people.")]
    board: Annotated[BoardChange, doc("The board after it; earlier boards are at `/boards`, for the same seat.")]
    parts: Annotated[tuple[str, ...], doc("Elements that no earlier board has.")]
    page: Annotated[PagePieces, doc("For the page.")]


class LiveMoves(ResponseModel, frozen=True, kw_only=True):
    """New moves of a match, one event of the stream with `after`. Its id is `ply`."""

    after: Annotated[
        int, doc("Moves before this event. A client with another number asks again with its number as `after`.")
    ]
    ply: Annotated[int, doc("Moves so far.")]
    moves: Annotated[tuple[LiveMove, ...], doc("Moves since `after`.")]
    status: Annotated[str, doc("`running`, `frozen` or `ended`; nothing follows the last two.")]
    to_move: Annotated[int | None, doc("Seat to move.")]
    clock_ms: Annotated[Times | None, doc("Both clocks at the start of this turn.")]
    thinking_ms: Annotated[Millis, doc("Time that the seat to move has used so far.")]
    result: Annotated[ResultInfo | None, doc("How it ended.")]
    falls: Annotated[dict[int, float], doc("Move number from 1 -> cost in points, for bad moves.")]
    longest_ms: Annotated[Millis, doc("Longest time of one move.")]
    html: Annotated[dict[str, str] | UnsetType, doc("New parts of the page; may change at any time.")] = UNSET
