"""The parent's handle of one search process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections import deque
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from tabiya.explorer.worker import ANSWER, ERROR, PROGRESS, STOP
from tabiya.server.explorer import NoAnswer

HEADER_BYTES = 5
STOP_TIMEOUT_S = 2.0  # after being told to stop; then it is killed
HOME = Path(__file__).absolute().parents[2]  # not resolved: in a checkout tabiya/explorer is a link
PROGRAM = (
    "import sys; sys.path.insert(0, {home!r}); from tabiya.processes.die_with_parent import die_with_parent; "
    "die_with_parent({parent}); from tabiya.explorer.worker import main; main()"
)


class SearchProcess:
    """Answers one question at a time. Made by `start`, ended by `close`."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._in, self._out = process, process.stdin, process.stdout
        self.searched: deque[dict[str, Any]] = deque(maxlen=8)
        """The last questions."""

    @classmethod
    async def start(cls) -> SearchProcess:
        """A new process. Raises NoAnswer."""
        program = PROGRAM.format(home=str(HOME), parent=os.getpid())
        pipe = asyncio.subprocess.PIPE
        try:
            command = (sys.executable, "-P", "-c", program)
            return cls(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe))
        except OSError as error:
            raise NoAnswer(f"no process can be started for the search: {error.strerror or error}") from error

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.returncode is None

    async def ask(self, question: dict[str, Any]) -> AsyncGenerator[int | bytes]:
        """How many visits there have been, now and then; at last the answer. Raises NoAnswer.

        Whoever closes the iterator before ends the search.
        """
        is_over = False
        self.searched.append(question["question"])
        try:
            self._in.write(json.dumps(question).encode() + b"\n")
            await self._in.drain()
            while True:
                kind, body = await self._frame()
                if kind == PROGRESS:
                    yield int(body)
                    continue
                is_over = True
                if kind == ERROR:
                    raise NoAnswer(body.decode())
                yield body
                return
        except (OSError, asyncio.IncompleteReadError) as error:
            is_over = True
            await self.close()
            raise NoAnswer("the process of the search has ended; try again") from error
        finally:
            if not is_over:
                await asyncio.shield(self._stop())

    async def _frame(self) -> tuple[bytes, bytes]:
        header = await self._out.readexactly(HEADER_BYTES)
        return header[:1], await self._out.readexactly(int.from_bytes(header[1:], "big"))

    async def _stop(self) -> None:
        """Wait until it has stopped; kill it if it does not."""
        try:
            self._in.write(STOP.encode() + b"\n")
            async with asyncio.timeout(STOP_TIMEOUT_S):
                while (await self._frame())[0] not in (ANSWER, ERROR):
                    pass
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            await self.close()

    async def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
