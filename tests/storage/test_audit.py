"""What every store keeps of the orders of operators."""

from __future__ import annotations

from msgspec.structs import replace

from tabiya.storage.audit_records import AuditRecord
from tabiya.storage.store import Store
from tests.storage.samples import NOON


def order(path: str, at: float = NOON) -> AuditRecord:
    return AuditRecord(
        at=at,
        who="operator",
        way="token",
        address="127.0.0.1",
        path=path,
        details={"winner": None, "bots": ["ada", "Bob"]},
        status=200,
    )


async def test_orders_are_numbered_and_read_from_the_newest_on_a_part_at_a_time(store: Store) -> None:
    for number in range(1, 6):
        await store.append_audit(order(f"/matches/{number}/abort"))
    first = await store.audit(limit=2)
    assert [(each.id, each.path) for each in first] == [(5, "/matches/5/abort"), (4, "/matches/4/abort")]
    rest = await store.audit(before=first[-1].id)
    assert [each.id for each in rest] == [3, 2, 1]
    assert rest[-1] == replace(order("/matches/1/abort"), id=1)


async def test_the_same_order_given_twice_is_kept_twice(store: Store) -> None:
    for _ in range(2):
        await store.append_audit(order("/matches/1/abort"))
    assert len(await store.audit()) == 2
