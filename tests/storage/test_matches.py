"""What every store keeps of matches, moves and results."""

from __future__ import annotations

import asyncio
import gc

import pytest
from msgspec.structs import replace

from tabiya.storage.derived import as_json
from tabiya.storage.errors import StoreClosed, StoreError, WriteConflict, WriteRefused
from tabiya.storage.group_commit import PendingWrite
from tabiya.storage.program_records import LostByFailure
from tabiya.storage.records import (
    BotId,
    MatchFilter,
    MatchId,
    MatchRecord,
    MoveRecord,
    MoveTimes,
    ReviewRecord,
)
from tabiya.storage.store import Store
from tabiya.storage.writes import AppendMove, FinishMatch
from tests.present import present
from tests.storage.conftest import Home
from tests.storage.samples import NOBODY, NOON, failure, move, new_match, result, seat, two_bots


async def a_match(store: Store, key: str = "m1") -> MatchId:
    return await store.create_match(new_match(await two_bots(store), key))


async def stored(store: Store, match_id: MatchId) -> MatchRecord:
    return present(await store.match(match_id))


async def test_a_new_match_reads_back_as_it_was_given_with_its_opening_as_the_first_plies(store: Store) -> None:
    new = new_match(await two_bots(store))
    match = await stored(store, await store.create_match(new))
    for field in new.__struct_fields__:
        if field != "opening":
            assert getattr(match, field) == getattr(new, field), field
    assert (match.status, match.plies, match.result, match.frozen_reason) == ("running", 2, None, None)
    first, second = await store.moves(match.id)
    assert (first.ply, first.text, first.seat, first.opening) == (0, "d3", 0, True)
    assert (second.ply, second.text, second.seat, second.opening) == (1, "c3", 1, True)
    assert second.remaining_us == (60_000_000, 60_000_000)
    assert second.credit_left_us == (500_000, 400_000)


async def test_saves_leave_nothing_to_the_garbage_collector_which_would_stop_the_loop_for_it(store: Store) -> None:
    bots = await two_bots(store)
    gc.disable()
    try:
        before = pending_writes()  # of other tests, whose stores are not gone yet
        for number in range(5):
            await store.create_match(new_match(bots, f"m{number}"))
        left = pending_writes()
    finally:
        gc.enable()
    assert len(left) - len(before) <= 1  # the writing thread holds the last one


def pending_writes() -> list[object]:
    return [one for one in gc.get_objects() if type(one) is PendingWrite]


async def test_a_result_and_the_match_in_which_its_two_go_on_are_stored_together_or_not_at_all(home: Home) -> None:
    store = await home.open()
    first = await a_match(store)
    new = new_match(await two_bots(store), "goes-on")
    ended = replace(result(first), ending="aborted", winner=None)
    with pytest.raises(StoreError):
        await store.finish_match(ended, goes_on=replace(new, seats=(seat(NOBODY), seat(NOBODY))))
    assert (await stored(store, first)).status == "running"
    for _ in range(2):  # an answer may be lost
        await store.finish_match(ended, goes_on=new)
    await store.close()  # as far as a server came that was killed then
    again = await home.open()
    assert (await stored(again, first)).status == "ended"
    (going_on,) = (await again.unfinished_matches()).matches
    assert [move.text for move in going_on.moves] == [ply.text for ply in new.opening]
    assert await again.create_match(new) == going_on.match.id


async def test_a_review_is_kept_once_a_match_with_what_judged_it(home: Home) -> None:
    store = await home.open()
    match_id = await a_match(store)
    assert await store.review(match_id) is None
    await store.keep_review(match_id, "an engine", "[1]")
    await store.keep_review(match_id, "an engine", "[2]")
    assert await store.review(match_id) == ReviewRecord(judged_by="an engine", judged="[2]")
    await store.keep_review(match_id, "a better engine", "[3]")
    await store.close()
    again = await home.open()
    assert await again.review(match_id) == ReviewRecord(judged_by="a better engine", judged="[3]")  # one a match
    with pytest.raises(WriteRefused, match="77"):
        await again.keep_review(MatchId(77), "an engine", "[]")


async def test_the_moves_of_several_matches_are_read_at_once_as_texts(store: Store) -> None:
    bots = await two_bots(store)
    one, two = [await store.create_match(new_match(bots, f"m{number}")) for number in range(2)]
    await store.append_move(move(one, 2))
    alone = tuple(each.text for each in await store.moves(one))
    assert await store.move_lists([one, two, MatchId(99)]) == {one: alone, two: ("d3", "c3")}
    assert len(alone) == 3
    assert await store.move_lists([]) == {}


async def test_a_key_gives_one_match_and_another_match_under_it_is_a_conflict(store: Store) -> None:
    bots = await two_bots(store)
    ids = [await store.create_match(new_match(bots, key)) for key in ("m1", "m2", "m1", "m3")]
    assert ids[0] == ids[2]
    assert 0 < ids[0] < ids[1] < ids[3]
    assert len(await store.list_matches()) == 3
    with pytest.raises(WriteConflict, match="m1"):
        await store.create_match(new_match(bots, "m1", time_control="none"))


async def test_what_belongs_to_nothing_stored_or_cannot_be_is_refused_and_changes_nothing(store: Store) -> None:
    ada, bob = await two_bots(store)
    match_id = await store.create_match(new_match((ada, bob)))
    for refused in (
        store.create_match(new_match((ada, NOBODY), "m2")),
        store.append_move(move(MatchId(77), 0)),
        store.append_move(move(match_id, 2, info={"board": object()})),
        store.freeze_match(MatchId(77), "why"),
        store.finish_match(result(match_id, winner=2)),
        store.finish_match(result(match_id, ending=""), move(match_id, 2)),
    ):
        with pytest.raises(WriteRefused):
            await refused
    match = await stored(store, match_id)
    assert (match.status, match.plies, len(await store.list_matches())) == ("running", 2, 1)


@pytest.mark.parametrize("extras", [True, False])
async def test_a_move_reads_back_equal_and_may_be_saved_again(store: Store, extras: bool) -> None:
    match_id = await a_match(store)
    plain = MoveRecord(match_id=match_id, ply=2, text="pass", seat=1, remaining_us=(-1, 2**40), at=NOON)
    given = move(match_id, 2) if extras else plain
    for _ in range(2):
        await store.append_move(given)
    assert (await store.moves(match_id))[2:] == (given,)
    assert (await stored(store, match_id)).plies == 3


async def test_a_different_move_for_a_stored_ply_is_a_conflict(store: Store) -> None:
    match_id = await a_match(store)
    await store.append_move(move(match_id, 2))
    changes = (
        {"text": "a1"},
        {"remaining_us": (1, 2)},
        {"at": NOON},
        {"info": None},
        {"draw_offer": 1},
        {"think_us": 5},
    )
    for change in changes:
        with pytest.raises(WriteConflict, match=r"ply 2"):
            await store.append_move(move(match_id, 2, **change))
    assert (await store.moves(match_id))[-1] == move(match_id, 2)


@pytest.mark.parametrize("with_move", [True, False])
async def test_a_result_ends_the_match_once_with_the_move_that_brought_it(store: Store, with_move: bool) -> None:
    match_id = await a_match(store)
    end = result(match_id) if with_move else result(match_id, winner=None, ending="aborted", overrun_ms=None)
    for _ in range(2):
        await store.finish_match(end, move(match_id, 2) if with_move else None)
    match = await stored(store, match_id)
    assert (match.status, match.plies, match.result) == ("ended", 2 + with_move, end)
    assert len(await store.results()) == int(with_move)
    with pytest.raises(WriteConflict, match="result"):
        await store.finish_match(result(match_id, winner=0))
    assert (await stored(store, match_id)).result == end


async def test_the_failure_of_a_program_is_kept_with_the_result_and_apart_from_the_match(home: Home) -> None:
    store = await home.open()
    match_id, other = await a_match(store), await a_match(store, "m2")
    for _ in range(2):
        await store.finish_match(result(match_id), None, failure(match_id))
    await store.finish_match(result(other))
    for second in (None, failure(match_id, text="another")):
        with pytest.raises(WriteConflict, match="result"):
            await store.finish_match(result(match_id), None, second)
    with pytest.raises(WriteConflict):
        await store.finish_match(result(other, winner=0), None, failure(other))
    await store.close()
    again = await home.open()
    assert await again.failure(match_id) == failure(match_id)
    assert await again.failure(other) is None
    assert "IndexError" not in repr(await again.stored_matches(MatchFilter(after_id=MatchId(0), limit=9)))


async def test_the_failures_of_a_bot_are_listed_with_its_versions_the_newest_first(store: Store) -> None:
    ada, bob = await two_bots(store)
    played = [await store.create_match(new_match((ada, bob), key)) for key in ("m1", "m2", "m3", "m4")]
    for match_id, seat_number in zip(played, (0, 1, 0, 0), strict=True):
        await store.finish_match(result(match_id), None, failure(match_id, seat=seat_number, text=f"in {match_id}"))
    version = new_match((ada, bob)).seats[0].version
    lost = [LostByFailure(match_id=each, version=version, text=f"in {each}") for each in reversed(played)]
    assert await store.failures_of(ada.id, 10) == (lost[0], lost[1], lost[3])
    assert await store.failures_of(ada.id, 2) == (lost[0], lost[1])
    assert [each.match_id for each in await store.failures_of(bob.id, 10)] == [played[1]]


async def test_a_failure_that_cannot_be_stored_leaves_its_match_running(store: Store) -> None:
    match_id = await a_match(store)
    with pytest.raises(WriteRefused):
        await store.finish_match(result(match_id), None, failure(match_id, seat=2))
    assert (await stored(store, match_id)).status == "running"


async def test_a_result_whose_move_conflicts_is_not_stored(store: Store) -> None:
    match_id = await a_match(store)
    await store.append_move(move(match_id, 2))
    with pytest.raises(WriteConflict):
        await store.finish_match(result(match_id), move(match_id, 2, "a1"))
    assert (await stored(store, match_id)).status == "running"


async def test_a_frozen_match_is_left_for_an_operator_to_end_and_an_ended_one_stays_ended(store: Store) -> None:
    match_id = await a_match(store)
    await store.freeze_match(match_id, "the rules and the record disagree")
    match = await stored(store, match_id)
    assert (match.status, match.frozen_reason) == ("frozen", "the rules and the record disagree")
    assert (await store.unfinished_matches()).matches == ()
    await store.finish_match(result(match_id, winner=None, ending="aborted"))
    await store.freeze_match(match_id, "too late")
    assert (await stored(store, match_id)).status == "ended"


async def test_what_is_not_there_is_none_or_empty(store: Store) -> None:
    assert await store.match(MatchId(1)) is None
    assert await store.moves(MatchId(1)) == ()
    assert await store.list_matches() == ()


async def test_unfinished_matches_come_with_their_moves_after_reopening(home: Home) -> None:
    store = await home.open()
    bots = await two_bots(store)
    going_on, over, no_moves = [
        await store.create_match(new_match(bots, key, opening=() if key == "c" else new_match(bots).opening))
        for key in "abc"
    ]
    await store.append_move(move(going_on, 2))
    await store.finish_match(result(over))
    await store.close()

    found = await (await home.open()).unfinished_matches()
    assert [unfinished.match.id for unfinished in found.matches] == [going_on, no_moves]
    assert [made.ply for made in found.matches[0].moves] == [0, 1, 2]
    assert found.matches[0].moves[2] == move(going_on, 2)
    assert found.matches[1].moves == ()
    assert found.damaged == ()


async def test_a_match_that_leaves_out_a_ply_is_reported_and_the_rest_goes_on(store: Store) -> None:
    bots = await two_bots(store)
    broken, whole = [await store.create_match(new_match(bots, key)) for key in "ab"]
    assert await store.check() == []
    await store.append_move(move(broken, 3))
    found = await store.unfinished_matches()
    assert [unfinished.match.id for unfinished in found.matches] == [whole]
    assert [damaged.match_id for damaged in found.damaged] == [broken]
    assert "ply 2" in found.damaged[0].reason
    assert len(await store.check()) == 1


async def test_matches_are_listed_newest_first_and_filtered(store: Store) -> None:
    ada, bob = bots = await two_bots(store)
    eve = await store.create_bot("Eve", created_at=NOON)
    one = await store.create_match(new_match(bots, "1"))
    two = await store.create_match(new_match(bots, "2", game="nim"))
    three = await store.create_match(new_match(bots, "3", seats=(seat(eve), seat(ada))))
    await store.finish_match(result(one))
    await store.freeze_match(two, "why")

    async def ids(**wanted: object) -> list[MatchId]:
        return [match.id for match in await store.list_matches(replace(MatchFilter(), **wanted))]

    assert await ids() == [three, two, one]
    assert await ids(limit=1) == [three]
    assert await ids(before_id=three) == [two, one]
    assert await ids(after_id=0) == [one, two, three]
    assert await ids(after_id=one, limit=1) == [two]
    assert await ids(since=NOON + 1e6) == []
    assert await ids(game="nim") == [two]
    assert await ids(bot="ADA") == [three, two, one]
    assert await ids(bot=bob.name) == [two, one]
    assert await ids(bot="nobody") == []
    assert await ids(status="ended") == [one]
    assert await ids(status="frozen") == [two]
    assert await ids(status="running", game="reversi") == [three]


async def test_results_come_in_the_order_they_were_stored(store: Store) -> None:
    bots = await two_bots(store)
    ids = [await store.create_match(new_match(bots, key, rated=key != "c")) for key in "abcd"]
    for match_id in (ids[1], ids[0], ids[2]):
        await store.finish_match(result(match_id, winner=None if match_id == ids[0] else 0, ending="adjudicated"))
    await store.finish_match(result(ids[3], winner=None, ending="aborted"))

    found = await store.results()
    assert [(game.match_id, game.key, game.rated) for game in found] == [
        (ids[1], "b", True),
        (ids[0], "a", True),
        (ids[2], "c", False),
    ]
    assert {game.options for game in found} == {as_json(new_match(bots, "").options)}
    assert (found[0].winner, found[1].winner) == (0, None)
    assert (found[0].bots, found[0].versions, found[0].game) == (("ada", "Bob"), ("1.4", "7"), "reversi")
    assert [game.match_id for game in await store.results(after=found[0].number)] == [ids[0], ids[2]]
    assert [game.match_id for game in await store.results(limit=1)] == [ids[1]]


async def test_how_long_a_bot_thought_is_told_by_game_and_version(store: Store) -> None:
    bots = await two_bots(store)
    first = await store.create_match(new_match(bots, "one"))
    for ply, (at_seat, think_us) in enumerate([(0, 300), (1, 50), (0, 500)], 2):
        await store.append_move(replace(move(first, ply), seat=at_seat, think_us=think_us))
    turned = (seat(bots[1], "7"), seat(bots[0], "1.4"))
    second = await store.create_match(new_match((bots[1], bots[0]), "two", seats=turned))
    await store.append_move(replace(move(second, 2), seat=1, think_us=1_000))
    later = await store.create_match(new_match(bots, "three", seats=(seat(bots[0], "2"), seat(bots[1], "7"))))
    await store.append_move(replace(move(later, 2), seat=0, think_us=10))
    assert await store.move_times(bots[0].id) == ()  # none of these has ended
    await store.finish_match(result(first))
    await asyncio.gather(  # in one transaction
        store.finish_match(result(second), replace(move(second, 3), seat=0, think_us=7)),
        store.finish_match(result(later, None, "aborted")),
        store.finish_match(result(first)),
    )
    assert await store.move_times(bots[0].id) == (
        MoveTimes(game="reversi", version="1.4", moves=3, mean_us=600.0, max_us=1_000),
        MoveTimes(game="reversi", version="2", moves=1, mean_us=10.0, max_us=10),
    )
    assert [(times.moves, times.mean_us) for times in await store.move_times(bots[1].id)] == [(2, 28.5)]
    assert await store.move_times(BotId(99)) == ()
    assert await store.check() == []


async def test_how_long_was_thought_is_counted_once_also_if_the_batch_fails_or_is_written_again(store: Store) -> None:
    bots = await two_bots(store)
    ids = [await store.create_match(new_match(bots, key)) for key in "ab"]
    ends = [store.finish_match(result(match_id), replace(move(match_id, 2), think_us=500)) for match_id in ids]
    answers = await asyncio.gather(*ends, store.finish_match(result(MatchId(99))), return_exceptions=True)
    assert [isinstance(answer, StoreError) for answer in answers] == [False, False, True]
    await store.finish_match(result(ids[0]), replace(move(ids[0], 2), think_us=500))
    (times,) = await store.move_times(bots[0].id)
    assert (times.moves, times.mean_us, times.max_us) == (2, 500.0, 500)
    assert await store.check() == []


async def test_submitted_writes_are_answered_in_order_and_a_failure_fails_its_own_match_only(store: Store) -> None:
    bots = await two_bots(store)
    good, bad, other = [await store.create_match(new_match(bots, key)) for key in "abc"]
    await store.append_move(move(bad, 2))
    answers: dict[str, StoreError | None] = {}

    def submit(name: str, what: AppendMove | FinishMatch) -> None:
        store.submit(what, lambda error: answers.update({name: error}))

    submit("good", AppendMove(move(good, 2)))
    submit("conflict", AppendMove(move(bad, 2, "a1")))
    submit("after it", AppendMove(move(bad, 3)))
    submit("unknown", AppendMove(move(MatchId(99), 2)))
    submit("over", FinishMatch(result(other), move(other, 2)))
    assert (answers, store.waiting) == ({}, 5)
    await store.append_move(move(good, 3))
    assert store.waiting == 0

    assert list(answers) == ["good", "conflict", "after it", "unknown", "over"]
    assert answers["good"] is None
    assert isinstance(answers["conflict"], WriteConflict)
    assert answers["after it"] is not None
    assert isinstance(answers["unknown"], WriteRefused)
    assert answers["over"] is None
    assert [made.ply for made in await store.moves(bad)] == [0, 1, 2]
    assert (await stored(store, other)).status == "ended"
    assert (await stored(store, good)).plies == 4


async def test_an_answer_that_raises_does_not_keep_others_from_theirs(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    match_id = await a_match(store)

    def broken(_error: StoreError | None) -> None:
        raise ZeroDivisionError

    store.submit(AppendMove(move(match_id, 2)), broken)
    await store.append_move(move(match_id, 3))
    assert "could not be delivered" in caplog.text


async def test_closing_commits_what_was_submitted(home: Home) -> None:
    store = await home.open()
    match_id = await a_match(store)
    answers: list[StoreError | None] = []
    store.submit(AppendMove(move(match_id, 2)), answers.append)
    await store.close()
    await store.close()
    assert answers == [None]
    assert len(await (await home.open()).moves(match_id)) == 3
    with pytest.raises(StoreClosed):
        await store.append_move(move(match_id, 3))


async def test_all_matches_are_read_with_their_moves_page_by_page(store: Store) -> None:
    bots = await two_bots(store)
    ids = [await store.create_match(new_match(bots, f"m{number}")) for number in range(3)]
    await store.finish_match(result(ids[1]), move(ids[1], 2))
    first = await store.stored_matches(MatchFilter(after_id=MatchId(0), limit=2))
    assert [stored.match.id for stored in first.matches] == ids[:2]
    assert [stored.moves for stored in first.matches] == [await store.moves(match) for match in ids[:2]]
    assert first.matches[1].match == await store.match(ids[1])
    (last,) = (await store.stored_matches(MatchFilter(after_id=ids[1], limit=2))).matches
    assert last.match.id == ids[2]
    assert (await store.stored_matches(MatchFilter(after_id=ids[2], limit=2))).matches == ()
    newest = await store.stored_matches(MatchFilter(status="running", before_id=ids[2]))
    assert [stored.match.id for stored in newest.matches] == [ids[0]]
