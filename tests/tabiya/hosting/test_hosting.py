"""Programs that are handed in: examined, run in turn by the server itself, set aside when they fail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tabiya.check.run import Progress
from tabiya.classroom import check_submissions
from tabiya.classroom.record import Entry, Rules
from tabiya.hosting import hosting
from tabiya.hosting.hosting import ProgramHosting
from tabiya.hosting.turns import MOST_FAILURES
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tabiya.server.hosting import ProgramRefused
from tabiya.storage.memory import MemoryStore
from tabiya.storage.program_records import ProgramRecord
from tabiya.storage.records import BotRecord, MatchFilter

WITHIN_S = 120.0
GOOD = """from tabiya import Bot

class Mine(Bot):
    def choose(self, turn):
        return turn.legal_moves[{at}]
"""
NO_BOT = "print('hello')\n"


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[TabiyaServer]:
    running = TabiyaServer(
        ServerConfig(port=0, pages_port=0, invite_secret="tulip", time_control="10+1"), store=MemoryStore()
    )
    await running.start()
    running.hosting = given = ProgramHosting(tmp_path / "hosted", "none", at_once=2)
    given.serve(running)
    yield running
    await running.stop()


async def account(server: TabiyaServer, name: str) -> BotRecord:
    bot, _ = await server.accounts.register(name, "tulip")
    return bot


async def until(is_so: Callable[[], object]) -> None:
    async with asyncio.timeout(WITHIN_S):
        while not is_so():  # noqa: ASYNC110 - what happens is in other processes
            await asyncio.sleep(0.05)


async def versions(server: TabiyaServer, bot: BotRecord) -> tuple[ProgramRecord, ...]:
    return await server.store.programs(bot.id)


async def examined(server: TabiyaServer, bot: BotRecord) -> ProgramRecord:
    async with asyncio.timeout(WITHIN_S):
        while (newest := (await versions(server, bot))[0]).state == "new":  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.05)
    return newest


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_programs_are_examined_play_one_another_and_make_room_for_newer_versions(
    server: TabiyaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(server.hosting, ProgramHosting)
    grades = list[int | None]()

    async def examine(entry: Entry, rules: Rules, into: Path, progress: Progress) -> None:
        if not grades:  # one shows it, and each takes seconds
            await check_submissions.examine(entry, rules, into, progress)
        grades.append(entry.grade)

    monkeypatch.setattr(hosting, "examine", examine)
    bots = [await account(server, name) for name in ("ada", "bob")]
    for at, bot in enumerate(bots):
        await server.hosting.hand_in(bot, "nim", "bot.py", GOOD.format(at=-at).encode())
    for bot in bots:
        program = await examined(server, bot)
        assert (program.state, program.in_use) == ("good", True), program.report
    async with asyncio.timeout(WITHIN_S):
        while not (matches := await server.store.list_matches(MatchFilter(status="ended"))):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    first = matches[-1]
    assert {seat.bot for seat in first.seats} == {"ada", "bob"}
    assert {seat.version for seat in first.seats} == {(await versions(server, bot))[0].digest for bot in bots}
    assert first.rated
    older = (await versions(server, bots[0]))[0]
    newer = await server.hosting.hand_in(bots[0], "nim", "bot.py", (GOOD.format(at=0) + "# better\n").encode())
    assert (await examined(server, bots[0])).id == newer.id
    await until(lambda: older.id not in server.hosting._running and newer.id in server.hosting._running)  # type: ignore[union-attr]
    endings = [match.result.ending for match in await server.store.list_matches() if match.result]
    assert set(endings) == {"last_object"}  # nobody was cut off in a game
    assert (grades[0] or 0) > 50
    await server.hosting.use(bots[0], None)
    assert not any(program.in_use for program in await versions(server, bots[0]))


@pytest.mark.slow
async def test_what_is_no_bot_is_refused_with_the_reason(server: TabiyaServer) -> None:
    assert server.hosting is not None
    ada = await account(server, "ada")
    await server.hosting.hand_in(ada, "nim", "bot.py", NO_BOT.encode())
    program = await examined(server, ada)
    assert (program.state, program.in_use) == ("refused", False)
    assert "no class that derives from tabiya.Bot" in program.report
    with pytest.raises(ProgramRefused, match="a Python file or a zip"):
        await server.hosting.hand_in(ada, "nim", "bot.exe", b"MZ")


async def test_a_program_that_fails_again_and_again_is_set_aside_until_its_owner_chooses_it(
    server: TabiyaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = server.hosting
    assert isinstance(given, ProgramHosting)
    ada = await account(server, "ada")

    async def passes(program: ProgramRecord) -> None:
        await server.store.keep_examination(program.id, "good", "{}")
        await server.store.use_program(program.bot_id, program.id)
        await given._load()

    monkeypatch.setattr(given, "_examine", passes)
    await given.hand_in(ada, "nim", "bot.py", GOOD.format(at=0).encode())
    program = await examined(server, ada)
    await until(lambda: any(each.in_use for each in given._programs.values()))
    (program,) = given._programs.values()
    for _ in range(MOST_FAILURES):
        assert given.doing(program) == "waits for its turn"
        given._failed(program, "IndexError: list index out of range")
    assert given.doing(program) == "set aside after 3 failures: IndexError: list index out of range"
    await given.use(ada, program)
    assert given.doing(program) == "waits for its turn"
    monkeypatch.setattr(server.dispatcher.sessions, "by_bot", lambda bot_id: object())
    assert given.doing(program) == "waits until its bot is connected from nowhere else"
