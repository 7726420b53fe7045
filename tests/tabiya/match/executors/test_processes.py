"""The processes that play pairs end whatever happens."""

from __future__ import annotations

import asyncio
import signal

import pytest

from tabiya.match.executors.processes import PairProcess


async def test_a_process_is_gone_also_where_its_end_is_cancelled() -> None:
    process = await PairProcess.start()
    process._process.send_signal(signal.SIGSTOP)  # so that it does not end by itself
    ending = asyncio.create_task(process.close())
    await asyncio.sleep(0)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    assert process._process.returncode is not None
