"""Handlers for accounts: registering, replacing and revoking tokens, the operator's role, what only owners see."""

from __future__ import annotations

from collections.abc import Awaitable

from tabiya.server.accounts.accounts import NameNotFree, NoAccount, TooManyNames, WrongInvite
from tabiya.server.accounts.names import NameRefused, check_name
from tabiya.server.web.handlers.queries import QueryHandlers
from tabiya.server.web.http.auth import OPERATOR, Authorizer
from tabiya.server.web.http.json_responses import ApiCall, HttpError, not_found
from tabiya.server.web.http.list_parts import part_of_list
from tabiya.server.web.http.server_facade import ServerFacade
from tabiya.server.web.schemas.operator import AccountOrder, Accounts
from tabiya.server.web.schemas.requests import BotQuery, RegisterOrder, RoleOrder
from tabiya.server.web.schemas.responses import Account, Failure, Registered
from tabiya.storage.records import BotRecord


class AccountHandlers:
    """The handlers for accounts."""

    def __init__(self, facade: ServerFacade, queries: QueryHandlers, authorizer: Authorizer) -> None:
        self._facade, self._queries, self._authorizer = facade, queries, authorizer

    async def register(self, call: ApiCall) -> Registered:
        """Create an account for a bot; the token is shown only once."""
        order: RegisterOrder = call.body
        self._authorizer.check_wrong_guesses(call.request)
        return await self._registered(call, order.name, order.invite)

    async def make_account(self, call: ApiCall) -> Registered:
        """Create an account for a bot without the invite code; the token is shown only once."""
        order: AccountOrder = call.body
        return await self._registered(call, order.name, "", by_operator=True)

    async def accounts(self, call: ApiCall) -> Accounts:
        """Accounts in the order of creation, with roles and revoked tokens."""
        query: BotQuery = call.query
        found = await self._facade.store.list_bots(guests=False, after=query.after, limit=query.limit + 1)
        bots, further = part_of_list(call, found, "after")
        return Accounts(accounts=tuple(map(self._account, bots)), next=further)

    async def _registered(self, call: ApiCall, name: str, invite: str, *, by_operator: bool = False) -> Registered:
        try:
            name = check_name(name, held=self._facade.accounts.knows(name))
        except NameRefused as error:
            raise HttpError(400, str(error)) from None
        holder = await self._facade.store.bot_by_name(name)
        if holder is not None and not holder.guest:  # anybody may register the name of a guest that is gone
            raise HttpError(409, f"the name {name!r} is taken; if it is yours, an operator can give you a new token")
        try:
            bot, token = await self._facade.accounts.register(
                name, invite, call.request.remote or "", by_operator=by_operator
            )
        except WrongInvite:
            self._authorizer.count_wrong_guess(call.request)
            raise
        except TooManyNames as error:
            raise HttpError(429, str(error), Retry_After=str(error.wait_s)) from None
        except NameNotFree as error:
            raise HttpError(409, str(error)) from None
        return Registered(name=bot.name, token=token)

    async def account(self, call: ApiCall) -> Account:
        """The account of a token; tests a token."""
        bot = await self._authorizer.owner(call.request)
        if bot is None:
            return Account(name=OPERATOR, role="operator", shut_out=False, connected=False)
        return self._account(bot)

    async def new_token(self, call: ApiCall) -> Registered:
        """Replace a bot's token; connections with the old token are closed with 4011."""
        bot = await self._owned(call)
        try:
            return Registered(name=bot.name, token=await self._facade.accounts.rotate(bot))
        except NoAccount as error:
            raise HttpError(409, str(error)) from None

    async def revoke_token(self, call: ApiCall) -> Account:
        """Revoke a bot's token until it gets a new one; its connection is closed with 4011."""
        bot = await self._owned(call)
        return await self._changed(bot, self._facade.accounts.revoke(bot))

    async def set_role(self, call: ApiCall) -> Account:
        """Give an account the role of operator, or take it away."""
        order: RoleOrder = call.body
        bot = await self._queries.bot_record(call.request.match_info["name"])
        return await self._changed(bot, self._facade.accounts.set_role(bot, order.role))

    async def failure(self, call: ApiCall) -> Failure:
        """The error of a bot's program that lost a match."""
        record = await self._queries.match_record(call)
        failure = await self._facade.store.failure(record.id)
        if failure is None:
            not_found("failure of a program kept of match", record.id)
        seat = record.seats[failure.seat]
        bot = await self._facade.store.bot(seat.bot_id) or not_found("bot", seat.bot)
        await self._authorizer.check_owner_or_operator(call.request, bot)
        return Failure(match=record.id, seat=failure.seat, bot=bot.name, text=failure.text)

    async def _owned(self, call: ApiCall) -> BotRecord:
        """The bot that the order is about. Raises HttpError if the sender is neither its owner nor an operator."""
        bot = await self._queries.bot_record(call.request.match_info["name"])
        await self._authorizer.check_owner_or_operator(call.request, bot)
        return bot

    async def _changed(self, bot: BotRecord, change: Awaitable[None]) -> Account:
        try:
            await change
        except NoAccount as error:
            raise HttpError(409, str(error)) from None
        return self._account(await self._facade.store.bot(bot.id) or bot)

    def _account(self, bot: BotRecord) -> Account:
        connected = bot.id in self._facade.present()
        return Account(name=bot.name, role=bot.role, shut_out=bot.token_hash is None, connected=connected)
