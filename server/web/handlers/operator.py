"""What only operators are told. Access has been checked (routes.py)."""

from __future__ import annotations

from tabiya.server.web.http.json_responses import ApiCall
from tabiya.server.web.http.list_parts import part_of_list
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.schemas.operator import Audit, AuditQuery, GivenOrder


class OperatorHandlers:
    """What only operators are told."""

    def __init__(self, facade: ServerFacade) -> None:
        self._facade, self._store = facade, facade.store

    async def audit(self, call: ApiCall) -> Audit:
        """The orders that operators have given, the newest first: who, from where, what, and how it was answered."""
        query: AuditQuery = call.query
        records, older = part_of_list(
            call, await self._store.audit(before=query.before, limit=query.limit + 1), "before"
        )
        orders = tuple(
            GivenOrder(**{name: getattr(each, name) for name in GivenOrder.__struct_fields__}) for each in records
        )
        return Audit(orders=orders, next=older)
