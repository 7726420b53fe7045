"""`tabiya` commands in processes that are killed and started again, with their output in a log."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from tests.ports import free_ports

WITHIN_S = 300.0
POLL_S = 0.02


class CommandProcess:
    """`tabiya WORDS`, started by `begin` as often as is wanted. name: also of its log in the folder."""

    process: asyncio.subprocess.Process

    def __init__(self, folder: Path, name: str, *words: str) -> None:
        self.name, self.log, self._words = name, folder / f"{name}.log", words
        self._bytes_before = 0

    async def begin(self) -> None:
        """Start it; returns at once."""
        self._bytes_before = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "tabiya", *self._words, stdout=log, stderr=log
            )

    @property
    def output(self) -> str:
        """Its output since it was started last."""
        return self.log.read_bytes()[self._bytes_before :].decode("utf-8", "replace")

    @property
    def runs(self) -> bool:
        """Whether it has begun and not ended."""
        return hasattr(self, "process") and self.process.returncode is None

    async def until_printed(self, pattern: str) -> str:
        """Wait until its output matches; returns the match. Raises SystemExit if it ends before."""
        async with asyncio.timeout(WITHIN_S):
            while not (found := re.search(pattern, self.output)):
                self._must_run()
                await asyncio.sleep(POLL_S)
        return found[0]

    def _must_run(self) -> None:
        if not self.runs:
            raise SystemExit(f"{self.name} has ended with {self.process.returncode}: see {self.log}")


class StandbyServer(CommandProcess):
    """One of several servers on a database, which waits while another one serves.

    pages: HOST:PORT of its pages, when it serves; the same in each of its lives.  flags: further ones of `serve`.
    """

    def __init__(self, folder: Path, number: int, database: str, *flags: str) -> None:
        ports = free_ports(2)
        self.pages = f"127.0.0.1:{ports[1]}"
        self._ready = folder / f"ready-{number}.json"
        words = ["serve", "--standby", "--database", database, "--ready-file", str(self._ready)]
        words += ["--port", str(ports[0]), "--pages-port", str(ports[1])]
        super().__init__(folder, f"server-{number}", *words, *flags)

    async def begin(self) -> None:
        """Start it: it waits, or serves if nobody else does."""
        self._ready.unlink(missing_ok=True)
        await super().begin()

    @property
    def serves(self) -> bool:
        """Whether it listens."""
        return self._ready.exists()

    @property
    def serves_since(self) -> float:
        """Since when, on the wall's clock."""
        return self._ready.stat().st_mtime

    @property
    def waits(self) -> bool:
        """Whether it has loaded everything and another one serves."""
        return "in use by another server" in self.output

    async def until(self, what: str) -> None:
        """Wait until it `serves` or `waits`."""
        async with asyncio.timeout(WITHIN_S):
            while not getattr(self, what):
                self._must_run()
                await asyncio.sleep(POLL_S)
