"""The stored orders of operators."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class AuditRecord(Struct, frozen=True, kw_only=True):
    """One order.

    id: 0 for one that is not stored yet.  who: name of the account.  way: how it showed who it is.  address: where
    the order came from.  path: what was ordered, as the API's address without its version.  details: fields of the
    order, without secrets.  status: that of the answer.
    """

    at: float
    who: str
    way: str
    address: str
    path: str
    details: dict[str, Any]
    status: int
    id: int = 0
