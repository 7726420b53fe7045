"""Who gets which program to run, how long it is theirs, and what counts of what they tell."""

from __future__ import annotations

import asyncio
import hashlib
from random import Random

import pytest
from msgspec.structs import replace

from tabiya.hosting.leases import (
    IDLE_TURN_S,
    LEASE_S,
    MOST_ASKING,
    NEEDED_MB,
    NEXT_GAME_GAP_S,
    NO_FILES,
    SILENT,
    WORKER_SILENT_S,
    ProgramLeases,
)
from tabiya.hosting.turns import MOST_FAILURES
from tabiya.server.accounts.accounts import hash_token
from tabiya.server.hosting import Wait, Work, WorkerRefused, WorkerState
from tabiya.server.version import version
from tabiya.storage.memory import MemoryStore
from tabiya.storage.program_records import NewProgram, ProgramRecord
from tests.fakes.hosting_server import FakeHostingServer

NOON = 1_750_000_000.0
ZIP = b"a zip"
ONE = WorkerState(
    name="lab-1",
    version=version(),
    cores=4,
    memory_mb=8_000,
    sandbox="bubblewrap",
    games=("nim", "tictactoe"),
    at_once=2,
    playing=0,
    examining=0,
)


class Place:
    """Leases with their store, a clock that is set, and the server around it."""

    def __init__(self) -> None:
        self.store, self.around, self.now = MemoryStore(), FakeHostingServer(), NOON
        self.leases = self.reopened()

    def reopened(self) -> ProgramLeases:
        self.leases = ProgramLeases(self.store, self.around, sandbox="landlock", now=lambda: self.now, draw=Random(7))
        return self.leases

    async def program(self, name: str, game: str = "nim", digest: str = "1f") -> ProgramRecord:
        known = await self.store.bot_by_name(name)
        bot = known or await self.store.create_bot(name, token_hash=f"hash of {name}", created_at=NOON)
        new = NewProgram(bot_id=bot.id, game=game, digest=digest, file_name="bot.py", archive=ZIP, created_at=self.now)
        made = await self.store.add_program(new)
        await self.leases.load()
        return made

    async def good(self, name: str, game: str = "nim") -> ProgramRecord:
        made = await self.program(name, game)
        await self.store.keep_examination(made.id, "good", "{}")
        await self.store.use_program(made.bot_id, made.id)
        await self.leases.load()
        return await self.kept(made)

    async def kept(self, program: ProgramRecord) -> ProgramRecord:
        return next(each for each in await self.store.programs(program.bot_id) if each.id == program.id)

    async def work(self, worker: WorkerState = ONE) -> Work:
        found = await self.leases.ask(worker)
        assert isinstance(found, Work), found
        return found

    async def nothing(self, worker: WorkerState = ONE) -> Wait:
        found = await self.leases.ask(worker)
        assert isinstance(found, Wait), found
        return found


@pytest.fixture
async def place() -> Place:
    return Place()


async def test_a_new_program_is_examined_and_its_report_counts_once(place: Place) -> None:
    made = await place.program("ada")
    assert place.leases.doing(made) == "waits for its check: no worker is there"
    work = await place.work()
    assert work == Work(
        program=made.id,
        fence=1,
        kind="examine",
        game="nim",
        bot="bot 1",
        file_name="bot.py",
        digest="1f",
        sha256=hashlib.sha256(ZIP).hexdigest(),
        token="",
    )
    assert place.leases.doing(made) == "is being checked: it starts"
    await place.leases.heartbeat(((made.id, 1),), {made.id: "7 of 30"})
    assert place.leases.doing(made) == "is being checked: 7 of 30"
    assert (await place.nothing()).why == "no program waits"
    assert await place.leases.report(made.id, 1, "good", '{"grade":97}')
    assert not await place.leases.report(made.id, 1, "refused", "{}")
    kept = await place.kept(made)
    assert (kept.state, kept.report, kept.in_use) == ("good", '{"grade":97}', True)


async def test_what_was_tried_less_often_is_examined_first(place: Place) -> None:
    first, second = await place.program("ada"), await place.program("bob")
    assert (await place.work()).program == first.id
    place.now += LEASE_S + 1  # it has ended its worker
    assert [(await place.work()).program for _ in range(2)] == [second.id, first.id]


async def test_many_versions_of_one_bot_delay_nobody(place: Place) -> None:
    many = [await place.program("ada", digest=f"{number:02x}") for number in range(3)]
    bob, cyd = await place.program("bob"), await place.program("cyd")
    order = []
    for _ in range(5):
        work = await place.work()
        assert await place.leases.report(work.program, work.fence, "refused", "{}")
        order.append(work.program)
        place.now += 1
    assert order == [many[0].id, bob.id, cyd.id, many[1].id, many[2].id]


async def test_programs_play_in_pairs_with_tokens_that_are_good_as_long_as_the_lease(place: Place) -> None:
    ada, bob = await place.good("ada"), await place.good("bob")
    one = await place.work()
    other = await place.work(replace(ONE, name="lab-2"))
    assert {one.program, other.program} == {ada.id, bob.id}
    bots = {program.id: program.bot_id for program in (ada, bob)}
    assert place.around.lent == {hash_token(work.token): bots[work.program] for work in (one, other)}
    assert place.leases.doing(ada) == "plays"
    assert await place.leases.report(one.program, one.fence, "played", "")
    assert list(place.around.lent) == [hash_token(other.token)]


async def test_a_vanished_worker_loses_its_program_and_its_late_report_does_not_count(place: Place) -> None:
    made = await place.program("ada")
    old = await place.work()
    place.now += LEASE_S - 1
    assert await place.leases.heartbeat(((made.id, old.fence),), {}) == await place.leases.heartbeat(
        ((made.id, old.fence),), {}
    )
    await place.nothing(replace(ONE, name="lab-2"))
    place.now += LEASE_S + 1
    new = await place.work(replace(ONE, name="lab-2"))
    assert new.fence == 2
    assert (await place.leases.heartbeat(((made.id, old.fence),), {})).lost == (made.id,)
    assert not await place.leases.report(made.id, old.fence, "refused", "{}")
    assert await place.leases.report(made.id, new.fence, "good", "{}")


@pytest.mark.parametrize("waiting", [0, 1])
async def test_a_program_with_a_game_that_lost_its_worker_runs_first(place: Place, waiting: int) -> None:
    programs = [await place.good(name) for name in ("ada", "bob", "eve", "fay")]
    run = {(await place.work()).program, (await place.work(replace(ONE, playing=1))).program}
    cut_off = [program for program in programs if program.id not in run][waiting]
    place.around.playing.add(cut_off.bot_id)
    assert (await place.work(replace(ONE, name="lab-2"))).program == cut_off.id


async def test_a_program_set_aside_is_not_run_again_for_its_game(place: Place) -> None:
    for name in ("ada", "bob"):
        await place.good(name)
    for _ in range(2 * MOST_FAILURES - 1):  # by turns
        work = await place.work()
        await place.leases.report(work.program, work.fence, "failed", "IndexError")
    (failed,) = [lease for lease in await place.store.leases() if lease.failures == MOST_FAILURES]
    place.around.playing.add(next(each.bot_id for each in place.leases.programs() if each.id == failed.program_id))
    await place.nothing()


async def test_a_token_of_a_lease_that_has_run_out_is_good_no_more_when_somebody_else_plays(place: Place) -> None:
    await place.good("ada")
    await place.good("bob")
    old = await place.work()
    place.now += LEASE_S + 1
    new = [await place.work(replace(ONE, name="lab-2")) for _ in range(2)]
    assert set(place.around.lent) == {hash_token(work.token) for work in new}
    assert hash_token(old.token) not in place.around.lent


async def test_another_version_a_weaker_sandbox_and_too_little_memory_get_nothing(place: Place) -> None:
    await place.program("ada")
    with pytest.raises(WorkerRefused, match=r"is 0\.1: they have to be of the same version"):
        await place.leases.ask(replace(ONE, version="0.1"))
    for sandbox in ("none", "a hedge"):
        with pytest.raises(WorkerRefused, match="at least as strong as landlock"):
            await place.leases.ask(replace(ONE, sandbox=sandbox))
    await place.work(replace(ONE, sandbox="landlock"))
    await place.program("bob")
    small = await place.nothing(replace(ONE, memory_mb=2 * NEEDED_MB - 1, playing=1))
    assert small.why == f"a program needs {NEEDED_MB} MB, and lab-1 has {2 * NEEDED_MB - 1} MB for 2"
    await place.nothing(replace(ONE, games=("tictactoe",)))
    await place.nothing(replace(ONE, at_once=1, examining=2))
    await place.work()


async def test_examinations_take_the_places_of_the_ladder_and_not_those_of_a_tournament(place: Place) -> None:
    ada, bob = await place.good("ada"), await place.good("bob")
    new = [await place.program(name) for name in ("eve", "fay", "gus")]
    works = [await place.work(replace(ONE, examining=number)) for number in range(3)]
    assert [work.program for work in works] == [program.id for program in new]
    assert (await place.nothing(replace(ONE, examining=4))).why == "no program waits"
    await place.nothing(replace(ONE, examining=3))  # there is no place for two
    place.around.entered = {ada.bot_id: frozenset({bob.bot_id}), bob.bot_id: frozenset({ada.bot_id})}
    later = await place.program("hal")
    found = [await place.work(replace(ONE, examining=2, playing=number)) for number in range(2)]
    assert {work.program for work in found} == {ada.id, bob.id}
    assert (await place.work(replace(ONE, examining=1, playing=2))).program == later.id


async def test_too_many_that_ask_at_once_are_told_when_to_come_again(place: Place) -> None:
    await place.program("ada")
    answers = await asyncio.gather(*(place.leases.ask(ONE) for _ in range(MOST_ASKING + 3)))
    busy = [each for each in answers if isinstance(each, Wait) and each.why.startswith("too many")]
    assert len(busy) == 3
    assert all(1 <= each.seconds <= 3 for each in busy)
    assert len({each.seconds for each in busy}) > 1


async def test_a_turn_ends_when_nobody_plays_or_the_version_is_not_used_and_never_in_a_game(place: Place) -> None:
    ada, bob = await place.good("ada"), await place.good("bob")
    works = {work.program: work for work in [await place.work(), await place.work()]}
    held = tuple((work.program, work.fence) for work in works.values())

    async def stopped(seconds: float) -> set[int]:
        answer = await place.leases.heartbeat(held, {})
        for _ in range(int(seconds)):
            place.now += 1
            answer = await place.leases.heartbeat(held, {})
        assert not answer.lost
        return set(answer.stop)

    place.around.playing = {ada.bot_id}
    assert await stopped(IDLE_TURN_S - 1) == set()
    assert not place.around.gone
    assert await stopped(3) == works.keys() - {ada.id}
    assert place.around.gone == {bob.bot_id}  # no game begins while its worker is on its way to end it
    await place.store.use_program(ada.bot_id, None)
    await place.leases.load()
    assert ada.id not in await stopped(1)
    place.around.playing.clear()
    assert ada.id in await stopped(1)
    # it had games, so what it failed before counts no more; the other one had none
    assert await place.leases.report(ada.id, works[ada.id].fence, "stopped", "")


async def test_a_turn_that_was_stopped_after_a_game_is_played(place: Place) -> None:
    ada, _ = await place.good("ada"), await place.good("bob")
    for work in [await place.work(), await place.work()]:
        assert await place.leases.report(work.program, work.fence, "failed", "IndexError")
    for work in [await place.work(), await place.work()]:
        place.around.playing = {ada.bot_id}
        await place.leases.heartbeat(((work.program, work.fence),), {})
        assert await place.leases.report(work.program, work.fence, "stopped", "")
    found = {lease.program_id: (lease.outcome, lease.failures) for lease in await place.store.leases()}
    assert sorted(found.values()) == [("played", 0), ("stopped", 1)]
    assert found[ada.id] == ("played", 0)


async def test_a_turn_in_a_tournament_goes_on_as_long_as_somebody_comes_whom_it_is_to_meet(place: Place) -> None:
    ada, bob, eve = [await place.good(name) for name in ("ada", "bob", "eve")]
    place.around.entered = {ada.bot_id: frozenset({bob.bot_id}), bob.bot_id: frozenset({ada.bot_id})}
    three = replace(ONE, at_once=3)
    works = {work.program: work for work in [await place.work(three), await place.work(three)]}
    assert set(works) == {ada.id, bob.id}
    assert all(work.until_stopped for work in works.values())
    assert place.leases.may_begin(ada.bot_id)
    held = tuple((work.program, work.fence) for work in works.values())

    async def stopped(seconds: float) -> set[int]:
        place.now += seconds
        return set((await place.leases.heartbeat(held, {})).stop)

    assert await stopped(IDLE_TURN_S - 1) == set()  # starting takes its time
    place.leases.game_ended(ada.bot_id)
    place.leases.game_ended(bob.bot_id)
    assert await stopped(NEXT_GAME_GAP_S + 1) == set()  # they meet once more
    place.around.entered = {ada.bot_id: frozenset({eve.bot_id}), bob.bot_id: frozenset()}
    assert await stopped(0) == {ada.id, bob.id}  # who comes for ada is not started yet, and needs a place
    assert not place.leases.may_begin(ada.bot_id)
    assert place.leases.playing() == {}


async def test_a_tournament_begins_no_game_with_a_turn_of_the_ladder_which_ends_for_it(place: Place) -> None:
    ada, bob = await place.good("ada"), await place.good("bob")
    works = [await place.work(), await place.work()]
    assert not any(work.until_stopped for work in works)
    held = tuple((work.program, work.fence) for work in works)
    place.around.entered = {ada.bot_id: frozenset()}
    place.around.playing = {ada.bot_id}
    assert not place.leases.may_begin(ada.bot_id)
    assert (await place.leases.heartbeat(held, {})).stop == ()
    await place.reopened().open()
    assert not place.leases.may_begin(ada.bot_id)
    place.around.playing.clear()
    assert (await place.leases.heartbeat(held, {})).stop == (ada.id,)
    place.now += LEASE_S + 1  # its worker has vanished; it is connected from elsewhere
    assert place.leases.may_begin(ada.bot_id)
    assert bob.bot_id in place.leases.able("nim")


async def test_a_turn_is_dropped_once_when_its_worker_is_silent_and_its_bot_is_gone(place: Place) -> None:
    ada, bob = await place.good("ada"), await place.good("bob")
    one, other = await place.work(), await place.work(replace(ONE, name="lab-2"))
    place.around.there = {ada.bot_id, bob.bot_id}
    place.now += SILENT * place.leases.heartbeat_s + 1
    await place.leases.heartbeat(((other.program, other.fence),), {})
    assert place.leases.drop_silent() == []  # its program is still connected
    place.around.there = set()
    bots = {ada.id: ada.bot_id, bob.id: bob.bot_id}
    assert place.leases.drop_silent() == [bots[one.program]]
    assert place.leases.drop_silent() == []  # who plays for it now is somebody else
    assert place.leases.turns_of("lab-2") == [bots[other.program]]
    place.around.there = {ada.bot_id, bob.bot_id}
    place.now += LEASE_S + 1
    await place.reopened().open()
    assert place.leases.drop_silent() == []  # who was away was the server
    place.now += LEASE_S + 1
    assert set(place.leases.drop_silent()) == {ada.bot_id, bob.bot_id}  # a dead line can seem to be there


async def test_only_programs_that_passed_are_used_and_not_set_aside_can_play_in_a_tournament(place: Place) -> None:
    ada, _ = await place.good("ada"), await place.program("bob")
    assert place.leases.able("nim") == {ada.bot_id: (ada.bot_id, f"bot {ada.bot_id}", "1f")}
    assert place.leases.able("tictactoe") == {}
    await place.store.use_program(ada.bot_id, None)
    await place.leases.load()
    assert place.leases.able("nim") == {}


async def test_a_failing_program_is_set_aside_also_after_a_restart_until_its_owner_chooses_it(
    place: Place,
) -> None:
    ada, bob = await place.good("ada"), await place.good("bob")
    for _ in range(MOST_FAILURES):
        works = [await place.work(), await place.work()]
        for work in works:
            outcome, text = ("failed", "IndexError") if work.program == ada.id else ("played", "")
            assert await place.leases.report(work.program, work.fence, outcome, text)  # type: ignore[arg-type]
    await place.reopened().open()
    assert place.leases.doing(ada) == f"set aside after {MOST_FAILURES} failures: IndexError"
    await place.nothing()
    assert place.leases.doing(bob) == "waits for its turn"
    await place.store.use_program(ada.bot_id, ada.id)
    await place.leases.load()
    assert place.leases.doing(ada) == "waits for its turn"
    place.around.there = {ada.bot_id}
    assert place.leases.doing(ada) == "waits until its bot is connected from nowhere else"
    await place.nothing()


async def test_after_a_restart_workers_elsewhere_go_on_and_those_of_the_server_have_ended(place: Place) -> None:
    ada, bob = await place.program("ada"), await place.program("bob")
    here = await place.work(replace(ONE, name="here"))
    there = await place.work(replace(ONE, name="lab-2"))
    place.now += 10 * LEASE_S
    await place.reopened().open(own=("here",))
    again = await place.work(replace(ONE, name="here"))
    assert (again.program, again.fence) == (here.program, 2)
    assert not (await place.leases.heartbeat(((there.program, there.fence),), {})).lost
    assert {here.program, there.program} == {ada.id, bob.id}


async def test_an_outcome_that_does_not_fit_is_refused(place: Place) -> None:
    made = await place.program("ada")
    work = await place.work()
    with pytest.raises(WorkerRefused, match="given out to examine"):
        await place.leases.report(made.id, work.fence, "played", "")
    assert (await place.kept(made)).state == "new"


async def test_a_program_without_files_is_refused_and_the_next_one_has_its_turn(place: Place) -> None:
    made = await place.program("ada")
    del place.store.tables.program_files[made.id]
    await place.nothing()
    kept = await place.kept(made)
    assert (kept.state, kept.report) == ("refused", NO_FILES)


async def test_workers_that_have_asked_lately_are_listed_with_what_they_hold(place: Place) -> None:
    made = await place.program("ada")
    await place.work()
    await place.nothing(replace(ONE, name="lab-0"))
    assert [(seen.state.name, seen.holds) for seen in place.leases.workers()] == [("lab-0", ()), ("lab-1", (made.id,))]
    place.now += WORKER_SILENT_S + 1
    assert place.leases.workers() == ()


async def test_a_program_of_a_bot_that_is_disabled_gets_no_turn_and_ends_the_one_it_has(place: Place) -> None:
    ada, _ = await place.good("ada"), await place.good("bob")
    works = [await place.work(), await place.work()]
    place.around.disabled = {ada.bot_id}
    await place.leases.load()
    answer = await place.leases.heartbeat(tuple((work.program, work.fence) for work in works), {})
    assert answer.stop == (ada.id,)
    (work,) = (work for work in works if work.program == ada.id)
    assert await place.leases.report(ada.id, work.fence, "stopped", "")
    await place.nothing()
    place.around.disabled.clear()
    await place.leases.load()
    assert (await place.work()).program == ada.id
