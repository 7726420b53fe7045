"""The events of a match that is followed from a ply on: what is new, and no more."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, UnsetType

from tabiya.protocol.messages.fields import doc
from tabiya.server.web.schemas.responses import BoardChange, Millis, ResponseModel, ResultInfo, Times


class PagePieces(ResponseModel, frozen=True, kw_only=True):
    """What a move adds to the page of its match, as HTML and SVG. Other programs: this may change at any time."""

    row: Annotated[str, doc("Its row of the table of moves.")]
    bar: Annotated[str, doc("Its bar of thinking time.")]
    column: Annotated[str, doc("Its column of the graph, if its bot told a score.")]
    point: Annotated[str, doc("Its point of the graph.")]


class LiveMove(ResponseModel, frozen=True, kw_only=True):
    """One move of a match that is followed."""

    ply: Annotated[int, doc("Moves with this one.")]
    seat: Annotated[int, doc("Who moved.")]
    move: Annotated[str, doc("The move in the game's notation.")]
    readable: Annotated[str, doc("The move as people write it.")]
    board: Annotated[BoardChange, doc("The board after it; those before are at `/boards`, for the same seat.")]
    parts: Annotated[tuple[str, ...], doc("The elements that no board before has.")]
    page: Annotated[PagePieces, doc("For the page.")]


class LiveMoves(ResponseModel, frozen=True, kw_only=True):
    """What is new in a match: one event of the stream that `after` asks for. Its id is `ply`."""

    after: Annotated[int, doc("Moves before. Who has another number of them asks again, with its own as `after`.")]
    ply: Annotated[int, doc("Moves so far.")]
    moves: Annotated[tuple[LiveMove, ...], doc("Those since `after`.")]
    status: Annotated[str, doc("`running`, `frozen` or `ended`; nothing follows the last two.")]
    to_move: Annotated[int | None, doc("Seat to move.")]
    clock_ms: Annotated[Times | None, doc("Both clocks at the start of this turn.")]
    thinking_ms: Annotated[Millis, doc("How long the seat to move has been thinking.")]
    result: Annotated[ResultInfo | None, doc("How it ended.")]
    falls: Annotated[dict[int, float], doc("By number, from 1: moves that are now known to have cost much, in points.")]
    longest_ms: Annotated[Millis, doc("The longest that one of the moves took.")]
    html: Annotated[
        dict[str, str] | UnsetType, doc("Parts of the page that are new. Other programs: this may change.")
    ] = UNSET
