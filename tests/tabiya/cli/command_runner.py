"""Commands run in this process as the shell would run them, and the small worlds they look at."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from tabiya.cli.main import main
from tabiya.protocol.messages import MatchEnded, MatchStarted, Move, Seek, Turn, Unseek
from tests.live import ROOT, PlainBot, live_server, welcomed

PATIENCE_S = 60.0


class Said(NamedTuple):
    """What a command has printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def rows(self) -> Any:
        """Its JSON."""
        assert self.out, self.err
        return json.loads(self.out)

    @property
    def sentence(self) -> str:
        """The one sentence of a command that could not do what it was asked."""
        assert self.status != 0, self.out
        assert "Traceback" not in self.err
        lines = [line for line in self.err.splitlines() if line.startswith("tabiya: ")]
        assert len(lines) == 1, self.err
        assert self.err.endswith(lines[0] + "\n"), self.err
        return lines[0].removeprefix("tabiya: ")


class Terminal(io.TextIOWrapper):
    """Takes what is written, as UTF-8 unless told otherwise."""

    def __init__(self, encoding: str = "utf-8", columns: int = 0) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)
        self.columns = columns

    def isatty(self) -> bool:
        """A terminal has columns."""
        return self.columns > 0

    @property
    def text(self) -> str:
        """What was written; bytes that are no text show as escapes."""
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode("utf-8", "backslashreplace")


def tabiya(*words: str, stdin: str = "", encoding: str = "utf-8", columns: int = 0) -> Said:
    """Run a command. encoding: of standard output.  columns: of the terminal it is, 0 for a pipe."""
    out, err = Terminal(encoding, columns), Terminal()
    status: object = None
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "stdin", io.StringIO(stdin)),
        mock.patch.dict(os.environ, {"COLUMNS": str(columns)} if columns else {}),
    ):
        try:
            main(words)
        except SystemExit as ended:
            status = ended.code
    assert isinstance(status, int)
    return Said(status, out.text, err.text)


async def ask(*words: str, columns: int = 0) -> Said:
    """Run a command beside a server in this loop."""
    return await asyncio.to_thread(tabiya, *words, columns=columns)


@contextlib.asynccontextmanager
async def serving(database: str = "memory:", **config: Any) -> AsyncIterator[Any]:
    """A server that the commands find by themselves."""
    async with live_server(database, **config) as server:
        with mock.patch.dict(os.environ, {"TABIYA_SERVER": server.pages_url}):
            yield server


@contextlib.asynccontextmanager
async def ada_and_bob(server: Any, **hello: Any) -> AsyncIterator[tuple[PlainBot, PlainBot]]:
    """Two bots, connected. hello: further fields of their first message."""
    url = server.websocket_url
    async with welcomed(url, "ada", **hello) as ada, welcomed(url, "bob", **hello) as bob:
        yield ada, bob


async def plays_one(bot: PlainBot) -> MatchEnded:
    """Answers each turn with the first legal move until a match has ended, and seeks no other."""
    while not isinstance(message := await bot.hear(), MatchEnded):
        if isinstance(message, MatchStarted):
            await bot.say(Unseek(game=message.game))
        if isinstance(message, Turn):
            assert message.legal_moves
            await bot.say(Move(match=message.match, ply=message.ply, move=message.legal_moves[0]))
    return message


async def play_games(
    server: Any, game: str, count: int = 1, names: tuple[str, str] = ("ada", "bob"), time: str = "60+0.5"
) -> None:
    """Two bots meet and play so many games."""
    async with welcomed(server.websocket_url, names[0]) as one, welcomed(server.websocket_url, names[1]) as two:
        for _ in range(count):
            for bot in (one, two):
                await bot.say(Seek(game=game, time=time))
            await asyncio.gather(plays_one(one), plays_one(two))


# --- processes


class Command:
    """`tabiya WORDS` in a process of its own, with what it prints in files."""

    def __init__(self, folder: Path, words: tuple[str, ...], environment: dict[str, str]) -> None:
        self._out, self._err = folder / "out", folder / "err"
        folder.mkdir(parents=True)
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tabiya", *words],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=folder,
                env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
            )

    @property
    def out(self) -> str:
        """Its standard output so far."""
        return self._out.read_text()

    @property
    def err(self) -> str:
        """Its standard error so far."""
        return self._err.read_text()

    async def says(self, text: str) -> None:
        """Wait until it has said so on standard error. Raises AssertionError if it ends before."""
        async with asyncio.timeout(PATIENCE_S):
            while text not in self.err:
                assert self.process.poll() is None, self.err
                await asyncio.sleep(0.02)

    async def ends(self, number: signal.Signals | None = None) -> Said:
        """Wait for its end, sending a signal first if one is given."""
        if number is not None:
            self.process.send_signal(number)
        async with asyncio.timeout(PATIENCE_S):
            while self.process.poll() is None:  # noqa: ASYNC110  # the loop may hold the server that it talks to
                await asyncio.sleep(0.02)
        assert "Traceback" not in self.err, self.err
        return Said(self.process.returncode, self.out, self.err)


class Shell:
    """Starts commands in folders of their own."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._commands = folder, list[Command]()

    def start(self, *words: str, **environment: str) -> Command:
        """`tabiya WORDS`, with these environment variables."""
        command = Command(self._folder / f"command{len(self._commands)}", words, environment)
        self._commands.append(command)
        return command

    def close(self) -> None:
        """Kill what still runs."""
        for command in self._commands:
            command.process.kill()
            command.process.wait()


@contextlib.contextmanager
def shell_in(folder: Path) -> Iterator[Shell]:
    """A shell whose commands end with the block."""
    shell = Shell(folder)
    try:
        yield shell
    finally:
        shell.close()
