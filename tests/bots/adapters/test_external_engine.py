"""Programs on an event loop, good and bad ones, with real processes: who asks never waits longer than it wants."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tabiya.bots.adapters import engine_process
from tabiya.bots.adapters.engine_process import ProgramError
from tabiya.bots.adapters.engine_protocol import EngineProtocolError
from tabiya.bots.adapters.external_engine import ExternalEngine
from tabiya.bots.players.api import MoveReply, MoveRequest
from tabiya.games.position import Position
from tabiya.games.registry import load_game
from tests.bots.adapters.engines import EACH, GAMES, PROTOCOLS, command_of, received
from tests.bots.requests import request_at
from tests.processes import is_running
from tests.tabiya.sandbox.sandboxes import on_linux
from tests.waiting import WITHIN_S, until

pytestmark = pytest.mark.slow


@on_linux
async def test_a_program_may_be_kept_on_one_core(tmp_path: Path) -> None:
    core = max(os.sched_getaffinity(0))
    async with asking(tmp_path, "uci", core=core) as made:
        await made.engine.new_game("chess")
        assert made.engine.pid is not None
        assert os.sched_getaffinity(made.engine.pid) == {core}


async def test_a_program_beside_the_path_is_named_where_debian_puts_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "engine-of-games").touch(mode=0o755)
    monkeypatch.setattr(engine_process, "DEBIAN_GAMES", str(tmp_path))
    for command in ("engine-of-games", "./engine-of-games"):
        with pytest.raises(ProgramError) as refused:
            await engine_process.EngineProcess.start((command,), print, print)
        assert (f"; it is {tmp_path}/engine-of-games: write that" in str(refused.value)) == (command[0] != ".")


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
        return await asyncio.wait_for(self.answers.get(), WITHIN_S)

    @property
    def received(self) -> list[str]:
        return received(self._folder)


@contextlib.asynccontextmanager
async def asking(folder: Path, protocol: str, behaviour: str = "good", **more: Any) -> AsyncIterator[Asking]:
    made = Asking(folder, protocol, behaviour, **more)
    try:
        yield made
    finally:
        await made.engine.kill()


PONDERS = (("Ponder", "true"),)
START = load_game("chess").start()
EXPECTED, OTHER = (START.play("e2e4").play(reply) for reply in ("e7e5", "c7c5"))


def searches(made: Asking) -> list[str]:
    """The orders to think, and to think no more."""
    return [line for line in made.received if line.startswith(("go", "ponderhit", "stop", "position"))][2:]


async def pondering(made: Asking) -> None:
    """A first move is answered, and the engine thinks on about what it expects."""
    await made.engine.new_game("chess")
    first = await made.answer(remaining_ms=5_000, time_control="5+0")
    assert isinstance(first, MoveReply)
    assert (first.move, first.expected) == ("e2e4", "e7e5")
    made.engine.ponder(request_at(EXPECTED, remaining_ms=4_000, opponent_ms=5_000, time_control="5+0"))


async def asked(made: Asking, position: Position) -> MoveReply | ProgramError:
    """The answer to the next question, which its opponent has taken a second for."""
    question = request_at(position, remaining_ms=4_000, opponent_ms=4_000, time_control="5+0")
    made.engine.ask(question, lambda reply, seconds: made.answers.put_nowait(reply))
    return await asyncio.wait_for(made.answers.get(), WITHIN_S)


async def test_a_move_that_was_expected_lets_an_engine_think_on(tmp_path: Path) -> None:
    async with asking(tmp_path, "uci", options=PONDERS) as made:
        await pondering(made)
        assert isinstance(await asked(made, EXPECTED), MoveReply)
        assert searches(made) == [
            f"position fen {EXPECTED.text()}",
            "go ponder wtime 4000 btime 5000 winc 0 binc 0",
            "ponderhit",
        ]


async def test_another_move_is_asked_for_when_the_engine_has_let_go_of_the_expected_one(tmp_path: Path) -> None:
    async with asking(tmp_path, "uci", options=PONDERS) as made:
        await pondering(made)
        assert isinstance(await asked(made, OTHER), MoveReply)
        assert searches(made)[2:] == ["stop", f"position fen {OTHER.text()}", "go wtime 4000 btime 4000 winc 0 binc 0"]
        assert made.answers.empty()


async def test_an_engine_that_ponders_when_a_game_ends_begins_the_next_one(tmp_path: Path) -> None:
    async with asking(tmp_path, "uci", options=PONDERS) as made:
        await pondering(made)
        made.engine.game_over()
        await made.engine.new_game("chess")
        assert isinstance(await made.answer(), MoveReply)
        await pondering(made)
        await made.engine.new_game("chess")
        assert isinstance(await made.answer(), MoveReply)
        assert made.engine.starts == 1


async def test_an_engine_that_ponders_by_itself_is_stopped_when_the_game_is_over_unless_it_has_a_request(
    tmp_path: Path,
) -> None:
    async with asking(tmp_path, "xboard", options=PONDERS) as made:
        await made.engine.new_game("chess")
        made.ask()
        made.engine.game_over()
        assert isinstance(await asyncio.wait_for(made.answers.get(), WITHIN_S), MoveReply)
        made.engine.game_over()
        await made.engine.new_game("chess")
        assert made.received[made.received.index("go") :] == ["go", "force", "new", "force", "ping 2"]


async def test_an_answer_that_comes_before_its_question_does_not_count(tmp_path: Path) -> None:
    async with asking(tmp_path, "uci", "hasty", options=PONDERS) as made:
        await pondering(made)
        await until(lambda: made.engine._ahead is None)
        (tmp_path / "moves").write_text("g1f3")
        reply = await asked(made, EXPECTED)
        assert isinstance(reply, MoveReply)
        assert reply.move == "g1f3"
        assert searches(made)[2:] == [searches(made)[0], "go wtime 4000 btime 4000 winc 0 binc 0"]


async def test_an_nboard_engine_plays_two_games(tmp_path: Path) -> None:
    async with asking(tmp_path, "nboard", options=(("depth", "4"),)) as made:
        for _ in range(2):
            await made.engine.new_game("chess")
            reply = await made.answer(remaining_ms=65_000)
            assert isinstance(reply, MoveReply)
            assert (reply.move, reply.score) == ("d3", 150)
        assert made.received.count("set depth 4") == 2
        assert made.engine.starts == 1


async def test_an_xboard_engine_gets_each_move_once_and_starts_the_next_game_with_new(tmp_path: Path) -> None:
    start = load_game("chess").start()
    async with asking(tmp_path, "xboard", options=(("memory", "64"), ("skill", "3"), ("sd", "5"))) as made:
        for _ in range(2):
            await made.engine.new_game("chess")
            reply = await made.answer(remaining_ms=65_000, time_control="65+0.5")
            assert isinstance(reply, MoveReply)
            assert (reply.move, reply.depth, reply.score, reply.nodes) == ("e2e4", 3, 31, 1234)
        (tmp_path / "moves").write_text("d2d4")
        follows = request_at(start.play("e2e4").play("e7e5"), remaining_ms=64_000, opponent_ms=60_000)
        made.engine.ask(follows, lambda reply, seconds: made.answers.put_nowait(reply))
        await made.answers.get()
        assert (made.engine.name, made.engine.starts) == ("Fake 1.0", 1)
        clocks = ["time 6500", "otim 6500"]
        accepted = [
            f"accepted {name}" for name in ("done", "myname", "ping", "setboard", "memory", "option", "usermove")
        ]
        options = ["memory 64", "option Skill=3", "sd 5"]
        assert made.received == [
            *["xboard", "protover 2", *accepted, "accepted done", "easy", "post", *options],
            *["new", "sd 5", "force", "ping 1", "level 0 1:05 0.5", *clocks, "go"],
            *["new", "sd 5", "force", "ping 2", "level 0 1:05 0.5", *clocks, "go"],
            *["time 6400", "otim 6000", "usermove e7e5"],
        ]


async def test_an_engine_that_plays_one_game_only_is_started_for_each(tmp_path: Path) -> None:
    async with asking(tmp_path, "xboard", "once") as made:
        for _ in range(2):
            await made.engine.new_game("chess")
            assert isinstance(await made.answer(), MoveReply)
        assert made.engine.starts == 2
        assert "rejected san" in made.received


async def test_an_engine_that_cannot_be_given_the_position_is_ended_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(protocol: object, request: MoveRequest) -> list[str]:
        raise EngineProtocolError("cannot be given a position")

    monkeypatch.setattr(PROTOCOLS["uci"], "search", search)
    async with asking(tmp_path, "uci") as made:
        await made.engine.new_game("chess")
        error = await made.answer()
        assert str(error).endswith("' cannot be given a position")
        assert made.engine.pid is None


async def test_an_engine_that_dies_between_its_moves_is_noticed_when_it_is_asked(tmp_path: Path) -> None:
    async with asking(tmp_path, "uci") as made:
        await made.engine.new_game("chess")
        pid = made.engine.pid
        assert pid is not None
        os.kill(pid, 9)
        await until(lambda: made.engine.pid is None)
        assert isinstance(await made.answer(), ProgramError)


@EACH
@pytest.mark.parametrize(
    ("behaviour", "words"),
    [("mute", "has closed its output"), ("flood", "has said more than .* without an answer")],
)
async def test_an_engine_that_can_or_will_not_answer_is_ended(
    protocol: str, behaviour: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_process, "MOST_BYTES", 200_000)
    async with asking(tmp_path, protocol, behaviour) as made:
        await made.engine.new_game("chess")
        pid = made.engine.pid
        assert pid is not None
        error = await made.answer()
        assert isinstance(error, ProgramError)
        with pytest.raises(ProgramError, match=words):
            raise error
        await until(lambda: not is_running(pid))


async def test_an_engine_that_thinks_on_after_its_game_is_stopped(tmp_path: Path) -> None:
    async with asking(tmp_path, "uci", "until-stop") as made:
        await made.engine.new_game("chess")
        made.ask()
        await made.engine.new_game("chess")
        assert made.received[-3:] == ["stop", "ucinewgame", "isready"]
        assert made.answers.empty()
        assert made.engine.starts == 1


async def test_an_engine_that_hangs_is_replaced_for_the_next_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabiya.bots.adapters.external_engine.STOP_S", 0.1)
    async with asking(tmp_path, "uci", "hang") as made:
        await made.engine.new_game("chess")
        made.ask()
        hung = made.engine.pid
        await made.engine.new_game("chess")
        assert hung is not None
        assert not is_running(hung)
        assert made.engine.starts == 2


async def test_a_game_that_begins_while_the_program_starts_waits_for_the_start(tmp_path: Path) -> None:
    async with asking(tmp_path, "uci", start_s=20.0) as made:
        given_up = asyncio.create_task(made.engine.new_game("chess"))
        await until(lambda: made.engine.pid is not None)
        await made.engine.new_game("chess")
        await given_up
        assert made.engine.starts == 1
        assert made.received == ["uci", *["ucinewgame", "isready"] * 2]
        assert isinstance(await made.answer(), MoveReply)


@pytest.mark.parametrize("behaviour", ["good", "stays"])
async def test_closing_ends_the_process_in_any_case(
    behaviour: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tabiya.bots.adapters.engine_process.QUIT_S", 0.2 if behaviour == "stays" else 5.0)
    async with asking(tmp_path, "uci", behaviour) as made:
        await made.engine.new_game("chess")
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
    await asyncio.wait_for(lost.get(), WITHIN_S)
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
    child = int(await asyncio.wait_for(lines.get(), WITHIN_S))
    await program.kill()
    await until(lambda: not is_running(child))


async def test_an_end_is_noticed_though_what_it_has_started_holds_its_output_open() -> None:
    script = "import subprocess, sys; subprocess.Popen(['sleep', '60']); sys.exit(3)"
    errors: asyncio.Queue[ProgramError] = asyncio.Queue()
    program = await engine_process.EngineProcess.start((sys.executable, "-c", script), print, errors.put_nowait)
    assert str(await asyncio.wait_for(errors.get(), WITHIN_S)).endswith("has ended with exit code 3")
    await program.kill()
