"""Bots in processes of their own that are killed, stopped and started again, and whose workers must not outlive them.

bot = BotProcess("ada", ours("greedy", url, "ada", workers=2), folder, token)
bot.start()
bot.send(signal.SIGSTOP)
faults = await bot.kill()                    # a sentence for each process that is left behind
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[3]
GONE_S = 20.0  # workers notice by themselves that their bot is dead
END_S = 20.0


def ours(player: str, url: str, name: str, workers: int, at_once: int = 4, game: str = "") -> list[str]:
    """The command of a bot with our client. game: one to seek matches in, besides tournaments."""
    words = ["bot", player, "--server", url, "--name", name, "--workers", str(workers), "--concurrency", str(at_once)]
    words += ["--game", game] if game else []
    return [sys.executable, "-m", "tabiya", *words, "--connect-timeout", "3600"]


def plain(url: str, name: str) -> list[str]:
    """The command of the example bot without our client, with websockets and JSON only; it seeks no matches."""
    return [sys.executable, str(ROOT / "examples/python/bot.py"), url, name, "none"]


class BotProcess:
    """One bot. acts: when something was done to it, on the wall's clock, from and until."""

    def __init__(self, name: str, command: list[str], folder: Path, token: str) -> None:
        self.name, self._command, self._log = name, command, folder / f"{name}.log"
        self._environment = os.environ | {"TABIYA_TOKEN": token}
        self.process: subprocess.Popen[bytes] | None = None
        self.acts: list[tuple[float, float]] = []

    def start(self) -> None:
        """Returns at once."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command, env=self._environment, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    @property
    def is_running(self) -> bool:
        """Whether it has been started and has not ended."""
        return self.process is not None and self.process.poll() is None

    def send(self, number: signal.Signals) -> None:
        """A signal, if it still runs."""
        if self.process is not None and self.is_running:
            self.process.send_signal(number)

    def family(self) -> list[psutil.Process]:
        """All processes that it has started."""
        assert self.process is not None
        try:
            return psutil.Process(self.process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    async def kill(self) -> list[str]:
        """Kill it without a warning; a sentence for each of its processes that goes on without it."""
        family = self.family()
        self.send(signal.SIGKILL)
        return await self._gone(family, "that was killed")

    async def end(self) -> list[str]:
        """Ask it to end; a sentence if it or one of its processes does not."""
        family = self.family()
        self.send(signal.SIGCONT)
        self.send(signal.SIGTERM)
        return await self._gone(family, "that was told to end")

    async def _gone(self, family: list[psutil.Process], text: str) -> list[str]:
        assert self.process is not None
        found = []
        try:
            await asyncio.to_thread(self.process.wait, END_S)
        except subprocess.TimeoutExpired:
            found.append(f"{self.name} {text} still runs after {END_S:.0f} s")
            self.process.kill()
        _, alive = await asyncio.to_thread(psutil.wait_procs, family, GONE_S)
        for each in alive:
            found.append(f"{self.name}, {text}, has left process {each.pid} behind")
            each.kill()
        return found

    def log_text(self) -> str:
        """Its log so far."""
        return self._log.read_text("utf-8", "replace")
