"""Pairs played by the workers of a Dask cluster: its scheduler gives out the pairs, and again those of lost workers."""

from __future__ import annotations

import uuid
from typing import Any

from distributed import KilledWorker
from distributed.client import FutureCancelledError

from tabiya.dask_cluster.build_id import build_id
from tabiya.match.executors.dask_worker import play_on_worker
from tabiya.match.executors.task import packed_task, unpack_answer
from tabiya.match.pairs import PlayedPair
from tabiya.match.participants import MatchFailed
from tabiya.match.plan import MatchPlan

WAITING = 100
"""Pairs that are out without a worker: a cluster that grows with its work sees none otherwise."""


class DaskExecutor:
    """An `Executor` over a scheduler; client: of `tabiya.dask_cluster.connect`, closed with this."""

    def __init__(self, address: str, client: Any) -> None:
        self._address, self._client = address, client
        self._id, self._asked = uuid.uuid4().hex[:8], 0

    @property
    def workers(self) -> int:
        """See `Executor.workers`; as the scheduler said in the last two seconds."""
        return self._seen("n_workers")

    @property
    def cores(self) -> int:
        """See `Executor.cores`: the threads of all workers."""
        return self._seen("total_threads")

    @property
    def at_once(self) -> int:
        """See `Executor.at_once`: with some that wait at the scheduler."""
        return self.cores + WAITING

    def _seen(self, what: str) -> int:
        if self._client.status == "running":
            return int(self._client.scheduler_info(n_workers=0).get(what, 0))
        return 0

    async def play(self, plan: MatchPlan, pair: int) -> PlayedPair:
        """See `Executor.play`. How often a pair is played again is the scheduler's setting `allowed-failures`."""
        task = packed_task(plan, pair, takes_files=True)
        self._asked += 1
        # One for each time that it is asked for: a pair of the same number may be of another plan. A tuple, so that the
        # scheduler sees many tasks of one kind, and gives one to a worker only when that has a thread for it.
        key = (f"play_pair-{self._id}", self._asked, pair)
        future: Any = self._client.submit(play_on_worker, build_id(), task, key=key, pure=False)
        try:
            worker, answer = await future
        except KilledWorker as error:
            raise MatchFailed(
                f"pair {pair + 1} was given to {error.allowed_failures + 1} workers, and each of them was lost; the "
                f"last was {error.last_worker.address}"
            ) from None
        except (FutureCancelledError, OSError):  # OSError: it is lost while it is asked for an answer that is there
            raise MatchFailed(
                f"the Dask scheduler at {self._address} is lost, with all pairs that were running"
            ) from None
        except ModuleNotFoundError as error:
            raise MatchFailed(
                f"a worker at {self._address} has no module {error.name}: each needs pip install 'tabiya[dask]'"
            ) from None
        finally:
            future.release()  # tasks that are not wanted any more do not begin
        return unpack_answer(answer).pair_by(worker)

    async def close(self) -> None:
        """See `Executor.close`."""
        await self._client.close()
