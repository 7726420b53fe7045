"""A NATS server of the tests' own, reached by nobody else."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator

from tests.ports import free_port

MISSING = "these tests need nats-server: on Debian or Ubuntu `apt-get install nats-server`"


class Nats:
    """One server. url: for `--bus`."""

    def __init__(self, port: int) -> None:
        self._port, self.url = port, f"nats://127.0.0.1:{port}"
        self._process: asyncio.subprocess.Process

    async def start(self) -> None:
        """Start, also again after `kill`; on the same port."""
        program = shutil.which("nats-server")
        assert program, MISSING
        self._process = await asyncio.create_subprocess_exec(
            program, "--addr", "127.0.0.1", "--port", str(self._port), stderr=asyncio.subprocess.PIPE
        )
        assert self._process.stderr is not None
        while b"Server is ready" not in (line := await self._process.stderr.readline()):
            assert line, "nats-server has ended"

    async def kill(self) -> None:
        """As a crash would."""
        self._process.kill()
        await self._process.wait()


@contextlib.asynccontextmanager
async def nats() -> AsyncIterator[Nats]:
    """A running one."""
    server = Nats(free_port())
    await server.start()
    try:
        yield server
    finally:
        await server.kill()
