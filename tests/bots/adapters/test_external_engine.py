"""Programs on an event loop, good and bad ones, with real processes: who asks never waits longer than it wants."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tabiya.bots.adapters import engine_process
from tabiya.bots.adapters.engine_process import EngineProcess, ProgramError
from tabiya.bots.adapters.external_engine import ExternalEngine
from tabiya.bots.players.api import MoveReply, MoveRequest
from tabiya.games.registry import load_game
from tests.bots.adapters.engines import BOTH, GAMES, PROTOCOLS, command_of, heard
from tests.bots.requests import request_at
from tests.processes import is_running

pytestmark = pytest.mark.slow


class Asking:
    """An engine, what it has answered and what was heard of its end."""

    def __init__(self, folder: Path, protocol: str, behaviour: str, options: Any = (), **seconds: Any) -> None:
        command = command_of(protocol, behaviour, folder)
        self._folder, self._game = folder, GAMES[protocol]
        self.answers: asyncio.Queue[MoveReply | ProgramError] = asyncio.Queue()
        self.engine = ExternalEngine(command, lambda: PROTOCOLS[protocol](options), self.answers.put_nowait, **seconds)

    def request(self, **fields: object) -> MoveRequest:
        return request_at(load_game(self._game).start(), **fields)

    def ask(self, **fields: object) -> None:
        self.engine.ask(self.request(**fields), lambda reply, seconds: self.answers.put_nowait(reply))

    async def answer(self, **fields: object) -> MoveReply | ProgramError:
        self.ask(**fields)
        return await asyncio.wait_for(self.answers.get(), 20)

    @property
    def heard(self) -> list[str]:
        return heard(self._folder)


@contextlib.asynccontextmanager
async def asking(folder: Path, protocol: str, behaviour: str = "good", **more: Any) -> AsyncIterator[Asking]:
    made = Asking(folder, protocol, behaviour, **more)
    try:
        yield made
    finally:
        await made.engine.kill()


async def until(holds: Callable[[], bool]) -> None:
    """Look again and again: what is waited for happens in another process."""
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_an_nboard_engine_plays_two_games(tmp_path: Path) -> None:
    async with asking(tmp_path, "nboard", options=(("depth", "4"),)) as made:
        for _ in range(2):
            await made.engine.new_game()
            reply = await made.answer(remaining_ms=65_000)
            assert isinstance(reply, MoveReply)
            assert (reply.move, reply.score) == ("d3", 150)
        assert made.heard.count("set depth 4") == 2
        assert made.engine.starts == 1


async def test_an_engine_that_dies_between_its_moves_is_noticed_when_it_is_asked(tmp_path: Path) -> None:
    async with asking(tmp_path, "uci") as made:
        await made.engine.new_game()
        pid = made.engine.pid
        assert pid is not None
        os.kill(pid, 9)
        await until(lambda: made.engine.pid is None)
        assert isinstance(await made.answer(), ProgramError)


@BOTH
@pytest.mark.parametrize(
    ("behaviour", "words"),
    [("mute", "has closed its output"), ("flood", "has said more than .* without an answer")],
)
async def test_an_engine_that_can_or_will_not_answer_is_ended(
    protocol: str, behaviour: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_process, "MOST_BYTES", 200_000)
    async with asking(tmp_path, protocol, behaviour) as made:
        await made.engine.new_game()
        pid = made.engine.pid
        assert pid is not None
        error = await made.answer()
        assert isinstance(error, ProgramError)
        with pytest.raises(ProgramError, match=words):
            raise error
        await until(lambda: not is_running(pid))


async def test_an_engine_that_thinks_on_after_its_game_is_told_to_stop(tmp_path: Path) -> None:
    async with asking(tmp_path, "uci", "until-stop") as made:
        await made.engine.new_game()
        made.ask()
        await made.engine.new_game()
        assert made.heard[-3:] == ["stop", "ucinewgame", "isready"]
        assert made.answers.empty()
        assert made.engine.starts == 1


async def test_an_engine_that_hangs_is_replaced_for_the_next_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabiya.bots.adapters.external_engine.STOP_S", 0.1)
    async with asking(tmp_path, "uci", "hang") as made:
        await made.engine.new_game()
        made.ask()
        hung = made.engine.pid
        await made.engine.new_game()
        assert hung is not None
        assert not is_running(hung)
        assert made.engine.starts == 2


async def test_a_game_that_begins_while_the_program_starts_waits_for_the_start(tmp_path: Path) -> None:
    async with asking(tmp_path, "uci", start_s=20.0) as made:
        given_up = asyncio.create_task(made.engine.new_game())
        await until(lambda: made.engine.pid is not None)
        await made.engine.new_game()
        await given_up
        assert made.engine.starts == 1
        assert made.heard == ["uci", *["ucinewgame", "isready"] * 2]
        assert isinstance(await made.answer(), MoveReply)


@pytest.mark.parametrize("behaviour", ["good", "stays"])
async def test_closing_ends_the_process_in_any_case(
    behaviour: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabiya.bots.adapters.engine_process.QUIT_S", 0.2 if behaviour == "stays" else 5.0)
    async with asking(tmp_path, "uci", behaviour) as made:
        await made.engine.new_game()
        pid = made.engine.pid
        await made.engine.close()
        assert pid is not None
        assert not is_running(pid)


@pytest.mark.skipif(os.name != "posix", reason="there are no groups of processes")
async def test_what_has_ended_is_not_killed_again_for_its_id_may_belong_to_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost: asyncio.Queue[ProgramError] = asyncio.Queue()
    program = await engine_process.EngineProcess.start((sys.executable, "-c", ""), print, lost.put_nowait)
    await asyncio.wait_for(lost.get(), 20)
    killed: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda group, signal: killed.append(group))
    await program.kill()
    assert killed == []


async def test_what_an_engine_has_started_ends_with_it() -> None:
    script = "import subprocess, sys; p = subprocess.Popen(['sleep', '60']); print(p.pid, flush=True); p.wait()"
    lines: asyncio.Queue[str] = asyncio.Queue()
    program = await engine_process.EngineProcess.start(
        (sys.executable, "-c", script), lines.put_nowait, lambda error: None
    )
    child = int(await asyncio.wait_for(lines.get(), 20))
    await program.kill()
    await until(lambda: not is_running(child))


async def test_an_end_is_noticed_though_what_it_has_started_holds_its_output_open() -> None:
    script = "import subprocess, sys; subprocess.Popen(['sleep', '60']); sys.exit(3)"
    errors: asyncio.Queue[ProgramError] = asyncio.Queue()
    program = await engine_process.EngineProcess.start((sys.executable, "-c", script), print, errors.put_nowait)
    assert str(await asyncio.wait_for(errors.get(), 50)).endswith("has ended with exit code 3")
    await program.kill()


SLOW_READER = "import sys, time; time.sleep(0.3); print(len(sys.stdin.buffer.readline()), flush=True)"


async def test_a_program_that_is_lent_to_a_thread_and_slow_to_read_gets_all_of_it() -> None:
    def hear() -> list[str]:
        while not (lines := process.read(1)):
            pass
        return lines

    process = await EngineProcess.start((sys.executable, "-c", SLOW_READER), print, print)
    process.lend()
    process.write(["x" * 1_000_000])
    assert await asyncio.wait_for(asyncio.to_thread(hear), 20) == ["1000001"]
    with pytest.raises(EOFError):
        await asyncio.to_thread(hear)
    process.take_back()
    await process.kill()
