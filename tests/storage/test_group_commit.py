"""What gathers, what goes next, who is notified: numbers instead of databases."""

from __future__ import annotations

import asyncio

import pytest

from tabiya.storage.errors import SaveFailed, StoreClosed, StoreError, WriteConflict
from tabiya.storage.group_commit import MOST_NOTIFIED_AT_ONCE, Batch, GroupCommit, PendingWrite, apply_each
from tabiya.storage.records import MatchId
from tabiya.storage.writes import AppendMove, Write
from tests.storage.samples import move


class Desk:
    """A writer whose batches lie on the desk until the test hands them back."""

    def __init__(self, most: int = 100) -> None:
        self.away: list[Batch] = []
        self.notified: list[int] = []
        self.writer = GroupCommit(asyncio.get_running_loop(), self.away.append, most)

    def submit(self, *numbers: int) -> None:
        for number in numbers:
            self.writer.submit(pending(number, self.notified))

    def numbers(self) -> list[list[int]]:
        return [[ply_of(pending) for pending in batch] for batch in self.away]

    def hand_back(self) -> None:
        self.writer.resolve(self.away.pop(0))


def pending(number: int, reported: list[int]) -> PendingWrite:
    return PendingWrite(AppendMove(move(MatchId(number), number)), lambda _error: reported.append(number))


def ply_of(pending: PendingWrite) -> int:
    assert isinstance(pending.write, AppendMove)
    return pending.write.move.ply


async def one_tick() -> None:
    await asyncio.sleep(0)


async def test_what_is_submitted_in_one_tick_is_one_batch_and_the_next_gathers_meanwhile() -> None:
    desk = Desk()
    desk.submit(1, 2)
    assert desk.away == []
    await one_tick()
    assert desk.numbers() == [[1, 2]]
    desk.submit(3, 4)
    await one_tick()
    assert desk.numbers() == [[1, 2]]
    assert desk.writer.waiting == 4
    desk.hand_back()
    assert desk.numbers() == [[3, 4]]
    assert desk.notified == [1, 2]
    desk.hand_back()
    assert desk.notified == [1, 2, 3, 4]
    assert (desk.writer.waiting, desk.writer.batches) == (0, 2)
    await desk.writer.close()  # with nothing to wait for


async def test_the_next_batch_leaves_before_the_last_is_told() -> None:
    desk = Desk()
    seen: list[int] = []
    desk.writer.submit(PendingWrite(AppendMove(move(MatchId(1), 1)), lambda _error: seen.append(len(desk.away))))
    await one_tick()
    desk.submit(2)
    desk.hand_back()
    assert seen == [1]


async def test_a_batch_has_a_bound_and_the_rest_follows_in_order() -> None:
    desk = Desk(most=2)
    desk.submit(1, 2, 3, 4, 5)
    await one_tick()
    sizes = []
    while desk.away:
        sizes.append(desk.numbers()[0])
        desk.hand_back()
    assert sizes == [[1, 2], [3, 4], [5]]
    assert desk.notified == [1, 2, 3, 4, 5]


async def test_a_write_submitted_by_an_answer_is_not_lost() -> None:
    desk = Desk()
    desk.writer.submit(PendingWrite(AppendMove(move(MatchId(1), 1)), lambda _error: desk.submit(2)))
    await one_tick()
    desk.hand_back()
    await one_tick()
    assert desk.numbers() == [[2]]


async def test_closing_waits_for_what_is_away_and_takes_nothing_more() -> None:
    desk = Desk()
    desk.submit(1)
    await one_tick()
    closing = asyncio.create_task(desk.writer.close())
    await one_tick()
    assert not closing.done()
    with pytest.raises(StoreClosed):
        desk.submit(2)
    desk.hand_back()
    await closing
    assert desk.notified == [1]


async def test_a_large_batch_is_told_in_parts_in_its_order_and_closing_waits_for_the_last() -> None:
    first, second = range(1, MOST_NOTIFIED_AT_ONCE + 3), range(1_000, 1_005)
    desk = Desk(most=1_000)
    desk.submit(*first)
    await one_tick()
    desk.submit(*second)
    desk.hand_back()
    assert desk.notified == [*first][:MOST_NOTIFIED_AT_ONCE]
    desk.hand_back()
    assert desk.writer.waiting == 2 + len(second)
    closing = asyncio.create_task(desk.writer.close())
    await closing
    assert desk.notified == [*first, *second]
    assert desk.writer.waiting == 0


def test_after_a_failure_the_rest_of_its_group_fails_and_no_other() -> None:
    moves = [move(MatchId(match), ply) for match, ply in ((1, 1), (2, 1), (1, 2))]
    batch = [PendingWrite(AppendMove(one), lambda _error: None) for one in moves]
    applied: list[int] = []

    def apply(write: Write) -> str:
        assert isinstance(write, AppendMove)
        if write.move.match_id == 1:
            raise WriteConflict("no")
        applied.append(write.move.match_id)
        return "value"

    apply_each(batch, apply)
    kinds: list[type[StoreError] | None] = [type(pending.error) if pending.error else None for pending in batch]
    assert kinds == [WriteConflict, None, SaveFailed]
    assert (applied, batch[1].value) == ([2], "value")


async def test_how_long_batches_took_is_counted_from_when_they_were_handed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk, now = Desk(), [10.0]
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now[0])
    desk.submit(1)
    await one_tick()
    now[0] += 0.5
    desk.submit(2)  # gathers, and is not under way yet
    desk.hand_back()
    now[0] += 0.25
    desk.hand_back()
    assert desk.writer.took.sum_s == 0.75
    assert (desk.writer.take_longest_s(), desk.writer.take_longest_s()) == (0.5, 0.0)
