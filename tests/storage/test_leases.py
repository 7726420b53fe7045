"""Leave to run programs: one at a time for each, fenced, and ended together with what came of it."""

from __future__ import annotations

from typing import Any

import pytest

from tabiya.storage.program_records import Lease, LeaseKind, LeaseOutcome, ProgramId, ProgramRecord, Usage
from tabiya.storage.records import BotRecord
from tabiya.storage.store import Store
from tests.present import present
from tests.storage.conftest import Home
from tests.storage.samples import NOON, two_bots
from tests.storage.test_programs import program

LONG_S = 30.0


async def handed_in(store: Store, bot: BotRecord, digest: str = "1f") -> ProgramRecord:
    return await store.add_program(program(bot.id, digest))


async def grant(
    store: Store, *wanted: tuple[ProgramId, LeaseKind], at: float = NOON, worker: str = "lab-1", token_hash: str = ""
) -> Lease | None:
    return await store.grant_lease(wanted, worker, token_hash, now=at, expires_at=at + LONG_S)


async def playing(store: Store, bot: BotRecord) -> ProgramRecord:
    made = await handed_in(store, bot)
    lease = present(await grant(store, (made.id, "examine")))
    assert await store.end_lease(made.id, lease.fence, "good", "answers", now=NOON)
    return made


async def turn(store: Store, made: ProgramRecord, outcome: LeaseOutcome, text: str = "") -> Lease:
    lease = present(await grant(store, (made.id, "play")))
    assert await store.end_lease(made.id, lease.fence, outcome, text, now=NOON + 1)
    (found,) = await store.leases()
    return found


async def test_a_program_is_leased_to_one_worker_at_a_time(store: Store) -> None:
    ada, bob = await two_bots(store)
    first, second = await handed_in(store, ada), await handed_in(store, bob)
    wanted: tuple[tuple[ProgramId, LeaseKind], ...] = ((first.id, "examine"), (second.id, "examine"))
    one = await grant(store, *wanted, token_hash="hash of a token")
    assert one == Lease(
        program_id=first.id,
        fence=1,
        kind="examine",
        worker="lab-1",
        token_hash="hash of a token",
        granted_at=NOON,
        expires_at=NOON + LONG_S,
    )
    other = present(await grant(store, *wanted, worker="lab-2"))
    assert (other.program_id, other.worker) == (second.id, "lab-2")
    assert await grant(store, *wanted) is None
    assert await store.leases() == (one, other)


async def test_what_was_granted_is_there_in_a_store_opened_again(home: Home) -> None:
    store = await home.open()
    made = await handed_in(store, (await two_bots(store))[0])
    lease = present(await grant(store, (made.id, "examine")))
    await store.close()
    again = await home.open()
    assert await again.leases() == (lease,)
    assert await again.end_lease(made.id, lease.fence, "refused", "no", now=NOON)


async def test_only_what_waits_for_just_that_is_leased(store: Store) -> None:
    ada, bob = await two_bots(store)
    new, good = await handed_in(store, ada), await playing(store, bob)
    assert await grant(store, (new.id, "play"), (good.id, "examine"), (ProgramId(77), "play")) is None
    await store.use_program(bob.id, None)
    assert await grant(store, (good.id, "play")) is None


async def test_a_lease_that_has_run_out_is_free_and_its_worker_comes_too_late(store: Store) -> None:
    made = await handed_in(store, (await two_bots(store))[0])
    old = present(await grant(store, (made.id, "examine")))
    late = NOON + LONG_S + 1
    assert not await store.end_lease(made.id, old.fence, "good", "first", now=late)
    new = present(await grant(store, (made.id, "examine"), at=late, worker="lab-2"))
    assert (new.fence, new.worker) == (2, "lab-2")
    held = ((made.id, old.fence),)
    assert await store.renew_leases(held, now=late, expires_at=late + 99) == frozenset()
    assert not await store.end_lease(made.id, old.fence, "good", "first", now=late)
    assert await store.leases() == (new,)
    assert await store.end_lease(made.id, new.fence, "good", "second", now=late)
    (kept,) = await store.open_programs()
    assert (kept.state, kept.report, kept.in_use) == ("good", "second", True)


async def test_a_lease_is_renewed_until_it_runs_out(store: Store) -> None:
    ada, bob = await two_bots(store)
    first, second = await handed_in(store, ada), await handed_in(store, bob)
    leases = [present(await grant(store, (each.id, "examine"))) for each in (first, second)]
    assert await store.end_lease(second.id, 1, "stopped", "", now=NOON)
    held = [(each.program_id, each.fence) for each in leases]
    at = NOON + LONG_S  # the last moment
    assert await store.renew_leases(held, now=at, expires_at=at + LONG_S) == {first.id}
    assert await store.renew_leases(held, now=at + LONG_S + 1, expires_at=at + 99) == frozenset()
    assert [each.expires_at for each in await store.leases()] == [at + LONG_S, NOON + LONG_S]


async def test_all_that_nobody_has_ended_can_be_given_time_after_an_absence(store: Store) -> None:
    ada, bob = await two_bots(store)
    first, second = await handed_in(store, ada), await handed_in(store, bob)
    for each in (first, second):
        await grant(store, (each.id, "examine"))
    await store.end_lease(second.id, 1, "stopped", "", now=NOON)
    await store.prolong_leases(NOON + 1)
    assert [each.expires_at for each in await store.leases()] == [NOON + LONG_S] * 2
    await store.prolong_leases(NOON + 999)
    assert [each.expires_at for each in await store.leases()] == [NOON + 999, NOON + LONG_S]


@pytest.mark.parametrize(
    ("outcome", "text", "expected"),
    [
        ("good", '{"grade":97}', {"state": "good", "report": '{"grade":97}', "in_use": True}),
        ("refused", "no class", {"state": "refused", "report": "no class", "in_use": False}),
        ("stopped", "the machine was shut down", {"state": "new", "report": "", "in_use": False}),
    ],
)
async def test_the_end_of_an_examination_keeps_its_report_once(
    store: Store, outcome: LeaseOutcome, text: str, expected: dict[str, Any]
) -> None:
    ada, _ = await two_bots(store)
    made = await handed_in(store, ada)
    lease = present(await grant(store, (made.id, "examine")))
    assert await store.end_lease(made.id, lease.fence, outcome, text, now=NOON + 2)
    for doubled in (outcome, "refused"):
        assert not await store.end_lease(made.id, lease.fence, doubled, "another", now=NOON + 3)
    (kept,) = await store.programs(ada.id)
    assert {name: getattr(kept, name) for name in expected} == expected


async def test_a_newer_version_that_is_good_plays_in_place_of_the_older(store: Store) -> None:
    ada, _ = await two_bots(store)
    await playing(store, ada)
    newer = await handed_in(store, ada, "2f")
    lease = present(await grant(store, (newer.id, "examine")))
    await store.end_lease(newer.id, lease.fence, "good", "", now=NOON)
    assert [each.number for each in await store.programs(ada.id) if each.in_use] == [2]


async def test_failures_count_one_after_the_other_until_a_turn_is_played_or_the_owner_chooses(store: Store) -> None:
    ada, _ = await two_bots(store)
    made = await playing(store, ada)
    assert (await turn(store, made, "failed", "IndexError")).failures == 1
    found = await turn(store, made, "failed", "KeyError")
    assert (found.failures, found.last_words, found.turns, found.outcome) == (2, "KeyError", 2, "failed")
    assert (await turn(store, made, "stopped")).failures == 2
    assert (await turn(store, made, "played")).failures == 0
    assert (await turn(store, made, "failed", "KeyError")).failures == 1
    await store.use_program(ada.id, made.id)
    (found,) = await store.leases()
    assert (found.failures, found.turns, found.fence) == (0, 5, 6)


async def test_what_runs_have_used_is_added_up_once_and_apart_for_examinations(store: Store) -> None:
    ada, _ = await two_bots(store)
    made = await handed_in(store, ada)
    runs: tuple[tuple[LeaseKind, LeaseOutcome, Usage | None], ...] = (
        ("examine", "stopped", Usage(0.5, 40.0)),
        ("examine", "good", Usage(1.25, 90.5)),
        ("play", "played", Usage(2.0, 60.0)),
        ("play", "failed", Usage(0.75, 91.0)),
        ("play", "stopped", None),
    )
    for kind, outcome, used in runs:
        lease = present(await grant(store, (made.id, kind)))
        reported = {"now": NOON + 1, "used": used}
        assert not await store.end_lease(made.id, lease.fence - 1, outcome, "{}", **reported)  # type: ignore[arg-type]
        assert await store.end_lease(made.id, lease.fence, outcome, "{}", **reported)  # type: ignore[arg-type]
        assert not await store.end_lease(made.id, lease.fence, outcome, "{}", **reported)  # type: ignore[arg-type]
    late = present(await grant(store, (made.id, "play")))
    assert not await store.end_lease(made.id, late.fence, "played", "", now=NOON + LONG_S + 1, used=Usage(9.0, 99.0))
    (kept,) = await store.programs(ada.id)
    assert (kept.examination_cpu_s, kept.turns_cpu_s, kept.measured_turns, kept.peak_mb) == (1.75, 2.75, 2, 91.0)


async def test_of_programs_that_neither_play_nor_wait_no_lease_is_told(store: Store) -> None:
    ada, _ = await two_bots(store)
    made = await handed_in(store, ada)
    lease = present(await grant(store, (made.id, "examine")))
    await store.end_lease(made.id, lease.fence, "refused", "no", now=NOON)
    assert await store.leases() == ()
