"""What a match is told where its Dask scheduler is lost; tests/scripts/long_runs/test_lost_workers.py kills one."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError

from tabiya.match.executors.dask import DaskExecutor
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan


class LostFuture:
    """Of a task whose answer cannot be had."""

    def __init__(self, error: Exception) -> None:
        self._error, self.is_released = error, False

    def __await__(self) -> Generator[None, None, Any]:
        yield
        raise self._error

    def release(self) -> None:
        self.is_released = True


class LostClient:
    """Of a scheduler that is killed."""

    def __init__(self, error: Exception) -> None:
        self.future = LostFuture(error)

    def submit(self, *_: Any, **__: Any) -> LostFuture:
        return self.future


@pytest.mark.parametrize("error", [FutureCancelledError("play_pair", "lost"), CommClosedError("Scheduler closed")])
async def test_a_scheduler_that_is_lost_is_one_sentence_also_while_it_gives_out_an_answer(error: Exception) -> None:
    client = LostClient(error)
    plan = MatchPlan(("random", "greedy"), "nim", pairs=1)
    with pytest.raises(MatchFailed, match="the Dask scheduler at tcp://a:1 is lost, with all pairs that were running"):
        await DaskExecutor("tcp://a:1", client).play(plan, 0)
    assert client.future.is_released
