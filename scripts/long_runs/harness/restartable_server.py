"""`tabiya serve` in a process that is killed and started again, on the same database and ports in each of its lives.

server = RestartableServer(folder / "games.db")
await server.start()                          # returns when it listens: server.websocket, server.pages
await server.end(signal.SIGKILL)
await server.start()

With `spare`, the next life is there already when one begins: a process that has loaded everything and waits for a word
before it opens the database or a port. Starting takes seconds of the processor; a line that is away so long is no test.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from scripts.long_runs.harness.api_client import ApiClient

START_S = 300.0  # rules that have changed are compiled first
POLL_S = 0.02
SERVE = """
import sys
import tabiya.server.app, tabiya.server.logs, tabiya.storage.sql.store, tabiya.storage.sql.sqlite
from tabiya.cli.main import main
from tabiya.processes.server_process import warm_rules
warm_rules()
if sys.stdin.readline():
    main()
"""


class RestartableServer(ApiClient):
    """A server process. log: of all its lives.  lives: how often it was started."""

    def __init__(
        self,
        database: Path | str,
        folder: Path,
        settings: Mapping[str, str] | None = None,
        *flags: str,
        spare: bool = False,
    ) -> None:
        """database: a file or an address.  folder: for its log.  settings: of its environment, as TABIYA_....

        flags: more of `tabiya serve`.  spare: keep the next life ready.
        """
        self.database, self.log = str(database), folder / "server.log"
        self._ready = folder / "ready.json"
        self._environment, self._flags = os.environ | dict(settings or {}), flags
        self.operator_token = self._environment.get("TABIYA_OPERATOR_TOKEN", "")
        self.websocket = self.pages = ""
        self.lives = 0
        self.process: asyncio.subprocess.Process | None = None
        self._keeps_spare = spare
        self._spare: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Returns when it listens. Raises SystemExit when it cannot start."""
        self._ready.unlink(missing_ok=True)
        self.process, self._spare = self._spare or await self._life(), None
        assert self.process.stdin is not None
        self.process.stdin.write(b"begin\n")
        self.lives += 1
        async with asyncio.timeout(START_S):
            while not self._ready.exists():
                if self.process.returncode is not None:
                    raise SystemExit(f"the server does not start: see {self.log}")
                await asyncio.sleep(POLL_S)
        addresses = json.loads(self._ready.read_text())
        self.websocket, self.pages = addresses["websocket"], addresses["pages"]
        if self._keeps_spare:
            self._spare = await self._life()

    async def _life(self) -> asyncio.subprocess.Process:
        """A process that waits for a line of input before it starts."""
        ports = [url.rpartition(":")[2] or "0" for url in (self.websocket, self.pages)]
        words = ["serve", "--database", self.database, "--port", ports[0], "--pages-port", ports[1], *self._flags]
        with self.log.open("ab") as log:
            return await asyncio.create_subprocess_exec(
                sys.executable, "-c", SERVE, *words, "--ready-file", str(self._ready),
                stdin=asyncio.subprocess.PIPE, stdout=log, stderr=log, env=self._environment,
            )  # fmt: skip

    async def close(self) -> int:
        """End it in order, and the spare, if there is one; the exit status."""
        if self._spare is not None:
            self._spare.kill()
            await self._spare.wait()
        return await self.end(signal.SIGTERM) if self.process is not None else 0

    def send(self, number: signal.Signals) -> None:
        """A signal, if it still runs."""
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(number)

    async def end(self, number: signal.Signals) -> int:
        """Send a signal and wait for the end; the exit status."""
        assert self.process is not None
        self.send(number)
        return await self.process.wait()

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of the websockets."""
        return "127.0.0.1", int(self.websocket.rpartition(":")[2])
