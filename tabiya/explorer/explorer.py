"""Searches and reviews for pages: each request is answered once, in a separate process, and kept for a while."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from tabiya.review.judged_by import USUAL_NODES, judged_by
from tabiya.server.explorer import ExplorerBusy, NoAnswer
from tabiya.storage.records import ReviewRecord

if TYPE_CHECKING:  # what knows the textbooks is loaded when somebody asks: a server starts without
    from tabiya.explorer.process import SearchProcess

PROCESSES = 2
MOST_WAITING = 60  # questions; more are refused with a request to try again
MOST_KEPT = 64 * 1024 * 1024  # bytes of answers
REPORT_INTERVAL_S = 0.25  # between two reports of progress
IDLE_S = 300.0  # processes that are idle this long are ended: each holds 200 MB


@dataclass(slots=True)
class _Search:
    """A search that runs or waits. listeners: those that wait for its answer; without any it is ended."""

    task: asyncio.Task[bytes]
    listeners: int = 0
    visits: int = 0


class Explorer:
    """Answers questions about searches, and reviews games. Ended by `close`.

    A question is a mapping of fields of `SearchQuestion`. All raise ValueError where it cannot be asked so, NoAnswer
    where it cannot be answered, and ExplorerBusy.
    """

    def __init__(self, processes: int = PROCESSES) -> None:
        self._free: list[SearchProcess] = []
        self._places = asyncio.Semaphore(processes)
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._searches: dict[str, _Search] = {}
        self._ending: asyncio.Task[None] | None = None

    async def search(self, given: Mapping[str, Any]) -> AsyncGenerator[int | bytes]:
        """How many visits there have been, now and then; at last the recording (see `Recording.packed`)."""
        question = await asyncio.to_thread(_checked, given)
        async with contextlib.aclosing(self._answer({"do": "search", "question": question})) as parts:
            async for part in parts:
                yield part

    async def calls(self, given: Mapping[str, Any], visit: int) -> bytes:
        """The listing line by line at a visit, as JSON."""
        question = await asyncio.to_thread(_checked, given)
        return await self._whole({"do": "calls", "question": question, "visit": visit})

    async def difference(self, given: Mapping[str, Any], other: Mapping[str, Any]) -> bytes:
        """What only one of two searches of the same tree visited (see `Comparison`), as JSON."""
        one, two = [await asyncio.to_thread(_checked, each) for each in (given, other)]
        return await self._whole({"do": "difference", "question": one, "other": two})

    @staticmethod
    @cache
    def listings() -> bytes:
        """All listings with their lines, as JSON."""
        from tabiya.bots.textbook.catalogue import LISTINGS
        from tabiya.explorer.listings import shown_listing

        return json.dumps({"listings": [shown_listing(listing) for listing in LISTINGS]}).encode()

    @staticmethod
    @cache
    def examples() -> bytes:
        """Searches that show the textbooks' examples and claims, by name, as JSON."""
        from tabiya.bots.textbook.recording.scenes import SCENES
        from tabiya.explorer.listings import shown_scene

        return json.dumps({"examples": [shown_scene(scene) for scene in SCENES.values()]}).encode()

    async def exercises(self, asked: Mapping[str, Any]) -> bytes:
        """Exercises on small trees, made by a seed, with pictures and solutions, as JSON (see `shown_exercise`)."""
        return await self._whole({"do": "exercises", "question": dict(asked)})

    async def review(self, game: str, start: str, moves: Sequence[str]) -> AsyncGenerator[int | ReviewRecord]:
        """How many moves of a game are judged, now and then; at last all of them, as `tabiya review` keeps them."""
        asked = {"game": game, "start": start, "moves": list(moves), "nodes": USUAL_NODES}
        async with contextlib.aclosing(self._answer({"do": "review", "question": asked})) as parts:
            async for part in parts:
                if isinstance(part, int):
                    yield part
                else:
                    by = judged_by(game, USUAL_NODES, len(moves))
                    yield ReviewRecord(judged_by=by, judged=part.decode())

    async def close(self) -> None:
        """End all that runs."""
        for search in self._searches.values():
            search.task.cancel()
        await asyncio.gather(*(search.task for search in self._searches.values()), return_exceptions=True)
        if self._ending is not None:
            self._ending.cancel()
        await self._end_free()

    # --- answers

    async def _whole(self, asked: dict[str, Any]) -> bytes:
        """The answer alone."""
        answer = b""
        async for part in self._answer(asked):
            answer = part if isinstance(part, bytes) else answer
        return answer

    async def _answer(self, asked: dict[str, Any]) -> AsyncGenerator[int | bytes]:
        """The stored answer, or that of a process. Equal questions at the same time share one search."""
        key = json.dumps(asked, sort_keys=True)
        if key in self._kept:
            self._kept.move_to_end(key)
            yield self._kept[key]
            return
        search = self._searches.get(key) or self._begin(key, asked)
        search.listeners += 1
        try:
            while not (await asyncio.wait([search.task], timeout=REPORT_INTERVAL_S))[0]:
                yield search.visits
            yield await search.task
        finally:
            search.listeners -= 1
            if not search.listeners:
                search.task.cancel()

    def _begin(self, key: str, asked: dict[str, Any]) -> _Search:
        if len(self._searches) >= MOST_WAITING:
            raise ExplorerBusy(f"{len(self._searches)} searches are already waiting; try again in a moment")
        search = self._searches[key] = _Search(asyncio.create_task(self._run(key, asked)))
        return search

    async def _run(self, key: str, asked: dict[str, Any]) -> bytes:
        try:
            async with self._places:
                process = await self._take(asked)
                try:
                    async with contextlib.aclosing(process.ask(asked)) as parts:
                        async for part in parts:
                            if isinstance(part, bytes):
                                self._keep(key, part)
                                return part
                            self._searches[key].visits = part
                finally:
                    self._release(process)
            raise NoAnswer("the search has ended without an answer")
        finally:
            del self._searches[key]

    def _keep(self, key: str, answer: bytes) -> None:
        self._kept[key] = answer
        while len(self._kept) > 1 and sum(map(len, self._kept.values())) > MOST_KEPT:
            self._kept.popitem(last=False)

    # --- processes

    async def _take(self, asked: dict[str, Any]) -> SearchProcess:
        """A free process, best one that has searched this before and may still have the recording."""
        if self._ending is not None:
            self._ending.cancel()
            self._ending = None
        if not self._free:
            from tabiya.explorer.process import SearchProcess

            return await SearchProcess.start()
        self._free.sort(key=lambda process: asked["question"] in process.searched)
        return self._free.pop()

    def _release(self, process: SearchProcess) -> None:
        if process.alive:
            self._free.append(process)
        if self._ending is None:
            self._ending = asyncio.create_task(self._end_idle())

    async def _end_idle(self) -> None:
        await asyncio.sleep(IDLE_S)
        await self._end_free()

    async def _end_free(self) -> None:
        while self._free:
            await self._free.pop().close()


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """The question that these fields make, whole. Raises ValueError, NoAnswer."""
    from tabiya.bots.textbook.recording.question import SearchQuestion

    return asdict(SearchQuestion(**given).checked())
