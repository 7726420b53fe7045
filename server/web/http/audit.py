"""Keeps every order that an operator gives: who, from where, what, and how it was answered.

Kept is what changes something (POST), once it is clear that an operator has sent it: what is refused for want of the
role is not, or anybody could fill the table. Of an order its fields are kept, without secrets.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from aiohttp import web
from msgspec import NODEFAULT, Struct, to_builtins
from msgspec.structs import FieldInfo, fields

from tabiya.server.web.http.auth import SENDER
from tabiya.server.web.http.route import API, OLD_API
from tabiya.storage.audit_records import AuditRecord
from tabiya.storage.errors import StoreError
from tabiya.storage.store import Store

log = logging.getLogger("tabiya.audit")

SECRETS = frozenset({"token", "invite"})  # fields of orders, whose values are not kept
LONGEST_TEXT, LONGEST_LIST, LONGEST_PATH = 200, 40, 300
ORDER = web.RequestKey("order", Struct)
"""Of a request: its body, once it is read."""


class AuditLog:
    """The orders of operators, over the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def keep(self, request: web.Request, status: int) -> None:
        """Keep a request that has been answered with this status, if it was an order of an operator."""
        sender = request.get(SENDER)
        if sender is None or request.method != "POST":
            return
        record = AuditRecord(
            at=time.time(),
            who=sender.name,
            way=sender.way,
            address=request.remote or "",
            path=request.path.removeprefix(API).removeprefix(OLD_API)[:LONGEST_PATH],
            details=details_of(request.get(ORDER)),
            status=status,
        )
        try:
            await self._store.append_audit(record)
        except StoreError as error:  # the action is done; a failed audit record must not turn its answer into an error
            log.error("an order could not be recorded (%s): %s", error, record)


def details_of(order: Struct | None) -> dict[str, Any]:
    """The fields of an order that were given, shortened, without secrets and files."""
    if order is None:
        return {}
    given = [(field, getattr(order, field.name)) for field in fields(order)]
    return {field.name: _shown(field.name, value) for field, value in given if value != _usual(field)}


def _usual(field: FieldInfo) -> Any:
    return field.default if field.default_factory is NODEFAULT else field.default_factory()


def _shown(name: str, value: Any) -> Any:
    if name in SECRETS:
        return "not kept"
    match value:
        case bytes():
            return f"{len(value):,} bytes"
        case str():
            return value if len(value) <= LONGEST_TEXT else f"{value[:LONGEST_TEXT]}…"
        case tuple() | list():
            more = [f"and {len(value) - LONGEST_LIST} more"] if len(value) > LONGEST_LIST else []
            return [*(_shown("", each) for each in value[:LONGEST_LIST]), *more]
        case dict():
            return {str(key): _shown(str(key), each) for key, each in value.items()}
    return to_builtins(value)
