"""Virtual time: an event loop whose clock jumps to the next timer when nothing is ready.

    @virtual_time
    async def test_an_hour_passes() -> None:
        await asyncio.sleep(3600)

An hour costs nothing, the same test takes the same steps every time, and a test in which nothing can happen any more
fails at once instead of hanging. Why not a package: docs/decisions/004-virtual-time.md
"""

from __future__ import annotations

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn, ParamSpec, cast

P = ParamSpec("P")
START_S = 1_000.0
NOON_NS = 1_750_000_000 * 1_000_000_000


class NothingCanHappen(AssertionError):
    """No callback is ready, no timer is set, and no socket has anything to read: the test would wait forever."""


class _JumpingSelector(selectors.DefaultSelector):
    """Looks at the sockets without waiting; when all is quiet, the time to wait has passed."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = START_S

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise NothingCanHappen("everybody waits and no timer is set")
        if not ready and timeout is not None and timeout > 0:
            self.now_s += timeout
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop with a time of its own. Threads have none, so there are none."""

    def __init__(self) -> None:
        self._clock = _JumpingSelector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now_s

    def run_in_executor(self, *_: object) -> NoReturn:
        raise RuntimeError("a thread does its work in real time; under virtual time there is none to wait for it")


def compute(seconds: float) -> None:
    """Hold up the running loop for so long."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    loop._clock.now_s += seconds


def now_ns() -> int:
    """The running loop's time as the server's clock wants it."""
    return round(asyncio.get_running_loop().time() * 1e9)


def wall_ns() -> int:
    """Nanoseconds since 1970 on a day of their own: equal in every run."""
    return NOON_NS + now_ns()


def now_s() -> float:
    """Seconds since the loop began."""
    return asyncio.get_running_loop().time() - START_S


def virtual_time(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """The test as a plain function that runs under virtual time and leaves no task behind."""

    async def run(*args: P.args, **kwargs: P.kwargs) -> None:
        await test(*args, **kwargs)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"tasks are left behind: {left}"

    @functools.wraps(test)
    def plain(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
            runner.run(run(*args, **kwargs))

    return cast("Callable[P, None]", plain)
