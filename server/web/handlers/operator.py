"""Handlers for operators about the server itself. Access has been checked (routes.py)."""

from __future__ import annotations

from msgspec import UNSET, structs

from tabiya.server.accounts.accounts import SetAtStart
from tabiya.server.config import ConfigError
from tabiya.server.web.http.json_responses import ApiCall, HttpError
from tabiya.server.web.http.list_parts import part_of_list
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.schemas.operator import (
    Audit,
    AuditQuery,
    GivenOrder,
    Invite,
    Load,
    LoadQuery,
    Settings,
    SettingsOrder,
)
from tabiya.server.web.views.settings import settings_of


class OperatorHandlers:
    """Answers for operators only."""

    def __init__(self, facade: ServerFacade) -> None:
        self._facade, self._store = facade, facade.store

    async def audit(self, call: ApiCall) -> Audit:
        """Operators' actions, newest first: who, from where, what, and the answer."""
        query: AuditQuery = call.query
        records, older = part_of_list(
            call, await self._store.audit(before=query.before, limit=query.limit + 1), "before"
        )
        orders = tuple(
            GivenOrder(**{name: getattr(each, name) for name in GivenOrder.__struct_fields__}) for each in records
        )
        return Audit(orders=orders, next=older)

    async def load(self, call: ApiCall) -> Load:
        """The server's load now and in the last ten minutes, for charts."""
        query: LoadQuery = call.query
        facade = self._facade
        return Load(
            trouble=facade.trouble,
            database=self._store.address,
            hosted=facade.hosting is not None,
            samples=tuple(sample for sample in facade.load.samples if sample.at > query.after),
        )

    async def invite(self, call: ApiCall) -> Invite:
        """The invite code."""
        return self._invite()

    async def renew_invite(self, call: ApiCall) -> Invite:
        """Make a new invite code; the old one stops working."""
        try:
            await self._facade.accounts.renew_invite()
        except SetAtStart as error:
            raise HttpError(409, str(error)) from None
        return self._invite()

    def _invite(self) -> Invite:
        accounts = self._facade.accounts
        return Invite(
            code=accounts.invite_secret,
            fixed=bool(self._facade.settings.started_with.invite_secret),
            open_registration=accounts.open_to_all,
        )

    async def settings(self, call: ApiCall) -> Settings:
        """The server's settings, changeable and fixed."""
        return settings_of(self._facade.settings)

    async def change_settings(self, call: ApiCall) -> Settings:
        """Change settings while the server runs; a restart keeps them."""
        order: SettingsOrder = call.body
        changes = {name: value for name, value in structs.asdict(order).items() if value is not UNSET}
        try:
            await self._facade.settings.change(changes)
        except ConfigError as error:
            raise HttpError(400, str(error)) from None
        return settings_of(self._facade.settings)
