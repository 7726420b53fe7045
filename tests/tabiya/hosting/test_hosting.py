"""Programs that are handed in: examined and run in turn by a worker, refused with a reason, gone on with by another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tabiya.check.run import Progress
from tabiya.classroom import check_submissions
from tabiya.classroom.record import Entry, ResourceUsage, Rules
from tabiya.hosting import upload
from tabiya.hosting import worker as worker_module
from tabiya.hosting.hosting import OWN_WORKER, ProgramHosting
from tabiya.hosting.leases import NEEDED_MB
from tabiya.protocol.messages import Hello, MatchStarted
from tabiya.server.app import TabiyaServer
from tabiya.server.config import ServerConfig
from tabiya.server.hosting import ProgramRefused, TooManyVersions, Work, WorkerState
from tabiya.server.tournaments.settings import TournamentOrder
from tabiya.server.version import version
from tabiya.storage.memory import MemoryStore
from tabiya.storage.program_records import ProgramRecord
from tabiya.storage.records import BotRecord, MatchFilter
from tests.fakes.local_network import LocalNetwork
from tests.fakes.workers import a_worker, at_work
from tests.present import present
from tests.server.local_bots import LocalBot, silent
from tests.virtual_time import now_ns

WITHIN_S = 240.0
GOOD = """from tabiya import Bot

class Mine(Bot):
    def choose(self, turn):
        return turn.legal_moves[{at}]
"""
NO_BOT = "print('hello')\n"


@pytest.fixture
async def server() -> AsyncIterator[TabiyaServer]:
    running = TabiyaServer(
        ServerConfig(port=0, pages_port=0, invite_secret="tulip", time_control="10+1"), store=MemoryStore()
    )
    await running.start()
    hosting = ProgramHosting("none", heartbeat_s=0.5)
    await hosting.serve(running)
    running.hosting = hosting
    yield running
    await running.stop()


async def account(server: TabiyaServer, name: str) -> BotRecord:
    bot, _ = await server.accounts.register(name, "tulip")
    return bot


async def hand_in(server: TabiyaServer, bot: BotRecord, source: str) -> ProgramRecord:
    assert server.hosting is not None
    return await server.hosting.hand_in(bot, "nim", "bot.py", source.encode())


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


async def measured_version(server: TabiyaServer, bot: BotRecord) -> ProgramRecord:
    """The oldest version of a bot, once its worker has reported what a turn of games used."""
    async with asyncio.timeout(WITHIN_S):
        while not (oldest := (await versions(server, bot))[-1]).measured_turns:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.05)
    return oldest


async def ended(server: TabiyaServer, several: int) -> list[str]:
    """How the matches ended, once there are so many."""
    wanted = MatchFilter(status="ended")
    async with asyncio.timeout(WITHIN_S):
        while len(await server.store.list_matches(wanted)) < several:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.1)
    return [match.result.ending for match in await server.store.list_matches(wanted) if match.result]


@pytest.fixture
def one_examination(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """The grades: the first program is examined in earnest, and each takes seconds."""
    grades = list[int | None]()

    async def examine(
        entry: Entry, rules: Rules, into: Path, progress: Progress, *, connection: bool, usage: ResourceUsage
    ) -> None:
        assert connection is bool(entry.command)  # a bot in Python leaves it to our client
        if not grades:
            await check_submissions.examine(entry, rules, into, progress, connection=connection, usage=usage)
        grades.append(entry.grade)

    monkeypatch.setattr(worker_module, "examine", examine)
    return grades


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_programs_are_examined_play_one_another_and_make_room_for_newer_versions(
    server: TabiyaServer, tmp_path: Path, one_examination: list[int | None]
) -> None:
    bots = [await account(server, name) for name in ("ada", "bob")]
    for at, bot in enumerate(bots):
        await hand_in(server, bot, GOOD.format(at=-at))
    async with at_work(a_worker(server, tmp_path, "lab-1")):
        for bot in bots:
            program = await examined(server, bot)
            assert (program.state, program.in_use) == ("good", True), program.report
        await ended(server, 1)
        first = (await server.store.list_matches(MatchFilter(status="ended")))[-1]
        assert {seat.bot for seat in first.seats} == {"ada", "bob"}
        assert {seat.version for seat in first.seats} == {(await versions(server, bot))[0].digest for bot in bots}
        assert first.rated
        newer = await hand_in(server, bots[0], GOOD.format(at=0) + "# better\n")
        assert (await examined(server, bots[0])).id == newer.id
        assert server.hosting is not None
        used = (await versions(server, bots[0]))[0]
        await until(lambda: server.hosting is not None and server.hosting.doing(used) == "plays")
        assert set(await ended(server, 1)) == {"last_object"}  # nobody was cut off in a game
        assert (one_examination[0] or 0) > 50
        measured = await measured_version(server, bots[0])
        assert 0.1 < measured.turns_cpu_s / measured.measured_turns < 60
        assert 20 < measured.peak_mb < NEEDED_MB
        assert measured.examination_cpu_s > 0.1
        await server.hosting.use(bots[0], None)
        assert not any(program.in_use for program in await versions(server, bots[0]))
        assert [path.name for path in (tmp_path / "files").iterdir()]  # each is fetched once
    for lease in await server.store.leases():
        assert lease.ended_at is not None  # handed back by the worker that was ended


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_programs_in_a_tournament_are_started_two_at_a_time_until_all_have_met(
    server: TabiyaServer, tmp_path: Path, one_examination: list[int | None]
) -> None:
    one_examination.append(100)  # none in earnest
    for name in ("ada", "bob", "eve"):
        bot = await account(server, name)
        await hand_in(server, bot, GOOD.format(at=0))
    async with at_work(a_worker(server, tmp_path, "lab-1")):
        for name in ("ada", "bob", "eve"):
            await examined(server, present(await server.store.bot_by_name(name)))
        order = TournamentOrder(name="Cup", game="nim", format="round_robin", everyone=True, no_show_s=5.0)
        created = await server.tournaments.create(order)
        assert [entry.bot for entry in created.entries] == ["ada", "bob", "eve"]
        async with asyncio.timeout(WITHIN_S):
            while (record := present(await server.store.tournament(created.id))).status != "ended":  # noqa: ASYNC110
                await asyncio.sleep(0.1)
    assert not any(entry.withdrawn for entry in record.entries)
    results = [match.result for match in await server.store.tournament_matches(created.id)]
    assert [result.ending for result in results if result] == ["last_object"] * 6


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_when_a_worker_vanishes_another_one_goes_on_and_no_match_is_lost(
    server: TabiyaServer, tmp_path: Path, one_examination: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "AT_LEAST_S", 0.0)  # turns are short, and the ladder does not come to rest
    one_examination.append(100)  # none in earnest
    assert isinstance(server.hosting, ProgramHosting)
    server.hosting._leases.lease_s = 3.0
    for name in ("ada", "bob"):
        await hand_in(server, await account(server, name), GOOD.format(at=0))
    async with at_work(a_worker(server, tmp_path / "one", "lab-1")) as first:
        await ended(server, 1)
        fences = {lease.program_id: lease.fence for lease in await server.store.leases()}
        first._client = a_worker(server, tmp_path / "one", "cut off")._client
        first._client._api._server = "http://127.0.0.1:9"  # type: ignore[attr-defined]  # nobody answers there
        seen = len(await ended(server, 1))
        async with at_work(a_worker(server, tmp_path / "two", "lab-2")):
            await ended(server, seen + 4)
            holders = {lease.worker for lease in await server.store.leases()}
        assert "lab-2" in holders
        assert any(lease.fence > fences[lease.program_id] for lease in await server.store.leases())
    assert await server.store.check() == []
    assert set(await ended(server, 1)) <= {"last_object", "aborted"}  # nobody has lost by it
    assert [lease.failures for lease in await server.store.leases()] == [0, 0]


async def test_a_game_of_a_worker_of_this_machine_that_has_ended_counts_for_nobody(server: TabiyaServer) -> None:
    assert isinstance(server.hosting, ProgramHosting)
    leases = server.hosting._leases
    for name in ("ada", "bob"):
        program = await hand_in(server, await account(server, name), GOOD.format(at=0))
        await server.store.keep_examination(program.id, "good", "{}")
        await server.store.use_program(program.bot_id, program.id)
    await leases.load()
    here = WorkerState(
        name=OWN_WORKER,
        version=version(),
        cores=2,
        memory_mb=8_000,
        sandbox="none",
        games=("nim",),
        at_once=2,
        playing=0,
        examining=0,
    )
    works = [await leases.ask(here) for _ in range(2)]
    network = LocalNetwork(server.dispatcher, server.config.limits, now_ns)
    bots = []
    for work in works:
        assert isinstance(work, Work)
        bots.append(LocalBot(network, work.bot, silent))
        bots[-1].say(Hello(name=work.bot, token=work.token, seek=("nim",)))
    await bots[0].receives(MatchStarted)
    await server.hosting.own_worker_ended()
    assert await ended(server, 1) == ["aborted"]


@pytest.mark.slow
async def test_what_is_no_bot_is_refused_with_the_reason(server: TabiyaServer, tmp_path: Path) -> None:
    ada = await account(server, "ada")
    await hand_in(server, ada, NO_BOT)
    async with at_work(a_worker(server, tmp_path, "lab-1")):
        program = await examined(server, ada)
    assert (program.state, program.in_use) == ("refused", False)
    assert "no class that derives from tabiya.Bot" in program.report
    assert server.hosting is not None
    with pytest.raises(ProgramRefused, match=r"a Python file \(.py\) or a zip"):
        await server.hosting.hand_in(ada, "nim", "bot.exe", b"MZ")


async def test_uploads_are_limited_and_the_same_files_are_no_new_version(
    server: TabiyaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload, "MOST_A_DAY", 3)
    ada, bob = await account(server, "ada"), await account(server, "bob")
    sources = [GOOD.format(at=0) + f"# {number}\n" for number in range(5)]
    reported = await asyncio.gather(*(hand_in(server, ada, source) for source in sources), return_exceptions=True)
    refused = [each for each in reported if isinstance(each, BaseException)]
    assert [(type(each), "try again in 24 h 0 min" in str(each)) for each in refused] == [(TooManyVersions, True)] * 2
    kept = await versions(server, ada)
    assert len(kept) == 3
    newest = next(source for source, each in zip(sources, reported, strict=True) if each == kept[0])
    assert await hand_in(server, ada, newest) == kept[0]
    await hand_in(server, bob, sources[0])  # each bot has a number of its own
