"""What every store keeps of the programs that are run for bots."""

from __future__ import annotations

import pytest

from tabiya.storage.errors import WriteRefused
from tabiya.storage.program_records import NewProgram, ProgramId, ProgramRecord
from tabiya.storage.records import BotId
from tabiya.storage.store import Store
from tests.storage.samples import NOON, two_bots

ZIP = bytes(range(256)) * 300


def program(bot_id: BotId, digest: str = "1f") -> NewProgram:
    return NewProgram(
        bot_id=bot_id, game="nim", digest=digest, file_name="bot.py", archive=ZIP + digest.encode(), created_at=NOON
    )


async def test_versions_are_numbered_by_bot_and_keep_their_files(store: Store) -> None:
    ada, bob = await two_bots(store)
    first, second = [await store.add_program(program(ada.id, digest)) for digest in ("1f", "2f")]
    other = await store.add_program(program(bob.id))
    assert first == ProgramRecord(
        id=first.id,
        bot_id=ada.id,
        number=1,
        game="nim",
        digest="1f",
        file_name="bot.py",
        bytes=len(ZIP) + 2,
        created_at=NOON,
    )
    assert (second.number, other.number) == (2, 1)
    assert await store.programs(ada.id) == (second, first)
    assert await store.programs(bob.id) == (other,)
    assert await store.programs(bob.id, ada.id) == (second, first, other)
    assert await store.programs() == ()
    assert await store.all_programs() == (second, first, other)
    assert await store.program_files(first.id) == ZIP + b"1f"
    assert await store.program_files(ProgramId(77)) is None


async def test_the_same_files_again_are_no_other_version(store: Store) -> None:
    ada, _ = await two_bots(store)
    first = await store.add_program(program(ada.id, "1f"))
    assert await store.add_program(program(ada.id, "1f")) == first
    await store.add_program(program(ada.id, "2f"))
    assert (await store.add_program(program(ada.id, "1f"))).number == 3  # back to what was before


async def test_one_version_plays_at_most_and_what_plays_or_waits_is_open(store: Store) -> None:
    ada, bob = await two_bots(store)
    first, second = [await store.add_program(program(ada.id, digest)) for digest in ("1f", "2f")]
    other = await store.add_program(program(bob.id))
    await store.keep_examination(first.id, "good", "answers")
    await store.keep_examination(second.id, "refused", "does not start")
    assert [each.id for each in await store.open_programs()] == [other.id]
    for used in (second, first):
        await store.use_program(ada.id, used.id)
        assert [each.number for each in await store.programs(ada.id) if each.in_use] == [used.number]
    opened = await store.open_programs()
    assert [(each.id, each.state, each.report) for each in opened] == [
        (first.id, "good", "answers"),
        (other.id, "new", ""),
    ]
    await store.use_program(ada.id, None)
    assert not any(each.in_use for each in await store.programs(ada.id))


async def test_what_is_not_there_is_refused(store: Store) -> None:
    ada, bob = await two_bots(store)
    mine = await store.add_program(program(ada.id))
    await store.use_program(ada.id, mine.id)
    for refused in (
        store.add_program(program(BotId(77))),
        store.keep_examination(ProgramId(77), "good", ""),
        store.use_program(ada.id, ProgramId(77)),
        store.use_program(bob.id, mine.id),
    ):
        with pytest.raises(WriteRefused):
            await refused
    assert [each.in_use for each in await store.programs(ada.id)] == [True]
