"""Gives pairs to an executor, up to its room, and takes results in any order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable

from tabiya.match.executors.executor import Executor
from tabiya.match.pairs import PlayedPair
from tabiya.match.plan import MatchPlan

POLL_S = 0.5  # how often is looked whether workers have come


class Spread:
    """The pairs given to an executor. out: pairs.  seen: the workers that have played one."""

    def __init__(self, executor: Executor) -> None:
        self.executor, self.out, self.seen = executor, 0, set[str]()

    async def pairs(self, plan: MatchPlan, wanted: Iterable[int]) -> AsyncGenerator[PlayedPair | None]:
        """These pairs of a plan in the order in which they are over; None whenever nothing has come for a while.

        Closed, it takes back what is not over. Raises MatchFailed.
        """
        playing, left = set[asyncio.Task[PlayedPair]](), iter(wanted)
        try:
            pair = next(left, None)
            while pair is not None or playing:
                while pair is not None and len(playing) < self.executor.at_once:
                    playing.add(asyncio.create_task(self.executor.play(plan, pair)))
                    pair = next(left, None)
                self.out = len(playing)
                # after a while without any, too: workers may have come
                over, _ = await asyncio.wait(playing, timeout=POLL_S, return_when=asyncio.FIRST_COMPLETED)
                for task in sorted(over, key=_has_failed):  # played games count, even if another worker failed
                    played = task.result()
                    playing.remove(task)
                    self.seen.add(played.worker)
                    yield played
                if not over:
                    yield None
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)


def _has_failed(task: asyncio.Task[PlayedPair]) -> bool:
    return task.exception() is not None
