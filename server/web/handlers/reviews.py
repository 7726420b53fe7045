"""Reviews of matches: the kept one, or one that the explorer makes because a player's owner orders it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass

import msgspec
from aiohttp import web

from tabiya.server.explorer import Explorer, ExplorerBusy, NoAnswer
from tabiya.server.web.handlers.explorer import SECONDS, explorer_errors, explorer_of
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.http.auth import Authorizer
from tabiya.server.web.http.json_responses import NO_CACHE, ApiCall, HttpError
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.schemas.responses import ReviewProgress
from tabiya.storage.records import BotId, MatchId, MatchRecord

log = logging.getLogger("tabiya.web")

MOST_MADE = 20  # reviews running or waiting; further orders are refused with a request to try again
REPORT_INTERVAL_S = 0.25  # between two lines of progress
LINES = "application/x-ndjson"


@dataclass(slots=True)
class _RunningReview:
    """A review that is being made. by: who ordered it; None for the server's own operator."""

    task: asyncio.Task[None]
    by: set[BotId | None]
    judged: int = 0


class ReviewHandlers:
    """The handlers. A review that has begun is finished and stored, even if its client is gone."""

    def __init__(self, facade: ServerFacade, queries: QueryHandlers, authorizer: Authorizer) -> None:
        self._facade, self._queries, self._authorizer = facade, queries, authorizer
        self._making: dict[MatchId, _RunningReview] = {}

    async def order_review(self, call: ApiCall) -> web.StreamResponse:
        """Review a finished match, for the owners of its bots; a stored review is the answer at once."""
        record = await self._queries.match_record(call)
        account = await self._authorizer.check_player_or_operator(call.request, record)
        if record.status != "ended":
            raise HttpError(409, f"match {record.id} is not over; you can review it after its end")
        if not record.plies:
            raise HttpError(409, f"match {record.id} has no moves")
        if (kept := await self._kept(record)) is not None:
            return web.Response(body=_line(kept), content_type=LINES, headers=NO_CACHE)
        making = self._made_for(record, account.id if account else None)
        await asyncio.wait([making.task], timeout=REPORT_INTERVAL_S)
        if making.task.done():
            with explorer_errors(409):
                making.task.result()
        return await self._follow(call.request, record, making)

    async def close(self, app: web.Application) -> None:
        """Stop: the store is closed next."""
        tasks = [making.task for making in self._making.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- making

    def _made_for(self, record: MatchRecord, by: BotId | None) -> _RunningReview:
        """The review of this match that is being made, begun if it is not. Raises HttpError (429, 503)."""
        explorer = explorer_of(self._facade)
        others = [match for match, making in self._making.items() if by in making.by and match != record.id]
        if others:
            raise HttpError(
                429, f"your review of match {others[0]} is not finished; one review at a time", Retry_After=SECONDS
            )
        making = self._making.get(record.id)
        if making is None:
            if len(self._making) >= MOST_MADE:
                raise HttpError(
                    503, f"{len(self._making)} reviews are already waiting; try again in a moment", Retry_After=SECONDS
                )
            task = asyncio.create_task(self._make(explorer, record))
            task.add_done_callback(_log_error)
            making = self._making[record.id] = _RunningReview(task, set())
        making.by.add(by)
        return making

    async def _make(self, explorer: Explorer, record: MatchRecord) -> None:
        try:
            moves = [move.text for move in await self._facade.store.moves(record.id)]
            async with contextlib.aclosing(explorer.review(record.game, record.start_text, moves)) as parts:
                async for part in parts:
                    if isinstance(part, int):
                        self._making[record.id].judged = part
                    else:
                        await self._facade.store.keep_review(record.id, part.judged_by, part.judged)
        finally:
            del self._making[record.id]

    # --- telling

    async def _kept(self, record: MatchRecord) -> ReviewProgress | None:
        """The kept review of the whole match; None if there is none, or one of the time when it ran."""
        review = await self._queries.match_views.review(record)
        if review is None or len(review.judged) < record.plies:
            return None
        costliest = await self._queries.match_views.costliest(record, review)
        return ReviewProgress(judged=record.plies, moves=record.plies, review=review, costliest=costliest)

    async def _follow(self, request: web.Request, record: MatchRecord, making: _RunningReview) -> web.StreamResponse:
        response = web.StreamResponse(headers=NO_CACHE)
        response.content_type = LINES
        await response.prepare(request)
        with contextlib.suppress(ConnectionResetError):  # the client is gone
            while not making.task.done():
                await response.write(_line(ReviewProgress(judged=making.judged, moves=record.plies)))
                await asyncio.wait([making.task], timeout=REPORT_INTERVAL_S)
            await response.write(_line(await self._end(record, making)))
            await response.write_eof()
        return response

    async def _end(self, record: MatchRecord, making: _RunningReview) -> ReviewProgress:
        try:
            with explorer_errors(409):
                making.task.result()
        except HttpError as error:
            return ReviewProgress(judged=making.judged, moves=record.plies, problem=error.sentence)
        kept = await self._kept(record)
        assert kept is not None
        return kept


def _line(progress: ReviewProgress) -> bytes:
    return msgspec.json.encode(progress) + b"\n"


def _log_error(task: asyncio.Task[None]) -> None:
    """Log the error of a task that may have no client left."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, ExplorerBusy | NoAnswer):
        log.error("a review could not be made", exc_info=error)
