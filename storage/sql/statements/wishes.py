"""Games that owners ask for."""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict
from sqlalchemy import Connection, delete, insert, select, update

from tabiya.storage.derived import wish_record, with_game_begun, without_waiting
from tabiya.storage.errors import DamagedRows, unknown_bot
from tabiya.storage.program_records import WishId, WishRecord
from tabiya.storage.records import BotId
from tabiya.storage.sql.schema.tables import bots, wishes
from tabiya.storage.sql.statements.row_types import RowTypes
from tabiya.storage.writes import AddWish, BeginWishedGame, WishWrite

TYPES = RowTypes(select(wishes))


def read_wishes(connection: Connection, bot_id: BotId | None = None) -> tuple[WishRecord, ...]:
    """The wishes of one owner's bot or of all, the oldest first."""
    query = select(wishes).order_by(wishes.c.id)
    return tuple(map(_wish_of, connection.execute(query if bot_id is None else query.where(wishes.c.bot_id == bot_id))))


def apply_to_wishes(connection: Connection, write: WishWrite) -> WishRecord | None:
    """Carry out a write; the verb's value."""
    if isinstance(write, AddWish):
        return _add(connection, write)
    this = wishes.c.id == write.wish_id
    row = connection.execute(select(wishes).where(this).with_for_update()).one_or_none()
    if row is None:
        return None
    wish = _wish_of(row)
    changed = with_game_begun(wish) if isinstance(write, BeginWishedGame) else without_waiting(wish)
    if changed is None:
        connection.execute(delete(wishes).where(this))
    else:
        connection.execute(update(wishes).where(this).values(games=changed.games, waiting=changed.waiting))
    return changed


def _add(connection: Connection, write: AddWish) -> WishRecord:
    for bot_id in (write.wish.bot_id, write.wish.opponent_id):
        if connection.scalar(select(bots.c.id).where(bots.c.id == bot_id)) is None:
            raise unknown_bot(bot_id)
    connection.execute(delete(wishes).where(wishes.c.waiting == 0, wishes.c.asked_at < write.forget_before))
    values = asdict(write.wish) | {"waiting": write.wish.games}
    row = connection.execute(insert(wishes).values(values).returning(wishes.c.id))
    return wish_record(WishId(row.scalar_one()), write.wish)


def _wish_of(row: Any) -> WishRecord:
    if (problem := TYPES.problem(row)) is not None:
        raise DamagedRows(f"the wish {row.id!r:.40} cannot be read: {problem}")
    return WishRecord(**row._mapping)
