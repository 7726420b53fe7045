"""Runs long work off the event loop: in a thread, and the pairing of large fields in a process.

Pairing a Swiss round of 200 bots takes about a second. In a thread it shares the interpreter with the event loop, which
was then late by up to a tenth of a second (benchmarks/swiss.py); a process does not delay the loop.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from tabiya.server.pairing import FORMATS, Format, Plan
from tabiya.server.pairing.state import PairingState

log = logging.getLogger("tabiya.tournament")

SUBPROCESS_FROM_ENTRANTS = 40  # with fewer entrants, starting a process would take longer than pairing
TIMEOUT_S = 60.0
PROGRAM = "from tabiya.server.tournaments.pairing_process import main; main()"

T = TypeVar("T")


class PairingJob(Struct, frozen=True):
    """The input of the pairing process."""

    form: str
    plan: Plan
    state: PairingState


class PairingExecutor:
    """Runs long work of tournaments; a simulation replaces it by one without threads."""

    async def run(self, work: Callable[..., T], *given: Any) -> T:
        """Run a function in a thread."""
        return await asyncio.to_thread(work, *given)

    async def advance(self, form: Format, plan: Plan, state: PairingState) -> PairingState:
        """The tournament with what follows from its results so far: see `Format.advance`."""
        if plan.entrants >= SUBPROCESS_FROM_ENTRANTS:
            answer = await advance_in_subprocess(PairingJob(form.name, plan, state))
            if answer is not None:
                return answer
        return await self.run(form.advance, plan, state)


async def advance_in_subprocess(question: PairingJob) -> PairingState | None:
    """The next state, computed by a child process; None if that has failed, which is logged."""
    # the child must find the package where this process has found it, also in a checkout
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}  # noqa: PTH109
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PROGRAM,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            out, err = await process.communicate(msgspec.json.encode(question))
        if process.returncode == 0:
            return msgspec.json.decode(out, type=PairingState)
        log.error("a process that pairs a round ended with %s: %s", process.returncode, err.decode()[-500:])
    except TimeoutError:
        log.error("a process that pairs a round took longer than %.0f seconds", TIMEOUT_S)
    finally:
        if process.returncode is None:  # after a timeout, or if this task is cancelled
            process.kill()
            await process.wait()
    return None


def main() -> None:
    """The child process: a PairingJob from standard input, the next state to standard output."""
    question = msgspec.json.decode(sys.stdin.buffer.read(), type=PairingJob)
    state = FORMATS[question.form].advance(question.plan, question.state)
    sys.stdout.buffer.write(msgspec.json.encode(state))
